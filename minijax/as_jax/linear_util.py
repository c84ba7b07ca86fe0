"""`jax.extend.linear_util`: functions of flat lists, and transformations written as generators.

A transformation yields the arguments of the function that it wraps, and is sent its result; it then
yields its own. Functions here are plain ones, so a wrapped function is a function that can be
called, and `call_wrapped` is that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from minijax.core.errors import DebugInfo


class StoreException(Exception):
    """A value is asked for before it was stored, or stored twice."""


class Store:
    """A place for what a transformation finds out beside its result."""

    def __init__(self) -> None:
        self.stored: list[Any] = []

    @property
    def val(self) -> Any:
        if not self.stored:
            raise StoreException("Nothing is stored yet. Call the transformed function first.")
        return self.stored[0]

    def store(self, val: Any) -> None:
        if self.stored:
            raise StoreException("A value is stored already. Transform the function anew.")
        self.stored.append(val)

    def reset(self) -> None:
        self.stored.clear()

    def __bool__(self) -> bool:
        return bool(self.stored)


class WrappedFun:
    """A function, what it is called with to begin with, and what errors say of it."""

    def __init__(self, fun: Callable, params: dict[str, Any], debug_info: DebugInfo | None) -> None:
        self.f, self.params, self.debug_info = fun, params, debug_info
        update_wrapper(self, fun)

    def call_wrapped(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **{**self.params, **kwargs})

    __call__ = call_wrapped


def wrap_init(
    f: Callable, params: dict[str, Any] | None = None, *, debug_info: DebugInfo | None = None
) -> WrappedFun:
    """The function with these keyword arguments, ready to be transformed."""
    return WrappedFun(f, params or {}, debug_info)


def _info(fun: Any) -> DebugInfo | None:
    return getattr(fun, "debug_info", None)


def _run(generator: Callable, given: tuple, fun: Callable, *args: Any, **kwargs: Any) -> Any:
    """What a transformation makes of a call."""
    steps = generator(*given, *args, **kwargs)
    inner_args, inner_kwargs = next(steps)
    result = steps.send(fun(*inner_args, **inner_kwargs))
    steps.close()
    return result


def transformation(generator: Callable) -> Callable:
    """A transformation of wrapped functions: its result is what the generator yields last."""

    def transform(fun: Callable, *given: Any) -> WrappedFun:
        return WrappedFun(partial(_run, generator, given, fun), {}, _info(fun))

    return transform


def transformation_with_aux(generator: Callable) -> Callable:
    """Likewise; the generator's last yield is a pair. The other half is had from a thunk."""

    def transform(fun: Callable, *given: Any) -> tuple[WrappedFun, Callable[[], Any]]:
        store = Store()

        def run(*args: Any, **kwargs: Any) -> Any:
            result, aux = _run(generator, given, fun, *args, **kwargs)
            store.store(aux)
            return result

        thunk = lambda: store.val  # noqa: E731
        thunk.store = store
        return WrappedFun(run, {}, _info(fun)), thunk

    return transform


def merge_linear_aux(aux1: Callable, aux2: Callable) -> tuple[bool, Any]:
    """Which of two thunks has its value, True for the first, and the value."""
    first, second = bool(aux1.store), bool(aux2.store)
    if first == second:
        raise StoreException(f"{'Both have' if first else 'Neither of the two has'} a value.")
    return (True, aux1()) if first else (False, aux2())
