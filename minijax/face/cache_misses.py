"""Misses: why a function is traced once more, in words, when `jax_explain_cache_misses` is on.

What was traced is found by a key: the structure of the arguments, their types, the values of static
ones, the mapped axes around, the options. A miss is told by what differs from the nearest key.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from minijax.core.config import TRACE_OPTIONS, BoundedDict, config, option_checks, trace_watchers
from minijax.core.errors import DebugInfo
from minijax.core.tracing import current_source

_seen: BoundedDict = BoundedDict(4096)  # by code, the last function that was traced


def report(fun: Callable, info: DebugInfo, key: tuple, cache: dict) -> None:
    """Logs why a user's function is traced, at level WARNING of the logger "minijax"."""
    if _is_ours(fun) or not config.jax_explain_cache_misses:
        return
    from logging import getLogger  # not before it is asked for: imports are quick

    lines = "".join(f"\n  {line}" for line in reasons(fun, info, key, cache))
    getLogger("minijax").warning(f"Tracing {info}, called at {current_source()}:{lines}")


def _is_ours(fun: Callable) -> bool:
    """Whether a function is of the package: a user's call needed it."""
    return (getattr(fun, "__module__", None) or "").startswith("minijax.")


def reasons(fun: Callable, info: DebugInfo, key: tuple, cache: dict) -> Iterator[str]:
    """What is new about a call: a line for each difference."""
    keys = [known for known in cache if type(known) is tuple and len(known) >= len(key)]
    is_new = is_made_anew(fun)
    if not keys:
        yield "this function was not traced before, or it has been forgotten."
        if is_new:
            yield "another one, made by the same line, was: make and jit it outside of the loop."
        return
    nearest = max(reversed(keys), key=lambda known: likeness(key, known))[: len(key)]
    if nearest == key:
        yield "it uses a value of a trace that has ended, or of another thread."
    for describe, old, new in zip(_PARTS, nearest, key, strict=True):
        if old != new:
            yield from describe(info, old, new)


def is_made_anew(fun: Callable) -> bool:
    """Whether the last function with the same code that was traced is another one."""
    while hasattr(fun, "__wrapped__"):
        fun = fun.__wrapped__
    code = getattr(fun, "__code__", None)
    if code is None:
        return False
    last, _seen[code] = _seen.get(code), weakref.ref(fun)
    return last is not None and last() is not fun


def likeness(key: tuple, known: tuple) -> tuple[int, int]:
    """How many parts are equal, and how many of the arguments' types."""
    parts = sum(old == new for old, new in zip(known, key, strict=False))
    return parts, sum(old == new for old, new in zip(known[1], key[1], strict=False))


# The parts of a key, and what a difference in each is called.


def _structure(info: DebugInfo, old: Any, new: Any) -> Iterator[str]:
    yield f"the arguments (args, kwargs) have the structure {new}; before: {old}."


def _types(info: DebugInfo, old: tuple, new: tuple) -> Iterator[str]:
    if len(old) != len(new):
        return  # the structure says so
    for i, (before, now) in enumerate(zip(old, new, strict=True)):
        if before != now:
            yield f"{info.arg_name(i)} is {_type_text(now)}; before: {_type_text(before)}."


def _type_text(aval: Any) -> str:
    weak = getattr(aval, "weak_type", False)
    return aval.str_short(short_dtypes=True) + (" of weak type, as a number is" if weak else "")


def _static(info: DebugInfo, old: tuple, new: tuple) -> Iterator[str]:
    before, now = dict(old), dict(new)
    for where, key in now.items():
        if where not in before:
            yield f"the static argument {where} is {_value_text(key)}; before: not given."
        elif before[where] != key:
            was = _value_text(before[where])
            yield f"the static argument {where} is {_value_text(key)}; before: {was}."
    for where in before.keys() - now.keys():
        yield f"the static argument {where} is not given; before: {_value_text(before[where])}."


def _value_text(key: tuple) -> str:
    """A value, from what `value_key` made of it."""
    cls, *parts = key
    if cls is tuple:
        return f"({', '.join(map(_value_text, parts))}{',' * (len(parts) == 1)})"
    return str(parts[0]) if len(parts) == 2 else repr(parts[0])


def _axes(info: DebugInfo, old: tuple, new: tuple) -> Iterator[str]:
    (_, *axes), (_, *before) = new or (None,), old or (None,)  # behind the mesh's devices
    yield f"the named axes around are {dict(axes) or 'none'}; before: {dict(before) or 'none'}."


def _options(info: DebugInfo, old: tuple, new: tuple) -> Iterator[str]:
    for name, before, now in zip(TRACE_OPTIONS, old, new, strict=False):
        if before != now:
            yield f"the option {name} is {now!r}; before: {before!r}."


_PARTS = (_structure, _types, _static, _axes, _options)


def explain_misses(on: bool) -> None:
    """To be called before the option is set, for all threads or in a context."""
    if on and report not in trace_watchers:
        trace_watchers.append(report)


option_checks["jax_explain_cache_misses"] = explain_misses


# Where nothing is to be traced: `jax_no_tracing`.


def _refuse(fun: Callable, info: DebugInfo, key: tuple, cache: dict) -> None:
    """RuntimeError, as in JAX, where the option is on and a user's function would be traced."""
    if config.jax_no_tracing and not _is_ours(fun):
        raise RuntimeError(
            f"{info}, would be traced anew, and jax_no_tracing is on. Call it with such arguments "
            f"before, or turn jax_no_tracing off."
        )


def refuse_tracing(on: bool) -> None:
    """To be called before the option is set."""
    if on and _refuse not in trace_watchers:
        trace_watchers.append(_refuse)
