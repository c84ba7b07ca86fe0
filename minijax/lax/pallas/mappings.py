"""Index maps as programs: what a call knows of its grid, and of the block of each array."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from minijax.core.config import FunctionCache
from minijax.core.dtypes import issubdtype
from minijax.core.printing import is_literal
from minijax.core.staging import ClosedJaxpr, dce_jaxpr, eval_jaxpr, stage, trace_to_jaxpr
from minijax.core.tracing import ShapedArray
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.pallas.block_specs import (
    BlockDim,
    Blocked,
    BlockSpec,
    DynamicGridDim,
    Element,
    MemorySpace,
    NoBlockSpec,
    Squeezed,
    block_dim,
    size_of,
    squeezed,
)

INDEX = ShapedArray((), np.int32)  # the type of a program's place in the grid, along each axis


@dataclass(frozen=True)
class BlockMapping:
    """The blocks of one array: their shape, and the program from places in the grid to indices.

    `origin` is what messages call the array.
    """

    block_shape: tuple[BlockDim, ...]
    index_map: ClosedJaxpr
    array: ShapedArray
    memory_space: Any
    origin: str

    sizes = property(lambda self: tuple(map(size_of, self.block_shape)))

    @property
    def squeezed(self) -> tuple[int, ...]:
        """The axes of the array that a block lacks."""
        return tuple(k for k, dim in enumerate(self.block_shape) if isinstance(dim, Squeezed))

    @property
    def block(self) -> ShapedArray:
        """The type of a block."""
        shape = [n for k, n in enumerate(self.sizes) if k not in self.squeezed]
        return self.array.update(shape=tuple(shape))

    @property
    def padding(self) -> tuple[tuple[int, int], ...]:
        """How many elements are added before and behind the array's, along each axis: those that
        its spec says, and as many as make it whole blocks."""
        found = []
        for n, dim in zip(self.array.shape, self.block_shape, strict=True):
            low, high = dim.padding if isinstance(dim, Element) else (0, 0)
            found.append((low, high + -(low + n + high) % size_of(dim)))
        return tuple(found)

    @property
    def padded_shape(self) -> tuple[int, ...]:
        edges = zip(self.array.shape, self.padding, strict=True)
        return tuple(low + n + high for n, (low, high) in edges)

    @cached_property
    def axes_read(self) -> tuple[bool, ...]:
        """Which axes of the grid the block depends on."""
        jaxpr = self.index_map.jaxpr
        return tuple(dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))[1])

    @cached_property
    def depth(self) -> int:
        """How many axes of the grid say which block it is: that of the last, and one."""
        return max((k + 1 for k, is_read in enumerate(self.axes_read) if is_read), default=0)

    def indices(self, ids: Sequence[Any]) -> list[Any]:
        return eval_jaxpr(self.index_map.jaxpr, self.index_map.consts, *ids)

    def counts_along(self, axis: int) -> bool:
        """Whether the first index is the place along this axis of the grid, and no other index
        depends on it."""
        if not self.block_shape:
            return False
        jaxpr = self.index_map.jaxpr
        others = dce_jaxpr(jaxpr, [False, *[True] * (len(jaxpr.outvars) - 1)])[1]
        return jaxpr.outvars[0] is jaxpr.invars[axis] and not others[axis]

    def is_natural(self, k: int) -> bool:
        """Whether an index is certainly not negative."""
        x = self.index_map.outvars[k]
        return int(x.val) >= 0 if is_literal(x) else x in self.index_map.invars

    def __repr__(self) -> str:
        return f"BlockMapping(block_shape={self.block_shape})"


@dataclass(frozen=True)
class GridMapping:
    """A grid, and the blocks of all inputs and then all outputs.

    Of the grid's axes the first ones, `num_mapped`, count examples: a kernel doesn't see them.
    """

    grid: tuple[int | DynamicGridDim, ...]
    block_mappings: tuple[BlockMapping, ...]
    num_inputs: int
    num_mapped: int = 0

    @property
    def dynamic_axes(self) -> tuple[int, ...]:
        """The axes, as a kernel counts them, whose sizes are operands: a call's first ones."""
        sizes = self.grid[self.num_mapped :]
        return tuple(k for k, n in enumerate(sizes) if isinstance(n, DynamicGridDim))

    inputs = property(lambda self: self.block_mappings[: self.num_inputs])
    outputs = property(lambda self: self.block_mappings[self.num_inputs :])

    def __repr__(self) -> str:
        return f"GridMapping(grid={self.grid}, block_mappings={self.block_mappings})"


