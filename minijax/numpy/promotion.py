"""How operands meet: brought to one dtype and one number of dimensions; and Python's operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import Array, ArrayImpl, as_number, is_array_like, result_aval_type
from minijax.core.config import BoundedDict, config, register_cache
from minijax.core.dtypes import ExtendedDType, extended, issubdtype
from minijax.core.errors import warn
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.face.offers import offered
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike, check_broadcast, refuse_keys, refuse_kind


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

    >>> inexact_dtype(np.dtype("int32")), inexact_dtype(np.dtype("float16"))
    (dtype('float32'), dtype('float16'))
    """
    if issubdtype(dtype, np.inexact):
        return dtype
    return np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)


def promote_dtypes_inexact(*args: Any) -> list[Any]:
    """Like `promote_dtypes`, and integers and bools become floats."""
    dtype, weak_type = result_aval_type([typeof(x) for x in args])
    return convert_operands(args, inexact_dtype(dtype), weak_type)


def bools_as_integers(*args: Any) -> list[Any]:
    """The arguments, which have one dtype; where it is bool, as int32, with x64 too."""
    is_bool = typeof(args[0]).dtype == np.bool_
    return convert_operands(args, np.dtype("int32")) if is_bool else list(args)


def _check_keys(fun_name: str, accepts: Sequence[type], args: Sequence[Any]) -> None:
    """TypeError unless all are of one dtype, and keys are accepted: keys meet keys alone."""
    if extended not in accepts:
        refuse_keys(fun_name, *args)
    if len({typeof(x).dtype for x in args}) > 1:
        got = ", ".join(str(typeof(x)) for x in args)
        raise TypeError(
            f"{fun_name} compares keys with keys alone, and got {got}.\n"
            f"Give two keys, or compare what random.key_data shows of them."
        )


def _check_shapes(fun_name: str, *args: Any) -> bool:
    """Whether the arguments with axes have several numbers of them; an error if they don't fit."""
    shapes = [typeof(x).shape for x in args]
    several = len({len(shape) for shape in shapes if shape}) > 1
    check_broadcast(fun_name, shapes, ValueError if several else TypeError)
    return several


_warned_of = BoundedDict(512)  # functions, with the types of their arguments
register_cache(_warned_of.clear)


def note_ranks(fun_name: str, *args: Any) -> None:
    """What the option jax_numpy_rank_promotion has be said where several ranks meet. There is one
    warning for the same types, as of a function that is traced once for them."""
    if (way := config.jax_numpy_rank_promotion) != "allow":
        message = (
            f"{fun_name} got {', '.join(str(typeof(x)) for x in args)}, of several ranks, with "
            f"jax_numpy_rank_promotion={way!r}. Give all one rank: x[None] adds an axis in front."
        )
        if way == "raise":
            raise ValueError(message)
        key = (fun_name, *map(typeof, args))
        if key not in _warned_of:
            _warned_of[key] = True
            warn(message)


def check_operands(fun_name: str, *args: Any) -> None:
    """What `promote_args` refuses, refused in the name of a function that calls another."""
    check_arraylike(fun_name, *args)
    refuse_keys(fun_name, *args)
    _check_shapes(fun_name, *args)


def promote_shapes(fun_name: str, *args: Any) -> list[Any]:
    """The arguments with one number of dimensions: new axes of size 1 at the front."""
    if _check_shapes(fun_name, *args):
        note_ranks(fun_name, *args)
        ndims = [x.ndim for x in args]
        ndim = max(ndims)
        args = tuple(
            x if n in (0, ndim) else lax.expand_dims(x, range(ndim - n))
            for x, n in zip(args, ndims, strict=True)
        )
    return list(args)


# What a function accepts: the kinds of dtypes.
ANY_NUMBER = (np.bool_, np.number)
NO_BOOL = (np.number,)
WHOLE = (np.bool_, np.integer)
COMPARED = (np.bool_, np.number, extended)


def promote_args(
    fun_name: str, *args: Any, inexact: bool = False, accepts: Sequence[type] = ANY_NUMBER
) -> list[Any]:
    """The arguments as arrays of one dtype and one number of dimensions, as NumPy has them meet.

    With `inexact`, integers and bools become floats. TypeError where the dtype is of none of the
    kinds that the function `accepts`. Nothing happens to arrays of one type.
    """
    first = args[0]
    if not inexact and type(first) is ArrayImpl and all(
        [type(x) is ArrayImpl and x.aval is first.aval for x in args]  # a list is quicker here
    ):
        promoted = list(args)
    else:
        check_arraylike(fun_name, *args)
        if any(isinstance(typeof(x).dtype, ExtendedDType) for x in args):
            _check_keys(fun_name, accepts, args)
        promoted = (promote_dtypes_inexact if inexact else promote_dtypes)(*args)
        promoted = promote_shapes(fun_name, *promoted)
    if not issubdtype(typeof(promoted[0]).dtype, *accepts):
        refuse_kind(fun_name, accepts, promoted[0])
    return promoted


