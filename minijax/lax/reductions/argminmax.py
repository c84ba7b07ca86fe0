"""argmax and argmin: the indices of the largest and of the smallest element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import defreducer
from minijax.core.dtypes import is_narrow, issubdtype
from minijax.core.forward import primitive_jvps, zero_jvp
from minijax.core.primitives import check_kind, max_p, numpy_primitive
from minijax.core.tracing import Primitive, ShapedArray
from minijax.lax.elementwise.arithmetic import dtype_for, min_p, ordered
from minijax.lax.shapes.array_routines import are_wide_or_short, argmax_part
from minijax.lax.shapes.axes import as_integer


def _index_of(name: str, numpy_fun: Callable, doc: str) -> tuple[Primitive, Callable]:
    """A primitive, whose parameter `axes` holds one axis, and the function that binds it."""

    def type_rule(x: ShapedArray, *, axes: tuple, index_dtype: np.dtype) -> ShapedArray:
        check_kind(f"lax.{name}", ordered, x.dtype)
        [axis] = axes
        if not 0 <= axis < x.ndim or not x.shape[axis]:
            raise ValueError(
                f"lax.{name} finds nothing along axis {axis} of {x}.\n"
                f"Name an axis from 0 that has elements."
            )
        if not issubdtype(index_dtype, np.integer):
            raise TypeError(
                f"lax.{name} gives an index, and no {index_dtype}. Give an index_dtype of integers."
            )
        return ShapedArray([n for d, n in enumerate(x.shape) if d != axis], index_dtype)

    def find(x: np.ndarray, axes: tuple, index_dtype: np.dtype) -> np.ndarray:
        x = x.astype(np.float32) if is_narrow(x.dtype) else x
        return numpy_fun(x, axes[0]).astype(index_dtype)

    def fun(operand: Any, axis: int, index_dtype: Any) -> Any:
        index_dtype = dtype_for(f"lax.{name}", index_dtype)
        axis = as_integer(f"lax.{name}", "axis", axis)
        return primitive.bind(operand, axes=(axis,), index_dtype=index_dtype)

    primitive = numpy_primitive(name, type_rule, find)
    primitive_jvps[primitive] = partial(zero_jvp, primitive)
    defreducer(primitive)
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"The index along an axis of the first {doc} element; the first NaN's, if any."
    return primitive, fun


argmax_p, argmax = _index_of("argmax", np.argmax, "largest")
argmin_p, argmin = _index_of("argmin", np.argmin, "smallest")
for _primitive, _combine in {argmax_p: max_p, argmin_p: min_p}.items():
    register_lowering(
        _primitive, source=partial(argmax_part, combine=_combine), alone=are_wide_or_short
    )
