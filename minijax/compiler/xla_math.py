"""Logarithms, and what random numbers are made of, as XLA computes them: float32 to the last bit.

A product that is added to something is rounded once, with it; all else is rounded step by step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minijax.compiler import vector_math, xla_numbers
from minijax.compiler.operations import compiled_to
from minijax.compiler.precisions import Pair, polynomial, publish, version, whole
from minijax.compiler.special_math import erf_inv_double, erf_inv_far, erf_inv_near
from minijax.compiler.vector_math import (
    as_real, bits_of, digits, infinity, log_at_edges, number_of, rescaling, smallest,
)
from minijax.compiler.xla_numbers import (
    LOG1P_ABOVE, LOG1P_BELOW, LOG_2_HIGH, LOG_2_LOW, LOG_STRANDS,
)

multiply_add = compiled_to("llvm.fma")(xla_numbers.multiply_add)


def in_single(fun: Callable) -> Callable:
    """A decorator for what is computed in float32 only, each operation rounded by itself."""
    return version(fun, False, ())


first_strand, second_strand, third_strand = map(polynomial, LOG_STRANDS)
root_half, log_2_high, log_2_low = 0.5**0.5, LOG_2_HIGH, LOG_2_LOW
of_half, digits_of = 0x3F000000, 0x007FFFFF  # the exponent's bits in 0.5, and the digits' bits


@in_single
def log_single(x):
    """log(2**k * (1 + m)). Errors: 1.2 ulp."""
    denormal = x < smallest
    bits = bits_of(x * rescaling if denormal else x)
    half_to_one = number_of(whole(bits & digits_of | of_half))
    is_low = half_to_one < root_half
    m = half_to_one - 1.0 + half_to_one if is_low else half_to_one - 1.0
    k = as_real(whole((bits >> digits) - (150 if denormal else 126))) - (1.0 if is_low else 0.0)
    square = m * m
    cube = square * m
    y = multiply_add(first_strand(m), cube, second_strand(m))
    rest = multiply_add(multiply_add(y, cube, third_strand(m)), cube, k * log_2_low)
    y = multiply_add(k, log_2_high, multiply_add(square, -0.5, m) + rest)
    return log_at_edges(x, y)


log = Pair(log_single, vector_math.log.double)

log1p_above, log1p_below = map(polynomial, (LOG1P_ABOVE, LOG1P_BELOW))
root_2_less_1 = 2.0**0.5 - 1.0


@in_single
def log1p_single(x):
    """Near 0 a fraction, and elsewhere the logarithm of 1 + x. Errors: 2.4 ulp."""
    square = x * x
    fraction = log1p_above(x) / log1p_below(x)
    near = x + multiply_add(square, -0.5, x * square * fraction)
    return near if abs(x) < root_2_less_1 else log_single(1.0 + x)


log1p = Pair(log1p_single, vector_math.log1p.double)


@in_single
def erf_inv_single(x):
    """In terms of w = -log(1 - x**2). x**2 is rounded, and near 1 that decides; then: 4 ulp."""
    w = -log1p_single(-x * x)
    near, far = erf_inv_near(w - 2.5), erf_inv_far(np.sqrt(w) - 3.0)
    return x * (infinity if abs(x) == 1.0 else (near if w < 5.0 else far))


erf_inv = Pair(erf_inv_single, erf_inv_double)
publish(globals())
