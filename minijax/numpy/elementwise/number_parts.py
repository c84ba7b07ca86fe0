"""The parts of numbers: real and imaginary, whole and broken, the sign and the size."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.core.forward import constant
from minijax.core.tracing import typeof
from minijax.numpy.arguments import (
    check_arraylike,
    library_jit,
    refuse_complex,
    refuse_keys,
    refuse_small,
)
from minijax.numpy.creation import asarray
from minijax.numpy.elementwise.comparisons import isnan, where
from minijax.numpy.elementwise.ufuncs import floor
from minijax.numpy.promotion import WHOLE, bools_as_integers, ordering, promote_args, promoting_abs

# Of complex numbers.


def _number(fun_name: str, x: Any) -> tuple[Any, bool]:
    """The argument, and whether it is complex; what is not, and may be the result, as an array."""
    check_arraylike(fun_name, x)
    refuse_keys(fun_name, x)
    is_complex = issubdtype(typeof(x).dtype, np.complexfloating)
    return x if is_complex else asarray(x), is_complex


@by_types
def real(val: Any, /) -> Any:
    """The real part; other numbers as they are.

    >>> real(np.array([1 + 2j]))
    Array([1.], dtype=float32)
    """
    val, is_complex = _number("jnp.real", val)
    return lax.real(val) if is_complex else val


@by_types
def imag(val: Any, /) -> Any:
    """The imaginary part; 0 of other numbers."""
    val, is_complex = _number("jnp.imag", val)
    return lax.imag(val) if is_complex else lax.full_like(val, 0)


@by_types
def conjugate(x: Any, /) -> Any:
    """x with its imaginary part's sign turned; other numbers as they are."""
    x, is_complex = _number("jnp.conjugate", x)
    return lax.conj(x) if is_complex else x


@by_types
def conj(x: Any, /) -> Any:
    """Another name for `conjugate`."""
    x, is_complex = _number("jnp.conj", x)
    return lax.conj(x) if is_complex else x


@library_jit(static_argnames=("deg",))
def angle(z: Any, deg: bool = False) -> Any:
    """The angle of complex numbers in the plane, from -pi to pi, or in degrees.

    Integers become floats, and so does a float without axes: of the default size, as in JAX.

    >>> angle(1j)
    Array(1.5707964, dtype=float32, weak_type=True)
    """
    refuse_keys("jnp.angle", z)
    first, second = real(z), imag(z)
    if not issubdtype(typeof(z).dtype, np.complexfloating):
        if not (typeof(z).ndim and issubdtype(typeof(z).dtype, np.inexact)):
            dtype = canonicalize_dtype(float)
            first, second = (lax.convert_element_type(x, dtype) for x in (first, second))
    out = lax.atan2(second, first)
    return out * constant(out, 180 / np.pi) if deg else out


def iscomplexobj(x: Any) -> bool:
    """Whether x has a complex dtype."""
    return _has_complex_dtype(x)


def isrealobj(x: Any) -> bool:
    """Whether x has a dtype that is not complex."""
    return not _has_complex_dtype(x)


def _has_complex_dtype(x: Any) -> bool:
    if x is None:
        return False
    if hasattr(x, "dtype"):
        return issubdtype(x.dtype, np.complexfloating)
    return any(map(_has_complex_dtype, x)) if isinstance(x, list | tuple) else np.iscomplexobj(x)


@library_jit
def iscomplex(x: Any) -> Any:
    """Whether the imaginary part is not 0, element by element.

    >>> iscomplex(np.array([1.0, 2j]))
    Array([False,  True], dtype=bool)
    """
    part = imag(x)
    return lax.ne(part, constant(part, 0))


@library_jit
def isreal(x: Any) -> Any:
    """Whether the imaginary part is 0, element by element."""
    part = imag(x)
    return lax.eq(part, constant(part, 0))


# Whole numbers near by.


@library_jit
def trunc(x: Any) -> Any:
    """The whole number next to x in the direction of 0; integers as they are.

    >>> trunc(np.array([1.7, -1.7]))
    Array([ 1., -1.], dtype=float32)
    """
    (x,) = promote_args("jnp.trunc", x)
    refuse_complex("jnp.trunc", TypeError, x)
    if issubdtype(x.dtype, np.bool_, np.integer):
        return x
    return where(lax.lt(x, constant(x, 0)), lax.ceil(x), floor(x))


