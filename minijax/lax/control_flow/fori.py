"""fori_loop, over a range of integers, and map, over slices: both are a scan, or a while loop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minijax.core.batching import vmap
from minijax.core.config import FunctionCache, config
from minijax.core.dtypes import SymbolicDimension, issubdtype
from minijax.core.errors import api_boundary
from minijax.core.forward import constant
from minijax.core.primitives import add, cast, reshape
from minijax.core.pytrees import tree_map
from minijax.core.tracing import ShapedArray, Tracer, typeof
from minijax.lax.control_flow.bodies import flatten_operands
from minijax.lax.control_flow.scan_calls import python_scan, scan_length, staged_scan, steps_at_once
from minijax.lax.control_flow.while_loop import while_loop
from minijax.lax.elementwise.arithmetic import lt
from minijax.lax.shapes.axes import known_integer
from minijax.lax.shapes.slicing import concatenate, slice

# Programs of the steps that are made here for a user's function: at each call anew, and alike.
_steps, _steps_of_maps = FunctionCache(), FunctionCache()

# A range of integers.


class Loop(NamedTuple):
    """The carry of a fori_loop: a pytree whose parts have names in messages."""

    i: Any
    val: Any


class BoundedLoop(NamedTuple):
    """The carry of a fori_loop whose end is not known while tracing."""

    i: Any
    upper: Any
    val: Any


@api_boundary
def fori_loop(
    lower: Any, upper: Any, body_fun: Callable, init_val: Any, *, unroll: int | bool | None = None
) -> Any:
    """The last value of `val = body_fun(i, val)`, for i from `lower` up to but without `upper`.

    `init_val` is a pytree of arrays, and body_fun returns one of its structure, shapes and dtypes,
    else TypeError. Where both bounds are known while tracing, this is a scan. Otherwise it is a
    while_loop, which has no reverse mode: grad of it is a ValueError.

    >>> fori_loop(1, 5, lambda i, product: product * i, 1)
    Array(24, dtype=int32, weak_type=True)
    """
    name = "lax.fori_loop"
    for bound in (lower, upper):
        flatten_operands(name, body_fun, (bound, init_val))
    dtype = _bounds_dtype(name, typeof(lower), typeof(upper))
    first, last = (_known(x) for x in (lower, upper))
    if first is None or last is None:
        if unroll not in (None, False, 1):
            raise ValueError(
                f"{name} got unroll={unroll}, and bounds that are traced. Leave unroll out, or "
                f"mark the bounds static (jit's static_argnums)."
            )
        bounds = (x if typeof(x).dtype == dtype else cast(x, dtype) for x in (lower, upper))
        return _while(body_fun, *bounds, init_val)
    first, length = int(first), max(int(last) - int(first), 0)
    unroll = steps_at_once(name, False if unroll is None else unroll, length)
    if config.jax_disable_jit:
        return functools.reduce(lambda val, i: body_fun(first + i, val), range(length), init_val)

    def step(loop: Loop, _: None) -> tuple[Loop, None]:
        return Loop(add(loop.i, constant(loop.i, 1)), body_fun(loop.i, loop.val)), None

    init = Loop(first, init_val)
    cache = _steps.of(body_fun)
    return staged_scan(name, step, init, None, length, False, unroll, cache)[0].val


def _known(bound: Any) -> Any:
    """The bound; None where it is traced or symbolic."""
    if isinstance(bound, Tracer):
        return bound.to_concrete_value()
    return None if isinstance(bound, SymbolicDimension) else bound


def _bounds_dtype(name: str, lower: ShapedArray, upper: ShapedArray) -> Any:
    """The dtype of both bounds. Where one bound is a Python integer, that of the other."""
    if lower.shape or upper.shape:
        raise TypeError(f"{name} got the bounds {lower} and {upper}. Give two integers.")
    if lower.dtype == upper.dtype:
        return lower.dtype
    signed = all(issubdtype(bound.dtype, np.signedinteger) for bound in (lower, upper))
    if not signed or lower.weak_type == upper.weak_type:
        raise TypeError(
            f"{name} got bounds of two types, {lower} and {upper}. Convert one with "
            f"x.astype(dtype)."
        )
    return upper.dtype if lower.weak_type else lower.dtype


def _while(body_fun: Callable, lower: Any, upper: Any, init_val: Any) -> Any:
    def step(loop: BoundedLoop) -> BoundedLoop:
        i, upper, val = loop
        return BoundedLoop(add(i, constant(i, 1)), upper, body_fun(i, val))

    init = BoundedLoop(lower, upper, init_val)
    return while_loop(lambda loop: lt(loop.i, loop.upper), step, init).val


# A function on all slices.


@api_boundary
def map(f: Callable, xs: Any, *, batch_size: int | None = None) -> Any:
    """f of each slice x of `xs` along axis 0, stacked. The calls run one after the other, unlike
    those of vmap.

    With `batch_size`, that many slices at a time are mapped together by vmap, and the remaining
    ones at the end; 0 means all. Raises ValueError where the leading axes differ.

    >>> map(lambda x: x * x, np.arange(4))
    Array([0, 1, 4, 9], dtype=int32)
    """
    name = "lax.map"
    leaves, _ = flatten_operands(name, f, (xs,))
    length = scan_length(name, leaves, None)
    if batch_size is None:
        return _stacked_results(name, f, xs, length)
    batch_size = known_integer(name, "batch_size", batch_size)
    if batch_size < 0:
        raise TypeError(f"{name} got batch_size={batch_size}. Give an integer from 0.")
    at_once, whole = vmap(f), length // batch_size * batch_size if batch_size else 0
    if not whole:
        return at_once(xs)
    batches = tree_map(lambda x: _in_batches(x, whole, batch_size), xs)
    rest = tree_map(lambda x: _part(x, whole, length), xs) if whole < length else None
    ys = _stacked_results(name, at_once, batches, whole // batch_size)
    if rest is None:
        return tree_map(_flat, ys)
    return tree_map(lambda y, last: concatenate([_flat(y), last], 0), ys, at_once(rest))


def _stacked_results(name: str, f: Callable, xs: Any, length: int) -> Any:
    if config.jax_disable_jit:
        return python_scan(name, lambda _, x: ((), f(x)), (), xs, length, False)[1]
    cache = _steps_of_maps.of(f)
    return staged_scan(name, lambda _, x: ((), f(x)), (), xs, length, False, 1, cache)[1]


def _part(x: Any, start: int, stop: int) -> Any:
    shape = typeof(x).shape
    if (start, stop) == (0, shape[0]):
        return x
    return slice(x, (start, *(0,) * (len(shape) - 1)), (stop, *shape[1:]))


def _in_batches(x: Any, whole: int, batch_size: int) -> Any:
    shape = (whole // batch_size, batch_size, *typeof(x).shape[1:])
    return reshape(_part(x, 0, whole), shape)


def _flat(x: Any) -> Any:
    """The slices of all batches one after the other."""
    num_batches, batch_size, *rest = typeof(x).shape
    return reshape(x, (num_batches * batch_size, *rest))
