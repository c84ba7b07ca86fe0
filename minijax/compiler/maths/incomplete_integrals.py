"""Integrals that stop half-way: the incomplete gamma and beta functions, and their derivatives.

What lax/special/incomplete_gamma.py and incomplete_beta.py have NumPy compute, step by step, each
rounded by itself. Here each number has a loop of its own, which ends as soon as it may. Errors are
described as in gamma_functions.py.
"""

from __future__ import annotations

import numpy as np

from minijax.compiler.maths.as_xla import exp, log, log1p, multiply_add
from minijax.compiler.maths.elementary import epsilon, infinity, not_a_number, smallest
from minijax.compiler.maths.gamma_functions import digamma, lgamma
from minijax.compiler.maths.precisions import floats, integers, publish, real
from minijax.compiler.maths.special import exactly

gap = floats(2.0**-23, 2.0**-52)  # between 1 and the next number
bottom = floats(*(-np.log(np.finfo(t).max) for t in real))  # of what exp makes a number


# The two sums for the gamma function, and their derivatives by a, if `slope` asks for these.


@exactly
def series(a, x, active, slope):
    """The sum of x**n / ((a + 1) ... (a + n)), DLMF 8.11.4."""
    r, term, total, term_dot, total_dot = a, 1.0, 1.0, 0.0, 0.0
    for _ in range(2**18):
        if not active:
            break
        r = r + 1.0
        term_dot = term_dot * (x / r) - (term * x) / (r * r)
        total_dot = total_dot + term_dot
        term = term * (x / r)
        total = total + term
        active = (abs(term_dot / total_dot) if slope else term / total) > gap
    return total, total_dot


@exactly
def fraction(a, x, active, slope):
    """The continued fraction, DLMF 8.9.2. p / q are its convergents."""
    y = 1.0 - a
    z = x + y + 1.0
    p2, q2, p1, q1 = 1.0, x, x + 1.0, z * x
    p2_dot, q2_dot, p1_dot, q1_dot = 0.0, 0.0, 0.0, -x
    value = p1 / q1
    dot = (0.0 - value * q1_dot) / q1
    for n in range(1, 2001):
        if not active:
            break
        c, scale = real(n), z + real(2 * n)
        weight = (y + c) * c
        p, q = p1 * scale - p2 * weight, q1 * scale - q2 * weight
        p_dot = p1_dot * scale - p1 - p2_dot * weight + p2 * c
        q_dot = q1_dot * scale - q1 - q2_dot * weight + q2 * c
        old, old_dot, usable = value, dot, q != 0.0
        value = p / q if usable else old
        dot = (p_dot - value * q_dot) / q if usable else old_dot
        change = abs(dot - old_dot) if slope else abs((old - value) / value)
        active = (change if usable else 1.0) > gap
        factor = gap if abs(p) > 1.0 / gap else 1.0
        p2, q2, p1, q1 = p1 * factor, q1 * factor, p * factor, q * factor
        p2_dot, q2_dot = p1_dot * factor, q1_dot * factor
        p1_dot, q1_dot = p_dot * factor, q_dot * factor
    return value, dot


@exactly
def gamma_factor(a, x):
    """x**a exp(-x) / gamma(a), and whether that is a number above zero."""
    log_factor = multiply_add(a, log(x), -x) - lgamma(a)
    return exp(log_factor), not log_factor < bottom


@exactly
def both_parts(a, x, active, far):
    """P, where it is not 0 or 1, and 1 - P: the one that is not summed is what is left of 1."""
    factor, is_number = gamma_factor(a, x)
    near, _ = series(a, x, active and is_number and not far, False)
    rest, _ = fraction(a, x, active and is_number and far, False)
    near, rest = near * factor / a, rest * factor
    return 1.0 - rest if far else near, rest if far else 1.0 - near


@exactly
def is_wrong(a, x):
    return x < 0.0 or a < 0.0 or (a == 0.0 and x == 0.0) or a != a or x != x


@exactly
def igamma(a, x):
    """The lower incomplete gamma function, over the gamma function of a. Errors: 3 and 5 ulp."""
    wrong, endless = is_wrong(a, x), x == infinity
    active = not wrong and not endless and x != 0.0
    value, _ = both_parts(a, x, active, x >= 1.0 and x > a)
    value = 1.0 if endless else (0.0 if x == 0.0 else value)
    return not_a_number if wrong else value


