"""The gamma function, its logarithm and its derivatives, and what is counted with it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.core.forward import jvp
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_integer, known_value
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_args
from minijax.scipy.special.operands import special_function, strong


@special_function
def gammaln(x: Any) -> Any:
    """The logarithm of the gamma function's absolute value."""
    return lax.lgamma(x)


@special_function
def digamma(x: Any) -> Any:
    """The derivative of gammaln."""
    return lax.digamma(x)


@special_function(refuses_complex=ValueError, keeps_weak_type=False)
def gammasgn(x: Any) -> Any:
    """The sign of the gamma function: 1 or -1, and NaN at whole numbers below 0.

    >>> gammasgn(np.array([0.5, -0.5, -1.5]))
    Array([ 1., -1.,  1.], dtype=float32)
    """
    return lax.stop_gradient(_sign(x))


def _sign(x: Any) -> Any:
    floor = numpy.floor(x)
    is_pole = ((x < 0) & (x == floor)) | (x == -math.inf)
    is_minus = ((x < 0) & (numpy.mod(floor, 2) != 0)) | ((x == 0) & numpy.signbit(x))
    sign = numpy.where(is_pole, math.nan, numpy.where(is_minus, -1.0, 1.0))
    return numpy.where(numpy.isnan(x), math.nan, sign).astype(x.dtype)


@special_function(refuses_complex=None, keeps_weak_type=False)
def gamma(x: Any) -> Any:
    """The gamma function, of real and of complex numbers: (x - 1)! for whole ones from 1.

    >>> round(float(gamma(5.0)))
    24
    """
    if issubdtype(typeof(x).dtype, np.complexfloating):
        return numpy.exp(_log_of_complex(x))
    return lax.stop_gradient(_sign(x)) * numpy.exp(lax.lgamma(x))


@special_function(refuses_complex=None)
def loggamma(x: Any) -> Any:
    """The logarithm of the gamma function: of real numbers NaN below 0, and where it is a pole.

    Of complex numbers it is the branch that is continuous but for a cut along the reals below 0.

    >>> round(complex(loggamma(1j)).real, 4)
    -0.6509
    """
    if issubdtype(typeof(x).dtype, np.complexfloating):
        return _log_of_complex(x)
    return numpy.where(x > 0, lax.lgamma(numpy.where(x > 0, x, 1)), numpy.full_like(x, math.nan))


# Stirling's series, DLMF 5.11.1: B_2k / (2k (2k - 1)), for which 1 / z**(2k - 1) is small.
_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip
_SHIFT = 8


def _stirling_rest(z: Any) -> Any:
    """What is left of log gamma(z) after (z - 1/2) log(z) - z + log(2 pi) / 2, for large z."""
    square = 1 / (z * z)
    total = lax.full_like(z, 0)
    for c in _STIRLING[::-1]:
        total = total * square + c
    return total / z


def _log_of_complex(z: Any) -> Any:
    """Moved by `_SHIFT` to where Stirling's series is exact; on the left by reflection.

    gamma(z) gamma(1 - z) = pi / sin(pi z), DLMF 5.5.3. In the upper half of the plane the
    logarithm of that sine is -i pi (z - 1/2) - log(2) + log(1 - exp(2 pi i z)), without a jump.
    """
    is_lower = lax.imag(z) < 0
    upper = numpy.where(is_lower, numpy.conj(z), z)
    is_left = lax.real(upper) < 0.5
    right = numpy.where(is_left, 1 - upper, upper)
    far = right + _SHIFT
    out = (far - 0.5) * numpy.log(far) - far + 0.5 * math.log(2 * math.pi) + _stirling_rest(far)
    for k in range(_SHIFT):
        out = out - numpy.log(right + k)
    left = numpy.where(is_left, upper, 0.25 + 0j)
    wave = numpy.log(1 - numpy.exp(2j * math.pi * left))
    sine = wave - 1j * math.pi * (left - 0.5) - math.log(2)
    out = numpy.where(is_left, math.log(math.pi) - sine - out, out)
    return numpy.where(is_lower, numpy.conj(out), out)


# Beta functions and incomplete ones.


@special_function
def betaln(a: Any, b: Any) -> Any:
    """The logarithm of the absolute value of the beta function."""
    return _log_beta(a, b)


