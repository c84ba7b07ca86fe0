"""What every sampler does with its arguments first: the key, the shape, the dtype, parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.errors import TypePromotionError
from minijax.core.primitives import Shape
from minijax.core.tracing import typeof
from minijax.dtypes import result_type
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import check_arraylike, check_broadcast, refuse_keys, user_dtype
from minijax.numpy.shapes.reshaping import broadcast_shapes
from minijax.random.keys import single_key

_KINDS = {
    np.floating: "floats", np.inexact: "floats or complex numbers", np.integer: "integers",
    np.unsignedinteger: "unsigned integers",
}  # fmt: skip


def one_key(fun_name: str, key: Any) -> Any:
    """The key, typed; errors as of `single_key`."""
    return single_key(f"random.{fun_name}", key)[0]


def dtype_of_kind(
    fun_name: str, dtype: Any, kind: type = np.floating, default: type = float,
    error: type[Exception] = ValueError,
) -> np.dtype:  # fmt: skip
    """The dtype that was asked for, or the default; an error when it is of another kind."""
    dtype = user_dtype(f"random.{fun_name}", default if dtype is None else dtype)
    if not issubdtype(dtype, kind):
        raise error(
            f"random.{fun_name} gives {_KINDS[kind]}, and was asked for {dtype}. "
            f"Give a dtype of {_KINDS[kind]}."
        )
    return dtype


def check_shape(
    fun_name: str, shape: Shape, name: str, own: Shape, error: type[Exception] = ValueError
) -> None:
    """An error unless an argument of the shape `own` broadcasts to `shape`."""
    sizes = zip(own[::-1], shape[::-1], strict=False)
    if len(own) > len(shape) or any(n not in (1, size) for n, size in sizes):
        raise error(
            f"random.{fun_name} was asked for the shape {shape}, and got {name} of the shape "
            f"{own}.\nGive one that broadcasts to {shape}."
        )


def check_shapes(
    fun_name: str, shape: Shape, error: type[Exception] = ValueError, **arguments: Any
) -> None:
    """An error unless the arguments broadcast to `shape`."""
    for name, x in arguments.items():
        check_shape(fun_name, shape, name, typeof(x).shape, error)


def parameter_shape(fun_name: str, shape: Any, **parameters: Any) -> tuple[int, ...]:
    """The shape of the result: what was asked for, which parameters must broadcast to, or theirs.

    TypeError for parameters that are no arrays, ValueError for shapes that don't fit.
    """
    full_name = f"random.{fun_name}"
    check_arraylike(full_name, **parameters)
    if shape is None:
        shapes = [typeof(x).shape for x in parameters.values()]
        check_broadcast(full_name, shapes, ValueError)
        return broadcast_shapes(*shapes)
    shape = known_shape(full_name, shape)
    check_shapes(fun_name, shape, **parameters)
    return shape


def check_safe(fun_name: str, dtype: np.dtype, **parameters: Any) -> None:
    """TypePromotionError for a parameter that the dtype of the result cannot hold."""
    refuse_keys(f"random.{fun_name}", *parameters.values(), error=ValueError)
    for name, x in parameters.items():
        if result_type(x, dtype) != dtype:
            raise TypePromotionError(
                f"random.{fun_name} gives {dtype}, and {name} is {typeof(x)}, which that cannot "
                f"hold.\nConvert it: {name}.astype(dtype)."
            )


def float_arguments(
    fun_name: str, key: Any, shape: Any, dtype: Any, **parameters: Any
) -> tuple[Any, tuple[int, ...], np.dtype]:
    """The key, the shape and the dtype of floats with such parameters; errors as of the above."""
    key, dtype = one_key(fun_name, key), dtype_of_kind(fun_name, dtype)
    shape = parameter_shape(fun_name, shape, **parameters)
    check_safe(fun_name, dtype, **parameters)
    return key, shape, dtype
