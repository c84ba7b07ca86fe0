"""Arrays laid side by side along a new axis, and taken apart: each is the other's transpose; and
one array, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers
from minijax.core.forward import instantiate_zeros
from minijax.core.primitives import numpy_primitive, reduce_sum, reshape
from minijax.core.reverse import deflinear2
from minijax.core.staging import JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.array_routines import stack_part, tile_part
from minijax.lax.shapes.axes import as_integers, known_axis, squeeze
from minijax.lax.shapes.slicing import slice_in_dim

# Side by side along a new axis, and apart.


def _stack_rule(*xs: ShapedArray, axis: int) -> ShapedArray:
    if len({x.shape for x in xs}) > 1:
        raise ValueError(
            f"lax.stack got the shapes {', '.join(str(x.shape) for x in xs[:4])}.\n"
            f"Give arrays of one shape."
        )
    if len({x.dtype for x in xs}) > 1:
        raise TypeError(
            f"lax.stack got the dtypes {', '.join(str(x.dtype) for x in xs[:4])}.\n"
            f"Give arrays of one dtype: x.astype(dtype)."
        )
    shape = (*xs[0].shape[:axis], len(xs), *xs[0].shape[axis:])
    return xs[0].update(shape=shape, weak_type=all(x.weak_type for x in xs))


def _stack_batcher(args, dims, *, axis):
    if len(set(dims)) == 1:
        d = dims[0]
        return stack_p.bind(*args, axis=axis + (axis > d)), d + (axis <= d)
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped)
    args = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    return stack_p.bind(*args, axis=axis + 1), 0


def _unstack_rule(x: ShapedArray, *, axis: int) -> list[ShapedArray]:
    return [x.update(shape=(*x.shape[:axis], *x.shape[axis + 1 :]))] * x.shape[axis]


def _unstack_batcher(args, dims, *, axis):
    (x,), (d,) = args, dims
    out = unstack_p.bind(x, axis=axis + (axis >= d))
    return out, [d - (axis < d)] * len(out)


def _stack_numpy(*xs: np.ndarray, axis: int) -> np.ndarray:
    """`np.stack`, without what it does to operands that may have any type."""
    new_axis = (*[slice(None)] * axis, None)
    return np.concatenate([x[new_axis] for x in xs], axis)


stack_p = numpy_primitive("stack", _stack_rule, _stack_numpy)


def _unstack_parts(eqn: JaxprEqn) -> tuple:
    """The parts are slices, which kernels read without a copy."""
    (x,), axis = eqn.invars, eqn.params["axis"]

    def parts(x: Any) -> list[Any]:
        places = range(x.shape[axis])
        return [squeeze(slice_in_dim(x, i, i + 1, axis=axis), (axis,)) for i in places]

    return trace_to_jaxpr(parts, [x.aval]), eqn.invars


unstack_p = numpy_primitive_several(
    "unstack", _unstack_rule, lambda x, axis: list(np.moveaxis(x, axis, 0))
)
deflinear2(stack_p, lambda ct, *xs, axis: unstack_p.bind(ct, axis=axis))
deflinear2(
    unstack_p, lambda cts, x, *, axis: [stack_p.bind(*map(instantiate_zeros, cts), axis=axis)]
)
primitive_batchers[stack_p] = _stack_batcher
primitive_batchers[unstack_p] = _unstack_batcher
register_lowering(unstack_p, call=_unstack_parts)
register_lowering(stack_p, source=stack_part, on_halves="exact")


def stack(operands: Sequence[Any], axis: int = 0) -> Any:
    """The operands, of one shape and dtype, side by side along a new axis.

    >>> stack([np.arange(2), np.arange(2)], 1)
    Array([[0, 0],
           [1, 1]], dtype=int32)
    """
    if not np.iterable(operands) or isinstance(operands, str | dict):
        raise TypeError(
            f"lax.stack takes a list of arrays, and got {shown(operands)}. Give [x, y]."
        )
    operands = list(operands)
    if not operands:
        raise IndexError("lax.stack got no operands. Give at least one.")
    axis = known_axis("lax.stack", axis, typeof(operands[0]).ndim + 1)
    return stack_p.bind(*operands, axis=axis)


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """The parts of x along an axis, which they no longer have, as a tuple.

    >>> unstack(np.array([[1, 2], [3, 4]]), axis=1)
    (Array([1, 3], dtype=int32), Array([2, 4], dtype=int32))
    """
    return tuple(unstack_p.bind(x, axis=known_axis("lax.unstack", axis, typeof(x).ndim)))


# The same again and again.


def _tile_rule(x: ShapedArray, *, reps: tuple) -> ShapedArray:
    if len(reps) != x.ndim or any(n < 0 for n in reps):
        raise TypeError(
            f"lax.tile of {x} got reps {reps}. Give a number from 0 for each of {x.ndim} axes."
        )
    return x.update(shape=[n * m for n, m in zip(x.shape, reps, strict=True)])


def _tile_transpose(ct, x, *, reps):
    """The sum of all the copies."""
    pairs = [n for pair in zip(reps, x.aval.shape, strict=True) for n in pair]
    return [reduce_sum(reshape(ct, pairs), range(0, len(pairs), 2))]


def _tile_batcher(args, dims, *, reps):
    (x,), (d,) = args, dims
    return tile(x, (*reps[:d], 1, *reps[d:])), d


tile_p = numpy_primitive("tile", _tile_rule, lambda x, reps: np.tile(x, reps))
deflinear2(tile_p, _tile_transpose)
primitive_batchers[tile_p] = _tile_batcher
register_lowering(tile_p, source=tile_part, on_halves="exact")


def tile(operand: Any, reps: Sequence[int]) -> Any:
    """The operand, `reps[d]` times end to end along each axis d.

    >>> tile(np.arange(2), (3,))
    Array([0, 1, 0, 1, 0, 1], dtype=int32)
    """
    return tile_p.bind(operand, reps=as_integers("lax.tile", "reps", reps))
