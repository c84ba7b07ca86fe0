"""Arrays with parts left out, put between, moved round or repeated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arrays import Array
from minijax.core.batching import vmap
from minijax.core.dtypes import integers, issubdtype
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import as_integer, known_axis, known_integer, known_sizes, known_value
from minijax.numpy.arguments import (
    canonical_axes,
    check_arraylike,
    check_broadcast,
    is_several,
    library_jit,
)
from minijax.numpy.creation import arange, asarray, full, new_array, ones, zeros, zeros_like
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.elementwise.ufuncs import clip, remainder
from minijax.numpy.indexing.positions import nonzero
from minijax.numpy.indexing.selecting import take
from minijax.numpy.reductions.running_totals import cumsum
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.joining import concatenate, tile
from minijax.numpy.shapes.reshaping import (
    broadcast_shapes,
    broadcast_to,
    check_repeatable,
    moveaxis,
    ravel,
)
from minijax.numpy.sorting import argsort, sort

# Left out, put between.


@library_jit(static_argnames=("axis",))
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """The parts of `values` behind those of `arr`, along an axis; all elements in a row for None.

    >>> append(np.array([1, 2]), np.array([[3]]))
    Array([1, 2, 3], dtype=int32)
    """
    parts = [ravel(arr), ravel(values)] if axis is None else [arr, values]
    return concatenate(parts, 0 if axis is None else axis)


def _in_a_row(fun_name: str, a: Any, axis: int | None) -> tuple[Any, int]:
    """The array and the axis, counted from the front; for None, all of its elements in a row."""
    a, axis = (ravel(a), 0) if axis is None else (asarray(a), axis)
    return a, known_axis(fun_name, axis, a.ndim)


def delete(
    arr: Any, obj: Any, axis: int | None = None, *, assume_unique_indices: bool = False
) -> Any:
    """`arr` without the parts along an axis that `obj` names: an integer, a slice, integers or a
    mask; without these of its elements in a row for None.

    The shape of the result must be known: so must `obj`, unless its indices are promised to be
    distinct.

    >>> delete(np.array([1, 2, 3, 4]), np.array([0, 2]))
    Array([2, 4], dtype=int32)
    """
    check_arraylike("jnp.delete", arr)
    a, axis = _in_a_row("jnp.delete", arr, axis)
    size, before = a.shape[axis], (slice(None),) * axis
    if not isinstance(obj, slice) and _is_integer(obj):
        place = known_axis("jnp.delete", obj, size, read=as_integer)
        parts = [a[(*before, slice(0, place))], a[(*before, slice(place + 1, None))]]
        return concatenate(parts, axis)
    if isinstance(obj, slice):
        obj, assume_unique_indices = arange(size)[obj], True
    check_arraylike("jnp.delete", obj)
    if issubdtype(typeof(obj).dtype, np.integer) and assume_unique_indices:
        return a[(*before, _others(ravel(obj), size))]
    return a[(*before, _mask_of_others(np.asarray(known_value("jnp.delete", "obj", obj)), size))]


def _is_integer(obj: Any) -> bool:
    """Whether Python takes it for one integer."""
    if isinstance(obj, Tracer) and obj.to_concrete_value() is None:
        return False
    return hasattr(obj, "__index__") and not np.ndim(obj)


def _others(places: Any, size: int) -> Any:
    """The indices up to `size` that are not among the places, which are distinct."""
    places = clip(where(places < 0, places + size, places), 0, size)
    places = sort(places)
    # So many are left in front of each place: a kept index moves on past all that come before it.
    places = places - arange(places.size, dtype=places.dtype)
    kept = arange(size - places.size, dtype=places.dtype)
    return kept + sum_of(kept[None, :] >= places[:, None], 0, dtype=kept.dtype)


def _mask_of_others(places: np.ndarray, size: int) -> np.ndarray:
    if places.dtype == np.bool_:
        if places.shape != (size,):
            raise ValueError(
                f"jnp.delete got a mask of the shape {places.shape} for {size} parts. Give a row "
                f"of as many."
            )
        return ~places
    if not issubdtype(places.dtype, np.integer):
        raise ValueError(f"jnp.delete takes integers or bools as obj, and got {shown(places)}. "
                         f"Convert them.")  # fmt: skip
    mask = np.ones(size, np.bool_)
    try:
        mask[places] = False
    except IndexError as error:
        raise IndexError(
            f"jnp.delete got an index beyond {size} parts: {shown(places)}. Give others."
        ) from error
    return mask


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """`arr` with values put before the parts along an axis that `obj` names: an integer, a slice
    or a row of integers; before these of its elements in a row for None.

    >>> insert(np.array([1, 2, 3]), 1, 9)
    Array([1, 9, 2, 3], dtype=int32)
    """
    check_arraylike("jnp.insert", arr, 0 if isinstance(obj, slice) else obj, values)
    a, axis = _in_a_row("jnp.insert", arr, known_value("jnp.insert", "axis", axis))
    size, before = a.shape[axis], (slice(None),) * axis
    indices = _insertion_places(obj, size)
    values = lax.convert_element_type(asarray(values), a.dtype)
    values = lax.expand_dims(values, range(a.ndim - values.ndim))
    if indices.size == 1:
        values = values if indices.ndim else moveaxis(values, 0, axis)
        indices = full(values.shape[axis], ravel(indices)[0])
    check_broadcast("jnp.insert", [indices.shape, (values.shape[axis],)], ValueError)
    (count,) = broadcast_shapes(indices.shape, (values.shape[axis],))
    shape = (*a.shape[:axis], size + count, *a.shape[axis + 1 :])
    out = zeros_like(a, shape=shape)
    indices = clip(where(indices < 0, indices + size, indices), 0, size)
    # Each value moves on past those that are put in before it; the rest is for a's own parts.
    new = indices.at[argsort(indices)].add(arange(count, dtype=indices.dtype))
    is_old = ones(size + count, bool).at[new].set(False)
    (old,) = nonzero(is_old, size=size)
    out = out.at[(*before, new)].set(values)
    return out.at[(*before, old)].set(a)


def _insertion_places(obj: Any, size: int) -> Any:
    indices = arange(*obj.indices(size)) if isinstance(obj, slice) else asarray(obj)
    if indices.ndim > 1:
        raise ValueError(f"jnp.insert takes an integer or a row of them, and got {typeof(indices)}."
                         f" Give one axis.")  # fmt: skip
    if not issubdtype(indices.dtype, np.integer):
        if indices.size or isinstance(obj, Array):
            raise ValueError(
                f"jnp.insert takes integers as obj, and got {typeof(indices)}. Convert them."
            )
        indices = lax.convert_element_type(indices, int)
    return indices


def trim_zeros(filt: Any, trim: str = "fb", axis: int | Sequence[int] | None = None) -> Any:
    """The array without the zeros at its ends, along some axes, or all.

    `trim` names the ends: "f" the front, "b" the back. The shape of the result must be known, so
    not while tracing.

    >>> trim_zeros(np.array([0, 0, 1, 0, 2, 0]))
    Array([1, 0, 2], dtype=int32)
    """
    name = "jnp.trim_zeros"
    check_arraylike(name, filt)
    a = asarray(filt)
    is_zero = np.asarray(known_value(name, "the array", a)) == 0
    places = []
    for d in canonical_axes(name, axis, a.ndim):
        (found,) = np.nonzero(~is_zero.all(tuple(i for i in range(a.ndim) if i != d)))
        low, high = (found[0], found[-1] + 1) if found.size else (0, 0)
        low = low if "f" in trim.lower() else 0
        high = high if "b" in trim.lower() else a.shape[d]
        places.append((d, slice(int(low), int(high))))
    for d, place in places:
        a = a[(slice(None),) * d + (place,)]
    return a


# Moved round.


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved on by `shift` along an axis; what falls off the end comes in at the front.

    With several axes, each by its own shift; all elements in a row for None. Shifts may be traced.

    >>> roll(np.arange(4), 1)
    Array([3, 0, 1, 2], dtype=int32)
    """
    check_arraylike("jnp.roll", a)
    if axis is None:
        return lax.reshape(roll(ravel(a), shift, 0), typeof(a).shape)
    axes = tuple(
        known_axis("jnp.roll", i, typeof(a).ndim) for i in (axis if is_several(axis) else [axis])
    )
    shifts = _known_integers(shift)
    if shifts is not None:
        _check_shifts((len(shifts),), axes)
        return _roll_static(a, shifts, axes)
    shift = asarray(shift)
    _check_shifts(shift.shape, axes)
    return _roll_dynamic(a, shift, axes)


