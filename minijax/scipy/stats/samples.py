"""What a sample says: its most frequent value, its ranks, the error of its mean."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from minijax import lax, numpy
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_args

_POLICIES = ("propagate", "omit", "raise")


def _along_last(name: str, a: Any, axis: int | None, nan_policy: str) -> tuple[Any, int | None]:
    """The array with the axis last, of all elements in a row for None; and the axis.

    NaN is a number among others: what leaves it out, or refuses it, is NotImplementedError.
    """
    check_arraylike(name, a)
    a = numpy.asarray(a)
    if nan_policy not in _POLICIES:
        got = f"{shown(nan_policy)}. Give one of {', '.join(map(repr, _POLICIES))}."
        raise ValueError(f"{name} knows no nan_policy {got}")
    if nan_policy != "propagate":
        raise NotImplementedError(
            f"{name} doesn't ask whether there are NaNs. Leave nan_policy out, and ask "
            f"jnp.isnan first."
        )
    if axis is None:
        return numpy.ravel(a), None
    a = numpy.atleast_1d(a)
    axis = known_axis(name, axis, a.ndim)
    return numpy.moveaxis(a, axis, -1), axis


def _differs(x: Any) -> Any:
    """Of what is in order along the last axis: whether each element is no longer the one before."""
    changes = (x[..., 1:] != x[..., :-1]) & ~(numpy.isnan(x[..., 1:]) & numpy.isnan(x[..., :-1]))
    return numpy.concatenate([numpy.ones_like(x[..., :1], bool), changes], -1)


class ModeResult(NamedTuple):
    """The most frequent values, and how often they come."""

    mode: Any
    count: Any


def mode(
    a: Any, axis: int | None = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> ModeResult:
    """The most frequent value along an axis, or of all (None), the smallest of several; and its
    count. Of no numbers, NaN and 0.

    >>> mode(numpy.array([3, 1, 3]))
    ModeResult(mode=Array(3, dtype=int32), count=Array(2, dtype=int32))
    """
    name = "scipy.stats.mode"
    row, place = _along_last(name, a, axis, nan_policy)
    size = row.shape[-1]
    if not size:
        dtype = row.dtype if issubdtype(row.dtype, float) else canonicalize_dtype(float)
        value = numpy.full(row.shape[:-1], math.nan, dtype)
        return ModeResult(value, numpy.zeros(row.shape[:-1], dtype))
    in_order = numpy.sort(row, axis=-1)
    places = lax.broadcasted_iota(canonicalize_dtype(int), in_order.shape, in_order.ndim - 1)
    start = numpy.where(_differs(in_order), places, 0)
    counts = places - lax.cummax(start, in_order.ndim - 1) + 1
    best = numpy.argmax(counts, axis=-1, keepdims=True)
    found = [numpy.take_along_axis(x, best, -1) for x in (in_order, counts)]
    if not keepdims:
        return ModeResult(*(numpy.squeeze(x, -1) for x in found))
    if place is not None:
        return ModeResult(*(numpy.moveaxis(x, -1, place) for x in found))
    return ModeResult(*(numpy.reshape(x, (1,) * numpy.ndim(a)) for x in found))


def rankdata(
    a: Any, method: str = "average", *, axis: int | None = None, nan_policy: str = "propagate"
) -> Any:
    """The ranks of numbers, from 1, along an axis, or (None) among all of them in a row, as floats.

    Equal numbers have the mean of their ranks ("average"), the first ("min") or the last of them
    ("max"); "dense" counts them as one, and with "ordinal" the one in front comes first. Where a
    number is NaN, all ranks beside it are.

    >>> rankdata(numpy.array([0.0, 2.0, 2.0]))
    Array([1. , 2.5, 2.5], dtype=float32)
    """
    name = "scipy.stats.rankdata"
    methods = ("average", "min", "max", "dense", "ordinal")
    if method not in methods:
        got = f"{shown(method)}. Give one of {', '.join(map(repr, methods))}."
        raise ValueError(f"{name} knows no method {got}")
    row, place = _along_last(name, a, axis, nan_policy)
    last, size, dtype = row.ndim - 1, row.shape[-1], canonicalize_dtype(float)
    order = numpy.argsort(row, axis=-1)
    in_order = numpy.take_along_axis(row, order, -1)
    is_first = _differs(in_order) if size else numpy.zeros_like(row, bool)
    places = lax.broadcasted_iota(canonicalize_dtype(int), row.shape, last)
    is_last = numpy.concatenate([is_first[..., 1:], is_first[..., :1]], -1)
    low = lax.cummax(numpy.where(is_first, places, 0), last) + 1
    high = lax.cummin(numpy.where(is_last, places, size), last, reverse=True) + 1
    ranks = {
        "average": lambda: (low + high) / 2, "min": lambda: low, "max": lambda: high,
        "dense": lambda: lax.cumsum(is_first.astype(places.dtype), last),
        "ordinal": lambda: places + 1,
    }[method]()  # fmt: skip
    ranks = numpy.take_along_axis(ranks.astype(dtype), numpy.argsort(order, axis=-1), -1)
    has_nan = numpy.any(numpy.isnan(row), axis=-1, keepdims=True)
    ranks = numpy.where(has_nan, numpy.full_like(ranks, math.nan), ranks)
    return ranks if place is None else numpy.moveaxis(ranks, -1, place)


def sem(
    a: Any, axis: int | None = 0, ddof: int = 1, nan_policy: str = "propagate", *,
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """The standard error of the mean along an axis, or of all numbers: the standard deviation,
    with `ddof` taken off the count, over the root of the count.

    With the nan_policy "omit", NaNs are left out. ValueError for "raise", which would have to ask.

    >>> round(float(sem(numpy.array([1.0, 3.0]))), 4)
    1.0
    """
    name = "scipy.stats.sem"
    (a,) = promote_args(name, a, inexact=True)
    if nan_policy not in ("propagate", "omit"):
        got = f"{shown(nan_policy)}. Give 'propagate' or 'omit'."
        raise ValueError(f"{name} knows no nan_policy {got}")
    if axis is None:
        a, axis = numpy.ravel(a), 0
    axis = known_axis(name, axis, a.ndim)
    if nan_policy == "omit":
        size = numpy.sum(~numpy.isnan(a), axis=axis, keepdims=keepdims)
        deviation = numpy.nanstd(a, axis, ddof=ddof, keepdims=keepdims)
        return deviation / numpy.sqrt(size).astype(a.dtype)
    size = numpy.sqrt(numpy.asarray(a.shape[axis], a.dtype))
    return numpy.std(a, axis, ddof=ddof, keepdims=keepdims) / size
