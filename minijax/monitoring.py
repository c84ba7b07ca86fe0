"""Events that are told to whoever listens: that something happened, how long it took, how much it
was. Nothing here tells any yet; what a program records reaches its own listeners."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown

__all__ = [
    "clear_event_listeners", "record_event", "record_event_duration_secs",
    "record_event_time_span", "record_scalar", "register_event_duration_secs_listener",
    "register_event_listener", "register_event_time_span_listener", "register_scalar_listener",
    "unregister_event_duration_listener", "unregister_event_listener",
    "unregister_event_time_span_listener", "unregister_scalar_listener",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

_listeners: dict[str, list[Callable]] = {
    "event": [], "event_duration": [], "event_time_span": [], "scalar": [],
}  # fmt: skip


def _tell(kind: str, *args: Any, **kwargs: Any) -> None:
    for listener in list(_listeners[kind]):
        listener(*args, **kwargs)


def record_event(event: str, **kwargs: str | int) -> None:
    """Tells that an event happened, with what is to be known of it.

    >>> register_event_listener(print)
    >>> record_event("begun")
    begun
    >>> unregister_event_listener(print)
    """
    _tell("event", event, **kwargs)


def record_event_duration_secs(event: str, duration: float, **kwargs: str | int) -> None:
    """Tells how many seconds an event took."""
    _tell("event_duration", event, duration, **kwargs)


def record_event_time_span(
    event: str, start_time: float, end_time: float, **kwargs: str | int
) -> None:
    """Tells when an event began and ended."""
    _tell("event_time_span", event, start_time, end_time, **kwargs)


def record_scalar(event: str, value: float | int, **kwargs: str | int) -> None:
    """Tells a number."""
    _tell("scalar", event, value, **kwargs)


def _register(kind: str, name: str, callback: Callable) -> None:
    if not callable(callback):
        raise TypeError(f"monitoring.{name} takes a function, and got {shown(callback)}. Give one.")
    _listeners[kind].append(callback)


def register_event_listener(callback: Callable) -> None:
    """Has `callback(event, **kwargs)` called for each event."""
    _register("event", "register_event_listener", callback)


def register_event_duration_secs_listener(callback: Callable) -> None:
    """Has `callback(event, duration, **kwargs)` called for each duration."""
    _register("event_duration", "register_event_duration_secs_listener", callback)


def register_event_time_span_listener(callback: Callable) -> None:
    """Has `callback(event, start_time, end_time, **kwargs)` called for each span of time."""
    _register("event_time_span", "register_event_time_span_listener", callback)


def register_scalar_listener(callback: Callable) -> None:
    """Has `callback(event, value, **kwargs)` called for each number."""
    _register("scalar", "register_scalar_listener", callback)


def _unregister(kind: str, callback: Callable) -> None:
    if callback not in _listeners[kind]:
        raise AssertionError(
            f"monitoring.unregister_{kind}_listener got {shown(callback)}, which does not listen. "
            f"Give a function that was registered."
        )
    _listeners[kind].remove(callback)


def unregister_event_listener(callback: Callable) -> None:
    """Calls it for no more events; AssertionError, as in JAX, where it was called for none."""
    _unregister("event", callback)


def unregister_event_duration_listener(callback: Callable) -> None:
    """Calls it for no more durations; AssertionError where it was called for none."""
    _unregister("event_duration", callback)


def unregister_event_time_span_listener(callback: Callable) -> None:
    """Calls it for no more spans of time; AssertionError where it was called for none."""
    _unregister("event_time_span", callback)


def unregister_scalar_listener(callback: Callable) -> None:
    """Calls it for no more numbers; AssertionError where it was called for none."""
    _unregister("scalar", callback)


def clear_event_listeners() -> None:
    """Has nobody called any more."""
    for listeners in _listeners.values():
        listeners.clear()


guard(sys.modules[__name__])