@exactly
def igammac(a, x):
    """The upper one. Errors: 3 and 5 ulp."""
    wrong, is_nothing = is_wrong(a, x), x == infinity or a == 0.0
    _, value = both_parts(a, x, not wrong and not is_nothing, not (x < 1.0 or x < a))
    return not_a_number if wrong else (0.0 if is_nothing else value)


@exactly
def by_a(a, x):
    """The derivative of P by a; and that of x, for which P stays as it is."""
    factor, is_number = gamma_factor(a, x)
    wrong = x < 0.0 or a <= 0.0 or a != a or x != x
    active, far = is_number and not wrong and x != 0.0, x > 1.0 and x > a
    total, dot = series(a, x, active and not far, True)
    near = dot + total * (log(x) - digamma(a + 1.0))
    total, dot = fraction(a, x, active and far, True)
    rest = dot + total * (log(x) - digamma(a))
    of_p = -(factor * rest) if far else factor / a * near
    of_x = -(-x * rest) if far else -x / a * near
    of_p, of_x = 0.0 if x == 0.0 else of_p, 0.0 if x == 0.0 else of_x
    return not_a_number if wrong else of_p, not_a_number if wrong else of_x


@exactly
def igamma_grad_a(a, x):
    """The derivative of igamma by a. Errors: 3 and 4 ulp."""
    of_p, _ = by_a(a, x)
    return of_p


@exactly
def random_gamma_grad(a, x):
    """The derivative of igamma by a. Errors: 4 and 4 ulp."""
    _, of_x = by_a(a, x)
    return of_x


# The beta function.

most_terms = integers(200, 600)


@exactly
def beta_term(n, a, b, x):
    """The n-th numerator of the continued fraction, DLMF 8.17.22; each denominator is 1."""
    m = real((n - 1) >> 1)
    end = a + 2.0 * m
    if n == 1:
        return real(1.0)
    if n & 1:
        return m * (b - m) * x / ((end - 1.0) * end)
    if n == 2:
        return -(a + b) * x / (a + 1.0)
    return -(a + m) * (a + b + m) * x / (end * (end + 1.0))


@exactly
def beta_fraction(a, b, x, active):
    """By Lentz' method (Numerical Recipes, 5.2)."""
    value, c, d = epsilon, epsilon, 0.0
    for n in range(1, most_terms):
        if not active:
            break
        term = beta_term(n, a, b, x)
        c, d = 1.0 + term / c, 1.0 + term * d
        c = epsilon if abs(c) < epsilon else c
        d = 1.0 / (epsilon if abs(d) < epsilon else d)
        value = value * (c * d)
        active = abs(c * d - 1.0) >= epsilon
    return value


@exactly
def betainc(a, b, x):
    """The incomplete beta function, over that of x = 1. Errors: 3 and 4 ulp.

    The fraction converges for a small x; else 1 - betainc(b, a, 1 - x), DLMF 8.17.4.
    """
    at_zero, at_one = a == 0.0 or b == infinity, b == 0.0 or a == infinity
    wrong = a < 0.0 or b < 0.0 or x < 0.0 or x > 1.0 or (at_zero and at_one)
    wrong = wrong or a != a or b != b or x != x
    is_small = x < (a + 1.0) / (a + b + 2.0)
    first, second = a if is_small else b, b if is_small else a
    place = x if is_small else 1.0 - x
    log_rest = log1p(-place) * second - (lgamma(second) - lgamma(first + second))
    log_factor = log(place) * first + log_rest - lgamma(first)
    is_tiny = first < 2.0 * smallest  # there first * gamma(first) is 1
    factor = exp(log_rest) if is_tiny else exp(log_factor) / first
    active = not wrong and not at_zero and not at_one
    value = beta_fraction(first, second, place, active) * factor
    value = value if is_small else 1.0 - value
    value = 0.0 if (at_one and x != 1.0) or (at_zero and x == 0.0) else value
    value = 1.0 if (at_zero and x != 0.0) or (at_one and x == 1.0) else value
    return not_a_number if wrong else value


publish(globals())
