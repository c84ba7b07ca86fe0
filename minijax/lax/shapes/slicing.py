"""Parts and wholes: each of slice, pad and concatenate is the way back of another."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import Place
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.identities import same
from minijax.core.arrays import Array
from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers
from minijax.core.forward import instantiate_zeros
from minijax.core.primitives import (
    Shape,
    broadcast_in_dim,
    cast,
    numpy_primitive,
    reduce_sum,
    select,
    sub,
)
from minijax.core.reverse import deflinear2, is_undefined_primal
from minijax.core.staging import JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.array_routines import (
    concatenate_part,
    concatenate_pieces,
    pad_part,
    pad_pieces,
)  # fmt: skip
from minijax.lax.shapes.axes import as_integer, as_integers, known_axis, squeeze
from minijax.lax.shapes.sizes import max_dim


def _insert(values: Sequence[Any], position: int, value: Any) -> list[Any]:
    return [*values[:position], value, *values[position:]]


# A part.


def _slice_rule(
    x: ShapedArray, *, start_indices: tuple, limit_indices: tuple, strides: tuple | None
) -> ShapedArray:
    strides = strides or (1,) * x.ndim
    if not len(start_indices) == len(limit_indices) == len(strides) == x.ndim or any(
        not 0 <= start <= limit <= size or stride <= 0
        for start, limit, stride, size in zip(
            start_indices, limit_indices, strides, x.shape, strict=True
        )
    ):
        raise TypeError(
            f"lax.slice from {start_indices} to {limit_indices} by {strides} does not lie in "
            f"{x}.\nGive one index for each axis, from 0 to its size, and strides from 1."
        )
    return x.update(shape=[
        (limit - start - 1) // stride + 1
        for start, limit, stride in zip(start_indices, limit_indices, strides, strict=True)
    ])  # fmt: skip


def _numpy_slice(
    x: np.ndarray, start_indices: tuple, limit_indices: tuple, strides: tuple | None
) -> np.ndarray:
    strides = strides or (1,) * x.ndim
    return x[tuple(map(builtins.slice, start_indices, limit_indices, strides))]


def _slice_transpose(ct, x, *, start_indices, limit_indices, strides):
    """Zeros around the cotangents, and between them."""
    if x.held is not None:  # a reference, of which this part alone changes
        steps = strides or (None,) * len(start_indices)
        x.held.addupdate(ct, tuple(map(builtins.slice, start_indices, limit_indices, steps)))
        return [None]
    strides = strides or (1,) * x.aval.ndim
    config = []
    for start, size, n, stride in zip(
        start_indices, x.aval.shape, typeof(ct).shape, strides, strict=True
    ):
        span = n + max_dim(n - 1, 0) * (stride - 1)
        config.append((start, size - start - span, stride - 1))
    return [pad(ct, cast(0, typeof(ct).dtype), config)]


def _slice_batcher(args, dims, *, start_indices, limit_indices, strides):
    (x,), (bdim,) = args, dims
    starts = _insert(start_indices, bdim, 0)
    limits = _insert(limit_indices, bdim, typeof(x).shape[bdim])
    return slice(x, starts, limits, strides and _insert(strides, bdim, 1)), bdim


def _slice_places(
    places: Sequence[Place], in_shape: Sequence[int], start_indices: tuple, limit_indices: tuple,
    strides: tuple | None,
) -> list[Place]:  # fmt: skip
    steps = strides or (1,) * len(places)
    return [
        place.moved(step, start)
        for place, step, start in zip(places, steps, start_indices, strict=True)
    ]


slice_p = numpy_primitive("slice", _slice_rule, _numpy_slice)
deflinear2(slice_p, _slice_transpose)
primitive_batchers[slice_p] = _slice_batcher
register_lowering(slice_p, identity=same, view=_slice_places)


def slice(
    operand: Any, start_indices: Shape, limit_indices: Shape, strides: Shape | None = None
) -> Any:
    """The part of the operand from `start_indices` up to, not with, `limit_indices`.

    >>> slice(np.arange(5), (1,), (4,))
    Array([1, 2, 3], dtype=int32)
    """
    return slice_p.bind(
        operand,
        start_indices=as_integers("lax.slice", "start_indices", start_indices),
        limit_indices=as_integers("lax.slice", "limit_indices", limit_indices),
        strides=None if strides is None else as_integers("lax.slice", "strides", strides),
    )


def slice_in_dim(
    operand: Any, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0
) -> Any:
    """The part of the operand from `start_index` up to `limit_index` along one axis.

    Negative indices count from the end; None is the one end or the other. TypeError where the
    part does not lie in the operand, IndexError where there is no such axis.

    >>> slice_in_dim(np.arange(5), 1, -1)
    Array([1, 2, 3], dtype=int32)
    """
    shape = typeof(operand).shape
    name = "lax.slice_in_dim"
    axis = known_axis(name, axis, len(shape), IndexError, as_integer)
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    if start_index is not None:
        starts[axis] = _from_front(as_integer(name, "start_index", start_index), shape[axis])
    if limit_index is not None:
        limits[axis] = _from_front(as_integer(name, "limit_index", limit_index), shape[axis])
    strides[axis] = as_integer(name, "stride", stride)
    return slice(operand, starts, limits, strides)


def _from_front(index: int, size: int) -> int:
    return index + size if index < 0 else index


def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    """One part of the operand along an axis, which stays, with size 1, if `keepdims`.

    IndexError when there is no such part.

    >>> index_in_dim(np.arange(3), -1, keepdims=False)
    Array(2, dtype=int32)
    """
    shape = typeof(operand).shape
    axis = known_axis("lax.index_in_dim", axis, len(shape), IndexError)
    index = as_integer("lax.index_in_dim", "index", index)
    if not -shape[axis] <= index < shape[axis]:
        raise IndexError(
            f"lax.index_in_dim found no part {index} along axis {axis} of {typeof(operand)}.\n"
            f"Give an index from {-shape[axis]} to {shape[axis] - 1}."
        )
    part = slice_in_dim(operand, index % shape[axis], index % shape[axis] + 1, axis=axis)
    return part if keepdims else squeeze(part, [axis])


# Parts one after the other, and in pieces again.


def _concatenate_rule(*avals: ShapedArray, dimension: int) -> ShapedArray:
    first = avals[0]
    rest = [(a.dtype, a.ndim, a.shape[:dimension] + a.shape[dimension + 1 :]) for a in avals]
    if not 0 <= dimension < first.ndim or len(set(rest)) > 1:
        raise TypeError(
            f"lax.concatenate along axis {dimension} got {', '.join(map(str, avals))}.\nGive "
            f"operands that have the axis, of one dtype, and alike in all other axes."
        )
    size = sum(aval.shape[dimension] for aval in avals)
    shape = (*first.shape[:dimension], size, *first.shape[dimension + 1 :])
    return ShapedArray(shape, first.dtype, all(aval.weak_type for aval in avals))


def _concatenate_transpose(ct, *operands, dimension):
    avals = [x.aval if is_undefined_primal(x) else typeof(x) for x in operands]
    return split(ct, [aval.shape[dimension] for aval in avals], dimension)


def _concatenate_batcher(args, dims, *, dimension):
    size = next(
        typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped
    )
    args = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    return concatenate(args, dimension + 1), 0


concatenate_p = numpy_primitive(
    "concatenate", _concatenate_rule, lambda *xs, dimension: np.concatenate(xs, dimension)
)
deflinear2(concatenate_p, _concatenate_transpose)
primitive_batchers[concatenate_p] = _concatenate_batcher
register_lowering(
    concatenate_p, identity=same, pieces=concatenate_pieces, source=concatenate_part
)


def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """The operands one after the other along an axis that they have."""
    if not np.iterable(operands) or isinstance(operands, str | dict):
        raise TypeError(
            f"lax.concatenate takes a list of arrays, and got {shown(operands)}. Give [x, y]."
        )
    operands = list(operands)
    if not operands:
        raise ValueError("lax.concatenate got no operands. Give at least one.")
    if len(operands) == 1 and isinstance(operands[0], Array):
        return operands[0]
    dimension = as_integer("lax.concatenate", "dimension", dimension)
    return concatenate_p.bind(*operands, dimension=dimension)


def _split_rule(x: ShapedArray, *, sizes: tuple, axis: int) -> list[ShapedArray]:
    if any(n < 0 for n in sizes) or sum(sizes) != x.shape[axis]:
        raise ValueError(
            f"lax.split cannot cut axis {axis} of {x} into pieces of the sizes {sizes}.\n"
            f"Give sizes from 0 that add up to {x.shape[axis]}."
        )
    return [x.update(shape=(*x.shape[:axis], n, *x.shape[axis + 1 :])) for n in sizes]


def _numpy_split(x: np.ndarray, sizes: tuple, axis: int) -> list[np.ndarray]:
    if not sizes:
        return []
    return np.split(x, np.cumsum(sizes[:-1], dtype=int), axis)


def _split_transpose(cts, x, *, sizes, axis):
    return [concatenate(list(map(instantiate_zeros, cts)), axis)]


def _split_batcher(args, dims, *, sizes, axis):
    (x,), (d,) = args, dims
    return split(x, sizes, axis + (axis >= d)), [d] * len(sizes)


def _split_parts(eqn: JaxprEqn) -> tuple:
    """The parts are slices, which kernels read without a copy."""
    sizes, axis = eqn.params["sizes"], eqn.params["axis"]
    ends = list(accumulate(sizes))

    def parts(x: Any) -> list[Any]:
        places = zip(sizes, ends, strict=True)
        return [slice_in_dim(x, end - n, end, axis=axis) for n, end in places]

    return trace_to_jaxpr(parts, [eqn.invars[0].aval]), eqn.invars


split_p = numpy_primitive_several("split", _split_rule, _numpy_split)
deflinear2(split_p, _split_transpose)
primitive_batchers[split_p] = _split_batcher
register_lowering(split_p, call=_split_parts)


def split(operand: Any, sizes: Sequence[int], axis: int = 0) -> list[Any]:
    """The pieces of these sizes, which add up to the whole, along an axis, as a list.

    >>> split(np.arange(5), (2, 3))
    [Array([0, 1], dtype=int32), Array([2, 3, 4], dtype=int32)]
    """
    axis = known_axis("lax.split", axis, typeof(operand).ndim)
    return split_p.bind(operand, sizes=as_integers("lax.split", "sizes", sizes), axis=axis)


# A part in its place.


def _spread(n: int, interior: int) -> int:
    return n + max_dim(n - 1, 0) * interior


def _pad_rule(x: ShapedArray, padding_value: ShapedArray, *, padding_config: tuple) -> ShapedArray:
    if padding_value.shape or len(padding_config) != x.ndim or any(
        len(edges) != 3 for edges in padding_config
    ):
        raise ValueError(
            f"lax.pad of {x} got padding_value {padding_value}, padding_config {padding_config}.\n"
            f"Give a scalar and, for each of the {x.ndim} axes, (low, high, interior)."
        )
    if padding_value.dtype != x.dtype:
        raise TypeError(
            f"lax.pad of {x} got a padding_value of {padding_value.dtype}. Give one of {x.dtype}."
        )
    shape = [
        low + high + _spread(n, interior)
        for n, (low, high, interior) in zip(x.shape, padding_config, strict=True)
    ]
    if any(n < 0 for n in shape) or any(interior < 0 for *_, interior in padding_config):
        raise ValueError(
            f"lax.pad of {x} got padding_config {padding_config}.\n"
            f"Cut off no more than there is, and put 0 or more between."
        )
    return x.update(shape=shape, weak_type=x.weak_type and padding_value.weak_type)


def _numpy_pad(x: np.ndarray, padding_value: np.ndarray, padding_config: tuple) -> np.ndarray:
    for axis, (low, high, interior) in enumerate(padding_config):
        x = _pad_axis(x, padding_value, axis, low, high, interior)
    return x


def _pad_axis(
    x: np.ndarray, value: np.ndarray, axis: int, low: int, high: int, interior: int
) -> np.ndarray:
    """Spreads the elements out and adds edges; a negative edge is cut off."""
    start, size = max(low, 0), _spread(x.shape[axis], interior)
    shape, where = list(x.shape), [builtins.slice(None)] * x.ndim
    shape[axis] = start + size + max(high, 0)
    out = np.full(shape, value, x.dtype)
    where[axis] = builtins.slice(start, start + size, interior + 1)
    out[tuple(where)] = x
    where[axis] = builtins.slice(max(-low, 0), shape[axis] - max(-high, 0))
    return out[tuple(where)] if low < 0 or high < 0 else out


def _pad_transpose(ct, x, value, *, padding_config):
    """x gets back what lies where it was put; the padding value, the sum of all the rest."""
    edges = [(-low, -high, 0) for low, high, _ in padding_config]
    inner = pad(ct, cast(0, typeof(ct).dtype), edges)
    shape = typeof(inner).shape
    strides = [interior + 1 for _, _, interior in padding_config]
    x_ct = slice(inner, [0] * len(shape), shape, strides)
    value_ct = None
    if is_undefined_primal(value):
        axes = range(len(shape))
        value_ct = sub(reduce_sum(ct, axes), reduce_sum(x_ct, axes))
    return [x_ct if is_undefined_primal(x) else None, value_ct]


def _pad_batcher(args, dims, *, padding_config):
    (x, value), (bdim, value_dim) = args, dims
    if value_dim is not_mapped:
        return pad(x, value, _insert(padding_config, bdim, (0, 0, 0))), bdim
    size = typeof(value).shape[0]
    x = bdim_at_front(x, bdim, size)
    config = [(0, 0, 0), *padding_config]
    padded = pad(x, cast(0, typeof(x).dtype), config)
    inside = pad(broadcast_in_dim(True, typeof(x).shape, ()), False, config)
    return select(inside, padded, broadcast_in_dim(value, typeof(padded).shape, (0,))), 0


pad_p = numpy_primitive("pad", _pad_rule, _numpy_pad)
deflinear2(pad_p, _pad_transpose)
primitive_batchers[pad_p] = _pad_batcher
register_lowering(pad_p, pieces=pad_pieces, source=pad_part)


def pad(operand: Any, padding_value: Any, padding_config: Sequence[Sequence[int]]) -> Any:
    """(low, high, interior) times `padding_value` before, after and between the elements."""
    if not np.iterable(padding_config) or isinstance(padding_config, str | dict):
        raise (ValueError if isinstance(padding_config, str) else TypeError)(
            f"lax.pad takes (low, high, interior) for each axis as padding_config, and got\n"
            f"{shown(padding_config)}. Give a tuple of tuples."
        )
    config = tuple(as_integers("lax.pad", "padding_config", edges) for edges in padding_config)
    return pad_p.bind(operand, padding_value, padding_config=config)
