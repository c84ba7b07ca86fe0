"""Exponentials, logarithms and what random numbers are made of: float32 to XLA's last bit.

A product that is added to something is rounded once, with it; all else is rounded step by step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minijax.compiler.maths import elementary, xla_numbers
from minijax.compiler.maths.elementary import (
    as_real, bits_of, digits, exp_bottom, exp_top, from_bits, infinity, log2_e, log_at_edges,
    rescaling, rounded, smallest, times_power_of_two, with_sign,
)
from minijax.compiler.maths.precisions import Pair, horner, polynomial, publish, version, whole
from minijax.compiler.maths.special import erf_double, erf_inv_double, erf_inv_far, erf_inv_near
from minijax.compiler.maths.totals import compiled_to
from minijax.compiler.maths.xla_numbers import (
    ERF_ABOVE, ERF_BELOW, ERF_IS_ONE, EXP_SERIES, LOG1P_ABOVE, LOG1P_BELOW, LOG_2_HIGH, LOG_2_LOW,
    LOG_STRANDS, TANH_ABOVE, TANH_BEGIN, TANH_BELOW, TANH_END,
)

multiply_add = compiled_to("llvm.fma")(xla_numbers.multiply_add)


def beside(double: Callable) -> Callable:
    """A decorator: the function in float32, each operation rounded by itself, beside another's."""
    return lambda fun: Pair(version(fun, False, ()), double)


exp_series = polynomial(EXP_SERIES)


@beside(elementary.exp.double)
def exp(x):
    """2**n * e**r. Errors: 1.1 ulp."""
    x = exp_top if x > exp_top else x
    x = exp_bottom if x < exp_bottom else x
    n = np.floor(multiply_add(x, log2_e, 0.5))
    r = multiply_add(-n, LOG_2_LOW, multiply_add(-n, LOG_2_HIGH, x))
    y = multiply_add(exp_series(r), r * r, r) + 1.0
    return times_power_of_two(y, rounded(n)[1])


@beside(elementary.logistic.double)
def logistic(x):
    """1 / (1 + exp(-x)); exp(x) where that would be infinite. Errors: 2.5 ulp."""
    power = exp(x if x < -88.0 else -x)
    return power if x < -88.0 else 1.0 / (1.0 + power)


def in_one(coefficients: str) -> Pair:
    """A polynomial in float32 whose products and sums are one instruction even where LLVM computes
    two polynomials at once, and would take them apart."""
    fma = multiply_add.single
    return Pair(horner(coefficients, np.float32, "fma(y, x, {})", fma=fma), None)


tanh_above, tanh_below = map(in_one, (TANH_ABOVE, TANH_BELOW))


@beside(elementary.tanh.double)
def tanh(x):
    """A fraction; nearer to 0, x. Errors: 4.8 ulp."""
    bounded = TANH_END if x > TANH_END else x
    bounded = -TANH_END if x < -TANH_END else bounded
    square = bounded * bounded
    fraction = tanh_above(square) * bounded / tanh_below(square)
    return x if abs(x) < TANH_BEGIN else fraction


first_strand, second_strand, third_strand = map(polynomial, LOG_STRANDS)
root_half = 0.5**0.5
of_half, digits_of = 0x3F000000, 0x007FFFFF  # the exponent's bits in 0.5, and the digits' bits


negative_nan = -np.nan  # top_k and sort put it elsewhere than NaN


@beside(elementary.log.double)
def log(x):
    """log(2**k * (1 + m)); each NaN is a negative one. Errors: 1.2 ulp."""
    denormal = x < smallest
    bits = bits_of(x * rescaling if denormal else x)
    half_to_one = from_bits(whole(bits & digits_of | of_half))
    is_low = half_to_one < root_half
    m = half_to_one - 1.0 + half_to_one if is_low else half_to_one - 1.0
    k = as_real(whole((bits >> digits) - (150 if denormal else 126))) - (1.0 if is_low else 0.0)
    square = m * m
    cube = square * m
    y = multiply_add(first_strand(m), cube, second_strand(m))
    rest = multiply_add(multiply_add(y, cube, third_strand(m)), cube, k * LOG_2_LOW)
    y = multiply_add(k, LOG_2_HIGH, multiply_add(square, -0.5, m) + rest)
    y = log_at_edges(x, y)
    return y if y == y else negative_nan


log1p_above, log1p_below = map(polynomial, (LOG1P_ABOVE, LOG1P_BELOW))
root_2_less_1 = 2.0**0.5 - 1.0


@beside(elementary.log1p.double)
def log1p(x):
    """Near 0 a fraction, and elsewhere the logarithm of 1 + x. Errors: 2.6 ulp."""
    square = x * x
    fraction = log1p_above(x) / log1p_below(x)
    near = x + multiply_add(square, -0.5, x * square * fraction)
    return near if abs(x) < root_2_less_1 else log(1.0 + x)


erf_above, erf_below = map(polynomial, (ERF_ABOVE, ERF_BELOW))


@beside(erf_double)
def erf(x):
    """x times a fraction; 1 from where that rounds to 1. Errors: 5 ulp."""
    square = x * x
    fraction = x * erf_above(square) / erf_below(square)
    return with_sign(1.0, x) if abs(x) >= ERF_IS_ONE else fraction


@beside(erf_inv_double)
def erf_inv(x):
    """In terms of w = -log(1 - x**2). x**2 is rounded, and near 1 that decides; then: 4 ulp."""
    w = -log1p(-x * x)
    near, far = erf_inv_near(w - 2.5), erf_inv_far(np.sqrt(w) - 3.0)
    return x * (infinity if abs(x) == 1.0 else (near if w < 5.0 else far))


publish(globals())
