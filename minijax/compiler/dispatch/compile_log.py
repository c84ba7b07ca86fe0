"""What is traced and compiled, told as it happens: `jax_log_compiles`.

It is put in when the option is first set: whoever never does pays nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from time import perf_counter
from typing import Any

from minijax.compiler.backend import NumbaBackend
from minijax.compiler.dispatch.straight_line import StraightBackend
from minijax.core import staging
from minijax.core.config import config
from minijax.core.errors import DebugInfo
from minijax.core.jitting import Backend, CompileOptions
from minijax.core.staging import ClosedJaxpr


class Busy(threading.local):
    """What a thread is at: of what happens inside of it, nothing is told."""

    with_one = False

    @contextmanager
    def telling(self, begin: str, end: str) -> Iterator[None]:
        """Logs at level WARNING of the logger "minijax", before a block and after it. `end` has a
        place for the seconds that it took."""
        if self.with_one or not config.jax_log_compiles:
            yield
            return
        from logging import getLogger  # not before it is asked for: imports are quick

        log = getLogger("minijax").warning
        if begin:
            log(begin)
        self.with_one, start = True, perf_counter()
        try:
            yield
        finally:
            self.with_one = False
        log(end.format(seconds=f"{perf_counter() - start:.9f}"))


_busy = Busy()


def _telling_trace(trace: Callable) -> Callable:
    """The tracing of a user's function for jit, told."""

    @wraps(trace)
    def trace_to_jaxpr(
        fun: Callable, in_avals: Sequence[Any], info: DebugInfo | None = None
    ) -> ClosedJaxpr:
        if info is None or info.traced_for != "jit":
            return trace(fun, in_avals, info)
        name = _in_braces(info.func_name)
        with _busy.telling("", f"Finished tracing {name} for jit in {{seconds}} sec"):
            return trace(fun, in_avals, info)

    return trace_to_jaxpr


def _telling_compilation(compile: Callable) -> Callable:
    """A backend's work, told."""

    @wraps(compile)
    def compile_and_tell(self: Backend, closed: ClosedJaxpr, options: CompileOptions) -> Callable:
        begin = f"Compiling jit({options.name}) for arguments of the types {closed.in_avals}."
        end = f"Finished compilation of jit({_in_braces(options.name)}) in {{seconds}} sec"
        with _busy.telling(begin, end):
            return compile(self, closed, options)

    return compile_and_tell


def _in_braces(name: str) -> str:
    """A name as `str.format` leaves it alone."""
    return name.replace("{", "{{").replace("}", "}}")


_put_in: list[type] = []


def switch(on: bool) -> None:
    """To be called before the option is set."""
    if on and not _put_in:
        _put_in.extend([Backend, StraightBackend, NumbaBackend])
        staging.trace_to_jaxpr = _telling_trace(staging.trace_to_jaxpr)
        for backend in _put_in:
            if "compile" in vars(backend):
                backend.compile = _telling_compilation(backend.compile)  # type: ignore
