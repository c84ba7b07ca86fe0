"""How operands meet: brought to one dtype and one number of dimensions; and Python's operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arrays import (
    Array,
    as_number,
    canonicalize_dtype,
    is_array_like,
    result_aval_type,
)
from minijax.core.primitives import Shape, cast
from minijax.core.tracing import ExtendedDType, issubdtype, typeof
from minijax.numpy.arguments import check_arraylike


def promote_dtypes(*args: Any) -> list[Any]:
    """The arguments, converted to the dtype that they promote to."""
    return convert_operands(args, *result_aval_type([typeof(x) for x in args]))


def convert_operands(
    args: Sequence[Any], dtype: np.dtype, weak_type: bool = False
) -> list[Any]:  # fmt: skip
    """The arguments in a dtype."""
    return [_convert_operand(x, dtype, weak_type) for x in args]


def _convert_operand(x: Any, dtype: np.dtype, weak_type: bool) -> Any:
    """NumPy's wide numbers are first cut to the bits that arrays have, as they are under jit.

    A NumPy array of the dtype stays one: a trace then sees that it is the same array again.
    """
    if isinstance(x, np.ndarray | np.generic):
        if not x.ndim:
            x = as_number(x)
        elif type(x) is np.ndarray and x.dtype == dtype and not weak_type:
            return x
    return cast(x, dtype, weak_type)


def inexact_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of floats that stand for numbers of `dtype`: itself, where these are floats.

    TypeError for a dtype of keys, for which no floats stand.

    >>> inexact_dtype(np.dtype("int32")), inexact_dtype(np.dtype("float16"))
    (dtype('float32'), dtype('float16'))
    """
    if issubdtype(dtype, np.inexact):
        return dtype
    if isinstance(dtype, ExtendedDType):
        raise TypeError(f"An array of {dtype} holds no numbers to compute with.")
    return np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)


def promote_dtypes_inexact(*args: Any) -> list[Any]:
    """Like `promote_dtypes`, and integers and bools become floats."""
    dtype, weak_type = result_aval_type([typeof(x) for x in args])
    return convert_operands(args, inexact_dtype(dtype), weak_type)


def bools_as_integers(*args: Any) -> list[Any]:
    """The arguments, which have one dtype; where it is bool, as integers."""
    is_bool = typeof(args[0]).dtype == np.bool_
    return convert_operands(args, canonicalize_dtype(int)) if is_bool else list(args)


def _check_broadcast(shapes: Sequence[Shape]) -> None:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        got = ", ".join(map(str, shapes))
        raise ValueError(f"The shapes {got} do not fit together, from the right.") from None


def _check_extended(fun_name: str, dtypes: Sequence[Any]) -> None:
    """TypeError unless all are the same dtype: keys meet keys alone."""
    if len(set(dtypes)) > 1:
        raise TypeError(f"jnp.{fun_name} does not take {' with '.join(map(str, dtypes))}.")


def promote_shapes(*args: Any) -> list[Any]:
    """The arguments with one number of dimensions: new axes of size 1 at the front."""
    ndims = [len(typeof(x).shape) for x in args]
    ndim = max(ndims)
    if not {0, ndim}.issuperset(ndims):
        _check_broadcast([x.shape for x in args])
        args = tuple(
            x if n in (0, ndim) else lax.expand_dims(x, range(ndim - n))
            for x, n in zip(args, ndims, strict=True)
        )
    return list(args)


def promote_args(fun_name: str, *args: Any, inexact: bool = False) -> list[Any]:
    """The arguments as arrays of one dtype and one number of dimensions, as NumPy has them meet.

    With `inexact`, integers and bools become floats. Nothing happens to arrays of one type.
    """
    first = args[0]
    if not inexact and type(first) is Array and all(
        [type(x) is Array and x.aval is first.aval for x in args]  # a list is quicker here
    ):
        return list(args)
    check_arraylike(fun_name, *args)
    dtypes = [typeof(x).dtype for x in args]
    if any(isinstance(dtype, ExtendedDType) for dtype in dtypes):
        _check_extended(fun_name, dtypes)
    return promote_shapes(*(promote_dtypes_inexact if inexact else promote_dtypes)(*args))


def promoting(
    fun_name: str, fun: Callable, bool_fun: Callable | None = None, inexact: bool = False
) -> Callable:
    """The function on promoted operands; `bool_fun` stands in where these are bools."""

    def promoted(*args: Any) -> Any:
        args = promote_args(fun_name, *args, inexact=inexact)
        return (bool_fun if bool_fun and args[0].dtype == np.bool_ else fun)(*args)

    return promoted


promoting_add = promoting("add", lax.add, lax.bitwise_or)
promoting_sub = promoting("subtract", lax.sub)
promoting_mul = promoting("multiply", lax.mul, lax.bitwise_and)
promoting_div = promoting("divide", lax.div, inexact=True)


def promoting_abs(x: Any) -> Any:
    """The absolute value; bools and unsigned integers are their own."""
    return x if issubdtype(typeof(x).dtype, np.bool_, np.unsignedinteger) else lax.abs(x)


def promoting_shift_left(x: Any, y: Any) -> Any:
    """The bits further left; bools are integers here."""
    return lax.shift_left(*bools_as_integers(*promote_args("left_shift", x, y)))


def promoting_shift_right(x: Any, y: Any) -> Any:
    """The bits further right; of signed integers, copies of the sign follow."""
    x, y = bools_as_integers(*promote_args("right_shift", x, y))
    is_unsigned = issubdtype(x.dtype, np.unsignedinteger)
    return (lax.shift_right_logical if is_unsigned else lax.shift_right_arithmetic)(x, y)


def _binary_operator(fun: Callable, reflected: bool = False) -> Callable:
    def method(x: Any, y: Any) -> Any:
        if type(y) is not type(x) and not is_array_like(y):
            return NotImplemented
        return fun(y, x) if reflected else fun(x, y)

    return method


def _comparison(fun: Callable) -> Callable:
    """An operator that refuses containers, which Python would otherwise call unequal."""
    operate = _binary_operator(fun)

    def method(x: Any, y: Any) -> Any:
        result = operate(x, y)
        if result is NotImplemented and isinstance(y, list | tuple | set | dict):
            raise TypeError(f"{typeof(x)} is compared with {y!r}. Make that an array first.")
        return result

    return method


_BINARY_OPERATORS = {
    "add": promoting_add, "sub": promoting_sub, "mul": promoting_mul, "truediv": promoting_div,
    "and": promoting("bitwise_and", lax.bitwise_and),
    "or": promoting("bitwise_or", lax.bitwise_or),
    "xor": promoting("bitwise_xor", lax.bitwise_xor),
    "lshift": promoting_shift_left, "rshift": promoting_shift_right,
}  # fmt: skip
_COMPARISONS = {"eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge}


def install_operators(cls: type) -> None:
    """Gives a class of arrays Python's operators; those that need more are in minijax.numpy."""
    for name, fun in _BINARY_OPERATORS.items():
        setattr(cls, f"__{name}__", _binary_operator(fun))
        setattr(cls, f"__r{name}__", _binary_operator(fun, reflected=True))
    for name, fun in _COMPARISONS.items():
        setattr(cls, f"__{name}__", _comparison(promoting(name, fun)))
    cls.__neg__, cls.__pos__ = lax.neg, lambda x: x
    cls.__abs__, cls.__invert__ = promoting_abs, lax.bitwise_not