def promoting(
    fun_name: str, fun: Callable, bool_fun: Callable | None = None, inexact: bool = False,
    accepts: Sequence[type] = ANY_NUMBER,
) -> Callable:  # fmt: skip
    """The function on promoted operands; `bool_fun` stands in where these are bools."""

    def promoted(*args: Any) -> Any:
        args = promote_args(fun_name, *args, inexact=inexact, accepts=accepts)
        return (bool_fun if bool_fun and args[0].dtype == np.bool_ else fun)(*args)

    return promoted


promoting_add = promoting("jnp.add", lax.add, lax.bitwise_or)
promoting_sub = promoting("jnp.subtract", lax.sub, accepts=NO_BOOL)
promoting_mul = promoting("jnp.multiply", lax.mul, lax.bitwise_and)
promoting_div = promoting("jnp.divide", lax.div, inexact=True)


def promoting_abs(x: Any) -> Any:
    """The absolute value; bools and unsigned integers are their own."""
    return x if issubdtype(typeof(x).dtype, np.bool_, np.unsignedinteger) else lax.abs(x)


def promoting_shift_left(x: Any, y: Any) -> Any:
    """The bits further left; bools are integers here."""
    x, y = promote_args("jnp.left_shift", x, y, accepts=WHOLE)
    return lax.shift_left(*bools_as_integers(x, y))


def promoting_shift_right(x: Any, y: Any) -> Any:
    """The bits further right; of signed integers, copies of the sign follow."""
    x, y = bools_as_integers(*promote_args("jnp.right_shift", x, y, accepts=WHOLE))
    is_unsigned = issubdtype(x.dtype, np.unsignedinteger)
    return (lax.shift_right_logical if is_unsigned else lax.shift_right_arithmetic)(x, y)


def ordering(compare: Callable) -> Callable:
    """The comparison, where complex numbers go by real parts, then by imaginary ones."""

    def compare_numbers(x: Any, y: Any) -> Any:
        if not issubdtype(typeof(x).dtype, np.complexfloating):
            return compare(x, y)
        is_tie = lax.eq(lax.real(x), lax.real(y))
        by_imag = compare(lax.imag(x), lax.imag(y))
        return lax.select(is_tie, by_imag, compare(lax.real(x), lax.real(y)))

    return compare_numbers


def _binary_operator(fun: Callable, reflected: bool = False) -> Callable:
    def method(x: Any, y: Any, /) -> Any:
        if type(y) is not type(x) and not is_array_like(y):
            if not hasattr(y, "__jax_array__"):
                return NotImplemented
            y = offered(y)
        return fun(y, x) if reflected else fun(x, y)

    return method


def _unary_operator(fun_name: str, fun: Callable, accepts: Sequence[type]) -> Callable:
    def method(x: Any, /) -> Any:
        check_arraylike(fun_name, x)
        if not issubdtype(typeof(x).dtype, *accepts):
            refuse_kind(fun_name, accepts, x)
        return fun(x)

    return method


def _comparison(fun: Callable) -> Callable:
    """An operator that refuses containers, which Python would otherwise call unequal."""
    operate = _binary_operator(fun)

    def method(x: Any, y: Any, /) -> Any:
        result = operate(x, y)
        if result is NotImplemented and isinstance(y, list | tuple | set | dict):
            raise TypeError(
                f"An array, {typeof(x)}, is compared with {shown(y)}. Make that an array first."
            )
        return result

    return method


_BINARY_OPERATORS = {
    "add": promoting_add, "sub": promoting_sub, "mul": promoting_mul, "truediv": promoting_div,
    "and": promoting("jnp.bitwise_and", lax.bitwise_and, accepts=WHOLE),
    "or": promoting("jnp.bitwise_or", lax.bitwise_or, accepts=WHOLE),
    "xor": promoting("jnp.bitwise_xor", lax.bitwise_xor, accepts=WHOLE),
    "lshift": promoting_shift_left, "rshift": promoting_shift_right,
}  # fmt: skip
promoting_comparisons = {
    "eq": promoting("jnp.equal", lax.eq, accepts=COMPARED),
    "ne": promoting("jnp.not_equal", lax.ne, accepts=COMPARED),
    "lt": promoting("jnp.less", ordering(lax.lt)),
    "le": promoting("jnp.less_equal", ordering(lax.le)),
    "gt": promoting("jnp.greater", ordering(lax.gt)),
    "ge": promoting("jnp.greater_equal", ordering(lax.ge)),
}


def install_operators(cls: type) -> None:
    """Gives a class of arrays Python's operators; those that need more are in minijax.numpy."""
    on_paths = by_types if cls is Array else lambda operator: operator
    for name, fun in _BINARY_OPERATORS.items():
        setattr(cls, f"__{name}__", on_paths(_binary_operator(fun)))
        setattr(cls, f"__r{name}__", on_paths(_binary_operator(fun, reflected=True)))
    for name, fun in promoting_comparisons.items():
        setattr(cls, f"__{name}__", on_paths(_comparison(fun)))
    cls.__pos__ = lambda x: x
    cls.__neg__ = on_paths(_unary_operator("jnp.negative", lax.neg, NO_BOOL))
    cls.__invert__ = on_paths(_unary_operator("jnp.invert", lax.bitwise_not, WHOLE))
    cls.__abs__ = on_paths(_unary_operator("jnp.abs", promoting_abs, ANY_NUMBER))
