"""The largest and the smallest of many numbers. The file shows what a family looks like: each
primitive is one block, with its rules for all transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import for_kinds
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.bounds import largest, smallest
from minijax.core.batching import defreducer
from minijax.core.dtypes import integers, with_signs_of_zeros
from minijax.core.forward import defjvp2
from minijax.core.primitives import (
    cast, div, eq, mul, numpy_primitive, reduce_sum, reduced_type, reshape, through_float32,
)
from minijax.core.tracing import ShapedArray, typeof

# For both primitives.


def _numpy_extreme(ufunc: np.ufunc, of_none: Callable) -> Callable:
    """`of_none` maps a dtype to the extreme of no values of it."""

    def extreme(x: np.ndarray, start: Any, axes: tuple) -> np.ndarray:
        return ufunc.reduce(x, axes, initial=start)

    right = through_float32(with_signs_of_zeros(extreme))
    return lambda x, axes: right(x, x.dtype.type(of_none(x.dtype)), axes=axes)


def _extreme_jvp(g: Any, ans: Any, x: Any, *, axes: tuple) -> Any:
    """The mean of the tangents of those elements that equal the extreme."""
    kept = [1 if d in axes else n for d, n in enumerate(typeof(x).shape)]
    chosen = cast(eq(x, reshape(ans, kept)), typeof(g).dtype)
    count = reduce_sum(chosen, axes)
    return div(reduce_sum(mul(g, chosen), axes), count)


# The largest.


def _reduce_max_rule(x: ShapedArray, *, axes: tuple) -> ShapedArray:
    return reduced_type("reduce_max", [np.bool_, np.number], x, axes)


reduce_max_p = numpy_primitive(
    "reduce_max", _reduce_max_rule, _numpy_extreme(np.maximum, smallest)
)
defjvp2(reduce_max_p, _extreme_jvp)
defreducer(reduce_max_p)
register_lowering(
    reduce_max_p, start=smallest, monoid=True,
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


reduce_min_p = numpy_primitive(
    "reduce_min", _reduce_min_rule, _numpy_extreme(np.minimum, largest)
)
defjvp2(reduce_min_p, _extreme_jvp)
defreducer(reduce_min_p)
register_lowering(
    reduce_min_p, start=largest, monoid=True,
    template=for_kinds("minimum_{t}({0}, {1})", "min({0}, {1})", "{0} & {1}"),
    on_halves="exact",
)  # fmt: skip


def reduce_min(operand: Any, axes: Sequence[int]) -> Any:
    """The minimum over `axes`; the largest value of the dtype where there are no elements.

    >>> reduce_min(np.array([[1, 5], [3, 2]]), [0])
    Array([1, 2], dtype=int32)
    """
    return reduce_min_p.bind(operand, axes=integers(axes))