@library_jit
def rint(x: Any, /) -> Any:
    """The nearest whole number, as floats; a half goes to the even neighbour."""
    refuse_keys("jnp.rint", x)
    dtype = typeof(x).dtype
    if issubdtype(dtype, np.bool_, np.integer):
        return lax.convert_element_type(x, float)
    if issubdtype(dtype, np.complexfloating):
        return lax.complex(rint(lax.real(x)), rint(lax.imag(x)))
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


# Signs.


@library_jit
def signbit(x: Any, /) -> Any:
    """Whether the sign's bit is set: below 0, and of -0.0.

    >>> signbit(np.array([-1.0, -0.0, 0.0]))
    Array([ True,  True, False], dtype=bool)
    """
    (x,) = promote_args("jnp.signbit", x)
    refuse_complex("jnp.signbit", ValueError, x)
    dtype = typeof(x).dtype
    if issubdtype(dtype, np.integer):
        return lax.lt(x, np.array(0, dtype))
    if dtype == np.bool_:
        return lax.full_like(x, False)
    refuse_small("jnp.signbit", x)
    bits = lax.bitcast_convert_type(x, f"int{8 * dtype.itemsize}")
    last = constant(bits, 8 * dtype.itemsize - 1)
    return lax.convert_element_type(lax.shift_right_arithmetic(bits, last), bool)


@library_jit
def copysign(x1: Any, x2: Any, /) -> Any:
    """The size of x1 with the sign of x2.

    >>> copysign(np.array([1.0, -2.0]), -1)
    Array([-1., -2.], dtype=float32)
    """
    x1, x2 = promote_args("jnp.copysign", x1, x2, inexact=True)
    refuse_complex("jnp.copysign", TypeError, x1)
    refuse_small("jnp.copysign", x1)
    return where(signbit(x2), lax.neg(lax.abs(x1)), lax.abs(x1))


@by_types
def fabs(x: Any, /) -> Any:
    """The absolute value, as floats."""
    check_arraylike("jnp.fabs", x)
    refuse_complex("jnp.fabs", TypeError, x)
    return lax.abs(*promote_args("jnp.fabs", x, inexact=True))


@by_types
def nextafter(x: Any, y: Any, /) -> Any:
    """The float next to x in the direction of y."""
    return lax.nextafter(*promote_args("jnp.nextafter", x, y, inexact=True))


# What is left, and the larger of two where one is missing.


@library_jit
def fmod(x1: Any, x2: Any, /) -> Any:
    """What is left of x1 after division by x2, with the sign of x1; 0 modulo 0.

    >>> fmod(np.array([-5, 5]), 3)
    Array([-2,  2], dtype=int32)
    """
    x1, x2 = bools_as_integers(*promote_args("jnp.fmod", x1, x2))
    refuse_complex("jnp.fmod", TypeError, x1)
    if issubdtype(typeof(x1).dtype, np.integer):
        x2 = where(lax.eq(x2, constant(x2, 0)), lax.full_like(x2, 1), x2)
    return lax.rem(x1, x2)


@library_jit
def fmax(x1: Any, x2: Any) -> Any:
    """The larger of the two; where one is NaN, the other.

    >>> fmax(np.array([1.0, np.nan]), 0.5)
    Array([1. , 0.5], dtype=float32)
    """
    x1, x2 = promote_args("jnp.fmax", x1, x2)
    return where(lax.bitwise_or(ordering(lax.gt)(x1, x2), isnan(x2)), x1, x2)


@library_jit
def fmin(x1: Any, x2: Any) -> Any:
    """The smaller of the two; where one is NaN, the other."""
    x1, x2 = promote_args("jnp.fmin", x1, x2)
    return where(lax.bitwise_or(ordering(lax.lt)(x1, x2), isnan(x2)), x1, x2)


# Roots, powers, bits.


@by_types
def cbrt(x: Any, /) -> Any:
    """The number whose third power is x, as floats."""
    return lax.cbrt(*promote_args("jnp.cbrt", x, inexact=True))


@by_types
def exp2(x: Any, /) -> Any:
    """2 to the power of x, as floats."""
    return lax.exp2(*promote_args("jnp.exp2", x, inexact=True))


@library_jit
def bitwise_count(x: Any, /) -> Any:
    """How many bits of the absolute value are set.

    >>> bitwise_count(np.array([7, -8]))
    Array([3, 1], dtype=uint8)
    """
    (x,) = bools_as_integers(*promote_args("jnp.bitwise_count", x, accepts=WHOLE))
    return lax.convert_element_type(lax.population_count(promoting_abs(x)), np.uint8)
