"""Running totals: at each place, the sum (product, maximum, ...) of all elements up to there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.core.batching import primitive_batchers
from minijax.core.primitives import check_kind, numpy_primitive, through_float32
from minijax.core.reverse import deflinear2
from minijax.core.tracing import Primitive, ShapedArray
from minijax.lax.shapes import as_integer


def _cumulative(name: str, accepts: list[type], ufunc: Any, doc: str) -> tuple[Primitive, Callable]:
    """A primitive that accumulates NumPy's `ufunc`, and the function that binds it."""

    def type_rule(x: ShapedArray, *, axis: int, reverse: bool) -> ShapedArray:
        check_kind(f"lax.{name}", accepts, x.dtype)
        if not 0 <= axis < x.ndim:
            raise ValueError(
                f"lax.{name} found no axis {axis} in {x}. Count axes from 0, and not from the end."
            )
        return x

    def numpy_fun(x: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
        x = np.flip(x, axis) if reverse else x
        out = ufunc.accumulate(x, axis, x.dtype)
        return np.flip(out, axis) if reverse else out

    def batcher(args: Any, dims: Any, *, axis: int, reverse: bool) -> tuple:
        (x,), (d,) = args, dims
        return primitive.bind(x, axis=axis + (axis >= d), reverse=reverse), d

    def fun(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        axis = as_integer(f"lax.{name}", "axis", axis)
        return primitive.bind(operand, axis=axis, reverse=bool(reverse))

    primitive = numpy_primitive(name, type_rule, through_float32(numpy_fun))
    primitive_batchers[primitive] = batcher
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"{doc} up to each place along `axis`; from the end if `reverse`."
    return primitive, fun


cumsum_p, cumsum = _cumulative("cumsum", [np.number], np.add, "The sum of the elements")
deflinear2(
    cumsum_p, lambda ct, x, *, axis, reverse: [cumsum(ct, axis, not reverse)]
)
cumprod_p, cumprod = _cumulative("cumprod", [np.number], np.multiply, "The product")
cummax_p, cummax = _cumulative("cummax", [np.number], np.maximum, "The largest element")
cummin_p, cummin = _cumulative("cummin", [np.number], np.minimum, "The smallest element")
cumlogsumexp_p, cumlogsumexp = _cumulative(
    "cumlogsumexp", [np.inexact], np.logaddexp, "The logarithm of the sum of exponentials"
)
