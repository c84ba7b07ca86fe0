"""The incomplete beta function: its continued fraction, and its derivative by x."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.batching import defbroadcasting
from minijax.core.forward import constant, defjvp
from minijax.core.primitives import add, exp, log, mul, naryop, neg, sub, through_float32
from minijax.lax.special.error_functions import log1p, no_derivative
from minijax.lax.special.gammas import lgamma, numpy_lgamma
from minijax.lax.special.incomplete_gamma import in_simpler, iterate


def _term(n: int, a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The n-th numerator of the continued fraction, DLMF 8.17.22; each denominator is 1."""
    number = a.dtype.type
    m = number((n - 1) // 2)
    if n == 1:
        return np.ones_like(x)
    end = a + number(2) * m
    if n % 2:
        return m * (b - m) * x / ((end - number(1)) * end)
    return -(a + m) * (a + b + m) * x / (end * (end + number(1))) if m else (
        -(a + b) * x / (a + number(1))
    )


def _continued_fraction(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """By Lentz' method (Numerical Recipes, 5.2)."""
    number = a.dtype.type
    tiny = number(np.finfo(a.dtype).eps / 2)

    def step(n: int, value: np.ndarray, c: np.ndarray, d: np.ndarray) -> tuple:
        term = _term(n, a, b, x)
        c, d = (number(1) + part for part in (term / c, term * d))
        c, d = (np.where(np.abs(part) < tiny, tiny, part) for part in (c, d))
        d = number(1) / d
        return (value * (c * d), c, d), np.abs(c * d - number(1)) >= tiny

    start, all_of_them = np.full_like(x, tiny), np.ones(x.shape, bool)
    limit = 199 if a.dtype == np.float32 else 599
    return iterate(step, (start, start, np.zeros_like(x)), all_of_them, limit)[0]


def _numpy_betainc(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The fraction converges for a small x; else 1 - betainc(b, a, 1 - x), DLMF 8.17.4."""
    a, b, x = np.broadcast_arrays(a, b, x)
    number = a.dtype.type
    at_zero, at_one = (a == 0) | (b == np.inf), (b == 0) | (a == np.inf)
    wrong = (a < 0) | (b < 0) | (x < 0) | (x > 1) | (at_zero & at_one)
    wrong = wrong | np.isnan(a) | np.isnan(b) | np.isnan(x)
    is_small = x < (a + number(1)) / (a + b + number(2))
    first, second = np.where(is_small, a, b), np.where(is_small, b, a)
    place = np.where(is_small, x, number(1) - x)
    log_rest = np.log1p(-place) * second - (numpy_lgamma(second) - numpy_lgamma(first + second))
    log_factor = np.log(place) * first + log_rest - numpy_lgamma(first)
    is_tiny = first < 2 * np.finfo(a.dtype).tiny  # there first * gamma(first) is 1
    factor = np.where(is_tiny, np.exp(log_rest), np.exp(log_factor) / first)
    value = _continued_fraction(first, second, place) * factor
    value = np.where(is_small, value, number(1) - value)
    value = np.where((at_one & (x != 1)) | (at_zero & (x == 0)), 0, value)
    value = np.where((at_zero & (x != 0)) | (at_one & (x == 1)), 1, value)
    return np.where(wrong, np.nan, value).astype(a.dtype)


regularized_incomplete_beta_p = naryop(
    "regularized_incomplete_beta", [np.floating], through_float32(_numpy_betainc)
)
defbroadcasting(regularized_incomplete_beta_p)
register_lowering(regularized_incomplete_beta_p, template="betainc_{t}({0}, {1}, {2})")
simpler_programs[regularized_incomplete_beta_p] = in_simpler("betainc")


def betainc(a: Any, b: Any, x: Any) -> Any:
    """The incomplete beta function, regularized: the integral of t**(a - 1) * (1 - t)**(b - 1)
    for t from 0 to x, over that from 0 to 1. Of floats of one dtype; NaN where a or b is negative
    or x is not between 0 and 1. It has a derivative by x, and none by a and b (ValueError).

    >>> round(float(betainc(2.0, 3.0, 0.5)), 4)
    0.6875
    """
    return regularized_incomplete_beta_p.bind(a, b, x)


def _betainc_jvp(g: Any, a: Any, b: Any, x: Any) -> Any:
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
    log_slope = add(
        mul(sub(b, constant(b, 1)), log1p(neg(x))), mul(sub(a, constant(a, 1)), log(x))
    )
    return mul(exp(sub(log_slope, log_beta)), g)


defjvp(
    regularized_incomplete_beta_p, no_derivative("lax.betainc", "a", ValueError),
    no_derivative("lax.betainc", "b", ValueError), _betainc_jvp,
)  # fmt: skip
