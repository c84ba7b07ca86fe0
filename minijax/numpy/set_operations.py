"""Two arrays as sets: together, in common, in one of them alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np  # noqa: F401  (the examples use it)

from minijax import lax
from minijax.core.jitting import jit
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike, refuse_keys
from minijax.numpy.creation import arange, full, full_like, ones, zeros
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.indexing.positions import nonzero
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.searching import searchsorted
from minijax.numpy.sets import _arguments, _known_size, _unique, unique
from minijax.numpy.shapes.joining import concatenate
from minijax.numpy.shapes.reshaping import ravel
from minijax.numpy.sorting import sort

# Whether an element is among others.


@partial(jit, static_argnames=("assume_unique", "invert", "method"))
def _in1d(
    ar1: Any, ar2: Any, invert: bool, method: str = "auto", assume_unique: bool = False
) -> Any:
    ar1, ar2 = (ravel(x) for x in promote_dtypes(ar1, ar2))
    if not ar1.size or not ar2.size:
        return (ones if invert else zeros)(ar1.shape, dtype=bool)
    if method in ("auto", "compare_all"):
        pairs = ar1[:, None], ar2[None, :]
        return _none_equal(*pairs) if invert else _any_equal(*pairs)
    if method == "binary_search":
        ar2 = lax.sort(ar2)
        nearest = ar2[searchsorted(ar2, ar1)]
        return ar1 != nearest if invert else ar1 == nearest
    back = slice(None)
    if not assume_unique:
        ar1, back = unique(ar1, size=len(ar1), return_inverse=True, fill_value=ar2.max())
    together, order = lax.sort_key_val(
        concatenate([ar1, ar2]), arange(ar1.size + ar2.size)
    )
    start = (ones if invert else zeros)(ar1.shape, dtype=bool)
    update = start.at[order[:-1]]
    found = together[1:] != together[:-1] if invert else together[1:] == together[:-1]
    return update.set(found, mode="drop")[back]


def _none_equal(x: Any, y: Any) -> Any:
    return (x != y).all(-1)


def _any_equal(x: Any, y: Any) -> Any:
    return (x == y).any(-1)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *,
    method: str = "auto",
) -> Any:  # fmt: skip
    """Whether each element is one of `test_elements`, or with `invert` none of them.

    The methods "compare_all" (and "auto"), "binary_search" and "sort" find the same.

    >>> isin(np.array([1, 2, 3]), np.array([3, 1]))
    Array([ True, False,  True], dtype=bool)
    """
    name = "jnp.isin"
    check_arraylike(name, element, test_elements)
    refuse_keys(name, element, test_elements)
    if method not in ("auto", "compare_all", "binary_search", "sort"):
        raise ValueError(
            f"{name} knows no method {shown(method)}.\n"
            f"Give one of auto, compare_all, binary_search, sort."
        )
    result = _in1d(element, test_elements, bool(invert), method, bool(assume_unique))
    return result.reshape(typeof(element).shape)


# Together, and in the first alone.


def union1d(ar1: Any, ar2: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements of both, in order; for `size` and `fill_value` see `unique`.

    >>> union1d(np.array([3, 1]), np.array([2, 3]))
    Array([1, 2, 3], dtype=int32)
    """
    ar1, ar2 = _arguments("jnp.union1d", ar1, ar2, size=size)
    size = _known_size("jnp.union1d", size)
    return unique(concatenate([ar1, ar2], axis=None), size=size, fill_value=fill_value)


def setdiff1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, *, size: int | None = None,
    fill_value: Any = None,
) -> Any:  # fmt: skip
    """The different elements of the first that the second has not, in order.

    With `size`, which is needed while tracing, there are so many, `fill_value` or 0 behind them.

    >>> setdiff1d(np.array([3, 1, 2, 3]), np.array([2]))
    Array([1, 3], dtype=int32)
    """
    name = "jnp.setdiff1d"
    ar1, ar2 = (ravel(x) for x in _arguments(name, ar1, ar2, size=size))
    size = _known_size(name, size)
    fill_value = full_like(ar1, 0 if fill_value is None else fill_value, shape=())
    if not ar1.size:
        return full_like(ar1, fill_value, shape=size or 0)
    if not assume_unique:
        ar1 = unique(ar1, size=size and ar1.size)
    mask = _in1d(ar1, ar2, invert=True, assume_unique=bool(assume_unique))
    if size is None:
        return ar1[mask]
    if not assume_unique:  # the first one stands in for those that are missing
        number = ar1.size + 1 - (ar1 == ar1[0]).sum()
        mask = choose(arange(ar1.size) < number, mask, False)
    there = arange(size) < mask.sum()
    return choose(there, ar1[nonzero(mask, size=size)[0]], fill_value)


# In both.


def _two_rows(fun_name: str, ar1: Any, ar2: Any, size: Any) -> list[Any]:
    return [ravel(x) for x in promote_dtypes(*_arguments(fun_name, ar1, ar2, size=size))]


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False, *,
    size: int | None = None, fill_value: Any = None,
) -> Any:  # fmt: skip
    """The different elements that both have, in order.

    With `return_indices`, also where each is first in the one and in the other. With `size`, which
    is needed while tracing, there are so many, with `fill_value` behind them, or the smallest.

    >>> intersect1d(np.array([3, 1, 2]), np.array([2, 3, 4]))
    Array([2, 3], dtype=int32)
    """
    ar1, ar2 = _two_rows("jnp.intersect1d", ar1, ar2, size)
    if size is not None:
        return _intersect1d_size(
            ar1, ar2, fill_value, bool(assume_unique),
            _known_size("jnp.intersect1d", size), bool(return_indices),
        )  # fmt: skip
    places = []
    if not assume_unique:
        found = [_unique("jnp.intersect1d", x, 0, index=return_indices) for x in (ar1, ar2)]
        ar1, ar2 = (x.values for x in found)
        places = [x.indices for x in found]
    together, both, order = _intersect1d_sorted_mask(ar1, ar2, bool(return_indices))
    values = together[:-1][both]
    if not return_indices:
        return values
    indices = order[:-1][both], order[1:][both] - ar1.size
    if places:
        indices = tuple(x[i] for x, i in zip(places, indices, strict=True))
    return values, *indices


