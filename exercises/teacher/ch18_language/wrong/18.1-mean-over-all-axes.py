"""The tangents are summed over all axes, and not over those that are reduced."""

from minijax.core.dtypes import with_signs_of_zeros
from minijax.core.extend import cast, typeof
from minijax.core.primitives import div, eq, mul, reduce_sum, reshape, through_float32


def _numpy_extreme(ufunc, of_none):
    def extreme(x, start, axes):
        return ufunc.reduce(x, axes, initial=start)

    right = through_float32(with_signs_of_zeros(extreme))
    return lambda x, axes: right(x, x.dtype.type(of_none(x.dtype)), axes=axes)


def _extreme_jvp(g, ans, x, *, axes):
    kept = [1 if d in axes else n for d, n in enumerate(typeof(x).shape)]
    chosen = cast(eq(x, reshape(ans, kept)), typeof(g).dtype)
    everywhere = tuple(range(len(kept)))
    count = reduce_sum(chosen, everywhere)
    return div(reduce_sum(mul(g, chosen), everywhere), count)
