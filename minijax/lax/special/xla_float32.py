"""float32 as XLA computes it on a CPU, to the last bit: what random numbers are made of.

A product that is added to something is rounded once, with it: a fused multiply-add, which NumPy
does not have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np

from minijax.compiler.maths.xla_numbers import (
    LOG1P_ABOVE,
    LOG1P_BELOW,
    LOG_2_HIGH,
    LOG_2_LOW,
    LOG_STRANDS,
    multiply_add,
)


@cache
def coefficients_of(text: str) -> tuple[float, ...]:
    """The numbers that a text lists."""
    return tuple(map(float, text.split()))


def rsqrt(x: np.ndarray) -> np.ndarray:
    """1 / sqrt(x), rounded once."""
    wider = np.float64 if x.dtype == np.float32 else np.longdouble
    return (1 / np.sqrt(x.astype(wider))).astype(x.dtype)


def horner(x: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """A polynomial, the highest coefficient first."""
    value = x.dtype.type(coefficients[0])
    for c in coefficients[1:]:
        value = multiply_add(x, value, x.dtype.type(c))
    return value


def float32_log(x: np.ndarray) -> np.ndarray:
    """log(x) of float32."""
    is_denormal = x < np.finfo(np.float32).tiny
    bits = (x * np.where(is_denormal, np.float32(2**24), np.float32(1))).view(np.int32)
    exponent = ((bits >> 23) - np.where(is_denormal, 126 + 24, 126)).astype(np.float32)
    half_to_one = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32)
    is_low = half_to_one < np.float32(math.sqrt(0.5))
    m = np.where(is_low, half_to_one - np.float32(1) + half_to_one, half_to_one - np.float32(1))
    exponent = exponent - is_low.astype(np.float32)
    square = m * m
    cube = square * m
    first, second, third = (horner(m, coefficients_of(strand)) for strand in LOG_STRANDS)
    value = multiply_add(multiply_add(first, cube, second), cube, third)
    rest = multiply_add(value, cube, exponent * np.float32(LOG_2_LOW))
    value = multiply_add(square, np.float32(-0.5), m) + rest
    value = multiply_add(exponent, np.float32(LOG_2_HIGH), value)
    edges = np.where(x == 0, np.float32(-np.inf), np.float32(np.nan))
    return np.where((x > 0) & (x < np.inf), value, np.where(x == np.inf, x, edges))


def log(x: np.ndarray) -> np.ndarray:
    """log(x) of float32 or float64."""
    return float32_log(x) if x.dtype == np.float32 else np.log(x)


def log1p(x: np.ndarray) -> np.ndarray:
    """log(1 + x) of float32 or float64."""
    number = x.dtype.type
    square = x * x
    fraction = horner(x, coefficients_of(LOG1P_ABOVE)) / horner(x, coefficients_of(LOG1P_BELOW))
    near = x + multiply_add(square, number(-0.5), x * square * fraction)
    return np.where(np.abs(x) < number(math.sqrt(2) - 1), near, log(number(1) + x))
