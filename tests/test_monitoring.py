"""monitoring: who listens is told, in the order of listening, until they no longer listen."""

import pytest

from minijax import monitoring

KINDS = {
    "event": ("record_event", (), "register_event_listener", "unregister_event_listener"),
    "duration": ("record_event_duration_secs", (1.5,), "register_event_duration_secs_listener",
                 "unregister_event_duration_listener"),
    "time span": ("record_event_time_span", (1.0, 2.0), "register_event_time_span_listener",
                  "unregister_event_time_span_listener"),
    "scalar": ("record_scalar", (3,), "register_scalar_listener", "unregister_scalar_listener"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nobody_listens_afterwards():
    yield
    monitoring.clear_event_listeners()


@pytest.mark.parametrize("kind", KINDS)
def test_listeners_are_told_what_is_recorded(kind):
    names, told = KINDS[kind], []
    record, register, unregister = (getattr(monitoring, names[i]) for i in (0, 2, 3))
    first, second = (lambda *a, n=n, **k: told.append((n, a, k)) for n in (1, 2))
    register(first), register(second)
    record("name", *names[1], size=3)
    assert told == [(n, ("name", *names[1]), {"size": 3}) for n in (1, 2)]
    unregister(first)
    record("name", *names[1])
    assert told[2:] == [(2, ("name", *names[1]), {})]
    monitoring.clear_event_listeners()
    record("name", *names[1])
    assert len(told) == 3


def test_a_listener_may_leave_while_it_is_told():
    def once(event):
        told.append(event)
        monitoring.unregister_event_listener(once)

    told = []
    monitoring.register_event_listener(once)
    monitoring.register_event_listener(told.append)
    monitoring.record_event("a")
    monitoring.record_event("b")
    assert told == ["a", "a", "b"]


def test_what_a_listener_raises_is_raised():
    def angry(event):
        raise KeyError(event)

    monitoring.register_event_listener(angry)
    with pytest.raises(KeyError, match="a"):
        monitoring.record_event("a")