def _log_beta(a: Any, b: Any) -> Any:
    """Of large operands by Stirling's series, of whose terms all that cancel are left out."""
    small, large = numpy.minimum(a, b), numpy.maximum(a, b)
    plain = lax.lgamma(small) + lax.lgamma(large) - lax.lgamma(small + large)
    is_far = (large > 20) & (small > 0) & (large < math.inf)
    p, q = numpy.where(is_far, small, 1), numpy.where(is_far, large, 20)
    both = p + q
    share = _stirling_rest(q) - _stirling_rest(both) - (q - 0.5) * numpy.log1p(p / q)
    is_both = p > 20
    r = numpy.where(is_both, p, 20)
    of_both = (
        (r - 0.5) * numpy.log(r / (r + q)) - 0.5 * numpy.log(r + q)
        + 0.5 * math.log(2 * math.pi) + _stirling_rest(r)
    )  # fmt: skip
    of_one = lax.lgamma(p) - p * numpy.log(both) + p
    return numpy.where(is_far, share + numpy.where(is_both, of_both, of_one), plain)


@special_function(refuses_complex=ValueError)
def beta(a: Any, b: Any) -> Any:
    """The beta function, gamma(a) * gamma(b) / gamma(a + b).

    >>> round(float(beta(2.0, 3.0)), 4)
    0.0833
    """
    signs = lax.stop_gradient(_sign(a) * _sign(b) * _sign(a + b))
    return signs * numpy.exp(_log_beta(a, b))


@special_function
def betainc(a: Any, b: Any, x: Any) -> Any:
    """The regularized incomplete beta function: from 0 at x = 0 to 1 at x = 1."""
    a, b, x = numpy.broadcast_arrays(a, b, x)
    return lax.betainc(a, b, x)


@special_function
def gammainc(a: Any, x: Any) -> Any:
    """The regularized lower incomplete gamma function: from 0 at x = 0 to 1 at infinity."""
    return lax.igamma(*numpy.broadcast_arrays(a, x))


@special_function
def gammaincc(a: Any, x: Any) -> Any:
    """1 - gammainc(a, x), without loss where that is near 1."""
    return lax.igammac(*numpy.broadcast_arrays(a, x))


@special_function
def multigammaln(a: Any, d: Any) -> Any:
    """The logarithm of the gamma function of d dimensions, d an integer that is not traced.

    It is the sum of gammaln(a - j / 2) for j from 0 to d - 1, and d (d - 1) / 4 * log(pi).
    """
    name = "scipy.special.multigammaln"
    known = float(np.asarray(known_value(name, "d", d)))
    if known != int(known):
        raise ValueError(f"{name} takes an integer as d, and got {known}. Give an int.")
    halves = np.arange(int(known)).astype(a.dtype) / 2
    total = numpy.sum(lax.lgamma(numpy.expand_dims(a, -1) - halves), axis=-1)
    return strong(total + (known * (known - 1) / 4) * math.log(math.pi))


# What is counted.


def factorial(n: Any, exact: bool = False) -> Any:
    """n!, as floats: gamma(n + 1), and 0 for negative n. NotImplementedError for `exact`.

    >>> round(float(factorial(4)))
    24
    """
    if exact:
        raise NotImplementedError(
            "scipy.special.factorial counts in floats. Leave `exact` out, or use math.factorial."
        )
    (n,) = promote_args("scipy.special.factorial", n, inexact=True)
    return numpy.where(n < 0, numpy.zeros_like(n), numpy.exp(lax.lgamma(n + 1)))


def comb(N: Any, k: Any, *, repetition: bool = False) -> Any:
    """In how many ways k of N things are chosen, as floats; with `repetition`, any one again.

    0 where k is below 0 or above N.

    >>> round(float(comb(5, 2)))
    10
    """
    N, k = promote_args("scipy.special.comb", N, k, inexact=True)
    if repetition:
        N = N + k - 1
    is_none = (k < 0) | (N < 0) | (k > N)
    N, k = numpy.where(is_none, 1, N), numpy.where(is_none, 1, k)
    ways = numpy.exp(-_log_beta(N - k + 1, k + 1)) / (N + 1)
    return numpy.where(is_none, numpy.zeros_like(ways), ways)


@special_function
def poch(z: Any, m: Any) -> Any:
    """Pochhammer's symbol, gamma(z + m) / gamma(z): z (z + 1) ... (z + m - 1) for whole m.

    >>> round(float(poch(2.0, 3.0)))
    24
    """
    return _poch(z, m)


