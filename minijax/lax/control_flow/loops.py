"""Loops as a user calls them: scan, and what is a scan in other words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minijax.core.batching import vmap
from minijax.core.config import config
from minijax.core.dtypes import issubdtype
from minijax.core.errors import api_boundary
from minijax.core.forward import constant
from minijax.core.primitives import add, cast, expand_dims, reshape
from minijax.core.pytrees import tree_leaves, tree_map
from minijax.core.tracing import ShapedArray, Tracer, typeof
from minijax.lax.control_flow.common import flatten_operands
from minijax.lax.control_flow.scan import staged_scan
from minijax.lax.elementwise import shown
from minijax.lax.shapes import known_integer, known_value
from minijax.lax.slicing import concatenate, index_in_dim, slice_in_dim


@api_boundary
def scan(
    f: Callable, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False,
    unroll: int | bool = 1, _split_transpose: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """The last carry, and the stacked ys, of `carry, y = f(carry, x)` for each slice x of `xs`.

    `init` is the first carry, and f returns carries of its structure, shapes and dtypes; `xs` and
    the ys are pytrees of arrays with one slice for each step, along axis 0. Without xs, `length`
    says how many steps there are. `reverse` goes from the last slice to the first. `unroll` says
    how many steps a compiler may write out. TypeError for a carry of another type, ValueError for
    lengths that differ.

    >>> scan(lambda total, x: (total + x, total), 0, np.arange(4))
    (Array(6, dtype=int32, weak_type=True), Array([0, 0, 1, 3], dtype=int32, weak_type=True))
    """
    name = "lax.scan"
    flatten_operands(name, f, (init, xs))
    length = _scan_length(name, tree_leaves(xs), length)
    unroll = _steps_at_once(name, unroll, length)
    if isinstance(reverse, Tracer):
        raise TypeError(
            f"{name} got a traced `reverse`, {reverse}. Give True or False, or mark the argument "
            f"that it comes from static (jit's static_argnums)."
        )
    if config.jax_disable_jit:
        return _python_scan(f, init, xs, length, reverse)
    return staged_scan(name, f, init, xs, length, bool(reverse), unroll)


def _scan_length(name: str, xs: list[Any], length: Any) -> int:
    """How many steps there are: by `length`, and by the leading axes."""
    for x in xs:
        if not typeof(x).shape:
            raise (IndexError if hasattr(x, "shape") else ValueError)(
                f"{name} takes slices along axis 0 of xs, and got {shown(x)} in it. Give arrays "
                f"with an axis for the steps."
            )
    lengths = [typeof(x).shape[0] for x in xs]
    if length is None:
        if len(set(lengths)) == 1:
            return lengths[0]
        raise ValueError(
            f"{name} got xs whose leading axes have the sizes {lengths}. Give them one size." if xs
            else f"{name} got neither arrays in xs nor a length. Give length=10 for ten steps."
        )  # fmt: skip
    length = known_integer(name, "length", length)
    if length < 0 or set(lengths) - {length}:
        got = f" and xs whose leading axes have the sizes {lengths}" if length >= 0 else ""
        raise ValueError(f"{name} got length={length}{got}. Give the number of slices of xs.")
    return length


def _steps_at_once(name: str, unroll: Any, length: int) -> int:
    unroll = known_value(name, "unroll", unroll)
    if isinstance(unroll, bool):
        return max(length, 1) if unroll else 1
    unroll = known_integer(name, "unroll", unroll)
    if unroll < 0:
        raise ValueError(f"{name} got unroll={unroll}. Give an integer from 0, True or False.")
    return unroll


def _python_scan(f: Callable, init: Any, xs: Any, length: int, reverse: bool) -> tuple[Any, Any]:
    """Under `disable_jit` f runs as plain Python, step by step."""
    if not length:
        raise ValueError(
            "lax.scan of no steps does not know the types of its ys under disable_jit, as f never "
            "runs. Leave disable_jit off for it."
        )
    carry, ys, steps = init, [], range(length)
    for i in reversed(steps) if reverse else steps:
        x = tree_map(lambda x, i=i: index_in_dim(x, i, keepdims=False), xs)
        carry, y = f(carry, x)
        ys.append(y)
    if reverse:
        ys.reverse()
    return carry, tree_map(lambda *ys: concatenate([expand_dims(y, [0]) for y in ys], 0), *ys)


# A range of integers.


class Loop(NamedTuple):
    """What a fori_loop carries: a pytree whose parts have names in messages."""

    i: Any
    val: Any


class BoundedLoop(NamedTuple):
    """What it carries where its end is not known while tracing."""

    i: Any
    upper: Any
    val: Any


@api_boundary
def fori_loop(
    lower: Any, upper: Any, body_fun: Callable, init_val: Any, *, unroll: int | bool | None = None
) -> Any:
    """The last value of `val = body_fun(i, val)` for i from `lower` up to, not with, `upper`.

    `init_val` is a pytree of arrays, and body_fun returns one of its structure, shapes and dtypes,
    else TypeError. Where both bounds are known while tracing, this is a scan. Otherwise it is a
    while_loop, which has no reverse mode: grad of it is a ValueError.

    >>> fori_loop(1, 5, lambda i, product: product * i, 1)
    Array(24, dtype=int32, weak_type=True)
    """
    name = "lax.fori_loop"
    flatten_operands(name, body_fun, (0, init_val))
    dtype = _bounds_dtype(name, typeof(lower), typeof(upper))
    first, last = (x.to_concrete_value() if isinstance(x, Tracer) else x for x in (lower, upper))
    if first is None or last is None:
        if unroll not in (None, False, 1):
            raise ValueError(
                f"{name} got unroll={unroll}, and bounds that are traced. Leave unroll out, or "
                f"mark the bounds static (jit's static_argnums)."
            )
        return _while(body_fun, cast(lower, dtype), cast(upper, dtype), init_val)
    first, length = int(first), max(int(last) - int(first), 0)
    unroll = _steps_at_once(name, False if unroll is None else unroll, length)
    if config.jax_disable_jit:
        return functools.reduce(lambda val, i: body_fun(first + i, val), range(length), init_val)

    def step(loop: Loop, _: None) -> tuple[Loop, None]:
        return Loop(add(loop.i, constant(loop.i, 1)), body_fun(loop.i, loop.val)), None

    init = Loop(first, init_val)
    return staged_scan(name, step, init, None, length, False, unroll)[0].val


def _bounds_dtype(name: str, lower: ShapedArray, upper: ShapedArray) -> Any:
    """The dtype of both bounds; that of one, where the other is a Python integer."""
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
    raise NotImplementedError("lax.fori_loop with traced bounds is a while_loop. Use lax.scan.")


# A function on all slices.


@api_boundary
def map(f: Callable, xs: Any, *, batch_size: int | None = None) -> Any:
    """f of each slice x of `xs` along axis 0, stacked: one after the other, and not all at once as
    by vmap.

    With `batch_size`, so many at a time are done at once, and what is left over at the end. 0
    stands for all. Raises ValueError where the leading axes differ.

    >>> map(lambda x: x * x, np.arange(4))
    Array([0, 1, 4, 9], dtype=int32)
    """
    name = "lax.map"
    leaves, _ = flatten_operands(name, f, (xs,))
    length = _scan_length(name, leaves, None)
    if batch_size is None:
        return _stacked_results(name, f, xs, length)
    batch_size = known_integer(name, "batch_size", batch_size)
    if batch_size < 0:
        raise ValueError(f"{name} got batch_size={batch_size}. Give an integer from 0.")
    num_batches = length // batch_size if batch_size else 0
    whole = num_batches * batch_size
    at_once = vmap(f)

    def rest() -> Any:
        return at_once(tree_map(lambda x: slice_in_dim(x, whole, None), xs))

    if not num_batches:
        return rest()
    batches = tree_map(lambda x: _in_batches(x, num_batches, batch_size), xs)
    ys = tree_map(_flat, _stacked_results(name, at_once, batches, num_batches))
    return tree_map(lambda *ys: concatenate(ys, 0), ys, rest()) if whole < length else ys


def _stacked_results(name: str, f: Callable, xs: Any, length: int) -> Any:
    if config.jax_disable_jit:
        return _python_scan(lambda _, x: ((), f(x)), (), xs, length, False)[1]
    return staged_scan(name, lambda _, x: ((), f(x)), (), xs, length, False, 1)[1]


def _in_batches(x: Any, num_batches: int, batch_size: int) -> Any:
    x = slice_in_dim(x, 0, num_batches * batch_size)
    return reshape(x, (num_batches, batch_size, *typeof(x).shape[1:]))


def _flat(x: Any) -> Any:
    """The slices of all batches one after the other."""
    num_batches, batch_size, *rest = typeof(x).shape
    return reshape(x, (num_batches * batch_size, *rest))
