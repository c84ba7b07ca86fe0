"""How many there are: of what is not zero, of each number, in each bin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import canonicalize_dtype
from minijax.core.forward import constant
from minijax.core.primitives import check_kind
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_integer, known_value
from minijax.numpy.arguments import Axis, check_arraylike, library_jit, refuse_complex, refuse_keys
from minijax.numpy.creation import asarray, linspace, ones_like, zeros
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.elementwise.ufuncs import clip
from minijax.numpy.promotion import inexact_dtype, promote_dtypes_inexact
from minijax.numpy.reductions.differences import diff
from minijax.numpy.reductions.extremes import ptp
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.searching import searchsorted
from minijax.numpy.shapes.joining import vstack
from minijax.numpy.shapes.reshaping import transpose


@library_jit(static_argnames=("axis", "keepdims"))
def count_nonzero(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """How many elements are not zero, over some axes, or all.

    >>> count_nonzero(np.array([0, 3, 0, 5]))
    Array(2, dtype=int32)
    """
    refuse_keys("jnp.count_nonzero", a)
    true = lax.ne(a, constant(a, 0))
    return sum_of(true, axis, canonicalize_dtype(int), keepdims=keepdims)


@takes_out_sharding
def bincount(
    x: Any, weights: Any = None, minlength: int = 0, *, length: int | None = None
) -> Any:  # fmt: skip
    """How often each number from 0 occurs in a row of integers; negative ones count as 0.

    The result has at least `minlength` elements. While tracing, `length` says how many; larger
    numbers are left out then. With `weights`, those are added up.

    >>> bincount(np.array([0, 2, 2]))
    Array([1, 0, 2], dtype=int32)
    """
    name = "jnp.bincount"
    check_arraylike(name, x)
    refuse_keys(name, x)
    x = lax.convert_element_type(x, np.int32) if typeof(x).dtype == np.bool_ else asarray(x)
    check_kind(name, [np.integer], x.dtype)
    if x.ndim != 1:
        raise ValueError(f"{name} counts in a row, and got {x.aval}. Use jnp.ravel(x).")
    minlength = known_integer(name, "minlength", minlength)
    if length is None:
        known = known_value(name, "x, or `length`,", x)
        length = max(minlength, int(known.max()) + 1 if known.size else 0)
    length = known_integer(name, "length", length)
    if weights is None:
        weights = np.array(1, canonicalize_dtype(int))
    else:
        check_arraylike(name, weights=weights)
        if typeof(weights).shape != x.shape:
            raise ValueError(
                f"{name} of {x.aval} got weights {typeof(weights)}. Give one for each element."
            )
    return zeros(length, typeof(weights).dtype).at[clip(x, 0)].add(weights, mode="drop")


def histogram_bin_edges(
    a: Any, bins: Any = 10, range: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """The edges of `bins` equal bins from the smallest to the largest value, or over `range`.

    An array of edges is returned as it is, as floats. `weights` changes nothing.

    >>> histogram_bin_edges(np.array([0.0, 4.0]), 2)
    Array([0., 2., 4.], dtype=float32)
    """
    name = "jnp.histogram_bin_edges"
    if isinstance(bins, str):
        raise NotImplementedError(
            f"{name} chooses no bins by a name, and got {shown(bins)}. Give their number."
        )
    check_arraylike(name, a, bins)
    refuse_keys(name, a)
    refuse_complex(name, TypeError, a)
    a = asarray(a)
    dtype = canonicalize_dtype(inexact_dtype(a.dtype))
    if typeof(bins).ndim == 1:
        return asarray(bins, dtype=dtype)
    count = known_integer(name, "bins", bins)
    low_high = asarray([a.min(), a.max()] if range is None else range, dtype=dtype)
    if low_high.shape != (2,):
        raise ValueError(f"{name} got the range {shown(range)}. Give two numbers, (low, high).")
    low = choose(ptp(low_high) == 0, low_high[0] - 0.5, low_high[0])
    high = choose(ptp(low_high) == 0, low_high[1] + 0.5, low_high[1])
    return linspace(low, high, count + 1, dtype=dtype)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool | None = None
) -> tuple[Any, Any]:
    """How many values are in each of so many equal bins, or between given edges; and the edges.

    A bin holds its lower edge, and the last one both. With `weights`, those are added up; with
    `density`, the result is divided so that its integral is 1.

    >>> histogram(np.array([0.0, 1.0, 1.5, 2.0]), 2)
    (Array([1., 3.], dtype=float32), Array([0., 1., 2.], dtype=float32))
    """
    name = "jnp.histogram"
    check_arraylike(name, a, bins=bins, weights=0 if weights is None else weights)
    refuse_keys(name, a)
    refuse_complex(name, TypeError, a)
    if weights is None:
        (a,) = promote_dtypes_inexact(a)
        weights = ones_like(a)
    else:
        if typeof(a).shape != typeof(weights).shape:
            raise ValueError(
                f"{name} of {typeof(a)} got weights {typeof(weights)}. Give one for each element."
            )
        a, weights = promote_dtypes_inexact(a, weights)
    edges = histogram_bin_edges(a, bins, range)
    count = typeof(edges).size
    place = searchsorted(edges, a, side="right")
    place = choose(a == edges[-1], count - 1, place)
    counts = zeros(count, typeof(weights).dtype).at[place].add(weights)[1:]
    return (counts / diff(edges) / counts.sum() if density else counts), edges


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None,
    density: bool | None = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """How many points (x, y) are in each field between the edges of x and those of y; and the
    edges. See `histogramdd`; an array of edges is for both.

    >>> histogram2d(np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0]), 2)[0]
    Array([[1, 0],
           [1, 1]], dtype=int32)
    """
    name = "jnp.histogram2d"
    check_arraylike(name, x, y)
    for row in (x, y):
        if typeof(row).ndim != 1:
            raise ValueError(f"{name} takes two rows, and got {typeof(row)}. Use jnp.ravel(x).")
    if typeof(x).shape != typeof(y).shape:
        raise TypeError(f"{name} got {typeof(x)} and {typeof(y)}. Give rows of one size.")
    is_pair = isinstance(bins, list | tuple) and len(bins) == 2
    if not is_pair and np.ndim(bins):
        bins = [asarray(bins)] * 2
    points = transpose(vstack([x, y]))
    counts, edges = histogramdd(points, bins, range, weights, density)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, weights: Any = None,
    density: bool | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """How many points, the rows of `sample`, are in each box of a grid; and the edges of each axis.

    `bins` is the number of equal bins, or edges, for all axes or a list for each. A box holds its
    lower edges, and the last ones both. With `weights`, those are added up; with `density`, the
    result is divided so that its integral is 1.

    >>> histogramdd(np.array([[0.0, 0.0], [1.0, 2.0]]), 2)[0]
    Array([[1, 0],
           [0, 1]], dtype=int32)
    """
    name = "jnp.histogramdd"
    check_arraylike(name, sample, **({} if weights is None else {"weights": weights}))
    refuse_keys(name, sample)
    refuse_complex(name, TypeError, sample)
    if weights is None:
        (sample,) = promote_dtypes_inexact(sample)
    else:
        sample, weights = promote_dtypes_inexact(sample, weights)
    if sample.ndim != 2:
        raise ValueError(f"{name} takes points as rows, and got {typeof(sample)}. Give two axes.")
    points, ndim = sample.shape
    if weights is not None and weights.shape != (points,):
        raise ValueError(f"{name} of {points} points got weights {typeof(weights)}. Give one each.")
    limits = [None] * ndim if range is None else range
    if len(limits) != ndim or any(pair is not None and len(pair) != 2 for pair in limits):
        raise ValueError(f"{name} got the range {shown(range)} for {ndim} axes. Give a pair each.")
    several = isinstance(bins, list | tuple) or getattr(bins, "ndim", 0)
    if several and len(bins) != ndim:
        raise ValueError(f"{name} got {len(bins)} bins for {ndim} axes. Give one for each.")
    edges, places = [], []
    for axis, pair in enumerate(limits):
        column = sample[:, axis]
        axis_edges = histogram_bin_edges(column, bins[axis] if several else bins, pair)
        place = searchsorted(axis_edges, column, side="right")
        places.append(choose(column == axis_edges[-1], place - 1, place))
        edges.append(axis_edges)
    # Below the first edge is a box, and above the last: these are left out in the end.
    shape = [typeof(e).size + 1 for e in edges]
    box = zeros(points, int)
    for place, n in zip(places, shape, strict=True):
        box = box * n + clip(place, 0, n - 1)
    counts = bincount(box, weights, length=math.prod(shape)).reshape(shape)
    counts = counts[(slice(1, -1),) * ndim]
    if density:
        counts = counts / counts.sum()
        for axis, axis_edges in enumerate(edges):
            counts = counts / diff(axis_edges).reshape([-1] + [1] * (ndim - axis - 1))
    return counts, edges
