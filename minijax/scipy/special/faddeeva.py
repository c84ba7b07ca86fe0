"""Faddeeva's function w(z) = exp(-z**2) erfc(-iz), and what it is along two lines.

J. A. C. Weideman, Computation of the complex error function, SIAM J. Numer. Anal. 31 (1994): for
z in the upper half of the plane, with Z = (L + iz) / (L - iz), of size up to 1,

    w(z) = 2 P(Z) / (L - iz)**2 + (1 / sqrt(pi)) / (L - iz).

The coefficients of P are those of a Fourier series, which `_coefficients` sums.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.scipy.special.operands import polynomial, special_function

TERMS = 44  # the last of them are below 1e-16
SCALE = math.sqrt(TERMS / math.sqrt(2))
ROOT_PI = math.sqrt(math.pi)


@cache
def _coefficients() -> tuple[float, ...]:
    """P's, the lowest first: the n-th is the mean of f(t) cos(n theta) over a circle."""
    points = 4 * TERMS
    theta = np.pi * np.arange(1 - points, points) / points
    t = SCALE * np.tan(theta / 2)
    f = np.exp(-(t**2)) * (SCALE**2 + t**2)
    waves = np.cos(np.multiply.outer(np.arange(1, TERMS + 1), theta))
    return tuple(((waves * f).sum(1) / (2 * points)).tolist())


@special_function(refuses_complex=None, keeps_weak_type=False)
def wofz(z: Any) -> Any:
    """Faddeeva's function exp(-z**2) * erfc(-i * z), complex also of real numbers.

    >>> round(complex(wofz(1.0)).imag, 4)
    0.6072
    """
    wide = typeof(z).dtype in (np.float64, np.complex128)
    return _wofz(lax.convert_element_type(z, np.complex128 if wide else np.complex64))


@custom_jvp
def _wofz(z: Any) -> Any:
    """Below the real axis, w(z) = 2 exp(-z**2) - w(-z)."""
    is_below = lax.lt(lax.imag(z), lax.full_like(lax.imag(z), 0))
    above = lax.select(is_below, -z, z)
    size = SCALE - 1j * above
    fraction = (SCALE + 1j * above) / size
    w = 2 * polynomial(fraction, _coefficients()[::-1]) / (size * size) + (1 / ROOT_PI) / size
    w = lax.select(numpy.isinf(above), lax.full_like(w, 0), w)
    safe = lax.select(is_below, z, lax.full_like(z, 0))
    return lax.select(is_below, 2 * numpy.exp(-safe * safe) - w, w)


_wofz.defjvps(lambda g, ans, z: g * (2j / ROOT_PI - 2 * z * ans))


@special_function(refuses_complex=None, keeps_weak_type=False)
def erfcx(x: Any) -> Any:
    """exp(x**2) * erfc(x), which neither overflows nor vanishes for large x.

    >>> round(float(erfcx(10.0)), 6)
    0.056141
    """
    if issubdtype(typeof(x).dtype, np.complexfloating):
        return _wofz(1j * x)
    return _erfcx(x)


@custom_jvp
def _erfcx(x: Any) -> Any:
    """w along the imaginary axis, where all is real; below 0, 2 exp(x**2) - erfcx(-x)."""
    size = numpy.abs(x)
    up, down = SCALE + size, SCALE - size
    fraction = lax.select(size < math.inf, down / up, lax.full_like(x, -1))
    value = 2 * polynomial(fraction, _coefficients()[::-1]) / up / up + (1 / ROOT_PI) / up
    return lax.select(x < 0, 2 * numpy.exp(lax.min(x, lax.full_like(x, 0)) ** 2) - value, value)


_erfcx.defjvps(lambda g, ans, x: g * (2 * x * ans - 2 / ROOT_PI))


@special_function(refuses_complex=ValueError, keeps_weak_type=False)
def dawsn(x: Any) -> Any:
    """Dawson's integral, exp(-x**2) times the integral of exp(t**2) from 0 to x.

    >>> round(float(dawsn(1.0)), 6)
    0.53808
    """
    return _dawsn(x)


@custom_jvp
def _dawsn(x: Any) -> Any:
    """The imaginary part of w along the real axis.

    There Z turns through an angle whose sine and cosine are fractions of x, and P's part is a sum
    of sines of its multiples, which Clenshaw's rule sums.
    """
    size = numpy.abs(x)
    is_large = size > 1e9  # there it is 1 / (2 * x), and squares might overflow
    x_safe = lax.select(is_large, lax.full_like(x, 1), x)
    square = SCALE**2 + x_safe * x_safe
    sine, cosine = 2 * SCALE * x_safe / square, (SCALE**2 - x_safe * x_safe) / square
    later = last = lax.full_like(x, 0)
    for c in _coefficients()[::-1]:
        last, later = c + 2 * cosine * last - later, last
    value = (ROOT_PI * last * sine + x_safe / 2) / square
    return lax.select(is_large, 0.5 / lax.select(is_large, x, lax.full_like(x, 1)), value)


_dawsn.defjvps(lambda g, ans, x: g * (1 - 2 * x * ans))
