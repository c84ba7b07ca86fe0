"""What a kernel sees of an array: a block of it, and which one in each program of the grid.

A spec is what a user writes; `mappings.py` makes of it what a call knows.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from operator import index
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.tracing import ShapedArray, Tracer
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.references.types import AbstractRef

# How one axis of an array is cut.


@dataclass(frozen=True)
class Blocked:
    """Blocks of so many elements, one beside the other: an index map counts blocks.

    >>> Blocked(4)
    Blocked(block_size=4)
    """

    block_size: int

    def __str__(self) -> str:
        return f"Blocked({self.block_size})"


@dataclass(frozen=True)
class Element:
    """Blocks of so many elements, which may overlap: an index map counts elements.

    The axis is longer than the array's by `padding`, before and behind.
    """

    block_size: int
    padding: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        edges = "" if self.padding == (0, 0) else f", padding={self.padding}"
        return f"Element({self.block_size}{edges})"


@dataclass(frozen=True)
class Squeezed:
    """One element, and the block lacks the axis. In a block's shape None means the same."""


@dataclass(frozen=True)
class BoundedSlice:
    """Blocks of at most so many elements. Accelerators have them; here a call refuses them."""

    block_size: int

    def __str__(self) -> str:
        return f"BoundedSlice({self.block_size})"


@dataclass(frozen=True)
class Indirect:
    """So many elements, here and there. Accelerators have them; here a call refuses them."""

    block_size: int

    def __str__(self) -> str:
        return f"Indirect({self.block_size})"


squeezed = Squeezed()
BlockDim = Blocked | Element | Squeezed | BoundedSlice | Indirect


def block_dim(dim: Any) -> BlockDim:
    """An entry of a block's shape; ValueError for what is none."""
    if dim is None:
        return squeezed
    if isinstance(dim, int) and not isinstance(dim, bool):
        dim = Blocked(dim)
    if isinstance(dim, BoundedSlice | Indirect):
        raise ValueError(f"pallas_call got {dim} in a block_shape. Give pl.Element and a start.")
    if not isinstance(dim, Blocked | Element | Squeezed):
        raise ValueError(
            f"pallas_call got {shown(dim)} in a block_shape. Give integers, None, pl.Blocked or "
            f"pl.Element."
        )
    if not isinstance(dim, Squeezed) and dim.block_size < 1:
        raise ValueError(f"pallas_call got a block of the size {dim.block_size}. Give one from 1.")
    return dim


def size_of(dim: BlockDim) -> int:
    return 1 if isinstance(dim, Squeezed) else dim.block_size


# Where memory lies. A processor has one kind: the names are kept, and printed.


@dataclass(frozen=True)
class MemoryRef:
    """Memory of a kernel's own, of a type: an entry of `scratch_shapes`."""

    inner_aval: ShapedArray
    memory_space: Any

    shape = property(lambda self: self.inner_aval.shape)
    dtype = property(lambda self: self.inner_aval.dtype)

    def get_array_aval(self) -> ShapedArray:
        return self.inner_aval

    def get_ref_aval(self) -> AbstractRef:
        return AbstractRef(self.inner_aval, self.memory_space)


class MemorySpace(enum.Enum):
    """Kinds of memory. Called with a shape and a dtype, one makes an entry of `scratch_shapes`.

    >>> MemorySpace.ANY((3,), "float32")
    MemoryRef(inner_aval=ShapedArray(float32[3]), memory_space=<MemorySpace.ANY: 'any'>)
    """

    ANY = "any"
    DEFAULT = "default"
    ERROR = "error"
    INDEX = "index"
    KEY = "key"
    HOST = "host"

    def __str__(self) -> str:
        return self.value

    def __call__(self, shape: Sequence[int], dtype: Any) -> MemoryRef:
        return self.from_type(ShapedArray(shape, dtype))

    def from_type(self, type: ShapedArray) -> MemoryRef:
        """Such memory, for values of a type."""
        return MemoryRef(type, self)


