"""The gamma function's logarithm, its derivatives, and the zeta function that these come to."""

from __future__ import annotations

import math

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.xla_numbers import (
    BERNOULLI,
    LANCZOS,
    LANCZOS_G,
    LANCZOS_START,
    multiply_add,
)
from minijax.core.batching import defbroadcasting
from minijax.core.forward import constant, defjvp
from minijax.core.primitives import add, binary, mul, naryop, through_float32
from minijax.lax.special.error_functions import no_derivative, special_function
from minijax.lax.special.xla_float32 import log, log1p

# Lanczos' approximation (xla_numbers.py). Each step is rounded in the dtype of x, as in XLA, whose
# errors are ours then.


def _reflected(x: np.ndarray) -> np.ndarray:
    """z, for gamma(z + 1): x - 1, and below 1/2 that of the point opposite, 1 - x."""
    return np.where(x < 0.5, -x, x - x.dtype.type(1))


def _lanczos_series(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The series, and its derivative."""
    number = z.dtype.type
    value, slope = number(LANCZOS_START), number(0)
    for n, coefficient in enumerate(LANCZOS, start=1):
        place = z + number(n)
        slope = slope - number(coefficient) / (place * place)
        value = value + number(coefficient) / place
    return value, slope


def _log_t(z: np.ndarray) -> np.ndarray:
    """log(z + 7.5)."""
    number = z.dtype.type
    return number(math.log(LANCZOS_G + 0.5)) + log1p(z * number(1 / (LANCZOS_G + 0.5)))


def numpy_lgamma(x: np.ndarray) -> np.ndarray:
    """Of float32 or float64."""
    number = x.dtype.type
    z = _reflected(x)
    log_t, (series, _) = _log_t(z), _lanczos_series(z)
    factor = z + number(0.5) - (z + number(LANCZOS_G + 0.5)) / log_t
    value = multiply_add(factor, log_t, number(math.log(2 * math.pi) / 2)) + log(series)
    # gamma(x) * gamma(1 - x) is pi / sin(pi x); the sine of x's distance to a whole number.
    rest = np.abs(x) - np.floor(np.abs(x))
    distance = np.where(rest > 0.5, 1 - rest, rest).astype(x.dtype)
    log_sine = log(np.sin(number(math.pi) * distance))
    opposite = np.where(
        np.isfinite(log_sine), number(math.log(math.pi)) - log_sine - value, -log_sine
    )
    return np.where(np.isinf(x), number(np.inf), np.where(x < 0.5, opposite, value))


def numpy_digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of what `numpy_lgamma` computes, of float32 or float64."""
    number = x.dtype.type
    z = _reflected(x)
    series, slope = _lanczos_series(z)
    value = _log_t(z) + slope / series - number(LANCZOS_G) / (z + number(LANCZOS_G + 0.5))
    angle = number(math.pi) * (x + np.abs(np.floor(x + number(0.5))))
    opposite = value - number(math.pi) * np.cos(angle) / np.sin(angle)
    is_pole = (x <= 0) & (x == np.floor(x))
    return np.where(is_pole, number(np.nan), np.where(x < 0.5, opposite, value))


# Hurwitz' zeta function, the sum of 1 / (q + n)**x over n = 0, 1, 2, ...: ten terms, and for the
# others Euler and Maclaurin's formula. (DLMF 25.11.28; its coefficients are B_2k / (2k)!.)


def _tail(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """What follows the ten terms, over a**-x, where a is q + 10."""
    number = x.dtype.type
    inverse, value = number(1) / (a * a), number(0)
    for k in range(11, 0, -1):
        value = inverse * (number(BERNOULLI[k]) + value)
        value = value * ((x + number(2 * k)) * (x + number(2 * k - 1)))
    return number(0.5) + x / a * (number(BERNOULLI[0]) + value) + a / (x - number(1))


def numpy_zeta(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Of float32 or float64."""
    number = x.dtype.type
    value = number(0)
    for n in range(10):
        value = value + np.power(q + number(n), -x)
    a = q + number(10)
    value = value + np.power(a, -x) * _tail(x, a)
    is_pole, is_whole = (q <= 0) & (q == np.floor(q)), x == np.floor(x)
    value = np.where((x < 1) | ((q <= 0) & ~is_whole), np.nan, value)
    value = np.where(is_pole, np.where(is_whole & (np.fmod(x, 2) == 0), np.inf, np.nan), value)
    return np.where(x == 1, np.inf, value).astype(x.dtype)


def numpy_polygamma(m: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(-1)**(m + 1) * m! * zeta(m + 1, x), for m = 1, 2, 3, ... (DLMF 25.11.12.)"""
    order = m + m.dtype.type(1)
    sign = 2 * np.fmod(m, 2) - 1
    value = sign * np.exp(numpy_lgamma(order)) * numpy_zeta(order, x)
    value = np.where(m == 0, numpy_digamma(x), value)
    return np.where((m < 0) | (m != np.floor(m)), np.nan, value).astype(x.dtype)


# The primitives.

lgamma_p, lgamma = special_function(
    "lgamma", numpy_lgamma, "The logarithm of the gamma function's size, of floats."
)
register_lowering(lgamma_p, template="lgamma_{t}({0})")
defjvp(lgamma_p, lambda g, x: mul(g, digamma(x)))

digamma_p, digamma = special_function(
    "digamma", numpy_digamma, "The derivative of lgamma, of floats: NaN at 0, -1, -2, ..."
)
register_lowering(digamma_p, template="digamma_{t}({0})")
defjvp(digamma_p, lambda g, x: mul(g, polygamma(constant(x, 1), x)))

polygamma_p = naryop("polygamma", [np.floating], through_float32(numpy_polygamma))
defbroadcasting(polygamma_p)
register_lowering(polygamma_p, template="polygamma_{t}({0}, {1})")
polygamma = binary(polygamma_p, "The derivative of digamma of order m at x; NaN for other m.")


defjvp(
    polygamma_p, no_derivative("lax.polygamma", "m", ValueError),
    lambda g, m, x: mul(g, polygamma(add(m, constant(m, 1)), x)),
)  # fmt: skip

zeta_p = naryop("zeta", [np.floating], through_float32(numpy_zeta))
defbroadcasting(zeta_p)
register_lowering(zeta_p, template="zeta_{t}({0}, {1})")
zeta = binary(zeta_p, "Hurwitz' zeta function, the sum of (q + n)**-x over n = 0, 1, 2, ...")
defjvp(zeta_p, no_derivative("lax.zeta", "x"), no_derivative("lax.zeta", "q"))
