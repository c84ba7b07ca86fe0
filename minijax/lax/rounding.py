"""float32 as XLA computes it on a CPU, to the last bit: what random numbers are made of.

A product that is added to something is rounded once, with it: a fused multiply-add, which NumPy
does not have. Two float32 have a product that float64 holds, so there it is two operations. For
float64 there is NumPy's longest float, which on some machines is no longer: there, results are off
by a last place now and then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def coefficients_of(text: str) -> tuple[float, ...]:
    """The numbers that a text lists."""
    return tuple(map(float, text.split()))


def _wider(dtype: np.dtype) -> type:
    return np.float64 if dtype == np.float32 else np.longdouble


def multiply_add(x: Any, y: Any, z: Any) -> np.ndarray:
    """x * y + z of three numbers or arrays of one dtype, float32 or float64."""
    dtype = np.result_type(x, y, z)
    return (np.multiply(x, y, dtype=_wider(dtype)) + z).astype(dtype)


def rsqrt(x: np.ndarray) -> np.ndarray:
    """1 / sqrt(x), rounded once."""
    return (1 / np.sqrt(x.astype(_wider(x.dtype)))).astype(x.dtype)


def horner(x: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """A polynomial, the highest coefficient first."""
    value = x.dtype.type(coefficients[0])
    for c in coefficients[1:]:
        value = multiply_add(x, value, x.dtype.type(c))
    return value


# Cephes' logf: log(2**n * (1 + m)) is n * log(2) + m - m**2 / 2 + m**3 * polynomial(m), where
# 1 + m is between sqrt(1/2) and sqrt(2), and log(2) is the sum of a round number and the rest.
# XLA evaluates the polynomial in three strands, each in steps of m**3.

_STRANDS = (
    (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1),
    (-1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1),
    (2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
_LOG_2 = (0.693359375, -2.12194440e-4)


def float32_log(x: np.ndarray) -> np.ndarray:
    """log(x) of float32; numbers below the smallest normal one count as that."""
    bits = np.maximum(x, np.finfo(np.float32).tiny).view(np.int32)
    exponent = ((bits >> 23) - 126).astype(np.float32)
    half_to_one = ((bits & 0x007FFFFF) | 0x3F000000).view(np.float32)
    is_low = half_to_one < np.float32(math.sqrt(0.5))
    m = np.where(is_low, half_to_one - np.float32(1) + half_to_one, half_to_one - np.float32(1))
    exponent = exponent - is_low.astype(np.float32)
    square = m * m
    cube = square * m
    first, second, third = (horner(m, strand) for strand in _STRANDS)
    value = multiply_add(multiply_add(first, cube, second), cube, third)
    rest = multiply_add(value, cube, exponent * np.float32(_LOG_2[1]))
    value = multiply_add(square, np.float32(-0.5), m) + rest
    value = multiply_add(exponent, np.float32(_LOG_2[0]), value)
    edges = np.where(x == 0, np.float32(-np.inf), np.float32(np.nan))
    return np.where((x > 0) & (x < np.inf), value, np.where(x == np.inf, x, edges))


def log(x: np.ndarray) -> np.ndarray:
    """log(x) of float32 or float64."""
    return float32_log(x) if x.dtype == np.float32 else np.log(x)


# Cephes' log1p: x - x**2 / 2 + x**3 * fraction(x), near 0.

_LOG1P_ABOVE = coefficients_of("""
    4.5270000862445199635215E-5 4.9854102823193375972212E-1 6.5787325942061044846969E0
    2.9911919328553073277375E1 6.0949667980987787057556E1 5.7112963590585538103336E1
    2.0039553499201281259648E1""")
_LOG1P_BELOW = coefficients_of("""
    1.0 1.5062909083469192043167E1 8.3047565967967209469434E1 2.2176239823732856465394E2
    3.0909872225312059774938E2 2.1642788614495947685003E2 6.0118660497603843919306E1""")


def log1p(x: np.ndarray) -> np.ndarray:
    """log(1 + x) of float32 or float64."""
    number = x.dtype.type
    square = x * x
    fraction = horner(x, _LOG1P_ABOVE) / horner(x, _LOG1P_BELOW)
    near = x + multiply_add(square, number(-0.5), x * square * fraction)
    return np.where(np.abs(x) < number(math.sqrt(2) - 1), near, log(number(1) + x))
