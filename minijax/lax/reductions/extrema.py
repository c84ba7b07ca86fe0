"""The largest and the smallest of many numbers. The file shows what a family looks like: each
primitive is one block, with its rules for all transformations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ml_dtypes import iinfo

from minijax.compiler.kernels.elements import for_kinds
from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import defreducer
from minijax.core.dtypes import integers, issubdtype, with_signs_of_zeros
from minijax.core.forward import defjvp2
from minijax.core.primitives import (
    cast, div, eq, mul, numpy_primitive, reduce_sum, reduced_type, reshape, through_float32,
)
from minijax.core.tracing import ShapedArray, typeof

# For both primitives.


def dtype_bounds(dtype: np.dtype) -> tuple[Any, Any]:
    """The smallest and the largest value: what the extremes of no values are.

    >>> dtype_bounds(np.dtype("int8")), dtype_bounds(np.dtype("float32"))
    ((-128, 127), (-inf, inf))
    """
    if issubdtype(dtype, np.integer):
        return iinfo(dtype).min, iinfo(dtype).max
    return (False, True) if dtype == np.bool_ else (-np.inf, np.inf)


def _extreme_jvp(g: Any, ans: Any, x: Any, *, axes: tuple) -> Any:
    """The mean of the tangents of those elements that equal the extreme."""
    kept = [1 if d in axes else n for d, n in enumerate(typeof(x).shape)]
    chosen = cast(eq(x, reshape(ans, kept)), typeof(g).dtype)
    count = reduce_sum(chosen, axes)
    return div(reduce_sum(mul(g, chosen), axes), count)


# The largest.


def _reduce_max_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
    return reduced_type("reduce_max", [np.bool_, np.number], x, axes)


def _numpy_reduce_max(x: np.ndarray, axes: tuple) -> np.ndarray:
    return np.max(x, axis=axes, initial=dtype_bounds(x.dtype)[0])


reduce_max_p = numpy_primitive(
    "reduce_max", _reduce_max_rule, through_float32(with_signs_of_zeros(_numpy_reduce_max))
)
defjvp2(reduce_max_p, _extreme_jvp)
defreducer(reduce_max_p)
register_lowering(
    reduce_max_p, start=lambda dtype: dtype_bounds(dtype)[0], monoid=True,
    template=for_kinds("maximum_{t}({0}, {1})", "max({0}, {1})", "{0} | {1}"),
    on_halves="exact",
)  # fmt: skip


def reduce_max(operand: Any, axes: Sequence[int]) -> Any:
    """The maximum over `axes`; the smallest value of the dtype where there are no elements.

    >>> reduce_max(np.array([[1, 5], [3, 2]]), [0])
    Array([3, 5], dtype=int32)
    """
    return reduce_max_p.bind(operand, axes=integers(axes))


# The smallest.


def _reduce_min_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
    return reduced_type("reduce_min", [np.bool_, np.number], x, axes)


def _numpy_reduce_min(x: np.ndarray, axes: tuple) -> np.ndarray:
    return np.min(x, axis=axes, initial=dtype_bounds(x.dtype)[1])


reduce_min_p = numpy_primitive(
    "reduce_min", _reduce_min_rule, through_float32(with_signs_of_zeros(_numpy_reduce_min))
)
defjvp2(reduce_min_p, _extreme_jvp)
defreducer(reduce_min_p)
register_lowering(
    reduce_min_p, start=lambda dtype: dtype_bounds(dtype)[1], monoid=True,
    template=for_kinds("minimum_{t}({0}, {1})", "min({0}, {1})", "{0} & {1}"),
    on_halves="exact",
)  # fmt: skip


def reduce_min(operand: Any, axes: Sequence[int]) -> Any:
    """The minimum over `axes`; the largest value of the dtype where there are no elements.

    >>> reduce_min(np.array([[1, 5], [3, 2]]), [0])
    Array([1, 2], dtype=int32)
    """
    return reduce_min_p.bind(operand, axes=integers(axes))
