"""Where values belong among others that are in order: by halving, comparing, or sorting."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.batching import vmap
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast, fill
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import library_jit, refuse_keys
from minijax.numpy.creation import zeros_like
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.reductions.totals import sum as sum_of

# Before or behind, in the order of lax.sort: zeros are alike, and so are all NaNs.


def _key(x: Any) -> list[Any]:
    """Numbers as keys whose bits are in order, the most important first."""
    dtype = typeof(x).dtype
    if issubdtype(dtype, np.complexfloating):
        return [*_key(lax.real(x)), *_key(lax.imag(x))]
    if not issubdtype(dtype, np.floating):
        return [x]
    same_zero = lax.select(lax.eq(x, constant(x, 0)), fill(typeof(x), 0), x)
    return [lax.select(lax.ne(x, x), fill(typeof(x), np.nan), same_zero)]


def _comes_before(x: Any, y: Any, or_same: bool) -> Any:
    """Whether x comes before y, or with `or_same` where y does not come before x."""
    *pairs, (last_x, last_y) = zip(_key(x), _key(y), strict=True)
    before = (lax.le_to_p if or_same else lax.lt_to_p).bind(last_x, last_y)
    for a, b in reversed(pairs):
        less = lax.lt_to_p.bind(a, b)
        before = lax.bitwise_or(less, lax.bitwise_and(lax.eq_to_p.bind(a, b), before))
    return before


# Three ways.


@library_jit(checked=False, static_argnames=("side", "dtype", "unrolled"))
def _searchsorted_scan_impl(
    sorted_arr: Any, query: Any, side: str, dtype: np.dtype, unrolled: bool
) -> Any:
    """Halves the range that the place is in, until nothing is left."""
    (size,), shape = typeof(sorted_arr).shape, typeof(query).shape
    if not size:
        return lax.full(shape, 0, dtype)
    if shape:
        one = partial(_searchsorted_scan_impl, side=side, dtype=dtype, unrolled=unrolled)
        return vmap(one, in_axes=(None, 0))(sorted_arr, query)

    def halve(state: tuple, _: Any) -> tuple:
        low, high = state
        middle = low + (high - low) // 2
        left = _comes_before(query, sorted_arr[middle], or_same=side == "left")
        return (lax.select(left, low, middle), lax.select(left, middle, high)), ()

    whole = np.uint64 if dtype.itemsize == 8 else np.uint32
    steps = math.ceil(math.log2(size + 1))
    (_, place), _ = lax.scan(
        halve, (whole(0), whole(size)), (), length=steps, unroll=steps if unrolled else 1
    )
    return cast(place, dtype)


@library_jit(checked=False, static_argnames=("side", "dtype"))
def _searchsorted_compare_all_impl(
    sorted_arr: Any, query: Any, side: str, dtype: np.dtype
) -> Any:
    """Counts those that come before."""
    compare = vmap(partial(_comes_before, or_same=side == "right"), in_axes=(0, None))
    return sum_of(compare(sorted_arr, query), 0, dtype)


@library_jit(checked=False, static_argnames=("side", "dtype"))
def _searchsorted_sort_impl(sorted_arr: Any, query: Any, side: str, dtype: np.dtype) -> Any:
    """Sorts all together: among all, a value has as many before it as among the others, and
    among its like."""
    query, shape = query.ravel(), typeof(query).shape
    parts = [query, sorted_arr] if side == "left" else [sorted_arr, query]
    together = _ranks(lax.concatenate(parts, 0), dtype)
    size = typeof(query).size
    among_all = together[:size] if side == "left" else together[typeof(sorted_arr).size :]
    return lax.reshape(lax.sub(among_all, _ranks(query, dtype)), shape)


def _ranks(x: Any, dtype: np.dtype) -> Any:
    """The place of each element when all are in order."""
    places = lax.iota(dtype, typeof(x).size)
    ranks = lax.full_like(places, 0)
    _, order = lax.sort_key_val(x, places)
    return ranks.at[order].set(places)


_METHODS = {
    "scan": partial(_searchsorted_scan_impl, unrolled=False),
    "scan_unrolled": partial(_searchsorted_scan_impl, unrolled=True),
    "compare_all": _searchsorted_compare_all_impl,
    "sort": _searchsorted_sort_impl,
}


@library_jit(static_argnames=("side", "method"))
def searchsorted(
    a: Any, v: Any, side: str = "left", sorter: Any = None, *, method: str = "scan"
) -> Any:
    """Where each value of `v` belongs in `a`, a row in order: the index of what it comes before.

    Of equal values it comes first, or last with side "right". `sorter` has the indices that put
    `a` in order. The methods "scan", "scan_unrolled", "compare_all" and "sort" find the same.

    >>> searchsorted(np.array([1, 3, 3, 5]), np.array([0, 3, 9]))
    Array([0, 1, 4], dtype=int32)
    """
    refuse_keys("jnp.searchsorted", a, v)
    if side not in ("left", "right") or method not in _METHODS:
        raise ValueError(
            f"jnp.searchsorted got side {shown(side)}, method {shown(method)}.\n"
            f"Give the side left or right, and one of the methods {', '.join(_METHODS)}."
        )
    if typeof(a).ndim != 1:
        raise ValueError(
            f"jnp.searchsorted looks into a row, and got {typeof(a)}. Use jnp.ravel(a)."
        )
    a, v = promote_dtypes(a, v)
    a = a if sorter is None else a[sorter]
    return _METHODS[method](a, v, side=side, dtype=np.dtype(np.int32))


# Among the edges of bins.


@library_jit(static_argnames=("right", "method"))
def digitize(x: Any, bins: Any, right: bool = False, *, method: str | None = None) -> Any:
    """The bin of each value: with bins that grow, the i for which bins[i-1] <= x < bins[i].

    With `right`, the i for which bins[i-1] < x <= bins[i]. Bins may also shrink.

    >>> digitize(np.array([0.5, 1.0, 7.0]), np.array([0, 1, 2]))
    Array([1, 2, 3], dtype=int32)
    """
    refuse_keys("jnp.digitize", x, bins)
    if typeof(bins).ndim != 1:
        raise ValueError(
            f"jnp.digitize takes a row of bins, and got {typeof(bins)}. Use jnp.ravel(x)."
        )
    size = typeof(bins).size
    if not size:
        return zeros_like(x, dtype=np.int32)
    side = "left" if right else "right"
    options = {} if method is None else {"method": method}
    return choose(
        bins[-1] >= bins[0], searchsorted(bins, x, side=side, **options),
        size - searchsorted(bins[::-1], x, side=side, **options),
    )  # fmt: skip
