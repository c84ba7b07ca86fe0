"""Annotations: spans of the user's own in what is recorded."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from minijax.core.calls import check_callable
from minijax.core.tracing import current_source
from minijax.lax.elementwise.arithmetic import shown
from minijax.profiler.recordings import current


class TraceAnnotation:
    """A context whose time is a span of this name in the trace that is being recorded, if one is.

    Keywords stand beside it, as numbers or texts. TypeError where the name is no string.

    >>> with TraceAnnotation("load", batch=3):
    ...     rows = list(range(10))
    """

    _category = "annotation"

    def __init__(self, name: str, **metadata: Any) -> None:
        if not isinstance(name, str):
            cls = type(self).__name__
            raise TypeError(f"{cls} takes a name, and got {shown(name)}. Give a string.")
        self._name, self._metadata = name, metadata
        self._begun: list[int] = []  # of each `with` that is open, one inside the other

    def set_metadata(self, **metadata: Any) -> None:
        """Has more stand beside the span: what is known only later."""
        self._metadata |= metadata

    @staticmethod
    def is_enabled() -> bool:
        """Whether a trace is being recorded."""
        return current.recording is not None

    def __enter__(self) -> TraceAnnotation:
        self._begun.append(time.perf_counter_ns())
        return self

    def __exit__(self, *exception: Any) -> None:
        begin, recording = self._begun.pop(), current.recording
        if recording is not None and recording.level >= 1 and begin >= recording.began:
            name = self._name
            if self._category == "step" and "step_num" in self._metadata:
                name = f"{name} {self._metadata['step_num']}"
            recording.add(name, self._category, begin, current_source(), dict(self._metadata))


class StepTraceAnnotation(TraceAnnotation):
    """A context whose time is a step, as of a training loop: its span is called by its number too.

    >>> for step in range(2):
    ...     with StepTraceAnnotation("train", step_num=step):
    ...         rows = list(range(10))
    """

    _category = "step"


def annotate_function(func: Callable, name: str | None = None, **decorator_kwargs: Any) -> Callable:
    """`func`, each call of which is a span in what is recorded; `name` is the function's own if
    none is given. TypeError for what can't be called.

    >>> @annotate_function
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """
    check_callable(func, "annotate_function")
    name = name or getattr(func, "__qualname__", None) or type(func).__name__
    if not isinstance(name, str):
        raise TypeError(f"annotate_function takes a name, and got {shown(name)}. Give a string.")

    @wraps(func)
    def annotated(*args: Any, **kwargs: Any) -> Any:
        with TraceAnnotation(name, **decorator_kwargs):
            return func(*args, **kwargs)

    return annotated
