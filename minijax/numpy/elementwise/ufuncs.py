"""NumPy's functions of single numbers, applied element by element; operands are broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import Array, as_array
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import Tracer, typeof
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import (
    check_arraylike,
    library_jit,
    refuse_complex,
    refuse_keys,
    refuse_out,
    typeof_number,
)
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.promotion import (
    COMPARED,
    NO_BOOL,
    bools_as_integers,
    check_operands,
    promote_args,
    promote_shapes,
    promoting_abs,
    promoting_add,
    promoting_div,
    promoting_mul,
    promoting_sub,
)
from minijax.numpy.ufunc_objects import ufunc_of

# Arithmetic.


@ufunc_of(2, identity=0)
@by_types
def add(x: Any, y: Any, /) -> Any:
    """x + y; of bools, or.

    >>> add(np.arange(3), 0.5)
    Array([0.5, 1.5, 2.5], dtype=float32, weak_type=True)
    """
    return promoting_add(x, y)


@ufunc_of(2)
@by_types
def subtract(x: Any, y: Any, /) -> Any:
    """x - y."""
    return promoting_sub(x, y)


@ufunc_of(2, identity=1)
@by_types
def multiply(x: Any, y: Any, /) -> Any:
    """x * y; of bools, and."""
    return promoting_mul(x, y)


@by_types
def divide(x: Any, y: Any, /) -> Any:
    """x / y, as floats.

    >>> divide(1, 4)
    Array(0.25, dtype=float32, weak_type=True)
    """
    return promoting_div(x, y)


@by_types
def true_divide(x: Any, y: Any, /) -> Any:
    """x / y, as floats: another name for `divide`."""
    return lax.div(*promote_args("jnp.true_divide", x, y, inexact=True))


@ufunc_of(1)
@by_types
def negative(x: Any, /) -> Any:
    """-x; TypeError for bools."""
    return lax.neg(*promote_args("jnp.negative", x, accepts=NO_BOOL))


def positive(x: Any, /) -> Any:
    """x itself."""
    (x,) = promote_args("jnp.positive", x, accepts=COMPARED)
    return x if isinstance(x, Tracer) else as_array(x)


@by_types
def absolute(x: Any, /) -> Any:
    """The absolute value.

    >>> absolute(np.array([-1.5, 2.0]))
    Array([1.5, 2. ], dtype=float32)
    """
    (x,) = promote_args("jnp.absolute", x)
    return promoting_abs(x)


@by_types
def abs(x: Any, /) -> Any:
    """The absolute value: another name for `absolute`."""
    (x,) = promote_args("jnp.abs", x)
    return promoting_abs(x)


@by_types
def sign(x: Any, /) -> Any:
    """-1, 0 or 1 in x's dtype; NaN of NaN, TypeError for bools."""
    return lax.sign(*promote_args("jnp.sign", x, accepts=NO_BOOL))


@by_types
def reciprocal(x: Any, /) -> Any:
    """1 / x, as floats."""
    return lax.integer_pow(*promote_args("jnp.reciprocal", x, inexact=True), -1)


@ufunc_of(2)
@by_types
def maximum(x: Any, y: Any, /) -> Any:
    """The larger of x and y; NaN where either is.

    >>> maximum(np.array([-1.0, 2.0]), 0)
    Array([0., 2.], dtype=float32)
    """
    return lax.max(*promote_args("jnp.maximum", x, y))


@ufunc_of(2)
@by_types
def minimum(x: Any, y: Any, /) -> Any:
    """The smaller of x and y; NaN where either is."""
    return lax.min(*promote_args("jnp.minimum", x, y))


