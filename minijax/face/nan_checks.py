"""NaNs and infinities, looked for: what `jax_debug_nans` and `jax_debug_infs` do.

While one of them is on, every operation outside of programs is looked at, and of a program that
runs as a whole its results. Where these have a NaN, the program is run once more, operation by
operation, so that the error names the one that made it. A function of the library counts as a
program. All of this is put in when an option is first set: whoever never does pays nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from minijax.core.arrays import Array, ArrayImpl
from minijax.core.config import config, quietly
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import Backend, JitFunction, running
from minijax.core.printing import programs_in_params
from minijax.core.pytrees import tree_leaves
from minijax.core.tracing import EvalTrace, Primitive
from minijax.face.donations import is_deleted

# What is looked for: by option, what a message calls it, and where it is in an array.
_SOUGHT: dict[str, tuple[str, Callable]] = {
    "jax_debug_nans": ("NaN", np.isnan), "jax_debug_infs": ("infinity", np.isinf),
}  # fmt: skip


def is_searching() -> bool:
    """Whether results are looked at."""
    return config.jax_debug_nans or config.jax_debug_infs


class Search(threading.local):
    """What a thread is at: a call that is looked at as one; a program, operation by operation."""

    as_one = step_by_step = False

    @contextmanager
    def during(self, **changes: bool) -> Iterator[None]:
        outer = {name: getattr(self, name) for name in changes}
        vars(self).update(changes)
        try:
            yield
        finally:
            vars(self).update(outer)

    def looks(self) -> bool:
        """Whether the operation that has just ended is to be looked at."""
        return self.step_by_step or not (self.as_one or running.inside_program)


search = Search()


def find(results: Iterable[Any]) -> tuple[str, str] | None:
    """The option that the first bad result offends, and what is wrong with it, in words."""
    for x in results:
        if isinstance(x, ArrayImpl) and x._value is not None and issubdtype(x.dtype, np.inexact):
            for option, (word, test) in _SOUGHT.items():
                if getattr(config, option) and (bad := quietly(test, x._value)).any():
                    return option, f"{word} in {_places(x, bad)}"
    return None


def _places(x: Array, bad: np.ndarray) -> str:
    if not x.shape:
        return str(x.aval)
    first = ", ".join(map(str, np.argwhere(bad)[0]))
    return f"{x.aval}, {np.count_nonzero(bad)} of {x.size}, the first at [{first}]"


def _error(name: Any, found: tuple[str, str], about: str) -> FloatingPointError:
    option, what = found
    error = FloatingPointError(
        f"{name} gave {what}. {about} Give it other operands, or turn {option} off."
    )
    error.found_in = name  # type: ignore[attr-defined]  # it is an error of ours
    return error


def without(args: Any, results: Iterable[Any]) -> list[Any]:
    """The results that are not arguments, handed back as they are."""
    given = set(map(id, tree_leaves(args)))
    return [x for x in results if id(x) not in given]


# Operations, and programs.


def look_at(primitive: Primitive, args: Sequence[Any], params: dict, results: Any) -> None:
    """FloatingPointError where one of an operation's results has what is looked for."""
    carries_program = next(programs_in_params(params), None) is not None
    results = results if primitive.multiple_results else [results]
    found = find(results if carries_program else without(args, results))
    if found is None:
        return
    if not carries_program:
        about = "It was given one." if find(args) else "Its operands have none."
    elif any(map(is_deleted, args)):
        about = "Its arguments were donated, so it can't be run again to see where."
    else:
        run_step_by_step(primitive, args, params)
        about = "None of its operations does, run by itself, or it returns what it was given."
    raise _error(primitive, found, about)


_interpreter = Backend()  # one, as programs are kept by it


def run_step_by_step(primitive: Primitive, args: Sequence[Any], params: dict) -> None:
    """Runs an operation that carries a program; FloatingPointError at the first bad operation."""
    outer = vars(running).get("backend")  # a thread's own, if it has one
    running.backend = _interpreter
    try:
        with search.during(step_by_step=True):
            primitive.impl(*args, **primitive.active(params))
    finally:
        del running.backend
        if outer is not None:
            running.backend = outer


def call_as_one(fun: Callable, args: tuple, kwargs: dict) -> Any:
    """fun(*args, **kwargs), of a function of the library: its result is looked at, and what it
    computes on the way only where that has what is looked for."""
    with search.during(as_one=True):
        out = fun(*args, **kwargs)
    if search.looks() and (found := find(without((args, kwargs), tree_leaves(out)))):
        fun(*args, **kwargs)
        raise _error(fun.__name__, found, "None of its steps does, run by itself.")
    return out


def check_new(name: str, x: Any) -> Any:
    """An array that the function `name` made of numbers; FloatingPointError as of an operation."""
    if _put_in and is_searching() and search.looks() and (found := find([x])):
        raise _error(name, found, "It was given one.")
    return x


# What is put in.


def _searching(process: Callable) -> Callable:
    """The ground floor's operations, looked at."""

    @wraps(process)
    def process_primitive(
        self: EvalTrace, primitive: Primitive, args: Sequence[Any], params: dict
    ) -> Any:
        out = process(self, primitive, args, params)
        if is_searching() and search.looks():
            look_at(primitive, args, params, out)
        return out

    return process_primitive


def _retracing(cache_miss: Callable) -> Callable:
    """A jitted function's call. Where its program gives a NaN, the function itself is called, so
    that the traceback shows its line. With the numbers as they were given, it may raise something
    else: Python's own 1 / 0. Nothing is donated: it is needed for that."""

    @wraps(cache_miss)
    def call(self: JitFunction, args: tuple, kwargs: dict) -> Any:
        if not is_searching():
            return cache_miss(self, args, kwargs)
        if config.jax_debug_nans and any(self._donate):
            self = JitFunction(self._fun, self._static, ((), ()), self._params)
        try:
            return cache_miss(self, args, kwargs)
        except FloatingPointError as error:
            if not hasattr(error, "found_in"):
                raise
            first = error
        if not any(map(is_deleted, tree_leaves((args, kwargs)))):
            self._fun(*args, **kwargs)
        raise first

    return call


_put_in: list[Callable] = []


def switch(on: bool) -> None:
    """To be called before one of the options is set."""
    if on and not _put_in:
        _put_in.append(EvalTrace.process_primitive)
        EvalTrace.process_primitive = _searching(EvalTrace.process_primitive)  # type: ignore
        JitFunction.cache_miss = _retracing(JitFunction.cache_miss)  # type: ignore
