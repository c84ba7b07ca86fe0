"""The gamma function's logarithm, its derivatives, and the zeta function that these come to.

What lax/special/gammas.py has NumPy compute, step by step, each rounded by itself. A docstring says
how far a result may be from NumPy's in float32, and in float64, in ulp of the largest of the terms
that it is made of: tests/compiler/maths/test_beside_numpy.py measures it.
"""

from __future__ import annotations

import math

import numpy as np

from minijax.compiler.maths.as_xla import exp, log, log1p, multiply_add
from minijax.compiler.maths.elementary import infinity, not_a_number, with_sign
from minijax.compiler.maths.precisions import Pair, publish, real
from minijax.compiler.maths.special import cos_near, exactly, pi as pi_high, pi_low, power, sin_near
from minijax.compiler.maths.xla_numbers import BERNOULLI, LANCZOS, LANCZOS_G, LANCZOS_START

pi, log_pi, log_root_2_pi = math.pi, math.log(math.pi), math.log(2 * math.pi) / 2
lanczos_g, g_and_half, series_start = LANCZOS_G, LANCZOS_G + 0.5, LANCZOS_START
log_g_and_half, one_over_g_and_half = math.log(g_and_half), 1 / g_and_half
series_terms = Pair(*(np.array(LANCZOS, t) for t in real))


@exactly
def sine_and_cosine(angle):
    """Of an angle up to a quarter turn, on both sides."""
    a = abs(angle)
    rest = (0.5 * pi_high - a) + 0.5 * pi_low
    is_small = a < 0.78
    s, c = sin_near(a if is_small else rest), cos_near(a if is_small else rest)
    return with_sign(s if is_small else c, angle), c if is_small else s


# Lanczos' approximation: of z, for gamma(z + 1).


@exactly
def reflected(x):
    """x - 1; below 1/2 that of the point opposite, 1 - x."""
    return -x if x < 0.5 else x - 1.0


@exactly
def lanczos(z):
    """The series, and its derivative."""
    value, slope, n = series_start, 0.0, 1.0
    for c in series_terms:
        place = z + n
        slope = slope - c / (place * place)
        value = value + c / place
        n = n + 1.0
    return value, slope


@exactly
def log_t(z):
    """log(z + 7.5)."""
    return log_g_and_half + log1p(z * one_over_g_and_half)


@exactly
def lgamma(x):
    """The logarithm of the gamma function's size. Errors: 1 and 5 ulp."""
    z = reflected(x)
    t = log_t(z)
    series, _ = lanczos(z)
    factor = z + 0.5 - (z + g_and_half) / t
    value = multiply_add(factor, t, log_root_2_pi) + log(series)
    # gamma(x) * gamma(1 - x) is pi / sin(pi x); the sine of x's distance to a whole number.
    rest = abs(x) - np.floor(abs(x))
    sine, _ = sine_and_cosine(pi * (1.0 - rest if rest > 0.5 else rest))
    log_sine = log(sine)
    opposite = log_pi - log_sine - value if abs(log_sine) < infinity else -log_sine
    value = opposite if x < 0.5 else value
    return infinity if abs(x) == infinity else value


@exactly
def digamma(x):
    """The derivative of lgamma. Errors: 3 and 3 ulp."""
    z = reflected(x)
    series, slope = lanczos(z)
    value = log_t(z) + slope / series - lanczos_g / (z + g_and_half)
    sine, cosine = sine_and_cosine(pi * (x + abs(np.floor(x + 0.5))))
    value = value - pi * cosine / sine if x < 0.5 else value
    return not_a_number if x <= 0.0 and x == np.floor(x) else value


# Hurwitz' zeta function.

from_0_to_9 = Pair(*(np.arange(10, dtype=t) for t in real))
first_bernoulli = BERNOULLI[0]
other_bernoulli = Pair(*(np.array(BERNOULLI[:0:-1], t) for t in real))


@exactly
def zeta_tail(x, a):
    """What follows the ten terms, over a**-x, where a is q + 10."""
    inverse, value, n = 1.0 / (a * a), 0.0, 22.0
    for b in other_bernoulli:
        value = inverse * (b + value)
        value = value * ((x + n) * (x + (n - 1.0)))
        n = n - 2.0
    return 0.5 + x / a * (first_bernoulli + value) + a / (x - 1.0)


@exactly
def zeta(x, q):
    """The sum of (q + n)**-x over n = 0, 1, 2, ... Errors: 3 and 4 ulp."""
    is_whole = x == np.floor(x)
    is_even = is_whole and np.floor(0.5 * x) == 0.5 * x and abs(x) < infinity
    value = 0.0
    for n in from_0_to_9:
        size = power(abs(q + n), -x)
        value = value + (size if q + n > 0.0 or is_even else -size)
    a = q + 10.0
    size = power(abs(a), -x)
    value = value + (size if a > 0.0 or is_even else -size) * zeta_tail(x, a)
    value = not_a_number if x < 1.0 or (q <= 0.0 and not is_whole) else value
    at_pole = infinity if is_even else not_a_number
    value = at_pole if q <= 0.0 and q == np.floor(q) else value
    return infinity if x == 1.0 else value


@exactly
def polygamma(m, x):
    """The derivative of digamma of order m. Errors: 3 and 7 ulp."""
    order = m + 1.0
    sign = -1.0 if np.floor(0.5 * m) == 0.5 * m else 1.0
    value = sign * exp(lgamma(order)) * zeta(order, x)
    value = digamma(x) if m == 0.0 else value
    return not_a_number if m < 0.0 or m != np.floor(m) or m == infinity else value


publish(globals())
