"""Floats taken apart and put together: fractions and exponents, whole and broken parts, gaps."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.dtypes import float0, issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.numpy.arguments import (
    check_arraylike,
    library_jit,
    refuse_complex,
    refuse_keys,
    refuse_out,
    refuse_small,
)
from minijax.numpy.elementwise.comparisons import isinf, isnan, where
from minijax.numpy.elementwise.number_parts import copysign
from minijax.numpy.elementwise.ufuncs import ceil, floor
from minijax.numpy.promotion import (
    WHOLE,
    check_operands,
    promote_args,
    promote_dtypes_inexact,
    promoting_add,
    promoting_sub,
)

# A fraction from 1/2 to 1 and a power of two.


@library_jit
def frexp(x: Any, /) -> tuple[Any, Any]:
    """The fraction m and the integer e for which x = m * 2**e and |m| is from 1/2 to 1.

    Of 0, of infinities and NaN, these themselves and 0.

    >>> frexp(np.array([8.0, -0.75]))
    (Array([ 0.5 , -0.75], dtype=float32), Array([4, 0], dtype=int32))
    """
    refuse_complex("jnp.frexp", TypeError, x)
    refuse_keys("jnp.frexp", x)
    (x,) = promote_dtypes_inexact(x)
    refuse_small("jnp.frexp", x)
    return _frexp(x)


@custom_jvp
def _frexp(x: Any) -> tuple[Any, Any]:
    dtype = typeof(x).dtype
    info = ml_dtypes.finfo(dtype)
    integers = np.dtype(f"int{info.bits}")
    # The smallest numbers have no exponent: they are made larger first.
    is_small = lax.lt(lax.abs(x), cast(info.smallest_normal, dtype))
    larger = where(is_small, lax.mul(x, constant(x, 2.0**info.nmant)), x)
    added = where(is_small, integers.type(-info.nmant), integers.type(0))
    bits = lax.bitcast_convert_type(larger, integers)
    ones = 2**info.nexp - 1
    exponent = lax.shift_right_arithmetic(bits, constant(bits, info.nmant))
    exponent = lax.bitwise_and(exponent, constant(bits, ones))
    exponent = added + (exponent - (ones // 2) + 1)
    fraction = lax.bitwise_and(bits, constant(bits, ~(ones << info.nmant)))
    fraction = lax.bitwise_or(fraction, constant(bits, (ones // 2 - 1) << info.nmant))
    fraction = lax.bitcast_convert_type(fraction, dtype)
    has_none = isinf(x) | isnan(x) | (x == 0)
    exponent = where(has_none, lax.full_like(exponent, 0), exponent)
    return where(has_none, x, fraction), lax.convert_element_type(exponent, np.int32)


@_frexp.defjvp
def _frexp_jvp(primals: tuple, tangents: tuple) -> tuple:
    (x,), (tangent,) = primals, tangents
    fraction, exponent = frexp(x)
    scale = lax.exp2(lax.neg(lax.convert_element_type(exponent, typeof(fraction).dtype)))
    no_tangent = np.zeros(typeof(exponent).shape, float0)
    return (fraction, exponent), (tangent * scale, no_tangent)


@library_jit
def ldexp(x1: Any, x2: Any, /) -> Any:
    """x1 * 2**x2, for integers x2.

    >>> ldexp(np.array([0.75, 1.0]), np.array([2, -1]))
    Array([3. , 0.5], dtype=float32)
    """
    name = "jnp.ldexp"
    types = typeof(x1), typeof(x2)
    is_complex = issubdtype(types[0].dtype, np.complexfloating)
    if is_complex or not issubdtype(types[1].dtype, *WHOLE):
        raise ValueError(
            f"{name} takes real numbers and integers, and got {types[0]} and {types[1]}.\n"
            f"Use x.astype(int) for the second."
        )
    refuse_keys(name, x1)
    (x1,) = promote_dtypes_inexact(x1)
    refuse_small(name, x1)
    dtype = typeof(x1).dtype
    moved_by = lax.convert_element_type(x2, dtype)
    check_operands(name, x1, moved_by)
    fraction, exponent = frexp(x1)
    power = promoting_add(lax.convert_element_type(exponent, dtype), moved_by)
    # 2 to the largest power is out of range: the fraction is doubled, and the power one less.
    fraction = where(power > 0, fraction * 2, fraction)
    power = where(power > 0, power - 1, power)
    moved = fraction * lax.pow(constant(power, 2), power)
    return where(isinf(x1) | (x1 == 0), x1, moved)


# The whole part and the rest; the gap to the next float.


@library_jit
def modf(x: Any, /, out: None = None) -> tuple[Any, Any]:
    """The part of x behind the point, and the part before, both with x's sign.

    >>> modf(np.array([1.25, -2.5]))
    (Array([ 0.25, -0.5 ], dtype=float32), Array([ 1., -2.], dtype=float32))
    """
    refuse_out("jnp.modf", out)
    (x,) = promote_args("jnp.modf", x, inexact=True)
    refuse_complex("jnp.modf", TypeError, x)
    whole = where(x >= 0, floor(x), ceil(x))
    return x - whole, whole


@by_types
def spacing(x: Any, /) -> Any:
    """The distance to the next float, away from 0, with x's sign; NaN of infinities.

    >>> spacing(np.array([1.0, -1.0]))
    Array([ 1.1920929e-07, -1.1920929e-07], dtype=float32)
    """
    name = "jnp.spacing"
    check_arraylike(name, x)
    refuse_complex(name, ValueError, x)
    refuse_keys(name, x)
    (x,) = promote_dtypes_inexact(x)
    refuse_small(name, x)
    x = lax.convert_element_type(x, typeof(x).dtype)
    dtype = typeof(x).dtype
    gap = promoting_sub(lax.nextafter(x, copysign(cast(np.inf, dtype), x)), x)
    smallest = cast(ml_dtypes.finfo(dtype).smallest_subnormal, dtype)
    return where(gap == 0, copysign(smallest, x), gap)


@library_jit
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:  # fmt: skip
    """x with `nan` in place of NaN, `posinf` and `neginf` in place of infinities, which are the
    largest floats where nothing is given; of complex numbers, in each part. Integers and keys stay.

    >>> nan_to_num(np.array([np.nan, 1.0, np.inf]), posinf=9)
    Array([0., 1., 9.], dtype=float32)
    """
    dtype = typeof(x).dtype
    if not issubdtype(dtype, np.inexact):
        return x
    if issubdtype(dtype, np.complexfloating):
        instead = {"nan": nan, "posinf": posinf, "neginf": neginf}
        return lax.complex(nan_to_num(lax.real(x), **instead), nan_to_num(lax.imag(x), **instead))
    info = ml_dtypes.finfo(dtype)
    x = where(isnan(x), cast(nan, dtype), x)
    x = where(x == np.inf, cast(info.max if posinf is None else posinf, dtype), x)
    return where(x == -np.inf, cast(info.min if neginf is None else neginf, dtype), x)
