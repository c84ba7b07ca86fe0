"""Running totals: at each place, the sum (product, maximum, ...) of all elements up to there.

A total is the same however its terms are bracketed. The derivatives use that: they go along pairs,
and pairs of pairs, in few steps, each of which is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.core.batching import primitive_batchers
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant, instantiate_zeros, jvp_flat, primitive_jvps
from minijax.core.primitives import add, check_kind, mul, numpy_primitive, through_float32
from minijax.core.primitives import max as lax_max
from minijax.core.reverse import deflinear2
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.elementwise import min as lax_min
from minijax.lax.shapes import as_integer, rev
from minijax.lax.slicing import concatenate, pad, slice_in_dim

# Bracketed in pairs (Blelloch, "Prefix sums and their applications", 1990): the totals of the
# pairs are every second total, and one more step gives those between.


def running(combine: Callable, xs: Sequence[Any], axis: int) -> list[Any]:
    """The running totals of arrays by `combine`, which maps two lists of them to one."""
    size = typeof(xs[0]).shape[axis]
    if size < 2:
        return list(xs)
    pairs = combine(_every(xs, 0, -1, 2, axis), _every(xs, 1, None, 2, axis))
    odd = running(combine, pairs, axis)
    before = odd if size % 2 else _every(odd, 0, -1, 1, axis)
    even = combine(before, _every(xs, 2, None, 2, axis))
    even = [
        concatenate([slice_in_dim(x, 0, 1, axis=axis), y], axis)
        for x, y in zip(xs, even, strict=True)
    ]
    return [_interleave(x, y, axis) for x, y in zip(even, odd, strict=True)]


def _every(xs: Sequence[Any], start: int, limit: int | None, stride: int, axis: int) -> list[Any]:
    return [slice_in_dim(x, start, limit, stride, axis) for x in xs]


def _interleave(x: Any, y: Any, axis: int) -> Any:
    """x[0], y[0], x[1], ...: both with zeros between, added up."""
    more = typeof(x).shape[axis] - typeof(y).shape[axis]
    edges = [(0, 0, 0)] * typeof(x).ndim
    edges_of_x = [*edges[:axis], (0, 1 - more, 1), *edges[axis + 1 :]]
    edges_of_y = [*edges[:axis], (1, more, 1), *edges[axis + 1 :]]
    return add(pad(x, _zero(x), edges_of_x), pad(y, _zero(y), edges_of_y))


def _zero(x: Any) -> Any:
    return constant(x, 0)


def _running_jvp(
    fun: Callable, primals: Sequence[Any], tangents: Sequence[Any], *, axis: int, reverse: bool
) -> tuple:
    def combine(xs: Sequence[Any], ys: Sequence[Any]) -> list[Any]:
        return [fun(x, y) for x, y in zip(xs, ys, strict=True)]

    def totals(x: Any) -> list[Any]:
        x = rev(x, [axis]) if reverse else x
        out = running(combine, [x], axis)
        return [rev(y, [axis]) for y in out] if reverse else out

    (out,), (out_dot,) = jvp_flat(totals, primals, list(map(instantiate_zeros, tangents)))
    return out, out_dot


# The primitives.


def _cumulative(
    name: str, accepts: list[type], accumulate: Callable, doc: str
) -> tuple[Primitive, Callable]:
    """A primitive, and the function that binds it; `accumulate` takes an array and an axis."""

    def type_rule(x: ShapedArray, *, axis: int, reverse: bool) -> ShapedArray:
        check_kind(f"lax.{name}", accepts, x.dtype)
        if not 0 <= axis < x.ndim:
            raise ValueError(
                f"lax.{name} found no axis {axis} in {x}. Count axes from 0, and not from the end."
            )
        return x

    def numpy_fun(x: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
        out = accumulate(np.flip(x, axis) if reverse else x, axis)
        return np.flip(out, axis) if reverse else out

    def batcher(args: Sequence, dims: Sequence, *, axis: int, reverse: bool) -> tuple:
        (x,), (d,) = args, dims
        return primitive.bind(x, axis=axis + (axis >= d), reverse=reverse), d

    def fun(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        axis = as_integer(f"lax.{name}", "axis", axis)
        return primitive.bind(operand, axis=axis, reverse=bool(reverse))

    primitive = numpy_primitive(name, type_rule, through_float32(numpy_fun))
    primitive_batchers[primitive] = batcher
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"{doc} up to each place along `axis`; from the end if `reverse`."
    return primitive, fun


def _by(ufunc: np.ufunc) -> Callable:
    return lambda x, axis: ufunc.accumulate(x, axis, x.dtype)


cumsum_p, cumsum = _cumulative("cumsum", [np.number], _by(np.add), "The sum of the elements")
deflinear2(cumsum_p, lambda ct, x, *, axis, reverse: [cumsum(ct, axis, not reverse)])

cumprod_p, cumprod = _cumulative(
    "cumprod", [np.number], _by(np.multiply), "The product of the elements"
)
primitive_jvps[cumprod_p] = partial(_running_jvp, mul)

cummax_p, cummax = _cumulative("cummax", [np.number], _by(np.maximum), "The largest element")
primitive_jvps[cummax_p] = partial(_running_jvp, lax_max)

cummin_p, cummin = _cumulative("cummin", [np.number], _by(np.minimum), "The smallest element")
primitive_jvps[cummin_p] = partial(_running_jvp, lax_min)


def _numpy_logaddexp(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """log(exp(x) + exp(y)) of complex numbers; the imaginary part is from -pi to pi."""
    largest = np.maximum(x, y)
    out = largest + np.log1p(np.exp(x + y - 2 * largest))
    return out.real + 1j * ((out.imag + np.pi) % (2 * np.pi) - np.pi)


def _accumulate_logaddexp(x: np.ndarray, axis: int) -> np.ndarray:
    if not issubdtype(x.dtype, np.complexfloating):
        return np.logaddexp.accumulate(x, axis, x.dtype)
    out = np.moveaxis(x.copy(), axis, 0)
    for place in range(1, len(out)):
        out[place] = _numpy_logaddexp(out[place - 1], out[place])
    return np.moveaxis(out, 0, axis)


cumlogsumexp_p, cumlogsumexp = _cumulative(
    "cumlogsumexp", [np.inexact], _accumulate_logaddexp, "The logarithm of the sum of exponentials"
)
