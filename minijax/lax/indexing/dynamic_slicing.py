"""One window that starts where the running program says: read by dynamic_slice, or updated.

For many examples at once, with a start for each, these are a gather and a scatter.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.row_major import only_first
from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import not_mapped, primitive_batchers
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant, instantiate_zeros, primitive_jvps
from minijax.core.jitting import jit
from minijax.core.primitives import (
    Shape,
    add,
    broadcast_in_dim,
    cast,
    expand_dims,
    numpy_primitive,
    select,
)
from minijax.core.programs import as_flags
from minijax.core.reverse import is_undefined_primal, primitive_transposes
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import lt, shown, wrapped_integer
from minijax.lax.indexing.dimension_numbers import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
)
from minijax.lax.indexing.gather_scatter import gather, gather_batcher, scatter_batcher, scatter_p
from minijax.lax.indexing.sized_slices import Slice
from minijax.lax.indexing.window_routines import dynamic_slice_part, dynamic_update_slice_part
from minijax.lax.shapes.axes import (
    as_integer,
    as_integers,
    broadcast,
    known_axis,
    known_shape,
    squeeze,
)
from minijax.lax.shapes.slicing import concatenate

# One window that starts where the program says.


def _from_front(
    name: str, operand: Any, start_indices: Any, allow_negative_indices: bool | Sequence[bool]
) -> list[Any]:
    """The starts as scalars, with negative ones counted from the end of the operand's axes."""
    shape = typeof(operand).shape
    if isinstance(start_indices, str) or not np.iterable(start_indices):
        raise TypeError(
            f"{name} takes one start for each axis, and got {shown(start_indices)}.\n"
            f"Give a tuple of integers."
        )
    start_indices = list(start_indices)
    flags = as_flags(allow_negative_indices, len(shape))
    if not len(start_indices) == len(flags) == len(shape):
        raise ValueError(
            f"{name} of {typeof(operand)} got {len(start_indices)} starts, and {len(flags)} "
            f"allow_negative_indices.\nGive one for each axis."
        )
    starts = zip(start_indices, shape, flags, strict=True)
    return [_start_from_front(name, i, n, allow) for i, n, allow in starts]


def _index_dtype(i: Any) -> Any:
    return typeof(0 if type(i) is int else i).dtype  # an integer of any size counts as one


def _start_from_front(name: str, i: Any, n: int, allow_negative: bool) -> Any:
    dtype = _index_dtype(i)
    if not issubdtype(dtype, np.signedinteger):
        return i  # never negative, or no index at all, which the type rule says
    if isinstance(i, int | np.integer):
        if i < 0 and not allow_negative:
            raise ValueError(f"{name} got the start {i}. Count from 0, or allow_negative_indices.")
        i = i + n if i < 0 else i
        return cast(wrapped_integer(i, dtype) if type(i) is int else i, dtype)
    if not allow_negative:
        return i
    return select(lt(i, constant(i, 0)), add(cast(i, dtype), cast(n, dtype)), i)


def _check_starts(name: str, starts: Sequence[ShapedArray], sizes: Shape, x: ShapedArray) -> None:
    """TypeError unless the starts are scalar integers, and windows of these sizes fit into x."""
    kinds = {aval.dtype for aval in starts}
    if any(aval.shape for aval in starts) or len(kinds) > 1 or not all(
        issubdtype(dtype, np.integer) for dtype in kinds
    ):
        got = ", ".join(map(str, starts))
        raise TypeError(
            f"{name} takes scalars of one integer dtype as starts, and got\n{got}. Convert them."
        )
    if any(m > n for m, n in zip(sizes, x.shape, strict=True)):
        raise TypeError(
            f"{name} finds no window of the sizes {tuple(sizes)} in {x}.\n"
            f"Give sizes that are not above the operand's."
        )


def _window(shape: Shape, starts: Sequence[np.ndarray], sizes: Shape) -> tuple:
    """The window as an index of NumPy's: moved inside where it would stick out."""
    inside = [min(max(int(i), 0), n - m) for i, n, m in zip(starts, shape, sizes, strict=True)]
    return tuple(builtins.slice(i, i + m) for i, m in zip(inside, sizes, strict=True))