def _known_integers(values: Any) -> tuple[int, ...] | None:
    """The integers, one or several; None where they are traced, or no integers."""
    try:
        return integers(values if is_several(values) else [values])
    except TypeError:
        return None


def _check_shifts(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    if len(shape) > 1:
        raise ValueError(f"jnp.roll got shifts of the shape {shape}. Give one, or a row of them.")
    check_broadcast("jnp.roll", [shape, (len(axes),)], ValueError)


@library_jit(checked=False, static_argnums=(1, 2))
def _roll_static(a: Any, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    count = max(len(axes), len(shifts))  # one of both may stand for all
    for _, axis, shift in zip(range(count), cycle(axes), cycle(shifts), strict=False):
        size = a.shape[axis]
        if size:
            cut = -shift % size
            bounds = [(cut, size), (0, cut)]
            a = lax.concatenate([lax.slice_in_dim(a, *b, axis=axis) for b in bounds], axis)
    return a


@library_jit(checked=False, static_argnums=(2,))
def _roll_dynamic(a: Any, shift: Any, axes: tuple[int, ...]) -> Any:
    """A window that slides over two copies."""
    (count,) = broadcast_shapes(shift.shape, (len(axes),))
    integers = np.dtype(np.int32)
    for n, axis in zip(broadcast_to(shift, (count,)), np.broadcast_to(axes, count), strict=True):
        axis, size = int(axis), new_array("jnp.roll", a.shape[axis], integers)
        n = remainder(lax.convert_element_type(n, integers), lax.max(size, np.int32(1)))
        twice = lax.concatenate([a, a], axis)
        a = lax.dynamic_slice_in_dim(twice, size - n, a.shape[axis], axis=axis)
    return a


# Repeated.


@takes_out_sharding
def repeat(
    a: Any, repeats: Any, axis: int | None = None, *, total_repeat_length: int | None = None
) -> Any:
    """Every element, or every part along `axis`, `repeats` times in place: one number, or one for
    each.

    With `total_repeat_length`, which is needed where `repeats` is traced, the result is cut to
    that length, or its last part fills it up.

    >>> repeat(np.arange(3), np.array([1, 0, 2]))
    Array([0, 2, 2], dtype=int32)
    """
    check_arraylike("jnp.repeat", a, repeats=repeats)
    x, axis = (ravel(a), 0) if axis is None or not typeof(a).ndim else (asarray(a), axis)
    axis = known_axis("jnp.repeat", axis, x.ndim)
    if total_repeat_length is None:
        repeats = known_value("jnp.repeat", "repeats, or total_repeat_length,", repeats)
        if not np.ndim(repeats):
            return _repeat_all(x, as_integer("jnp.repeat", "repeats", repeats), axis)
        repeats = np.ravel(np.asarray(repeats))
        _check_repeats(repeats, x.shape[axis])
        repeats = np.broadcast_to(repeats, [x.shape[axis]])
        length = int(np.sum(repeats))
    else:
        length = known_integer("jnp.repeat", "total_repeat_length", total_repeat_length)
        repeats = ravel(asarray(repeats))
        _check_repeats(repeats, x.shape[axis])
        repeats = broadcast_to(repeats, [x.shape[axis]])
    if length <= 0:
        _refuse_negative(length)
        return lax.slice_in_dim(x, 0, 0, axis=axis)
    return _repeat_each(x, repeats, axis, length) if x.shape[axis] else x


def _check_repeats(repeats: Any, size: int) -> None:
    if not issubdtype(typeof(repeats).dtype, np.bool_, np.integer):
        raise TypeError(f"jnp.repeat takes integers as repeats, and got {typeof(repeats)}. Convert "
                        f"them.")  # fmt: skip
    check_repeatable("jnp.repeat", typeof(repeats).shape, (size,))
    if isinstance(repeats, np.ndarray):
        _refuse_negative(min(repeats, default=0))


def _refuse_negative(count: int) -> None:
    if count < 0:
        raise TypeError(f"jnp.repeat was asked for {count} times each element. Give 0 or more.")


def _repeat_all(x: Any, count: int, axis: int) -> Any:
    """Every part along the axis, one number of times."""
    _refuse_negative(count)
    shape, kept = list(x.shape), [d if d <= axis else d + 1 for d in range(x.ndim)]
    repeated = lax.broadcast_in_dim(x, (*shape[: axis + 1], count, *shape[axis + 1 :]), kept)
    shape[axis] *= count
    return lax.reshape(repeated, shape)


def _repeat_each(x: Any, repeats: Any, axis: int, length: int) -> Any:
    """Every part as often as is said for it: the index of the part goes up by one wherever the
    copies of the next part begin."""
    starts = cumsum(roll(repeats, 1).at[0].set(0))
    steps = zeros([length], np.int32).at[starts].add(1)
    return take(x, cumsum(steps) - 1, axis=axis)


@library_jit(static_argnames=("new_shape",))
def resize(a: Any, new_shape: Any) -> Any:
    """The elements in another shape: the first ones, or all of them again and again.

    >>> resize(np.array([1, 2, 3]), (2, 2))
    Array([[1, 2],
           [3, 1]], dtype=int32)
    """
    sizes = known_sizes("jnp.resize", new_shape)
    if any(n < 0 for n in sizes):
        raise ValueError(f"jnp.resize got the shape {sizes}. Give sizes from 0.")
    flat, size = ravel(a), math.prod(sizes)
    if not size or not flat.size:
        return zeros_like(flat, shape=sizes)
    times = -(-size // flat.size)
    return lax.reshape(tile(flat, times)[:size], sizes)


# One row after the other.


def apply_along_axis(
    func1d: Callable, axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Any:  # fmt: skip
    """func1d(row, *args, **kwargs) of every row of `arr` along an axis; what it returns stands in
    the place of the row.

    >>> apply_along_axis(lambda row: row - row.mean(), 0, np.array([[1.0, 5.0], [3.0, 5.0]]))
    Array([[-1.,  0.],
           [ 1.,  0.]], dtype=float32)
    """
    check_arraylike("jnp.apply_along_axis", arr)
    ndim = typeof(arr).ndim
    axis = known_axis("jnp.apply_along_axis", axis, ndim)

    def fun(row: Any) -> Any:
        return func1d(row, *args, **kwargs)

    for i in range(1, ndim - axis):
        fun = vmap(fun, in_axes=i, out_axes=-1)
    for _ in range(axis):
        fun = vmap(fun, in_axes=0, out_axes=0)
    return fun(arr)


def apply_over_axes(func: Callable, a: Any, axes: Sequence[int]) -> Any:
    """func(a, axis), applied for one axis after the other; axes that it takes away are put back.

    >>> apply_over_axes(np.sum, np.ones((2, 3, 4)), [0, 2]).shape
    (1, 3, 1)
    """
    name = "jnp.apply_over_axes"
    check_arraylike(name, a)
    a = asarray(a)
    for axis in axes:
        axis = known_axis(name, axis, a.ndim)
        result = asarray(func(a, axis))
        if result.ndim == a.ndim - 1:
            result = lax.expand_dims(result, [axis])
        if result.ndim != a.ndim:
            raise ValueError(
                f"{name} of {typeof(a)} got {typeof(result)} from the function. Return an array "
                f"with as many axes, or without that axis."
            )
        a = result
    return a
