import pytest

from minijax.core.staging import Jaxpr, _check_jaxpr


@pytest.fixture
def every_jaxpr_typechecks(monkeypatch):
    """Checks each jaxpr that anything makes during the test, also those that nobody returns."""
    made = []
    init = Jaxpr.__init__

    def recording_init(jaxpr, *args, **kwargs):
        init(jaxpr, *args, **kwargs)
        made.append(jaxpr)

    monkeypatch.setattr(Jaxpr, "__init__", recording_init)
    yield
    monkeypatch.undo()
    seen: set[Jaxpr] = set()  # one that several equations carry is checked once
    for jaxpr in made:
        _check_jaxpr(jaxpr, seen)