# From a spec.

_index_maps = FunctionCache()


def block_mapping(
    spec: Any, array: ShapedArray, grid: tuple[int, ...], origin: str
) -> BlockMapping:
    """What a spec says of an array; ValueError and TypeError where they don't fit."""
    if isinstance(spec, NoBlockSpec):
        spec = BlockSpec()
    if not isinstance(spec, BlockSpec):
        raise TypeError(f"pallas_call got {shown(spec)} for {origin}. Give a pl.BlockSpec.")
    shape = array.shape if spec.block_shape is None else spec.block_shape
    if not isinstance(shape, tuple | list):
        raise TypeError(
            f"pallas_call got the block_shape {shown(shape)} for {origin}. Give a tuple."
        )
    dims = tuple(map(block_dim, shape)) if spec.block_shape is not None else whole(array)
    if len(dims) != array.ndim:
        raise ValueError(
            f"pallas_call got the block_shape {tuple(shape)} for {origin}, which is {array}. Give "
            f"an entry for each of its axes, None for one that the kernel is not to see."
        )
    index_map = _traced(spec.index_map, dims, grid, origin)
    space = MemorySpace.DEFAULT if spec.memory_space is None else spec.memory_space
    return BlockMapping(dims, index_map, array, space, origin)


def whole(array: ShapedArray) -> tuple[BlockDim, ...]:
    return tuple(map(Blocked, array.shape))


def _traced(
    index_map: Callable | None, dims: Sequence[BlockDim], grid: tuple[int, ...], origin: str
) -> ClosedJaxpr:
    """An index map as a program; ValueError for other results than an integer for each axis."""
    if index_map is None:
        return trace_to_jaxpr(lambda *ids: [np.int32(0)] * len(dims), [INDEX] * len(grid))
    name = f"pallas_call's index_map of {origin}"
    if not callable(index_map):
        raise TypeError(f"{name} is {shown(index_map)}. Give a function, or nothing.")
    given = f"{len(grid)} arguments, a place in the grid {grid}"
    check_takes(name, index_map, grid, {}, given)
    staged, _ = stage(
        index_map, (INDEX,) * len(grid), {}, "index_map", cache=_index_maps.of(index_map),
        aval_of=lambda aval: aval,
    )  # fmt: skip
    closed = staged.closed
    if closed.consts:
        raise ValueError(
            f"{name} uses arrays besides its arguments, {closed.consts}. Give the kernel an input, "
            f"or compute with numbers."
        )
    out = closed.out_avals
    if len(out) != len(dims):
        raise ValueError(
            f"{name} returns {len(out)} values, and a block has {len(dims)} axes: {tuple(dims)}. "
            f"Return an integer for each."
        )
    for aval in out:
        if aval.shape or not issubdtype(aval.dtype, np.integer):
            raise ValueError(f"{name} returns a value of type {aval}. Return integers.")
    return closed


def check_takes(name: str, fun: Callable, args: tuple, kwargs: dict, given: str) -> None:
    """TypeError unless a function can be called with these arguments, which `given` describes."""
    try:
        signature = inspect.signature(fun)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(
            f"{name} takes {signature}, and is called with {given}: {error}. Give it a parameter "
            f"for each."
        ) from None


def batched(mapping: BlockMapping, size: int, dim: int | None) -> BlockMapping:
    """The mapping of an array of examples, which lie along an axis of it: a new first axis of the
    grid counts them. None: the array is the same for all."""
    old = mapping.index_map

    def index_map(i: Any, *ids: Any) -> list[Any]:
        found = eval_jaxpr(old.jaxpr, old.consts, *ids)
        return found if dim is None else [*found[:dim], i, *found[dim:]]

    avals = [INDEX, *old.in_avals]
    new = replace(mapping, index_map=trace_to_jaxpr(index_map, avals, old.jaxpr.debug_info))
    if dim is None:
        return new
    shape, dims = list(mapping.array.shape), list(mapping.block_shape)
    shape.insert(dim, size)
    dims.insert(dim, squeezed)
    return replace(new, array=mapping.array.update(shape=tuple(shape)), block_shape=tuple(dims))