@partial(jit, static_argnames=("return_indices",))
def _intersect1d_sorted_mask(arr1: Any, arr2: Any, return_indices: bool) -> tuple:
    together = concatenate([arr1, arr2])
    order = None
    if return_indices:
        together, order = lax.sort_key_val(together, lax.iota(int, together.size))
    else:
        together = sort(together)
    return together, together[1:] == together[:-1], order


def _first_of_both(ar1: Any, ar2: Any, **options: Any) -> tuple:
    """The different elements of both in one row, how many they are together, and each's."""
    found = [
        _unique("jnp.intersect1d", x, 0, size=x.size, number=True, **options) for x in (ar1, ar2)
    ]
    first, second = found
    row = zeros(ar1.size + ar2.size, dtype=typeof(ar1).dtype)
    row = lax.dynamic_update_slice(row, first.values, (0,))
    row = lax.dynamic_update_slice(row, second.values, (first.number,))
    return row, found


def _in_front(values: Any, number: Any, fill_value: Any) -> Any:
    """The first so many values, and what stands behind them: if not said, the smallest."""
    if fill_value is not None:
        return choose(arange(len(values)) < number, values, fill_value)
    values = choose(arange(len(values)) < number, values, values.max())
    return choose(arange(len(values)) < number, values, values.min())


@partial(jit, static_argnames=("fill_value", "assume_unique", "size", "return_indices"))
def _intersect1d_size(
    arr1: Any, arr2: Any, fill_value: Any, assume_unique: bool, size: int, return_indices: bool
) -> Any:
    if assume_unique:
        first_places, second_places = arange(arr1.size), arange(arr2.size)
        number1 = full((), arr1.size)
        row = concatenate([arr1, arr2])
        together, order = lax.sort([row, arange(row.size)], num_keys=1)
        there = ones(row.size, dtype=bool)
    else:
        row, (first, second) = _first_of_both(arr1, arr2, index=True, fill_value=0)
        first_places, second_places, number1 = first.indices, second.indices, first.number
        there = arange(row.size) < first.number + second.number
        _, together, order = lax.sort([~there, row, arange(row.size)], num_keys=2)
    both = (together[1:] == together[:-1]) & there[1:]
    number = both.sum()
    if together.size:
        places = nonzero(both, size=size, fill_value=together.size)[0]
        values = together.at[places].get(mode="fill", fill_value=0)
    else:
        places, values = arange(0), zeros(size, together.dtype)
    values = _in_front(values, number, fill_value)
    if not return_indices:
        return values
    indices1 = order.at[places].get(mode="fill", fill_value=arr1.size)
    indices1 = choose(arange(len(indices1)) < number, indices1, arr1.size)
    indices2 = order.at[places + 1].get(mode="fill", fill_value=arr2.size) - number1
    indices2 = choose(arange(len(indices2)) < number, indices2, arr2.size)
    if not assume_unique:
        indices1 = first_places.at[indices1].get(mode="fill", fill_value=arr1.size)
        indices2 = second_places.at[indices2].get(mode="fill", fill_value=arr2.size)
    return values, indices1, indices2


# In one of them alone.


def setxor1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, *, size: int | None = None,
    fill_value: Any = None,
) -> Any:  # fmt: skip
    """The different elements that one of the two has and the other has not, in order.

    With `size`, which is needed while tracing, there are so many, with `fill_value` behind them,
    or the smallest.

    >>> setxor1d(np.array([3, 1, 2]), np.array([2, 3, 4]))
    Array([1, 4], dtype=int32)
    """
    ar1, ar2 = _two_rows("jnp.setxor1d", ar1, ar2, size)
    if size is not None:
        return _setxor1d_size(
            ar1, ar2, fill_value, assume_unique=bool(assume_unique),
            size=_known_size("jnp.setxor1d", size),
        )  # fmt: skip
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    together = concatenate([ar1, ar2])
    if not together.size:
        return together
    together = sort(together)
    edge = concatenate([True, together[1:] != together[:-1], True], axis=None)
    return together[edge[1:] & edge[:-1]]


@partial(jit, static_argnames=("assume_unique", "size"))
def _setxor1d_size(
    arr1: Any, arr2: Any, fill_value: Any, *, assume_unique: bool, size: int
) -> Any:
    if assume_unique:
        together = sort(concatenate([arr1, arr2]))
        different = together[1:] != together[:-1]
        edge = concatenate([bool(together.size), different, True], axis=None)
    else:
        row, (first, second) = _first_of_both(ravel(arr1), ravel(arr2))
        total = first.number + second.number
        there = arange(row.size + 1) < total + 1
        _, together = lax.sort([~there[1:], row], num_keys=2)
        different = together[1:] != together[:-1]
        edge = concatenate([bool(together.size), different, False], axis=None)
        edge = there & edge.at[total].set(True)
    alone = edge[1:] & edge[:-1]
    number = alone.sum()
    if together.size:
        places = nonzero(alone, size=size, fill_value=len(together))[0]
        values = together.at[places].get(mode="fill", fill_value=0)
    else:
        values = zeros(size, together.dtype)
    return _in_front(values, number, fill_value)
