"""Integrals with names: of exponentials over powers, of a logarithm, and of the normal density in
a wedge."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.lax.custom.derivatives import custom_jvp
from minijax.numpy.promotion import promote_args
from minijax.scipy.special.operands import polynomial, special_function, strong

# Exponential integrals.


@special_function(refuses_complex=ValueError, keeps_weak_type=False)
def exp1(x: Any) -> Any:
    """The integral of exp(-t) / t from x to infinity; NaN below 0.

    >>> round(float(exp1(1.0)), 6)
    0.219384
    """
    return _expn(lax.full_like(x, 1), x)


def expn(n: Any, x: Any) -> Any:
    """The integral of exp(-x t) / t**n over t from 1 on, for whole n from 0; NaN for others.

    >>> round(float(expn(2, 1.0)), 4)
    0.1485
    """
    n, x = promote_args("scipy.special.expn", n, x, inexact=True)
    return strong(_expn(*numpy.broadcast_arrays(lax.stop_gradient(n), x)))


_SERIES, _LEVELS = 28, 56


@custom_jvp
def _expn(n: Any, x: Any) -> Any:
    """A power series near 0, DLMF 8.19.8; a continued fraction from 1.5 on, DLMF 8.19.17."""
    is_near = x < 1.5
    near = numpy.where(is_near & (x > 0), x, 1)
    order = numpy.where(n > 0, n, 1)
    total, term = lax.full_like(x, 0), lax.full_like(x, 1)
    last = term  # (-x)**(n - 1) / (n - 1)!
    for k in range(_SERIES):
        is_last = order - 1 == k
        last = numpy.where(is_last, term, last)
        total = total - numpy.where(is_last, 0, term / numpy.where(is_last, 1, k + 1 - order))
        term = term * -near / (k + 1)
    last = numpy.where(order > _SERIES, 0, last)
    series = total + last * (lax.digamma(order) - numpy.log(near))

    far = numpy.where(is_near, 1.5, numpy.where(x < math.inf, x, 1.5))
    level = far + (order + 2 * _LEVELS)
    for k in range(_LEVELS, 0, -1):
        level = far + (order + 2 * (k - 1)) - k * (order + k - 1) / level
    fraction = numpy.exp(-far) / level

    out = numpy.where(is_near, series, fraction)
    at_0 = numpy.where(n > 1, 1 / (numpy.maximum(n, 2) - 1), math.inf)
    out = numpy.where(x == 0, at_0, numpy.where(x == math.inf, 0, out))
    out = numpy.where(n == 0, numpy.exp(-x) / x, out)
    is_defined = (x >= 0) & (n >= 0) & (n == numpy.floor(n))
    return numpy.where(is_defined, out, numpy.full_like(out, math.nan))


def _expn_by_x(g: Any, ans: Any, n: Any, x: Any) -> Any:
    """-expn(n - 1, x), and for n = 0 the derivative of exp(-x) / x."""
    at_0 = -numpy.exp(-x) * (x + 1) / (x * x)
    return g * numpy.where(n == 0, at_0, -_expn(numpy.maximum(n - 1, 0), x))


_expn.defjvps(None, _expn_by_x)


@special_function(refuses_complex=ValueError, keeps_weak_type=False)
def expi(x: Any) -> Any:
    """The integral of exp(t) / t from -infinity to x; above 0 its principal value.

    >>> round(float(expi(1.0)), 5)
    1.89512
    """
    return _expi(x)


_ASYMPTOTIC = 40.0


@custom_jvp
def _expi(x: Any) -> Any:
    """Below 0, -exp1(-x). Above, a power series (DLMF 6.6.2) up to 40, where exp(x) / x * the sum
    of k! / x**k (DLMF 6.12.2) is exact."""
    below = -_expn(lax.full_like(x, 1), numpy.maximum(-x, 0))
    near = numpy.clip(x, 1e-30, _ASYMPTOTIC)

    def add_term(k: Any, sums: tuple) -> tuple:
        total, term = sums
        place = k.astype(x.dtype)
        term = term * near / place
        return total + term / place, term

    start = lax.full_like(x, 0), lax.full_like(x, 1)
    total, _ = lax.fori_loop(1, 140, add_term, start)
    near_sum = np.euler_gamma + numpy.log(near) + total
    far = numpy.where((x > _ASYMPTOTIC) & (x < math.inf), x, _ASYMPTOTIC)
    tail = lax.full_like(x, 1)
    for k in range(38, 0, -1):
        tail = 1 + k / far * tail
    far_sum = numpy.where(x == math.inf, math.inf, numpy.exp(far) / far * tail)
    out = numpy.where(x > _ASYMPTOTIC, far_sum, near_sum)
    out = numpy.where(x > 0, out, numpy.where(x == 0, -math.inf, below))
    return numpy.where(numpy.isnan(x), x, out)


_expi.defjvps(lambda g, ans, x: g * numpy.exp(x) / x)

# Of a logarithm.


@special_function(only_wide=True, keeps_weak_type=False)
def spence(x: Any) -> Any:
    """Spence's function, -1 times the integral of log(t) / (t - 1) from 1 to x; NaN below 0.

    >>> round(float(spence(0.0)), 5)
    1.64493
    """
    return _spence(x)


# B_2k / (2k + 1)!
_DILOGARITHM = (
    1 / 36, -1 / 3600, 1 / 211680, -1 / 10886400, 1 / 526901760, -691 / 16999766784000,
    1 / 1120863744000, -3617 / 181400588328960000, 43867 / 97072790126247936000,
)  # fmt: skip


@custom_jvp
def _spence(x: Any) -> Any:
    """The sum of B_k u**(k + 1) / (k + 1)! with u = -log(x), for x from 1/2 to 2.

    Elsewhere by the reflections of DLMF 25.12.4 and 25.12.6, of 1 / x and of 1 - x.
    """
    is_high = x > 2
    inner = numpy.where(is_high, 1 / numpy.where(is_high, x, 2), numpy.where(x < 0, 1, x))
    is_low = inner < 0.5
    u = -numpy.log(numpy.where(is_low, 1 - inner, inner))
    square = u * u
    value = u * (1 - u / 4 + square * polynomial(square, _DILOGARITHM[::-1]))
    log = numpy.log(numpy.where(inner > 0, inner, 1))
    value = numpy.where(is_low, math.pi**2 / 6 + log * u - value, value)
    value = numpy.where(is_high, -log * log / 2 - value, value)
    value = numpy.where(x == math.inf, -math.inf, value)
    return numpy.where(x < 0, numpy.full_like(value, math.nan), value)


def _spence_slope(g: Any, ans: Any, x: Any) -> Any:
    """-log(x) / (x - 1), and near 1 its power series."""
    y = x - 1
    is_near = numpy.abs(y) < 0.05
    near = numpy.where(is_near, y, 0)
    series = -polynomial(-near, [1 / k for k in range(14, 0, -1)])
    far = numpy.where(is_near, 1, y)
    return g * numpy.where(is_near, series, -numpy.log(numpy.where(is_near, 2, x)) / far)


_spence.defjvps(_spence_slope)

# Of the normal density in a plane.


@special_function(refuses_complex=ValueError, keeps_weak_type=False)
def owens_t(h: Any, a: Any) -> Any:
    """Owen's T: the chance that X > h and 0 < Y < a X, of two independent normal numbers.

    >>> round(float(owens_t(0.0, 1.0)), 6)
    0.125
    """
    return _owens_t(*numpy.broadcast_arrays(h, a))


@cache
def _gauss_points() -> tuple[list[float], list[float]]:
    """Where between 0 and 1 a function is looked at, and with which weights."""
    points, weights = np.polynomial.legendre.leggauss(32)
    return ((points + 1) / 2).tolist(), (weights / 2).tolist()


def _wedge(h: Any, a: Any) -> Any:
    """The integral of exp(-h**2 (1 + t**2) / 2) / (1 + t**2) over t from 0 to a, at most 1.

    Gauss' rule; it goes to where the integrand is below 1e-17 of its value at 0.
    """
    end = numpy.minimum(a, 9 / numpy.maximum(h, 9))
    square = h * h / 2
    total = lax.full_like(h, 0)
    for point, weight in zip(*_gauss_points(), strict=True):
        t = end * point
        total = total + weight * numpy.exp(-square * t * t) / (1 + t * t)
    return end * numpy.exp(-square) * total / (2 * math.pi)


@custom_jvp
def _owens_t(h: Any, a: Any) -> Any:
    """For a above 1, T(h, a) = (P + Q - 2 P Q) / 4 - T(a h, 1 / a), where P and Q are erfc of h and
    a h over sqrt(2). (Owen, Tables for computing bivariate normal probabilities, 1956.)"""
    size, slope = numpy.abs(h), numpy.abs(a)
    is_steep = slope > 1
    far = numpy.where(size == 0, 0, slope * size)
    flat = numpy.where(is_steep, 1 / numpy.where(is_steep, slope, 1), slope)
    inner = _wedge(numpy.where(is_steep, far, size), flat)
    p, q = (lax.erfc(x * math.sqrt(0.5)) / 2 for x in (size, far))
    at_0 = numpy.arctan(slope) / (2 * math.pi)
    steep = (p + q) / 2 - p * q - numpy.where(far == math.inf, 0, inner)
    value = numpy.where(size == 0, at_0, numpy.where(is_steep, steep, inner))
    value = numpy.where(size == math.inf, 0, value)
    return numpy.where(numpy.isnan(h + a), h + a, numpy.copysign(value, a))


_owens_t.defjvps(
    lambda g, ans, h, a: (
        -g * lax.erf(a * h * math.sqrt(0.5)) * numpy.exp(-h * h / 2) / math.sqrt(8 * math.pi)
    ),
    lambda g, ans, h, a: g * numpy.exp(-h * h * (1 + a * a) / 2) / (2 * math.pi * (1 + a * a)),
)