def _dynamic_slice_rule(x: ShapedArray, *starts: ShapedArray, slice_sizes: tuple) -> ShapedArray:
    if len(slice_sizes) != x.ndim:
        raise ValueError(
            f"lax.dynamic_slice of {x} got slice_sizes {slice_sizes}. Give one for each axis."
        )
    _check_starts("lax.dynamic_slice", starts, slice_sizes, x)
    return x.update(shape=slice_sizes)


def _numpy_dynamic_slice(x: np.ndarray, *starts: np.ndarray, slice_sizes: tuple) -> np.ndarray:
    return x[_window(x.shape, starts, slice_sizes)]


dynamic_slice_p = numpy_primitive("dynamic_slice", _dynamic_slice_rule, _numpy_dynamic_slice)


def dynamic_slice(
    operand: Any, start_indices: Any, slice_sizes: Shape, *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Any:  # fmt: skip
    """The part of the operand of the shape `slice_sizes` that starts at `start_indices`.

    `start_indices` holds a scalar integer for each axis, or is one array of them. Negative ones
    count from the end, if they are allowed; a part that would stick out is moved inside. TypeError
    for starts that are no integers of one dtype and for sizes above the operand's, ValueError for
    too few or too many.

    >>> dynamic_slice(np.arange(5), (3,), (3,))
    Array([2, 3, 4], dtype=int32)
    """
    starts = _from_front("lax.dynamic_slice", operand, start_indices, allow_negative_indices)
    sizes = known_shape("lax.dynamic_slice", slice_sizes)
    return dynamic_slice_p.bind(operand, *starts, slice_sizes=sizes)


# Writing: a window replaced.


def _dynamic_update_slice_rule(
    x: ShapedArray, update: ShapedArray, *starts: ShapedArray
) -> ShapedArray:
    name = "lax.dynamic_update_slice"
    if update.ndim != x.ndim or update.dtype != x.dtype:
        raise TypeError(
            f"{name} of {x} got {update}.\nGive an update with as many axes, of {x.dtype}."
        )
    _check_starts(name, starts, update.shape, x)
    return x.update(weak_type=all(aval.weak_type for aval in (x, update, *starts)))


def _numpy_dynamic_update_slice(
    x: np.ndarray, update: np.ndarray, *starts: np.ndarray
) -> np.ndarray:
    out = x.copy()
    out[_window(x.shape, starts, update.shape)] = update
    return out


dynamic_update_slice_p = numpy_primitive(
    "dynamic_update_slice", _dynamic_update_slice_rule, _numpy_dynamic_update_slice
)


def dynamic_update_slice(
    operand: Any, update: Any, start_indices: Any, *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Any:  # fmt: skip
    """The operand with `update`, of its dtype, in the place of the part at `start_indices`.

    The starts are as in `dynamic_slice`, and so are the errors.

    >>> dynamic_update_slice(np.arange(5), np.array([8, 9]), (1,))
    Array([0, 8, 9, 3, 4], dtype=int32)
    """
    name = "lax.dynamic_update_slice"
    starts = _from_front(name, operand, start_indices, allow_negative_indices)
    return dynamic_update_slice_p.bind(operand, update, *starts)


# Derivatives: the starts are integers, so both are linear in the elements that they move.


def _dynamic_slice_jvp(primals, tangents, *, slice_sizes):
    x, *starts = primals
    ans = dynamic_slice_p.bind(x, *starts, slice_sizes=slice_sizes)
    return ans, dynamic_slice_p.bind(tangents[0], *starts, slice_sizes=slice_sizes)


def _dynamic_slice_transpose(ct, x, *starts, slice_sizes):
    if x.held is not None:  # a reference, of which this part alone changes
        x.held.addupdate(ct, tuple(map(Slice, starts, slice_sizes)))
        return [None] * (1 + len(starts))
    nothing = broadcast_in_dim(cast(0, x.aval.dtype), x.aval.shape, ())
    return [dynamic_update_slice_p.bind(nothing, ct, *starts), *[None] * len(starts)]


def _dynamic_update_slice_jvp(primals, tangents):
    ans = dynamic_update_slice_p.bind(*primals)
    dots = map(instantiate_zeros, tangents[:2])
    return ans, dynamic_update_slice_p.bind(*dots, *primals[2:])


def _dynamic_update_slice_transpose(ct, x, update, *starts):
    aval = update.aval if is_undefined_primal(update) else typeof(update)
    x_ct = update_ct = None
    if is_undefined_primal(x):
        nothing = broadcast_in_dim(cast(0, aval.dtype), aval.shape, ())
        x_ct = dynamic_update_slice_p.bind(ct, nothing, *starts)
    if is_undefined_primal(update):
        update_ct = dynamic_slice_p.bind(ct, *starts, slice_sizes=aval.shape)
    return [x_ct, update_ct, *[None] * len(starts)]


primitive_jvps[dynamic_slice_p] = _dynamic_slice_jvp
primitive_transposes[dynamic_slice_p] = _dynamic_slice_transpose
primitive_jvps[dynamic_update_slice_p] = _dynamic_update_slice_jvp
primitive_transposes[dynamic_update_slice_p] = _dynamic_update_slice_transpose

# A dynamic slice for many examples is a gather, and an update a scatter.


def _index_of(starts: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, int | None]:
    """The starts as indices of a gather: one, or where a start is batched, one for each example."""
    sizes = [typeof(i).shape[d] for i, d in zip(starts, dims, strict=True) if d is not not_mapped]
    if not starts:
        return np.zeros(0, np.int32), not_mapped
    if not sizes:
        return concatenate([broadcast(i, (1,)) for i in starts], 0), not_mapped
    columns = [
        broadcast_in_dim(i, (sizes[0], 1), () if d is not_mapped else (0,))
        for i, d in zip(starts, dims, strict=True)
    ]
    return concatenate(columns, 1), 0


def _dynamic_slice_batcher(args, dims, *, slice_sizes):
    axes, (index, index_dim) = tuple(range(len(slice_sizes))), _index_of(args[1:], dims[1:])
    return gather_batcher(
        [args[0], index], [dims[0], index_dim], mode=GatherScatterMode.CLIP, fill_value=None,
        dimension_numbers=GatherDimensionNumbers(axes, (), axes), slice_sizes=slice_sizes,
        unique_indices=True, indices_are_sorted=True,
    )  # fmt: skip


def _dynamic_update_slice_batcher(args, dims):
    (x, update, *starts), (x_dim, update_dim, *start_dims) = args, dims
    axes, (index, index_dim) = tuple(range(len(starts))), _index_of(starts, start_dims)
    return scatter_batcher(
        scatter_p, [x, index, update], [x_dim, index_dim, update_dim], update_jaxpr=None,
        update_consts=(), dimension_numbers=ScatterDimensionNumbers(axes, (), axes),
        mode=GatherScatterMode.CLIP, indices_are_sorted=True, unique_indices=True,
    )  # fmt: skip


primitive_batchers[dynamic_slice_p] = _dynamic_slice_batcher
primitive_batchers[dynamic_update_slice_p] = _dynamic_update_slice_batcher
register_lowering(dynamic_slice_p, source=dynamic_slice_part, on_halves="exact")
register_lowering(
    dynamic_update_slice_p, source=dynamic_update_slice_part, overwrites=only_first,
    on_halves="exact",
)  # fmt: skip


# Along one axis, the others whole.


def _along(name: str, operand: Any, start: Any, axis: Any, allow: bool) -> tuple[int, list, list]:
    """The axis, a start for each axis, and whether it may be negative."""
    ndim = typeof(operand).ndim
    axis = known_axis(name, axis, ndim, IndexError, as_integer)
    starts, flags = [cast(0, _index_dtype(start))] * ndim, [False] * ndim
    starts[axis], flags[axis] = start, allow
    return axis, starts, flags


def dynamic_slice_in_dim(
    operand: Any, start_index: Any, slice_size: int, axis: int = 0, *,
    allow_negative_indices: bool = True,
) -> Any:  # fmt: skip
    """The part of the operand of `slice_size` along one axis, from `start_index` on.

    The start is as in `dynamic_slice`, and so are the errors; IndexError where there is no such
    axis.

    >>> dynamic_slice_in_dim(np.arange(5), -2, 2)
    Array([3, 4], dtype=int32)
    """
    name = "lax.dynamic_slice_in_dim"
    axis, starts, flags = _along(name, operand, start_index, axis, allow_negative_indices)
    sizes = list(typeof(operand).shape)
    sizes[axis] = as_integer(name, "slice_size", slice_size)
    return dynamic_slice(operand, starts, sizes, allow_negative_indices=flags)


@partial(jit, static_argnames=("axis", "keepdims", "allow_negative_indices"))
def dynamic_index_in_dim(
    operand: Any, index: Any, axis: int = 0, keepdims: bool = True, *,
    allow_negative_indices: bool = True,
) -> Any:  # fmt: skip
    """One part of the operand along an axis, which stays, with size 1, if `keepdims`.

    >>> dynamic_index_in_dim(np.arange(5), 3, keepdims=False)
    Array(3, dtype=int32)
    """
    axis = known_axis("lax.dynamic_index_in_dim", axis, typeof(operand).ndim, IndexError)
    part = dynamic_slice_in_dim(
        operand, index, 1, axis, allow_negative_indices=allow_negative_indices
    )
    return part if keepdims else squeeze(part, (axis,))


def dynamic_update_slice_in_dim(
    operand: Any, update: Any, start_index: Any, axis: int, *, allow_negative_indices: bool = True
) -> Any:
    """The operand with `update` in the place of the part from `start_index` on, along one axis.

    >>> dynamic_update_slice_in_dim(np.zeros(4), np.ones(2), 1, axis=0)
    Array([0., 1., 1., 0.], dtype=float32)
    """
    name = "lax.dynamic_update_slice_in_dim"
    _, starts, flags = _along(name, operand, start_index, axis, allow_negative_indices)
    return dynamic_update_slice(operand, update, starts, allow_negative_indices=flags)


@partial(jit, static_argnames=("axis", "allow_negative_indices"))
def dynamic_update_index_in_dim(
    operand: Any, update: Any, index: Any, axis: int, *, allow_negative_indices: bool = True
) -> Any:
    """The operand with `update` in the place of one part along an axis, which it may leave out.

    >>> dynamic_update_index_in_dim(np.zeros(3), 1.0, 2, axis=0)
    Array([0., 0., 1.], dtype=float32)
    """
    name, ndim = "lax.dynamic_update_index_in_dim", typeof(operand).ndim
    missing = ndim - typeof(update).ndim
    if missing not in (0, 1):
        raise ValueError(
            f"{name} of {typeof(operand)} got {typeof(update)}.\nGive an update with as many axes, "
            f"or with one less."
        )
    axis = known_axis(name, axis, ndim, ValueError if missing else IndexError)
    update = expand_dims(update, (axis,)) if missing else update
    return dynamic_update_slice_in_dim(
        operand, update, index, axis, allow_negative_indices=allow_negative_indices
    )


# Along several axes, one element of each.


def index_take(src: Any, idxs: Sequence[Any], axes: Sequence[int]) -> Any:
    """The parts of `src` at vectors of indices, one for each of `axes`; -1 is the last.

    The result has the axis of the vectors, then the axes of `src` that are not named, which are
    the last ones. IndexError where there is no such axis, ValueError for too few or no vectors.

    >>> index_take(np.arange(6).reshape(2, 3), [np.array([0, 1]), np.array([-1, 0])], (0, 1))
    Array([2, 3], dtype=int32)
    """
    name, shape = "lax.index_take", typeof(src).shape
    axes = as_integers(name, "axes", axes)
    if not len(idxs) == len(axes) > 0:
        raise ValueError(
            f"{name} got {len(idxs)} vectors of indices for the axes {axes}. Give one for each."
        )
    for axis in axes:
        known_axis(name, axis, len(shape), IndexError)
    indices = concatenate([expand_dims(i, (1,)) for i in idxs], 1)
    ends = expand_dims(np.array([shape[d] for d in axes]), (0,))
    sizes = [1 if d in axes else n for d, n in enumerate(shape)]
    window = tuple(range(1, len(shape) - len(axes) + 1))
    return gather(src, indices % ends, GatherDimensionNumbers(window, axes, axes), sizes)