@library_jit
def clip(arr: Any, /, min: Any = None, max: Any = None) -> Any:
    """arr, held between `min` and `max`; either may be missing.

    >>> clip(np.array([-1.0, 0.5, 3.0]), 0, 1)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    refuse_complex("jnp.clip", ValueError, arr, min, max)
    if min is not None:
        arr = lax.max(*promote_args("jnp.clip", min, arr))
    if max is not None:
        arr = lax.min(*promote_args("jnp.clip", max, arr))
    return arr


@by_types
def floor(x: Any, /) -> Any:
    """The largest whole number that is not above x."""
    return _rounded("jnp.floor", lax.floor, x)


@by_types
def ceil(x: Any, /) -> Any:
    """The smallest whole number that is not below x.

    >>> ceil(np.array([1.2, -1.2]))
    Array([ 2., -1.], dtype=float32)
    """
    return _rounded("jnp.ceil", lax.ceil, x)


def _rounded(fun_name: str, fun: Callable, x: Any) -> Any:
    (x,) = promote_args(fun_name, x)
    refuse_complex(fun_name, TypeError, x)
    return x if issubdtype(x.dtype, np.bool_, np.integer) else fun(x)


@library_jit(static_argnames=("decimals",))
def round(a: Any, decimals: int = 0, out: None = None) -> Any:
    """The nearest number with so many decimals; a half goes to the even neighbour.

    Of a complex number both parts are rounded. Integers stay as they are; NotImplementedError for
    fewer decimals than 0 of theirs, and for `out`, since arrays are not written to. ValueError for
    bools.

    >>> round(np.array([0.5, 1.5, 2.34])), round(np.array([12.34]), 1)
    (Array([0., 2., 2.], dtype=float32), Array([12.3], dtype=float32))
    """
    refuse_out("jnp.round", out)
    refuse_keys("jnp.round", a)
    decimals, dtype = known_integer("jnp.round", "decimals", decimals), typeof(a).dtype
    if dtype == np.bool_:
        raise ValueError(f"jnp.round takes numbers, and got {typeof(a)}. Convert it to integers.")
    if issubdtype(dtype, np.integer):
        if decimals < 0:
            raise NotImplementedError(
                f"jnp.round of {typeof(a)} to {decimals} decimals is not here yet. Give floats."
            )
        return a
    if issubdtype(dtype, np.complexfloating):
        return lax.complex(_to_decimals(lax.real(a), decimals), _to_decimals(lax.imag(a), decimals))
    return _to_decimals(a, decimals)


def _to_decimals(a: Any, decimals: int) -> Any:
    if not decimals:
        return lax.round(a, lax.RoundingMethod.TO_NEAREST_EVEN)
    if decimals > _DECIMALS[a.dtype.itemsize]:
        return a
    wide = cast(a, np.dtype(np.float32)) if a.dtype == np.float16 else a
    scale = constant(wide, 10.0**decimals)
    scaled = lax.round(lax.mul(wide, scale), lax.RoundingMethod.TO_NEAREST_EVEN)
    rounded = lax.div(scaled, scale)
    return cast(rounded, a.dtype, rounded.weak_type)


@library_jit(static_argnames=("decimals",))
def around(a: Any, decimals: int = 0, out: None = None) -> Any:
    """The nearest number with so many decimals: another name for `round`."""
    refuse_out("jnp.around", out)
    return round(a, decimals)


_DECIMALS = {1: 38, 2: 38, 4: 38, 8: 308}  # the powers of ten that floats of so many bytes hold


# Division with remainder: the quotient is rounded down, the remainder has y's sign.


def _promote_numbers(fun_name: str, x: Any, y: Any) -> list[Any]:
    """Promoted operands; bools become integers, and complex numbers are refused."""
    x, y = promote_args(fun_name, x, y)
    if issubdtype(x.dtype, np.complexfloating):
        raise TypeError(
            f"{fun_name} takes real numbers, and got {x.aval}. Give integers or floats."
        )
    return bools_as_integers(x, y)


@library_jit
def remainder(x: Any, y: Any, /) -> Any:
    """What is left of x after division by y, with y's sign, as Python's %.

    Integers modulo 0 are 0, floats NaN.

    >>> remainder(np.array([-5, 5]), 3)
    Array([1, 2], dtype=int32)
    """
    x, y = _promote_numbers("jnp.remainder", x, y)
    zero = constant(x, 0)
    if not issubdtype(x.dtype, np.floating):
        y = where(lax.eq(y, zero), lax.full_like(y, 1), y)
    left = lax.rem(x, y)
    not_zero = lax.ne(left, zero)
    other_side = lax.ne(lax.lt(left, zero), lax.lt(y, zero))
    return lax.select(lax.bitwise_and(other_side, not_zero), lax.add(left, y), left)


@by_types
def mod(x: Any, y: Any, /) -> Any:
    """What is left of x after division by y: another name for `remainder`."""
    check_operands("jnp.mod", x, y)
    return remainder(x, y)


@library_jit
def floor_divide(x: Any, y: Any, /) -> Any:
    """x / y rounded down, as Python's //.

    >>> floor_divide(np.array([-5, 5]), 3)
    Array([-2,  1], dtype=int32)
    """
    x, y = _promote_numbers("jnp.floor_divide", x, y)
    if issubdtype(x.dtype, np.floating):
        return _float_divmod(x, y)[0]
    return _integer_floor_divide(x, y)


def _integer_floor_divide(x: Any, y: Any) -> Any:
    quotient = lax.div(x, y)
    if issubdtype(x.dtype, np.unsignedinteger):
        return quotient
    other_sign = lax.ne(lax.sign(x), lax.sign(y))
    inexact = lax.ne(lax.rem(x, y), constant(x, 0))
    return where(lax.bitwise_and(other_sign, inexact), quotient - 1, quotient)


def _float_divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """The quotient as a whole number, and the remainder.

    What `rem` leaves is taken off x first, so that x / y is whole but for rounding.
    """
    left = lax.rem(x, y)
    zero = constant(x, 0)
    quotient = lax.div(where(lax.eq(y, zero), x, lax.sub(x, left)), y)
    down = lax.bitwise_and(lax.ne(left, zero), lax.ne(lax.sign(y), lax.sign(left)))
    left = lax.select(down, lax.add(left, y), left)
    quotient = lax.select(down, quotient - 1.0, quotient)
    return lax.round(quotient), left


@library_jit
def divmod(x: Any, y: Any, /) -> tuple[Any, Any]:
    """(x // y, x % y).

    >>> divmod(np.array([7, -7]), 2)
    (Array([ 3, -4], dtype=int32), Array([1, 1], dtype=int32))
    """
    x, y = _promote_numbers("jnp.divmod", x, y)
    if issubdtype(x.dtype, np.floating):
        return _float_divmod(x, y)
    return floor_divide(x, y), remainder(x, y)


# Powers, exponentials and their inverses.


@by_types(static={1})
def power(x: Any, y: Any, /) -> Any:
    """x to the power of y. A Python integer y keeps integers exact.

    TypeError for an integer to a negative Python integer: the result is no integer.

    >>> power(np.array([1.0, 2.0, 3.0]), 2)
    Array([1., 4., 9.], dtype=float32)
    """
    check_arraylike("jnp.power", x, y)
    exponent = _known_integer_power(x, y)
    if exponent is not None:
        return _python_integer_power(*promote_args("jnp.power", x), exponent)
    is_whole = issubdtype(typeof(y).dtype, np.integer)
    if is_whole:
        x, y = promote_shapes("jnp.power", x, y)
    x, promoted = promote_args("jnp.power", x, y)
    if issubdtype(x.dtype, np.inexact):
        return lax.pow(x, y if is_whole else promoted)
    x, y = (cast(a, a.dtype) for a in bools_as_integers(x, promoted))  # strong
    return _integer_power(x, y)


def pow(x: Any, y: Any, /) -> Any:
    """x to the power of y: another name for `power`."""
    check_arraylike("jnp.pow", x, y)
    return power(x, y)


def _known_integer_power(x: Any, y: Any) -> int | None:
    """y, where it is one known integer; an Array is, unless it meets a traced x."""
    if type(y) is int:
        return y
    if isinstance(y, Tracer) or (
        isinstance(y, Array) and isinstance(x, Tracer) and x.to_concrete_value() is None
    ):
        return None
    aval = typeof_number(y)
    if aval.ndim or not (issubdtype(aval.dtype, np.integer) or type(y) is bool):
        return None
    return int(y)


def _python_integer_power(x: Any, y: int) -> Any:
    (x,) = bools_as_integers(x)
    if y < 0 and issubdtype(x.dtype, np.integer):
        raise TypeError(
            f"jnp.power of {typeof(x)} to {y}: the results are no integers. Convert x to float."
        )
    return lax.integer_pow(x, y)


def _integer_power(x: Any, y: Any) -> Any:
    """By repeated squaring, over the lowest six bits of y: more would overflow any dtype.

    0 to a power other than 0 is 0, even to a negative one.
    """
    one = constant(x, 1)
    zero_power = lax.bitwise_and(lax.eq(x, constant(x, 0)), lax.ne(y, constant(y, 0)))
    result = where(zero_power, constant(x, 0), one)
    for _ in range(6):
        lowest_bit = lax.bitwise_and(y, one)
        result = where(lowest_bit, lax.mul(result, x), result)
        x = lax.mul(x, x)
        y = lax.div(lax.sub(y, lowest_bit), constant(y, 2))
    return result


@by_types
def square(x: Any, /) -> Any:
    """x * x."""
    return lax.square(*bools_as_integers(*promote_args("jnp.square", x)))


@by_types
def sqrt(x: Any, /) -> Any:
    """The square root, as floats; NaN below 0.

    >>> sqrt(np.array([4, 2]))
    Array([2.       , 1.4142135], dtype=float32)
    """
    return lax.sqrt(*promote_args("jnp.sqrt", x, inexact=True))


@by_types
def exp(x: Any, /) -> Any:
    """e to the power of x, as floats."""
    return lax.exp(*promote_args("jnp.exp", x, inexact=True))


@by_types
def log(x: Any, /) -> Any:
    """The natural logarithm, as floats: -inf at 0, NaN below."""
    return lax.log(*promote_args("jnp.log", x, inexact=True))


@by_types
def log2(x: Any, /) -> Any:
    """The logarithm to base 2, as floats."""
    (x,) = promote_args("jnp.log2", x, inexact=True)
    return lax.div(lax.log(x), lax.log(cast(2, x.dtype)))


@by_types
def log10(x: Any, /) -> Any:
    """The logarithm to base 10, as floats."""
    (x,) = promote_args("jnp.log10", x, inexact=True)
    return lax.mul(lax.log(x), cast(math.log10(math.e), x.dtype))
