"""What is written in x[...]: each entry is of a kind, and takes some of x's axes.

From the entries come the three forms in which an index is carried out. A static one says from
where to where each axis is read; a moving one, how much of each axis and a start that may be
traced; a gather (`index_gathers`) serves for all that is left: arrays of integers and masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.arrays import Array, is_array_like
from minijax.core.dtypes import SymbolicDimension, integers, is_constant_shape, issubdtype
from minijax.core.errors import NonConcreteBooleanIndexError
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.indexing.sized_slices import Slice
from minijax.lax.shapes.sizes import is_certain, max_dim, min_dim, range_size
from minijax.numpy.arguments import is_array
from minijax.numpy.creation import asarray

NEW, ELLIPSIS, SLICE, INTEGER, BOOL, ARRAY = "None", "...", "slice", "integer", "bool", "array"
SIZED = "ds"


class Entry(NamedTuple):
    """One entry of an index: its kind, its value, and the axes of x that it takes.

    The value of a SLICE is (start, stop, step) in x's bounds, as `slice.indices` has it; that of
    an ARRAY is an array of integers, with axes or without; that of a BOOL a mask, or one bool; that
    of a SIZED one what `jax.ds` returns, a slice by its start and size.
    """

    kind: str
    value: Any
    axes: tuple[int, ...]


def parse_index(index: Any, shape: tuple[int, ...]) -> list[Entry]:
    """The entries of an index of an array of this shape, as written; IndexError for too many.

    >>> parse_index((0, slice(1, None)), (2, 4))[1]
    Entry(kind='slice', value=(1, 4, 1), axes=(1,))
    """
    written = index if type(index) is tuple else _one_entry(index)
    read = [_read_entry(entry) for entry in written]
    counts = [_axes_taken(kind, value) for kind, value in read]
    kinds, used = [kind for kind, _ in read], sum(counts)
    if used > len(shape):
        raise IndexError(
            f"x[{_shown(written)}] has more entries, {used}, than x has axes, {len(shape)}. Leave "
            f"some out."
        )
    if kinds.count(ELLIPSIS) > 1:
        raise IndexError(f"x[{_shown(written)}] has more than one Ellipsis (...). Give one.")
    entries, axis = [], 0
    for (kind, value), count in zip(read, counts, strict=True):
        if kind == ELLIPSIS:
            count = len(shape) - used
        elif kind == SLICE:
            value = _slice_bounds(value, shape[axis], axis)
        elif kind == SIZED and value.stride == 1:
            _check_sized(value, shape[axis], axis)
        entries.append(Entry(kind, value, tuple(range(axis, axis + count))))
        axis += count
    return entries


def _axes_taken(kind: str, value: Any) -> int:
    """How many axes an entry takes; `...` takes those that no other does."""
    return np.ndim(value) if kind == BOOL else int(kind not in (NEW, ELLIPSIS))


def _one_entry(index: Any) -> tuple:
    """What is not a tuple is one entry, and a list, which NumPy reads in two ways, is none."""
    if isinstance(index, tuple):
        return tuple(index)
    if isinstance(index, Sequence) and not isinstance(index, str | bytes):
        raise TypeError(
            f"x[{shown(index)}]: a list is no index. Give a tuple, axis by axis, or an array."
        )
    return (index,)


def _read_entry(entry: Any) -> tuple[str, Any]:
    """The kind of an entry and its value; lists have become arrays."""
    if type(entry) is int:
        return INTEGER, entry
    if type(entry) is slice:
        return SLICE, entry
    if entry is None or entry is Ellipsis:
        return (NEW if entry is None else ELLIPSIS), entry
    if type(entry) is Slice:
        return SIZED, entry
    if isinstance(entry, bool | np.bool_):
        return BOOL, bool(entry)
    if isinstance(entry, int | np.integer | SymbolicDimension):
        return INTEGER, entry
    if isinstance(entry, list | tuple):
        return _read_array(asarray(entry)) if len(entry) else (ARRAY, asarray(entry))
    return _read_array(entry)


def _read_array(entry: Any) -> tuple[str, Any]:
    if is_array(entry) and isinstance(entry, Array | np.ndarray):
        if issubdtype(entry.dtype, np.bool_):
            return BOOL, _known_mask(entry)
        if issubdtype(entry.dtype, np.integer):
            return ARRAY, entry
    what = "an array has no names to index by" if isinstance(entry, str) else "it is no index"
    known = isinstance(entry, Sequence | np.ndarray) or is_array_like(entry)
    kind = ValueError if hasattr(entry, "__jax_array__") else TypeError if known else IndexError
    raise kind(f"x[{shown(entry)}]: {what}.\n{_KINDS}")


_KINDS = "Give integers, slices, None, `...`, or arrays of integers or of bools."


def _known_mask(mask: Any) -> Any:
    """The mask as NumPy has it, or the tracer of one that is not known: that is refused later."""
    if isinstance(mask, Tracer):
        value = mask.to_concrete_value()
        return mask if value is None else np.asarray(value)
    return np.asarray(mask)


def _slice_bounds(entry: slice, size: int, axis: int) -> tuple[int, int, int]:
    bounds = (entry.start, entry.stop, entry.step)
    if any(isinstance(b, Tracer) and b.to_concrete_value() is None for b in bounds):
        raise IndexError(
            f"A slice of axis {axis} has a traced bound, so the result's shape is not known:\n"
            f"x[{_shown((entry,))}]. Mark the bound static (jit's static_argnums), or use "
            f"lax.dynamic_slice."
        )
    try:
        return entry.indices(size)
    except TypeError as error:
        if not is_constant_shape((size, *bounds)):
            return _symbolic_bounds(entry, size)
        raise TypeError(
            f"x[...] got a slice of axis {axis} with other bounds than integers:\n"
            f"{', '.join(map(shown, bounds))}. Give ints or None."
        ) from error
    except ValueError as error:
        raise _step_of_zero(entry) from error


def _step_of_zero(entry: slice) -> ValueError:
    return ValueError(f"x[{_shown((entry,))}] has a slice with step 0. Give 1 or -1.")


def _symbolic_bounds(entry: slice, size: Any) -> tuple[Any, Any, Any]:
    """What `entry.indices(size)` gives, of sizes that may be expressions."""
    (step,) = integers([1 if entry.step is None else entry.step])
    if step == 0:
        raise _step_of_zero(entry)
    low, high = (0, size) if step > 0 else (-1, size - 1)

    def within(bound: Any, default: Any) -> Any:
        if bound is None:
            return default
        (bound,) = integers([bound])
        return min_dim(high, bound) if bound >= 0 else max_dim(low, size + bound)

    first, last = (low, high) if step > 0 else (high, low)
    return within(entry.start, first), within(entry.stop, last), step


def _check_sized(entry: Slice, size: int, axis: int) -> None:
    """TypeError unless a slice by start and size has integers for both, and fits into its axis."""
    aval = typeof(entry.start) if is_array(entry.start) else None
    starts = aval is not None and not aval.ndim and issubdtype(aval.dtype, np.integer, np.bool_)
    if not starts or entry.is_dynamic_size or not 0 <= int(entry.size) <= size:
        got = f"jax.ds({shown(entry.start)}, {shown(entry.size)})"
        raise TypeError(
            f"x[{got}]: axis {axis} has {size} elements. Give an integer as the start, and a known "
            f"size from 0 to {size}."
        )


def _shown(index: tuple) -> str:
    """An index as it is written."""
    return ", ".join(
        "..." if entry is Ellipsis else
        ":".join("" if bound is None else shown(bound) for bound in (entry.start, entry.stop))
        + (f":{entry.step}" if entry.step is not None else "")
        if isinstance(entry, slice) else shown(entry)
        for entry in index
    )  # fmt: skip


def axis_by_axis(entries: Sequence[Entry], shape: tuple[int, ...]) -> list[Entry]:
    """The entries with a whole slice for each axis that `...` stands for, or that was left out."""
    expanded, axis = [], 0
    for entry in entries:
        axis += len(entry.axes)
        if entry.kind == ELLIPSIS:
            expanded += [Entry(SLICE, (0, shape[a], 1), (a,)) for a in entry.axes]
        else:
            expanded.append(entry)
    return expanded + [Entry(SLICE, (0, n, 1), (a,)) for a, n in enumerate(shape) if a >= axis]


# A part that is known.


class StaticIndex(NamedTuple):
    """Which part of an array an index takes, axis by axis, and what happens to its axes."""

    starts: tuple[int, ...]
    limits: tuple[int, ...]
    strides: tuple[int, ...]
    reversed_axes: tuple[int, ...]
    squeezed_axes: tuple[int, ...]
    new_axes: tuple[int, ...]  # counted in the result


def static_index(
    entries: Sequence[Entry], shape: tuple[int, ...], wrap: bool, clip: bool
) -> StaticIndex | None:
    """The part that the entries take; None where they are not all integers, slices and None, or
    an integer is out of range and not to be clipped."""
    starts, limits, strides, turned, squeezed, new = [], [], [], [], [], []
    for kind, value, axes in axis_by_axis(entries, shape):
        if kind == NEW:
            new.append(len(starts) - len(squeezed) + len(new))
            continue
        if kind == SLICE:
            if value[2] not in (1, -1) and not is_constant_shape(value):
                return None
            start, limit, stride = _forwards(*value)
            turned += axes if value[2] < 0 else ()
        elif kind == INTEGER:
            size = shape[axes[0]]
            start = value if isinstance(value, SymbolicDimension) else int(value)
            start = start + size if start < 0 and wrap else start
            if not is_certain(lambda: 0 <= start < size):  # noqa: B023
                if not clip or not is_certain(lambda: size > 0):  # noqa: B023
                    return None
                start = min_dim(max_dim(start, 0), size - 1)
            limit, stride = start + 1, 1
            squeezed += axes
        else:
            return None
        starts.append(start)
        limits.append(limit)
        strides.append(stride)
    return StaticIndex(*map(tuple, (starts, limits, strides, turned, squeezed, new)))


def _forwards(start: int, stop: int, step: int) -> tuple[int, int, int]:
    """A slice that takes the same elements, and runs forwards."""
    if step > 0:
        return start, max_dim(start, stop), step
    count = range_size(start, stop, step)
    return start + (count - 1) * step if count else start + 1, start + 1, -step


# A part that may move.


class MovingIndex(NamedTuple):
    """Where a part of an array starts, what its sizes are, and what happens to its axes."""

    starts: tuple[Any, ...]
    sizes: tuple[int, ...]
    reversed_axes: tuple[int, ...]
    squeezed_axes: tuple[int, ...]
    new_axes: tuple[int, ...]


def moving_index(entries: Sequence[Entry], shape: tuple[int, ...]) -> MovingIndex | None:
    """The part that the entries take; None where one is an array with axes, a mask, or a slice
    that leaves elements out."""
    if any(
        kind == BOOL or (kind == ARRAY and np.ndim(value)) or (kind == SLICE and abs(value[2]) > 1)
        or (kind == SIZED and value.stride != 1)
        for kind, value, _ in entries
    ):
        return None
    starts, sizes, turned, squeezed, new = [], [], [], [], []
    for kind, value, axes in axis_by_axis(entries, shape):
        if kind == NEW:
            new.append(len(starts) - len(squeezed) + len(new))
        elif kind == SLICE:
            start, limit, _ = _forwards(*value)
            starts.append(start)
            sizes.append(limit - start)
            turned += axes if value[2] < 0 else ()
        elif kind == SIZED:
            starts.append(value.start)
            sizes.append(value.size)
        else:
            check_not_empty(shape, axes[0])
            starts.append(asarray(value))
            sizes.append(1)
            squeezed += axes
    return MovingIndex(*map(tuple, (starts, sizes, turned, squeezed, new)))


def check_not_empty(shape: tuple[int, ...], axis: int) -> None:
    """IndexError where an element is taken along an axis that has none."""
    if not shape[axis]:
        raise IndexError(
            f"x[...] takes an element along axis {axis}, which has none, of the shape {shape}.\n"
            f"Give a slice."
        )


# Masks are arrays of the places where they hold.


def without_masks(entries: Sequence[Entry], shape: tuple[int, ...]) -> list[Entry]:
    """The entries with the places of a mask's elements for the mask; single bools stay."""
    expanded = []
    for position, entry in enumerate(entries):
        if entry.kind != BOOL:
            expanded.append(entry)
            continue
        if isinstance(entry.value, Tracer):
            raise NonConcreteBooleanIndexError(entry.value)
        mask_shape, taken = np.shape(entry.value), tuple(shape[axis] for axis in entry.axes)
        if any(n not in (0, size) for n, size in zip(mask_shape, taken, strict=True)):
            raise IndexError(
                f"x[...] got a mask of the shape {mask_shape} as entry {position}, for axes of the "
                f"sizes {taken}.\nGive one of these sizes."
            )
        if not entry.axes:
            expanded.append(Entry(BOOL, bool(entry.value), ()))
        else:
            places = np.nonzero(entry.value)
            pairs = zip(places, entry.axes, strict=True)
            expanded += [Entry(ARRAY, i, (axis,)) for i, axis in pairs]
    return expanded
