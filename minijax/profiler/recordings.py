"""A recording: what happened from when to when, in which thread, for which line of the user's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from types import MappingProxyType
from typing import Any, NamedTuple

from minijax.core.errors import SourceInfo

MOST_SPANS = 2_000_000  # viewers take no more than that, and each is some 200 bytes
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Span(NamedTuple):
    """Something that took time. `begin` and `end` are nanoseconds of `time.perf_counter_ns`."""

    name: str
    category: str  # "call", "numpy", "kernel", "compile", "annotation" or "step"
    begin: int
    end: int
    thread: int  # its number, from 1 on
    source: SourceInfo | None  # the user's line, and the named scopes around
    details: Mapping[str, Any]


class Recording:
    """The spans so far. Threads may add to it at the same time.

    `level` says what is recorded: 0 nothing, 1 annotations and steps, from 2 on everything.
    """

    def __init__(self, level: int = 2) -> None:
        self.level, self.is_running = level, True
        self.spans: list[Span] = []
        # Their numbers. A thread's own identifier is another's, once it has ended.
        self.threads: dict[threading.Thread, int] = {}
        self.lock = threading.Lock()
        self.dropped = 0
        self.began, self.wall_clock = time.perf_counter_ns(), time.time_ns()

    def add(
        self, name: str, category: str, begin: int, source: SourceInfo | None = None,
        details: Mapping[str, Any] = NOTHING,
    ) -> None:  # fmt: skip
        """Adds a span that began at `begin`, in this thread, and ends now."""
        end, thread = time.perf_counter_ns(), threading.current_thread()
        if not self.is_running:
            return
        if len(self.spans) >= MOST_SPANS:
            self.dropped += 1
            return
        if thread not in self.threads:
            with self.lock:
                self.threads[thread] = len(self.threads) + 1
        number = self.threads[thread]
        self.spans.append(Span(name, category, begin, end, number, source, details))

    @contextmanager
    def span(self, name: str, category: str, source: SourceInfo | None = None) -> Iterator[None]:
        """A context whose time is a span."""
        begin = time.perf_counter_ns()
        try:
            yield
        finally:
            self.add(name, category, begin, source)

    def timed(self, fun: Callable, category: str, name_of: Callable[..., str]) -> Callable:
        """`fun`, each call of which is a span; `name_of` gets the arguments."""

        @wraps(fun)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not self.is_running:
                return fun(*args, **kwargs)
            with self.span(name_of(*args, **kwargs), category):
                return fun(*args, **kwargs)

        return call


class Current:
    """The recording that is running, if one is."""

    recording: Recording | None = None


current = Current()
