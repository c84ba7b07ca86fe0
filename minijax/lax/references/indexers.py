"""Which part of a reference is meant: `ref[i, 2:5]`, and how that part of an array is taken out,
replaced or added to.

An index has for each axis an integer, a slice by its start and size, or an array of integers. Known
numbers are part of an equation's parameters; traced ones are operands.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.arrays import is_array_like, raw_value
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import (
    add,
    add_jaxvals,
    broadcast_in_dim,
    cast,
    expand_dims,
    mul,
    reshape,
    select,
)
from minijax.core.pytrees import register_pytree_node
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise.arithmetic import lt, shown
from minijax.lax.indexing.dimension_numbers import GatherDimensionNumbers, ScatterDimensionNumbers
from minijax.lax.indexing.dynamic_slicing import dynamic_slice, dynamic_update_slice
from minijax.lax.indexing.gather_scatter import gather, scatter, scatter_add
from minijax.lax.indexing.sized_slices import Slice
from minijax.lax.shapes.axes import iota, squeeze
from minijax.lax.shapes.slicing import concatenate
from minijax.lax.shapes.slicing import slice as static_slice

Shape = tuple[int, ...]


class NDIndexer:
    """An index of an array of a shape: for each axis an int, a `Slice`, or a value of integers.

    As a node of a pytree, what is traced are its children.
    """

    __slots__ = ("indices", "shape")

    def __init__(self, indices: Sequence[Any], shape: Shape) -> None:
        self.indices, self.shape = tuple(indices), shape

    def array_shape(self) -> Shape:
        """The shape that all arrays among the indices have together."""
        return np.broadcast_shapes(*(np.shape(i) for i in self.indices if not is_slice(i)))

    def get_indexer_shape(self) -> Shape:
        """The shape of the part."""
        return tuple(size for size, _ in self.axes_of_part())

    def axes_of_part(self) -> list[tuple[int, int | None]]:
        """The axes of the part: how long each is, and the axis that its slice is of; None for one
        of the arrays. By NumPy's rule these stand where the first array is, or in front where
        slices stand between arrays."""
        sides = [(i.size, axis) for axis, i in enumerate(self.indices) if is_slice(i)]
        places = self.array_places()
        if not places:
            return sides
        together = places[-1] - places[0] == len(places) - 1
        before = sum(axis < places[0] for _, axis in sides) if together else 0
        return [*sides[:before], *((n, None) for n in self.array_shape()), *sides[before:]]

    def array_places(self) -> list[int]:
        """The axes whose indices are integers, where one of these is an array with axes."""
        numbers = [axis for axis, i in enumerate(self.indices) if not is_slice(i)]
        return numbers if self.array_shape() else []

    def __repr__(self) -> str:
        return f"NDIndexer(indices={self.indices}, shape={self.shape})"


def is_slice(index: Any) -> bool:
    return type(index) is Slice


def _flatten(indexer: NDIndexer) -> tuple:
    known = tuple(i if type(i) is int else None for i in indexer.indices)
    return tuple(None if type(i) is int else i for i in indexer.indices), (known, indexer.shape)


def _unflatten(aux: tuple, children: tuple) -> NDIndexer:
    known, shape = aux
    pairs = zip(known, children, strict=True)
    return NDIndexer([i if child is None else child for i, child in pairs], shape)


register_pytree_node(NDIndexer, _flatten, _unflatten)

# What a user writes.


def parse(index: Any, shape: Shape) -> NDIndexer | None:
    """The index that is written `ref[index]`; None for all of it.

    ValueError for more entries than axes, for what is out of range and known to be, and for slices
    that run backwards; TypeError for what is no index.

    >>> parse((0, slice(1, None)), (2, 4)).get_indexer_shape()
    (3,)
    """
    written = index if isinstance(index, tuple) else (index,)
    if not written or len(written) == 1 and (written[0] is None or written[0] is Ellipsis):
        return None
    if isinstance(index, list):
        raise ValueError(f"ref[{shown(index)}]: a list is no index. Give a tuple or an array.")
    dots = [i for i, entry in enumerate(written) if entry is Ellipsis]
    if len(dots) > 1:
        raise ValueError("ref[...] got more than one Ellipsis. Give one.")
    if len(written) - len(dots) > len(shape):
        raise ValueError(
            f"ref[...] got an index of {len(written)} entries for a reference of the shape {shape}."
            f" Leave some out."
        )
    place = dots[0] if dots else len(written)
    missing = len(shape) - len(written) + len(dots)
    whole = [slice(None)] * missing
    entries = [*written[:place], *whole, *written[place + 1 :]]
    return NDIndexer(map(_entry, entries, shape), shape)


def _entry(entry: Any, size: int) -> Any:
    if isinstance(entry, slice):
        start, stop, step = entry.indices(size)
        if step < 1:
            raise ValueError(
                f"A reference has no slices with the step {step}. Use what is in it, "
                f"reversed: ref[...][::-1]."
            )
        return Slice(start, len(range(start, stop, step)), step)
    if is_slice(entry):
        return _sized(entry, size)
    if not is_array_like(entry) or isinstance(entry, str):
        kind = ValueError if entry is None or isinstance(entry, list) else TypeError
        raise kind(
            f"ref[{shown(entry)}] is no index. Give integers, slices, `...` or arrays of integers."
        )
    aval = typeof(entry)
    if aval.dtype == np.bool_ and aval.shape:
        raise IndexError("ref[mask]: a mask is no index of references. Use jnp.nonzero(mask).")
    if not issubdtype(aval.dtype, np.integer, np.bool_):
        raise TypeError(f"ref[...] takes integers, and got an index of {aval}. Use i.astype(int).")
    if aval.shape or isinstance(entry, Tracer):
        return entry
    number = int(raw_value(entry))
    if not -size <= number < size:
        raise ValueError(
            f"ref[{number}] is out of range of an axis of {size} elements. Give one from {-size} "
            f"to {size - 1}."
        )
    return number


def _sized(entry: Slice, size: int) -> Slice:
    if entry.is_dynamic_size:
        raise TypeError(f"ref[{entry}] has no known size. Give one.")
    start, count, stride = entry.start, operator.index(entry.size), entry.stride
    if not entry.is_dynamic_start:
        start = operator.index(start)
        if start < 0 or count and start + (count - 1) * stride >= size:
            raise ValueError(
                f"ref[{entry}] is out of range of an axis of {size} elements. Give one inside."
            )
    return Slice(start, count, stride)


def shown_index(indexer: NDIndexer | None, name: Callable) -> str:
    """An index as a jaxpr shows it; `name` gives the names of what is traced."""
    if indexer is None:
        return "..."
    return ",".join(
        _shown_slice(i, size, name) if is_slice(i) else str(i) if type(i) is int else name(i)
        for i, size in zip(indexer.indices, indexer.shape, strict=True)
    )


def _shown_slice(entry: Slice, size: int, name: Callable) -> str:
    if entry.is_dynamic_start:
        return f"{name(entry.start)}:{name(entry.start)}+{entry.size}"
    stop = entry.start + (entry.size - 1) * entry.stride + 1 if entry.size else entry.start
    step = f":{entry.stride}" if entry.stride > 1 else ""
    return f"{entry.start or ''}:{'' if stop == size else stop}{step}"


# A block of neighbours: every index is a slice, or one integer. It is a `slice` where its place is
# known, else a `dynamic_slice`.


class Block(NamedTuple):
    """Where a block starts; its shape, in which an integer's axis has the size 1; its strides; and
    the axes of integers."""

    starts: tuple[Any, ...]
    sizes: Shape
    strides: Shape
    squeezed: tuple[int, ...]

    def is_known(self) -> bool:
        return all(type(start) is int for start in self.starts)

    def lengths(self) -> Shape:
        """How far it reaches along each axis."""
        pairs = zip(self.sizes, self.strides, strict=True)
        return tuple((size - 1) * stride + 1 if size else 0 for size, stride in pairs)


def block_of(indexer: NDIndexer) -> Block:
    parts = []
    for i, size in zip(indexer.indices, indexer.shape, strict=True):
        if is_slice(i):
            parts.append((i.start, i.size, i.stride))
        else:
            parts.append((i + size if type(i) is int and i < 0 else i, 1, 1))
    starts, sizes, strides = map(tuple, zip(*parts, strict=True)) if parts else ((), (), ())
    squeezed = tuple(axis for axis, i in enumerate(indexer.indices) if not is_slice(i))
    return Block(starts, sizes, strides, squeezed)


def read_block(x: Any, block: Block) -> Any:
    lengths = block.lengths()
    if block.is_known():
        limits = tuple(map(operator.add, block.starts, lengths))
        if limits != typeof(x).shape or any(block.starts) or max(block.strides, default=1) > 1:
            x = static_slice(x, block.starts, limits, block.strides)
    else:
        x = dynamic_slice(x, same_dtype(block.starts), lengths)
        if max(block.strides) > 1:
            x = static_slice(x, (0,) * len(lengths), lengths, block.strides)
    return squeeze(x, block.squeezed) if block.squeezed else x


def same_dtype(starts: Sequence[Any]) -> list[Any]:
    """Starts as `dynamic_slice` takes them: of one dtype."""
    return [cast(start, np.dtype(np.int32)) for start in starts]


def write_block(x: Any, block: Block, value: Any) -> Any:
    if block.sizes == typeof(x).shape:
        return reshape(value, block.sizes) if block.squeezed else value
    value = expand_dims(value, block.squeezed) if block.squeezed else value
    return dynamic_update_slice(x, value, same_dtype(block.starts))


# Elements here and there: each has a start of its own, and a window along the axes of slices.


class Windows(NamedTuple):
    """A part as the windows of a gather, or of a scatter: `starts` has their coordinates, along the
    last axis, in the axes `start_axes`; `sides` are the window's axes of the part, and `collapsed`
    the axes that it has one element of."""

    starts: Any
    start_axes: Shape
    sides: Shape
    collapsed: Shape
    sizes: Shape

    def gather_numbers(self) -> GatherDimensionNumbers:
        return GatherDimensionNumbers(self.sides, self.collapsed, self.start_axes)

    def scatter_numbers(self) -> ScatterDimensionNumbers:
        return ScatterDimensionNumbers(self.sides, self.collapsed, self.start_axes)


def windows_of(indexer: NDIndexer) -> Windows:
    """The part as windows. The elements of arrays have a start each, and those of a slice with
    strides."""
    part, indices = indexer.axes_of_part(), indexer.indices
    own = [place for place, (_, axis) in enumerate(part)
           if axis is None or indices[axis].stride > 1]  # fmt: skip
    shape = tuple(part[place][0] for place in own)
    of_arrays = [k for k, place in enumerate(own) if part[place][1] is None]
    place_of = {axis: place for place, (_, axis) in enumerate(part)}
    columns, sides, collapsed, sizes = [], [], [], []
    for axis, (index, size) in enumerate(zip(indices, indexer.shape, strict=True)):
        is_side = is_slice(index) and index.stride == 1
        sizes.append(index.size if is_side else 1)
        (sides if is_side else collapsed).append(place_of[axis] if is_side else axis)
        if not is_slice(index):
            dims = of_arrays[len(of_arrays) - np.ndim(index) :]
            columns.append((axis, from_the_end(index, size), dims))
        elif not is_side:
            columns.append((axis, stepping(index), [own.index(place_of[axis])]))
        elif index.size != size:
            columns.append((axis, index.start, []))
    starts = [
        broadcast_in_dim(cast(x, np.dtype(np.int32)), (*shape, 1), dims) for _, x, dims in columns
    ]
    start_axes = tuple(axis for axis, *_ in columns)
    joined = concatenate(starts, len(shape)) if len(starts) > 1 else starts[0]
    return Windows(joined, start_axes, *map(tuple, (sides, collapsed, sizes)))


def stepping(index: Slice) -> Any:
    """The coordinates that a slice with strides takes."""
    steps = mul(iota(np.int32, index.size), np.int32(index.stride))
    return add(steps, cast(index.start, np.dtype(np.int32)))


def from_the_end(index: Any, size: int) -> Any:
    """An index, of which negative numbers count from the end."""
    if type(index) is int:
        return index + size if index < 0 else index
    index = cast(index, np.dtype(np.int32))
    return select(lt(index, constant(index, 0)), add(index, constant(index, size)), index)


# A part of an array: read, replaced, added to.


def is_block(indexer: NDIndexer) -> bool:
    return not any(np.ndim(i) for i in indexer.indices if not is_slice(i))


def is_dense(indexer: NDIndexer) -> bool:
    return all(i.stride == 1 for i in indexer.indices if is_slice(i))


def read_part(x: Any, indexer: NDIndexer) -> Any:
    """The part of x that an index means."""
    if is_block(indexer):
        return read_block(x, block_of(indexer))
    windows = windows_of(indexer)
    return gather(x, windows.starts, windows.gather_numbers(), windows.sizes, mode="clip")


def write_part(x: Any, indexer: NDIndexer, value: Any) -> Any:
    """x with another value in the place of the part."""
    if is_block(indexer) and is_dense(indexer):
        return write_block(x, block_of(indexer), value)
    if 0 in indexer.get_indexer_shape():
        return x
    windows = windows_of(indexer)
    return scatter(x, windows.starts, value, windows.scatter_numbers())


def add_to_part(x: Any, indexer: NDIndexer, value: Any) -> Any:
    """x with a value added to the part; where an element is meant twice, both count."""
    if is_block(indexer):
        return write_part(x, indexer, add_jaxvals(read_part(x, indexer), value))
    windows = windows_of(indexer)
    return scatter_add(x, windows.starts, value, windows.scatter_numbers())


# Indices of indices, ref.at[2:5][i]: the outer part is read, changed and put back.

Indexers = Sequence[NDIndexer]


def read_at(x: Any, indexers: Indexers) -> Any:
    """x, and of it the parts that the indices mean, one after the other."""
    for indexer in indexers:
        x = read_part(x, indexer)
    return x


def update_at(update: Callable, x: Any, indexers: Indexers, value: Any) -> Any:
    """x after an update of a part; `update` is `write_part` or `add_to_part`."""
    first, *rest = indexers
    if not rest:
        return update(x, first, value)
    return write_part(x, first, update_at(update, read_part(x, first), rest, value))
