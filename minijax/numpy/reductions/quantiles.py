"""The value that a part of all values lie below: medians, percentiles, quantiles.

The values are put in order. The place of the quantile is between two of them, and the `method`
says what to make of those; or it is where the sum of all weights so far reaches its part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.indexing.dimension_numbers import GatherDimensionNumbers
from minijax.lax.out_sharding import takes_out_sharding
from minijax.numpy.arguments import (
    Axis,
    canonical_axes,
    check_kind,
    library_jit,
    refuse_complex,
    refuse_keys,
)
from minijax.numpy.creation import full_like
from minijax.numpy.elementwise.comparisons import isnan
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.elementwise.ufuncs import maximum, minimum
from minijax.numpy.indexing.selecting import take_along_axis
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.totals import all as all_of
from minijax.numpy.reductions.totals import any as any_of
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.reshaping import broadcast_to, ravel, reshape

_STATIC = ("axis", "overwrite_input", "method", "keepdims")

# What to make of the value below the place, the value above it, and how far it is from each.
_METHODS: dict[str, Callable] = {
    "linear": lambda low, high, near_low, near_high: lax.add(
        lax.mul(cast(low, near_low.dtype), near_low), lax.mul(cast(high, near_low.dtype), near_high)
    ),
    "lower": lambda low, high, near_low, near_high: low,
    "higher": lambda low, high, near_low, near_high: high,
    "midpoint": lambda low, high, near_low, near_high: lax.mul(
        lax.add(low, high), constant(low, 0.5)
    ),
    "nearest": lambda low, high, near_low, near_high: lax.select(
        lax.le(near_high, constant(near_high, 0.5)), low, high
    ),
}

_BY_WEIGHT = "inverted_cdf"


@library_jit(static_argnames=("axis", "overwrite_input", "keepdims"))
def median(
    a: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """The middle value over some axes, or all; of an even number, halfway between the middle two.

    >>> median(np.array([5, 1, 3, 2]))
    Array(2.5, dtype=float32)
    """
    _check("jnp.median", a, out, overwrite_input)
    return quantile(a, 0.5, axis=axis, method="midpoint", keepdims=keepdims)


@library_jit(static_argnames=("axis", "overwrite_input", "keepdims"))
def nanmedian(
    a: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """The middle one of what is not NaN, over some axes, or all."""
    _check("jnp.nanmedian", a, out, overwrite_input)
    return nanquantile(a, 0.5, axis=axis, method="midpoint", keepdims=keepdims)


@library_jit(static_argnames=_STATIC)
def quantile(
    a: Any, q: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """The value that a part q, from 0 to 1, of all values over some axes lie below.

    For several q, a row, their axis comes first. Between two values, `method` chooses: "linear",
    "lower", "higher", "midpoint" or "nearest"; "inverted_cdf" takes the first value up to which
    there is that part of all. NaN where one of the values is.

    With "inverted_cdf" values count as often as `weights` say, which have the shape of `a`, or that
    of its axes `axis`. NotImplementedError for weights with another method, ValueError for weights
    of another shape or complex ones. NaN where a weight is NaN or less than 0.

    >>> quantile(np.array([0.0, 10.0, 20.0]), np.array([0.25, 0.5]))
    Array([ 5., 10.], dtype=float32)
    >>> weights = np.array([5, 1, 1])
    >>> quantile(np.array([0.0, 10.0, 20.0]), 0.5, method="inverted_cdf", weights=weights)
    Array(0., dtype=float32)
    """
    _check("jnp.quantile", a, out, overwrite_input)
    return _quantile("jnp.quantile", a, q, axis, method, keepdims, False, weights)


@library_jit(static_argnames=_STATIC)
def nanquantile(
    a: Any, q: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """Like `quantile`, of what is not NaN."""
    _check("jnp.nanquantile", a, out, overwrite_input)
    return _quantile("jnp.nanquantile", a, q, axis, method, keepdims, True, weights)


@takes_out_sharding
@library_jit(static_argnames=_STATIC)
def percentile(
    a: Any, q: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """The value that q per cent of all values over some axes lie below; see `quantile`.

    >>> percentile(np.array([0.0, 10.0, 20.0]), 25)
    Array(5., dtype=float32)
    """
    _check("jnp.percentile", a, out, overwrite_input)
    (q,) = promote_dtypes_inexact(q)
    return quantile(
        a, q / 100, axis=axis, method=method, keepdims=keepdims, weights=weights
    )


@library_jit(static_argnames=_STATIC)
def nanpercentile(
    a: Any, q: Any, axis: Axis = None, out: None = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, weights: Any = None,
) -> Any:  # fmt: skip
    """Like `percentile`, of what is not NaN."""
    _check("jnp.nanpercentile", a, out, overwrite_input)
    (q,) = promote_dtypes_inexact(q)
    return nanquantile(
        a, q / 100, axis=axis, method=method, keepdims=keepdims, weights=weights
    )


def _check(fun_name: str, a: Any, out: None, overwrite_input: bool) -> None:
    refuse_keys(fun_name, a)
    refuse_complex(fun_name, ValueError, a)
    if out is not None or overwrite_input:
        raise ValueError(
            f"{fun_name} returns its result, and writes into no array. Leave out and "
            f"overwrite_input out."
        )


def _quantile(
    fun_name: str, a: Any, q: Any, axis: Axis, method: str, keepdims: bool, skip_nan: bool,
    weights: Any,
) -> Any:  # fmt: skip
    if method not in (*_METHODS, _BY_WEIGHT):
        raise ValueError(
            f"{fun_name} knows no method {shown(method)}.\n"
            f"Give one of {', '.join(_METHODS)}, {_BY_WEIGHT}."
        )
    check_kind(f"{fun_name}'s q", [np.floating], typeof(q).dtype)
    if typeof(q).ndim > 1:
        raise ValueError(
            f"{fun_name} takes one q or a row of them, and got {typeof(q)}. Use jnp.ravel(q)."
        )
    if weights is None:
        (a,) = promote_dtypes_inexact(a)
    else:
        a, weights = _with_weights(fun_name, a, weights, axis, method)
    if keepdims and axis in (None, ()) and not typeof(a).ndim:
        a = reshape(a, (1,))  # a number is a row of one, as in JAX
        weights = None if weights is None else reshape(weights, (1,))
    row, place, shape = _in_row(fun_name, a, axis)
    if method == _BY_WEIGHT:
        weights = full_like(row, 1) if weights is None else _in_row(fun_name, weights, axis)[0]
        result = _by_weight(row, weights, q, place, keepdims, skip_nan)
    else:
        find = _skipping_nan if skip_nan else _among_all
        result = _METHODS[method](*find(row, q, place, keepdims))
    if keepdims and shape is not None:
        result = reshape(result, (*typeof(q).shape, *shape))
    return lax.convert_element_type(result, a.dtype)


def _with_weights(fun_name: str, a: Any, weights: Any, axis: Axis, method: str) -> tuple[Any, Any]:
    """The values and the weights, of one dtype and shape."""
    refuse_complex(f"{fun_name}'s weights", ValueError, weights)
    if method != _BY_WEIGHT:
        raise NotImplementedError(
            f"{fun_name} takes weights with the method {_BY_WEIGHT!r} alone, and got "
            f"{shown(method)}. Give that one, or leave weights out."
        )
    a, weights = promote_dtypes_inexact(a, weights)
    shape, given = typeof(a).shape, typeof(weights).shape
    axes = None if axis is None else canonical_axes(fun_name, axis, len(shape))
    if given == shape:
        return a, weights
    if axes is None or given != tuple(shape[d] for d in axes):
        raise ValueError(
            f"{fun_name} got weights of the shape {given} for values of {shape}. Give a weight for "
            f"each value, or for each place along axis."
        )
    return a, lax.broadcast_in_dim(weights, shape, axes)


def _in_row(fun_name: str, a: Any, axis: Axis) -> tuple[Any, int, tuple | None]:
    """The array with one axis in place of several, that axis, and the shape with sizes of 1 for
    those; None for that where nothing has changed."""
    shape = typeof(a).shape
    if axis is None:
        return ravel(a), 0, (1,) * len(shape)
    axes = canonical_axes(fun_name, axis, len(shape))
    if not np.iterable(axis):
        return a, axes[0], None
    kept = [d for d in range(len(shape)) if d not in axes]
    sizes = [shape[d] for d in kept]
    a = lax.reshape(a, (*sizes, math.prod(shape[d] for d in axes)), (*kept, *sorted(axes)))
    return a, len(kept), tuple(1 if d in axes else n for d, n in enumerate(shape))


def _weights(place: Any) -> tuple[Any, Any, Any, Any]:
    """The whole numbers around a place, and how near it is to each."""
    low, high = lax.floor(place), lax.ceil(place)
    near_high = lax.sub(place, low)
    return low, high, lax.sub(constant(near_high, 1), near_high), near_high


def _as_indices(places: list[Any]) -> list[Any]:
    return [lax.convert_element_type(x, int) for x in places]


def _among_all(a: Any, q: Any, axis: int, keepdims: bool) -> tuple[Any, Any, Any, Any]:
    """The values around the quantiles, the axis of the quantiles first, and how near they are."""
    a = lax.sort(choose(any_of(isnan(a), axis, keepdims=True), np.nan, a), axis)
    shape, q_ndim = typeof(a).shape, typeof(q).ndim
    size = cast(shape[axis], typeof(q).dtype)
    low, high, near_low, near_high = _weights(lax.mul(q, lax.sub(size, constant(size, 1))))
    places = _as_indices([
        lax.clamp(constant(x, 0), x, lax.sub(size, constant(size, 1))) for x in (low, high)
    ])  # fmt: skip
    offsets = range(q_ndim, len(shape) + q_ndim - (not keepdims))
    numbers = GatherDimensionNumbers(tuple(offsets), () if keepdims else (axis,), (axis,))
    sizes = [1 if d == axis else n for d, n in enumerate(shape)]
    below, above = (lax.gather(a, x[..., None], numbers, sizes) for x in places)
    if q_ndim:
        near_low, near_high = (
            lax.broadcast_in_dim(x, typeof(below).shape, (0,)) for x in (near_low, near_high)
        )
    return below, above, near_low, near_high


def _by_weight(
    a: Any, weights: Any, q: Any, axis: int, keepdims: bool, skip_nan: bool
) -> Any:
    """The first value up to which the weights have the part q of their sum."""
    refused = lax.bitwise_or(lax.lt(weights, constant(weights, 0)), isnan(weights))
    is_nan = isnan(a)
    spoiled = (all_of if skip_nan else any_of)(is_nan, axis, keepdims=True)
    spoiled = lax.bitwise_or(spoiled, any_of(refused, axis, keepdims=True))
    weights = choose(lax.bitwise_or(refused, is_nan), constant(weights, 0), weights)
    a, weights = lax.sort_key_val(choose(is_nan, np.nan, a), weights, dimension=axis)
    so_far, many = lax.cumsum(weights, axis), typeof(q).ndim
    total = lax.slice_in_dim(so_far, -1, None, axis=axis)
    parts = lax.reshape(q, (*typeof(q).shape, *[1] * typeof(a).ndim))
    places = sum_of(so_far < parts * total, axis + many, dtype=int, keepdims=True)
    last = sum_of(lax.bitwise_not(is_nan), axis, dtype=int, keepdims=True) - 1
    places = maximum(0, minimum(places, last if skip_nan else typeof(a).shape[axis] - 1))
    a, spoiled = (broadcast_to(x, (*typeof(q).shape, *typeof(x).shape)) for x in (a, spoiled))
    found = choose(spoiled, np.nan, take_along_axis(a, places, axis + many))
    return found if keepdims else lax.squeeze(found, (axis + many,))


def _skipping_nan(a: Any, q: Any, axis: int, keepdims: bool) -> tuple[Any, Any, Any, Any]:
    """Like `_among_all`: NaN comes last in order, and is not counted."""
    a = lax.sort(choose(isnan(a), np.nan, a), axis)
    q_ndim, q_shape = typeof(q).ndim, typeof(q).shape
    there = lax.bitwise_not(isnan(a))
    counts = sum_of(there, axis, dtype=typeof(q).dtype, keepdims=keepdims)
    shape = typeof(counts).shape
    q = lax.expand_dims(q, range(q_ndim, len(shape) + q_ndim))
    counts = lax.expand_dims(counts, range(q_ndim))
    low, high, near_low, near_high = _weights(lax.mul(q, lax.sub(counts, constant(q, 1))))
    places = _as_indices([lax.max(constant(x, 0), lax.min(x, counts - 1)) for x in (low, high)])
    index = [
        lax.broadcasted_iota(int, (*q_shape, *shape), d + q_ndim) for d in range(len(shape))
    ]
    before, behind = index[:axis], index[axis + keepdims :]
    below, above = (a[(*before, x, *behind)] for x in places)
    return below, above, near_low, near_high