# How blocks come and go, beside the work on others: a processor has nothing to say of that.


class RevisitMode(enum.Enum):
    """When a block of an output may be written to again."""

    IMMEDIATE = "immediate"
    ANY = "any"


@dataclass(frozen=True)
class Buffered:
    """How many blocks of an array there is room for: a `pipeline_mode`, which means nothing here.

    >>> Buffered(2)
    Buffered(buffer_count=2, use_lookahead=False, revisit=None)
    """

    buffer_count: int
    use_lookahead: bool = False
    revisit: RevisitMode | None = None


@runtime_checkable
class CompilerParams(Protocol):
    """What a call's `compiler_params` are: a dataclass of a compiler's for accelerators."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


# What a user says of each array, and of a call.


class NoBlockSpec:
    """Stands where no specs are given: each program sees whole arrays."""

    def __repr__(self) -> str:
        return "NoBlockSpec"


no_block_spec = NoBlockSpec()


@dataclass
class BlockSpec:
    """Which block of an array each program of the grid sees.

    `block_shape` has an entry for each axis: a size, None for one element whose axis is left out,
    or a `Blocked`, `Element` or `Squeezed`; without it, a block is the array. `index_map` is a
    function of the program's place in the grid that returns an integer for each axis: of blocks,
    or of elements for an `Element`; without it, the first block. `memory_space` is shown where
    programs are printed, and `pipeline_mode` means nothing here.

    >>> spec = BlockSpec((2, 128), lambda i, j: (i, j))
    >>> spec.block_shape, spec.index_map(3, 1)
    ((2, 128), (3, 1))
    """

    block_shape: Sequence[BlockDim | int | None] | None = None
    index_map: Callable[..., Any] | None = None
    pipeline_mode: Any = None
    _: KW_ONLY
    memory_space: Any = None

    def __repr__(self) -> str:
        names = ("block_shape", "index_map", "memory_space", "pipeline_mode")
        return f"BlockSpec({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


@dataclass
class GridSpec:
    """The grid and all specs of a `pallas_call`. ValueError for a grid that is no tuple of sizes.

    >>> GridSpec(grid=2).grid
    (2,)
    """

    grid: int | Sequence[int] = ()
    in_specs: Any = no_block_spec
    out_specs: Any = no_block_spec
    scratch_shapes: Any = ()

    def __post_init__(self) -> None:
        self.grid = as_grid(self.grid)


def as_grid(grid: Any) -> tuple[Any, ...]:
    """A grid's sizes, which may be traced; ValueError for others than integers."""
    sizes = grid if isinstance(grid, tuple | list) else (grid,)
    try:
        return tuple(n if is_traced_integer(n) else index(n) for n in sizes)
    except TypeError:
        raise ValueError(
            f"pallas_call got the grid {shown(grid)}. Give a tuple of integers."
        ) from None


def is_traced_integer(n: Any) -> bool:
    return isinstance(n, Tracer) and not n.ndim and issubdtype(n.dtype, np.integer)


class DynamicGridDim:
    """Stands in a grid for a size that is known when the program runs."""

    def __repr__(self) -> str:
        return "DynamicGridDim"


dynamic_grid_dim = DynamicGridDim()


def split_grid(grid: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
    """The grid as a call knows it, and the sizes that are operands."""
    traced = [isinstance(n, Tracer) for n in grid]
    known = tuple(dynamic_grid_dim if is_traced else n
                  for n, is_traced in zip(grid, traced, strict=True))  # fmt: skip
    return known, [n for n, is_traced in zip(grid, traced, strict=True) if is_traced]


@dataclass(frozen=True)
class CostEstimate:
    """What a call costs, for a compiler's scheduler; here it is shown and not read."""

    flops: int
    transcendentals: int
    bytes_accessed: int
    remote_bytes_transferred: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, int):
                raise ValueError(f"CostEstimate got {name}={shown(value)}. Give an integer.")
