"""The type rule takes operands of any kind."""

import numpy as np

from minijax import lax
from minijax.compiler.maths.bounds import smallest
from minijax.core.extend import (
    canonicalize_axis,
    cast,
    defjvp2,
    deflinear2,
    numpy_primitive,
    primitive_batchers,
    shift_axes,
    typeof,
)
from minijax.core.primitives import reduce_sum, through_float32


def of_others(ufunc, of_nothing):
    """The NumPy function: what stands before each place, and what stands behind it."""

    def before(x):
        start = np.full_like(x[:1], of_nothing(x.dtype))
        return ufunc.accumulate(np.concatenate([start, x[:-1]]), 0, dtype=x.dtype)

    def whole(x, axis):
        x = np.moveaxis(x, axis, 0)
        y = ufunc(before(x), before(x[::-1])[::-1])
        return np.moveaxis(y, 0, axis)

    return through_float32(whole)


def rule_of(name):
    def rule(x, *, axis):
        if not 0 <= axis < x.ndim:
            raise TypeError(f"{name} has no axis {axis} in {x}; give one from 0 to {x.ndim - 1}.")
        return x

    return rule


def batcher_of(fun):
    def batcher(args, dims, *, axis):
        [x], [d] = args, dims
        return fun(x, *shift_axes([axis], d)), d

    return batcher


def sum_of_others(x, axis=0):
    """For each element, the sum of all others along an axis."""
    return sum_of_others_p.bind(x, axis=canonicalize_axis(axis, typeof(x).ndim))


sum_of_others_p = numpy_primitive(
    "sum_of_others", rule_of("sum_of_others"), of_others(np.add, lambda dtype: 0)
)
deflinear2(sum_of_others_p, lambda ct, x, *, axis: [sum_of_others(ct, axis)])
primitive_batchers[sum_of_others_p] = batcher_of(sum_of_others)


def max_of_others(x, axis=0):
    """For each element, the largest of all others along an axis."""
    return max_of_others_p.bind(x, axis=canonicalize_axis(axis, typeof(x).ndim))


def max_jvp(g, y, x, *, axis):
    """Result i along the axis, element j along the next one."""
    shape, dtype = typeof(x).shape, typeof(g).dtype
    pairs = (*shape[:axis], shape[axis], *shape[axis:])

    def spread(x, left_out):
        kept = [d for d in range(len(pairs)) if d != left_out]
        return lax.broadcast_in_dim(x, pairs, kept)

    chosen = cast(lax.eq(spread(x, axis), spread(y, axis + 1)), dtype)
    places = np.arange(shape[axis])
    others = np.not_equal.outer(places, places).astype(dtype)
    chosen = lax.mul(chosen, lax.broadcast_in_dim(others, pairs, (axis, axis + 1)))
    count = reduce_sum(chosen, (axis + 1,))
    count = lax.max(count, lax.full_like(count, 1))
    return lax.div(reduce_sum(lax.mul(spread(g, axis), chosen), (axis + 1,)), count)


max_of_others_p = numpy_primitive(
    "max_of_others", rule_of("max_of_others"), of_others(np.maximum, smallest)
)
defjvp2(max_of_others_p, max_jvp)
primitive_batchers[max_of_others_p] = batcher_of(max_of_others)
