"""Arrays as sets: the different values, and what two arrays have in common.

Values in order lie beside their equals, so a mask says where each begins. How many there are is
known only when the values are: while a function is traced, `size` says it instead.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.jitting import jit
from minijax.lax.shapes.axes import known_axis, known_integer, known_value
from minijax.numpy.arguments import check_arraylike, refuse_keys
from minijax.numpy.creation import arange, asarray, full, full_like, ones, zeros
from minijax.numpy.elementwise.comparisons import isnan
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.indexing.positions import nonzero
from minijax.numpy.reductions.differences import diff
from minijax.numpy.reductions.running_totals import cumsum
from minijax.numpy.reductions.totals import any as any_of
from minijax.numpy.shapes.editing import append
from minijax.numpy.shapes.reshaping import moveaxis, ravel
from minijax.numpy.sorting import lexsort


def _arguments(fun_name: str, *arrays: Any, size: Any = None) -> list[Any]:
    """The arrays, whose values are known unless there is a size."""
    check_arraylike(fun_name, *arrays)
    refuse_keys(fun_name, *arrays)
    if size is None:
        arrays = tuple(known_value(fun_name, "its arrays, or `size`,", x) for x in arrays)
    return [asarray(x) for x in arrays]


def _known_size(fun_name: str, size: Any) -> int | None:
    return None if size is None else known_integer(fun_name, "size", size)


# The different values.


@partial(jit, static_argnames=("axis", "equal_nan"))
def _unique_sorted_mask(ar: Any, axis: int, equal_nan: bool) -> tuple[Any, Any, Any]:
    """The parts along an axis in order, where one begins that is new, and where it was before."""
    parts = moveaxis(ar, axis, 0)
    is_inexact = issubdtype(parts.dtype, np.inexact)
    if issubdtype(parts.dtype, np.complexfloating):
        parts = choose(isnan(parts), constant(parts, np.nan), parts)
    size, *shape = parts.shape
    if math.prod(shape):
        order = lexsort(parts.reshape(size, math.prod(shape)).T[::-1])
    else:
        size, order = 1, zeros(1, dtype=int)  # parts without elements are all alike
    parts = parts[order]
    if not parts.size:
        return parts, zeros(size, dtype=bool), order
    new = ones(size, dtype=bool)  # the first part is, in any case
    differ = _differ(parts[1:], parts[:-1], is_inexact and equal_nan)
    return parts, new.at[1:].set(any_of(differ, tuple(range(1, parts.ndim)))), order


def _differ(x: Any, y: Any, equal_nan: bool) -> Any:
    differ = lax.ne(x, y)
    return differ & ~(isnan(x) & isnan(y)) if equal_nan else differ


class _Unique(NamedTuple):
    """What is found out about the different parts of an array along an axis."""

    values: Any
    indices: Any
    inverse: Any
    counts: Any
    number: Any


def _unique(
    fun_name: str, ar: Any, axis: int, size: int | None = None, fill_value: Any = None,
    equal_nan: bool = True, index: bool = False, inverse: bool = False, counts: bool = False,
    number: bool = False,
) -> _Unique:  # fmt: skip
    """The different parts, and what else is asked for."""
    if not ar.shape[axis] and size and fill_value is None:
        raise ValueError(f"{fun_name} of nothing cannot give {size} values. Give a fill_value.")
    parts, new, order = _unique_sorted_mask(ar, axis, equal_nan)
    places = new if size is None else nonzero(new, size=size)[0]
    values = parts[places] if parts.size else parts
    if size is not None and fill_value is not None:
        values = _filled(values, new, size, asarray(fill_value).astype(values.dtype))
    return _Unique(
        moveaxis(values, 0, axis),
        (order[places] if parts.size else order) if index else None,
        _inverse(parts, new, order, ar.shape[axis]) if inverse else None,
        _counts(parts, new, size, ar.shape[axis]) if counts else None,
        new.sum() if number else None,
    )


def _filled(values: Any, new: Any, size: int, fill_value: Any) -> Any:
    if not values.shape[0]:
        return full_like(values, fill_value, shape=(size, *values.shape[1:]))
    there = lax.expand_dims(arange(size) < new.sum(), range(1, values.ndim))
    return choose(there, values, fill_value)


def _inverse(parts: Any, new: Any, order: Any, size: int) -> Any:
    """For each part, which of the different ones it is."""
    if not parts.size:
        return zeros(size, dtype=int)
    which = cumsum(new) - 1
    return zeros(new.shape, dtype=int).at[order].set(which)


def _counts(parts: Any, new: Any, size: int | None, length: int) -> Any:
    """How often each occurs: how far it is to the next one."""
    if not parts.size:
        return full((1,), length, dtype=int) if length else zeros(0, dtype=int)
    if size is None:
        return diff(append(nonzero(new)[0], new.size))
    places = nonzero(new, size=size + 1)[0]
    return diff(places.at[1:].set(choose(places[1:], places[1:], new.size)))


def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: int | None = None, *, equal_nan: bool = True,
    size: int | None = None, fill_value: Any = None, sorted: bool = True,
) -> Any:  # fmt: skip
    """The different elements in order, or along an axis the different parts.

    As asked for, further: where each occurs first, which of them each element is, and how often
    each occurs; the result is a tuple then. While tracing, `size` says how many there are to be:
    with fewer, `fill_value` comes behind them, or the first one.

    >>> unique(np.array([3, 1, 3]), return_counts=True)
    (Array([1, 3], dtype=int32), Array([1, 2], dtype=int32))
    """
    name = "jnp.unique"
    (ar,) = _arguments(name, ar, size=size)
    size, shape = _known_size(name, size), ar.shape
    ar, along = (ravel(ar), 0) if axis is None else (ar, known_axis(name, axis, ar.ndim))
    found = _unique(
        name, ar, along, size, fill_value, equal_nan, return_index, return_inverse, return_counts
    )
    if return_inverse and axis is None:
        found = found._replace(inverse=found.inverse.reshape(shape))
    results = tuple(x for x in found if x is not None)
    return results if len(results) > 1 else results[0]


class _UniqueAllResult(NamedTuple):
    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class _UniqueCountsResult(NamedTuple):
    values: Any
    counts: Any


class _UniqueInverseResult(NamedTuple):
    values: Any
    inverse_indices: Any


def unique_all(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements, where each occurs first, which each element is, and how often each
    occurs: (values, indices, inverse_indices, counts). No NaN is equal to another."""
    check_arraylike("jnp.unique_all", x)
    return _UniqueAllResult(
        *unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_counts(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements, and how often each occurs: (values, counts)."""
    check_arraylike("jnp.unique_counts", x)
    return _UniqueCountsResult(
        *unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_inverse(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements, and which of them each element is: (values, inverse_indices)."""
    check_arraylike("jnp.unique_inverse", x)
    return _UniqueInverseResult(
        *unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value)
    )


def unique_values(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The different elements in order. No NaN is equal to another."""
    check_arraylike("jnp.unique_values", x)
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)
