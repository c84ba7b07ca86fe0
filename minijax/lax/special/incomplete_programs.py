"""The incomplete gamma and beta functions, and I0, as programs of simpler primitives.

The sums are those of incomplete_gamma.py, incomplete_beta.py and bessel.py, which NumPy and kernels
compute: a loop goes on until no element changes any more. Floats of 16 bits are taken as float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.maths.xla_numbers import I0_FAR, I0_NEAR
from minijax.core.dtypes import is_narrow
from minijax.core.primitives import broadcasting_shape
from minijax.core.tracing import typeof
from minijax.lax.special.xla_float32 import coefficients_of


def of_floats(fun: Callable) -> Callable:
    """Gives the function operands of one shape, and narrow floats as float32."""

    @wraps(fun)
    def wide(*xs: Any) -> Any:
        shape, dtype = broadcasting_shape(fun.__name__, list(map(typeof, xs))), typeof(xs[0]).dtype
        xs = tuple(lax.broadcast_in_dim(x, shape, range(typeof(x).ndim)) for x in xs)
        if not is_narrow(dtype):
            return fun(*xs)
        found = fun(*(lax.convert_element_type(x, np.float32) for x in xs))
        return lax.convert_element_type(found, dtype)

    return wide


def number(x: Any, value: Any) -> Any:
    """A number in the type of an array."""
    return lax.full_like(x, value)


def where(condition: Any, x: Any, y: Any) -> Any:
    """Elements of x or of y, of which one may be a Python number."""
    like = y if isinstance(x, int | float) else x
    x, y = (number(like, z) if isinstance(z, int | float) else z for z in (x, y))
    return lax.select(condition, x, y)


def iterate(step: Callable, state: tuple, active: Any, limit: int) -> tuple:
    """The state of each element when it stops: `step` says how it goes on, and whether to."""
    axes = range(typeof(active).ndim)

    def goes_on(carry: tuple) -> Any:
        count, active, _ = carry
        return lax.bitwise_and(lax.reduce_or(active, axes), lax.lt(count, np.int32(limit)))

    def turn(carry: tuple) -> tuple:
        count, active, state = carry
        count = lax.add(count, np.int32(1))
        new, still = step(count, *state)
        state = tuple(lax.select(active, x, old) for x, old in zip(new, state, strict=True))
        return count, lax.bitwise_and(active, still), state

    return lax.while_loop(goes_on, turn, (np.int32(0), active, state))[2]


# The gamma function's: see incomplete_gamma.py.


def series(a: Any, x: Any, active: Any, slope: bool) -> tuple[Any, Any]:
    """The sum for P, without its factor, and its derivative by a."""
    eps = np.finfo(typeof(a).dtype).eps

    def step(count, r, term, total, term_dot, total_dot):
        r = r + 1
        term_dot = term_dot * (x / r) - (term * x) / (r * r)
        total_dot = total_dot + term_dot
        term = term * (x / r)
        total = total + term
        change = lax.abs(term_dot / total_dot) if slope else term / total
        return (r, term, total, term_dot, total_dot), lax.gt(change, number(a, eps))

    one, zero = number(a, 1), number(a, 0)
    _, _, total, _, total_dot = iterate(step, (a, one, one, zero, zero), active, 2**18)
    return total, total_dot


def fraction(a: Any, x: Any, active: Any, slope: bool) -> tuple[Any, Any]:
    """The continued fraction for 1 - P, without its factor, and its derivative by a."""
    dtype = typeof(a).dtype
    eps = np.finfo(dtype).eps
    y = 1 - a
    z = x + y + 1

    def step(count, value, dot, p1, q1, p2, q2, p1_dot, q1_dot, p2_dot, q2_dot):
        c = number(a, lax.convert_element_type(count, dtype))
        scale = z + 2 * c
        weight = (y + c) * c
        p, q = p1 * scale - p2 * weight, q1 * scale - q2 * weight
        p_dot = p1_dot * scale - p1 - p2_dot * weight + p2 * c
        q_dot = q1_dot * scale - q1 - q2_dot * weight + q2 * c
        usable = lax.ne(q, number(q, 0))
        new = where(usable, p / q, value)
        new_dot = where(usable, (p_dot - new * q_dot) / q, dot)
        change = lax.abs(new_dot - dot) if slope else lax.abs((value - new) / new)
        goes_on = lax.gt(where(usable, change, 1), number(a, eps))
        factor = where(lax.gt(lax.abs(p), number(p, 1 / eps)), number(p, eps), 1)
        rest = (p, q, p1, q1, p_dot, q_dot, p1_dot, q1_dot)
        return (new, new_dot, *(value * factor for value in rest)), goes_on

    one, zero = number(x, 1), number(x, 0)
    p, q, q_dot = x + 1, z * x, -x
    start = p / q
    state = (start, (zero - start * q_dot) / q, p, q, one, x, zero, q_dot, zero, zero)
    return iterate(step, state, active, 2000)[:2]


def gamma_factor(a: Any, x: Any) -> tuple[Any, Any]:
    """x**a exp(-x) / gamma(a), and whether that is a number above zero."""
    log_factor = a * lax.log(x) - x - lax.lgamma(a)
    bottom = -np.log(np.finfo(typeof(a).dtype).max)
    return lax.exp(log_factor), lax.bitwise_not(lax.lt(log_factor, number(a, bottom)))


def both_parts(a: Any, x: Any, active: Any, far: Any) -> tuple[Any, Any]:
    """P, where it is not 0 or 1, and 1 - P."""
    factor, is_number = gamma_factor(a, x)
    active = active & is_number
    near = series(a, x, active & ~far, slope=False)[0] * factor / a
    rest = fraction(a, x, active & far, slope=False)[0] * factor
    return where(far, 1 - rest, near), where(far, rest, 1 - near)


def is_wrong(a: Any, x: Any) -> Any:
    return (x < 0) | (a < 0) | ((a == 0) & (x == 0)) | (a != a) | (x != x)


@of_floats
def igamma(a: Any, x: Any) -> Any:
    wrong, is_inf = is_wrong(a, x), x == np.inf
    value, _ = both_parts(a, x, ~wrong & ~is_inf & (x != 0), (x >= 1) & (x > a))
    return where(wrong, np.nan, where(is_inf, 1, where(x == 0, 0, value)))


@of_floats
def igammac(a: Any, x: Any) -> Any:
    wrong, is_nothing = is_wrong(a, x), (x == np.inf) | (a == 0)
    _, value = both_parts(a, x, ~wrong & ~is_nothing, ~((x < 1) | (x < a)))
    return where(wrong, np.nan, where(is_nothing, 0, value))


def by_a(a: Any, x: Any, near_factor: Callable, far_factor: Callable) -> Any:
    """The derivative of P by a over a factor, which is given for either sum."""
    factor, is_number = gamma_factor(a, x)
    wrong = (x < 0) | (a <= 0) | (a != a) | (x != x)
    active, far = is_number & ~wrong & (x != 0), (x > 1) & (x > a)
    total, dot = series(a, x, active & ~far, slope=True)
    near = near_factor(factor) * (dot + total * (lax.log(x) - lax.digamma(a + 1)))
    total, dot = fraction(a, x, active & far, slope=True)
    rest = far_factor(factor) * (dot + total * (lax.log(x) - lax.digamma(a)))
    return where(wrong, np.nan, where(x == 0, 0, where(far, -rest, near)))


@of_floats
def igamma_grad_a(a: Any, x: Any) -> Any:
    return by_a(a, x, lambda factor: factor / a, lambda factor: factor)


@of_floats
def random_gamma_grad(a: Any, x: Any) -> Any:
    return by_a(a, x, lambda factor: -x / a, lambda factor: -x)


# The beta function's: see incomplete_beta.py.


def beta_term(n: Any, a: Any, b: Any, x: Any) -> Any:
    """The n-th numerator of the continued fraction, for an integer n that is traced."""
    half = lax.shift_right_logical(lax.sub(n, np.int32(1)), np.int32(1))
    m = number(x, lax.convert_element_type(half, typeof(x).dtype))
    end = a + 2 * m
    odd = m * (b - m) * x / ((end - 1) * end)
    even = where(m == 0, -(a + b) * x / (a + 1), -(a + m) * (a + b + m) * x / (end * (end + 1)))
    is_odd = lax.eq(lax.rem(n, np.int32(2)), np.int32(1))
    shape = typeof(x).shape
    one = lax.broadcast(lax.eq(n, np.int32(1)), shape)
    return where(one, 1, lax.select(lax.broadcast(is_odd, shape), odd, even))


def beta_fraction(a: Any, b: Any, x: Any) -> Any:
    dtype = typeof(x).dtype
    tiny = np.finfo(dtype).eps / 2

    def step(n, value, c, d):
        term = beta_term(n, a, b, x)
        c, d = 1 + term / c, 1 + term * d
        c, d = (where(lax.abs(z) < tiny, number(z, tiny), z) for z in (c, d))
        d = 1 / d
        return (value * (c * d), c, d), lax.abs(c * d - 1) >= tiny

    start, everywhere = number(x, tiny), lax.full_like(x, True, np.bool_)
    return iterate(step, (start, start, number(x, 0)), everywhere,
                   199 if dtype == np.float32 else 599)[0]  # fmt: skip


@of_floats
def betainc(a: Any, b: Any, x: Any) -> Any:
    at_zero, at_one = (a == 0) | (b == np.inf), (b == 0) | (a == np.inf)
    wrong = (a < 0) | (b < 0) | (x < 0) | (x > 1) | (at_zero & at_one)
    wrong = wrong | (a != a) | (b != b) | (x != x)
    is_small = x < (a + 1) / (a + b + 2)
    first, second = where(is_small, a, b), where(is_small, b, a)
    place = where(is_small, x, 1 - x)
    log_rest = lax.log1p(-place) * second - (lax.lgamma(second) - lax.lgamma(first + second))
    log_factor = lax.log(place) * first + log_rest - lax.lgamma(first)
    is_tiny = first < 2 * np.finfo(typeof(a).dtype).tiny  # there first * gamma(first) is 1
    factor = where(is_tiny, lax.exp(log_rest), lax.exp(log_factor) / first)
    value = beta_fraction(first, second, place) * factor
    value = where(is_small, value, 1 - value)
    value = where((at_one & (x != 1)) | (at_zero & (x == 0)), 0, value)
    value = where((at_zero & (x != 0)) | (at_one & (x == 1)), 1, value)
    return where(wrong, np.nan, value)


# The Bessel function's: see bessel.py.


def chebyshev(coefficients: str, x: Any) -> Any:
    last = before = current = number(x, 0)
    for c in coefficients_of(coefficients):
        last, before = before, current
        current = x * before - last + number(x, c)
    return (current - last) / 2


@of_floats
def bessel_i0e(x: Any) -> Any:
    size = lax.abs(x)
    near, far = chebyshev(I0_NEAR, size / 2 - 2), chebyshev(I0_FAR, 32 / size - 2)
    return where(size <= 8, near, far / lax.sqrt(size))