@custom_jvp
def _poch(z: Any, m: Any) -> Any:
    """Where z is a pole, and z + m is one too, reflected: (-1)**m gamma(1 - z) / gamma(1 - z - m).

    Where only z is one, it is 0.
    """
    end = z + m
    is_pole, ends_in_pole = (z <= 0) & (z == numpy.floor(z)), (end <= 0) & (end == numpy.floor(end))
    is_reflected = is_pole & ends_in_pole
    first = numpy.where(is_reflected, 1 - end, numpy.where(is_pole, 1, z))
    last = numpy.where(is_reflected, 1 - z, numpy.where(is_pole, 1, end))
    size = numpy.exp(lax.lgamma(last) - lax.lgamma(first)) * _sign(last) * _sign(first)
    sign = numpy.where(is_reflected & (numpy.mod(m, 2) != 0), -1, 1)
    ratio = numpy.where(ends_in_pole & ~is_pole, math.inf, sign * size)
    ratio = numpy.where(is_pole & ~ends_in_pole, 0, ratio)
    return numpy.where(m == 0, numpy.ones_like(ratio), ratio)


_poch.defjvps(
    lambda g, ans, z, m: g * ans * (lax.digamma(z + m) - lax.digamma(z)),
    lambda g, ans, z, m: g * ans * lax.digamma(z + m),
)


def bernoulli(n: int) -> Any:
    """Bernoulli's numbers from 0 to n, of which the first is -1/2.

    They are made of exact fractions, by the sums that DLMF 24.5.3 has.

    >>> bernoulli(3)
    Array([ 1.        , -0.5       ,  0.16666667,  0.        ], dtype=float32)
    """
    n = known_integer("scipy.special.bernoulli", "n", n)
    if n < 0:
        raise ValueError(f"scipy.special.bernoulli takes an n from 0, and got {n}. Give another.")
    numbers = [Fraction(1)]
    for m in range(1, n + 1):
        is_zero = m > 1 and m % 2
        terms = (math.comb(m + 1, k) * b for k, b in enumerate(numbers) if b)
        numbers.append(Fraction(0) if is_zero else -sum(terms) / (m + 1))
    return numpy.array(list(map(_as_float, numbers)), dtype=canonicalize_dtype(float))


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


# Derivatives of digamma, and the sums that they are.


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, for integers n. TypeError for what is no number.

    >>> round(float(polygamma(1, 1.0)), 5)
    1.64493
    """
    name = "scipy.special.polygamma"
    check_arraylike(name, n, x)
    if not issubdtype(typeof(n).dtype, np.integer):
        raise ValueError(f"{name} takes integers as n, and got {shown(n)}. Convert them.")
    n, x = numpy.broadcast_arrays(*promote_args(name, n, x, inexact=True))
    return lax.polygamma(n, x)


def zeta(x: Any, q: Any = None) -> Any:
    """Hurwitz' zeta function, the sum of (q + k)**-x over k from 0 on, for x above 1.

    NotImplementedError without `q`, as in JAX: q = 1 makes it Riemann's.

    >>> round(float(zeta(2.0, 1.0)), 5)
    1.64493
    """
    if q is None:
        raise NotImplementedError(
            "scipy.special.zeta is Hurwitz', which needs q. Give q=1 for Riemann's."
        )
    x, q = promote_args("scipy.special.zeta", x, q, inexact=True)
    return _zeta(*numpy.broadcast_arrays(x, q))


_zeta = custom_jvp(lambda x, q: lax.zeta(x, q))


def _zeta_sum(x: Any, q: Any) -> Any:
    """The sum as Euler and Maclaurin have it: some terms, an integral, and what is between.

    DLMF 2.10.1. (It is here for its derivative by x.)
    """
    first = 10
    total = sum(numpy.exp(-x * numpy.log(q + k)) for k in range(first))
    end = q + first
    power = numpy.exp(-x * numpy.log(end))
    total = total + power * (end / (x - 1) + 0.5)
    term = x * power / end
    for k, c in enumerate(_EULER_MACLAURIN):
        total = total + c * term
        term = term * (x + 2 * k + 1) * (x + 2 * k + 2) / (end * end)
    return total


# B_2k / (2k)!
_EULER_MACLAURIN = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000,
)  # fmt: skip


def _zeta_by_x(g: Any, ans: Any, x: Any, q: Any) -> Any:
    return jvp(lambda x: _zeta_sum(x, q), (x,), (g,))[1]


_zeta.defjvps(_zeta_by_x, lambda g, ans, x, q: g * -x * _zeta(x + 1, q))
