"""An index of any kind as one gather, and, to write there, as one scatter.

A gather reads windows of one size, each from a start of its own. An entry of the index is either
a side of the window or fixes a coordinate of its start:

- an unbroken slice is a side, with its own start where it is not the whole axis;
- a slice with steps, an integer or an array of integers gives coordinates, one for each window;
- None is a new axis of the result, and a single bool an axis of size 1 of x, taken once or not.

NumPy's rule says where the axes of the windows' starts go: those of all arrays are broadcast to
one shape, which stands where the first array does, or in front where others stand between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.maths.bounds import largest
from minijax.core.arrays import Array
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.number_sizes import is_small
from minijax.lax.shapes.sizes import index_dtype, is_certain, range_size
from minijax.numpy.creation import array, asarray
from minijax.numpy.indexing.parsing import (
    ARRAY,
    BOOL,
    INTEGER,
    NEW,
    SIZED,
    SLICE,
    Entry,
    axis_by_axis,
    check_not_empty,
    without_masks,
)
from minijax.numpy.promotion import promoting_add, promoting_mul
from minijax.numpy.shapes.reshaping import broadcast_arrays


class GatherIndex:
    """An index as a gather: what `lax.gather` takes, and what happens to axes around it."""

    def __init__(self, shape: Sequence[int], bool_axes: Sequence[int]) -> None:
        self.shape, self.bool_axes = shape, tuple(bool_axes)  # the axes of size 1 that bools add
        self.index_dtype = index_dtype(shape)
        self.result_shape: list[int] = []  # of x[index]
        self.new_axes: list[int] = []  # of the result, for None
        self.reversed_axes: list[int] = []  # of the result without its new axes
        self.window: list[int] = []  # its sizes, one for each axis of x
        self.window_axes: list[int] = []  # those of the result without its new axes
        self.start_axes: list[int] = []  # the axes of x that a start has a coordinate for
        self.collapsed: list[int] = []  # the axes of x along which the window is one element
        self.starts: list[tuple[Any, int]] = []  # coordinates, and where their axes begin
        self.starts_shape: list[int] = []
        self.distinct = True  # whether no element is taken twice, and all in order

    # Each of these takes in one entry; the axes of x are served in order.

    def add_arrays(self, arrays: Sequence[Any], axes: Sequence[int]) -> None:
        arrays = broadcast_arrays(*arrays)
        place, shape = len(self.starts_shape), arrays[0].shape
        self.starts += [(cast(x, self.index_dtype), place) for x in arrays]
        self.starts_shape += shape
        self.result_shape += shape
        self.start_axes += axes
        self.collapsed += axes
        self.distinct = False

    def add_integer(self, value: Any) -> None:
        axis = len(self.window)
        check_not_empty(self.shape, axis)
        self._add_start(cast(value, self.index_dtype), axis)
        self.collapsed.append(axis)
        self.window.append(1)

    def add_new_axis(self) -> None:
        self.new_axes.append(len(self.result_shape))
        self.result_shape.append(1)

    def add_slice(self, start: Any, count: int, step: int) -> None:
        axis = len(self.window)
        place = len(self.result_shape) - len(self.new_axes)
        if step == 1:
            if count != self.shape[axis]:
                self._add_start(cast(start, self.index_dtype), axis)
            self.window_axes.append(place)
        else:
            self._add_start(self._stepping(start, step, count), axis)
            self.starts_shape.append(count)
            self.collapsed.append(axis)
            self.reversed_axes += [place] if step < 0 else []
        self.window.append(count if step == 1 else 1)
        self.result_shape.append(count)

    def _add_start(self, coordinates: Any, axis: int) -> None:
        self.starts.append((coordinates, len(self.starts_shape)))
        self.start_axes.append(axis)

    def _stepping(self, start: Any, step: int, count: int) -> Any:
        """The coordinates that a slice with steps takes, in growing order."""
        start = array(start) if isinstance(start, Array) else start  # a copy, as in JAX
        start, step_by = (cast(n, self.index_dtype) for n in (start, step))
        places = promoting_mul(step_by, lax.iota(self.index_dtype, count))
        places = promoting_add(start, places)
        return lax.rev(places, [0]) if step < 0 else places

    def indices(self) -> Any:
        """The coordinates of all starts, along the last axis."""
        if not self.starts:
            return np.zeros(0, self.index_dtype)
        if len(self.starts) == 1:
            [(only, _)] = self.starts
            return lax.expand_dims(only, [only.ndim])
        shape = [*self.starts_shape, 1]
        columns = [
            lax.broadcast_in_dim(x, shape, range(place, place + x.ndim)) for x, place in self.starts
        ]
        return lax.concatenate(columns, len(self.starts_shape))

    def hints(self, indices_are_sorted: bool, unique_indices: bool) -> dict[str, bool]:
        """What a caller promises of the indices, or is seen of them here."""
        return {
            "indices_are_sorted": indices_are_sorted or self.distinct,
            "unique_indices": unique_indices or self.distinct,
        }

    def gather_dims(self) -> lax.GatherDimensionNumbers:
        return lax.GatherDimensionNumbers(
            offset_dims=tuple(self.window_axes),
            collapsed_slice_dims=tuple(sorted(self.collapsed)),
            start_index_map=tuple(self.start_axes),
        )

    def scatter_dims(self) -> lax.ScatterDimensionNumbers:
        return lax.ScatterDimensionNumbers(
            update_window_dims=tuple(self.window_axes),
            inserted_window_dims=tuple(sorted(self.collapsed)),
            scatter_dims_to_operand_dims=tuple(self.start_axes),
        )


def gather_index(entries: Sequence[Entry], shape: tuple[int, ...], wrap: bool) -> GatherIndex:
    """The entries of an index of an array of this shape as a gather.

    With `wrap`, negative integers count from the end.
    """
    entries = without_masks(entries, shape)
    together = _stand_together(entries)
    entries, shape, bool_axes = _bools_as_arrays(axis_by_axis(entries, shape), shape)
    if wrap:
        entries = [_wrapped(entry, shape) for entry in entries]
    index = GatherIndex(shape, bool_axes)
    several = any(entry.kind == ARRAY and np.ndim(entry.value) for entry in entries)
    fancy = [entry for entry in entries if several and entry.kind in (ARRAY, INTEGER)]
    arrays, axes = [asarray(entry.value) for entry in fancy], [e.axes[0] for e in fancy]
    if fancy and not together:
        index.add_arrays(arrays, axes)
    for entry in entries:
        if entry.kind == NEW:
            index.add_new_axis()
        elif entry.kind == SLICE:
            index.add_slice(entry.value[0], range_size(*entry.value), entry.value[2])
        elif entry.kind == SIZED:
            index.add_slice(entry.value.start, entry.value.size, entry.value.stride)
        elif not fancy:
            index.add_integer(entry.value)
        else:
            if together and entry is fancy[0]:
                index.add_arrays(arrays, axes)
            index.window.append(1)
    return index


def _stand_together(entries: Sequence[Entry]) -> bool:
    """Whether nothing stands between the entries that are integers, as they are written."""
    places = [i for i, entry in enumerate(entries) if entry.kind in (ARRAY, INTEGER)]
    return not places or places[-1] - places[0] == len(places) - 1


def _bools_as_arrays(
    entries: Sequence[Entry], shape: tuple[int, ...]
) -> tuple[list[Entry], tuple[int, ...], list[int]]:
    """Each single bool as an array, of the index 0 or of none, into an axis of size 1 of its own;
    with x's shape as it then is, and the places of these axes in it."""
    new_shape, expanded, bool_axes, axis = list(shape), [], [], 0
    for entry in entries:
        if entry.kind == BOOL:
            bool_axes.append(axis)
            new_shape.insert(axis, 1)
            entry = Entry(ARRAY, np.arange(int(entry.value)), (axis,))
        expanded.append(entry._replace(axes=tuple(range(axis, axis + len(entry.axes)))))
        axis += len(entry.axes)
    return expanded, tuple(new_shape), bool_axes


def _wrapped(entry: Entry, shape: tuple[int, ...]) -> Entry:
    """The entry with negative integers counted from the end of its axis."""
    kind, value, axes = entry
    if kind == INTEGER and value < 0:
        wide = np.int64(value) if isinstance(value, np.integer) else value
        return Entry(kind, wide + shape[axes[0]], axes)
    if kind != ARRAY or issubdtype(typeof(value).dtype, np.unsignedinteger):
        return entry
    return Entry(kind, from_the_end(value, shape[axes[0]]), axes)


def from_the_end(index: Any, size: int) -> Any:
    """An array of integers with `size` added to those that are negative."""
    if is_small(typeof(index).dtype):
        index = cast(index, np.dtype(np.int32))
    dtype = typeof(index).dtype
    if is_certain(lambda: size > largest(dtype)):
        raise OverflowError(
            f"x[...] got indices of {dtype} for an axis of {size} elements, more than {dtype} "
            f"counts.\nConvert them: i.astype(int)."
        )
    weak = typeof(index).weak_type and not np.ndim(index)  # as JAX has it
    negative = index < 0
    return lax.select(negative, lax.add(index, cast(size, dtype, weak)), index)
