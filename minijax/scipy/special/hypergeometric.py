"""Hypergeometric functions: power series whose neighbouring terms have a fraction as ratio.

Each is summed where its series converges, and brought there from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes

from minijax import lax, numpy
from minijax.core.forward import jvp
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.custom.rule_calls import SymbolicZero
from minijax.scipy.special.gammas import gammasgn
from minijax.scipy.special.operands import special_function

_LIMIT = 20_000


def _series(ratio: Callable, like: Any) -> Any:
    """1 + r_0 + r_0 r_1 + ..., up to where no term counts any more; `ratio` maps k to r_k."""
    smallest = float(ml_dtypes.finfo(like.dtype).eps) / 8

    def goes_on(state: tuple) -> Any:
        k, total, term, grows = state
        counts = numpy.abs(term) > smallest * numpy.abs(total)
        return numpy.any(counts | (grows & (term != 0))) & (k < _LIMIT)

    def add_term(state: tuple) -> tuple:
        k, total, term, _ = state
        factor = ratio(k.astype(like.dtype))
        term = term * factor
        return k + 1, total + term, term, numpy.abs(factor) >= 1

    one = lax.full_like(like, 1)
    start = numpy.int32(0), one, one, lax.full_like(like, True, bool)
    return lax.while_loop(goes_on, add_term, start)[1]


def _is_whole_below_1(x: Any) -> Any:
    return (x <= 0) & (x == numpy.floor(x))


def _reciprocal_gamma(x: Any) -> Any:
    """1 / gamma(x), which is 0 where that is infinite."""
    is_pole = _is_whole_below_1(x)
    safe = numpy.where(is_pole, 1, x)
    return numpy.where(is_pole, 0, lax.stop_gradient(gammasgn(safe)) * numpy.exp(-lax.lgamma(safe)))


def _differentiable(value: Callable, slope_by_x: Callable) -> Callable:
    """`value` with its derivatives: that by its last operand is known; others are its loop's own.

    A loop has no derivative backwards, so nothing is asked of it for an operand that is constant.
    """
    fun = custom_jvp(value)

    def rule(primals: tuple, tangents: tuple) -> tuple:
        last, out_dot = len(primals) - 1, 0.0
        for place, tangent in enumerate(tangents):
            if not isinstance(tangent, SymbolicZero):
                is_last = place == last
                slope = slope_by_x(*primals) if is_last else _slope(value, primals, place)
                out_dot = out_dot + tangent * slope
        return fun(*primals), out_dot

    fun.defjvp(rule, symbolic_zeros=True)
    return fun


def _slope(fun: Callable, operands: tuple, place: int) -> Any:
    """The derivative by one operand, element by element."""

    def of_one(x: Any) -> Any:
        return fun(*operands[:place], x, *operands[place + 1 :])

    x = operands[place]
    return jvp(of_one, (x,), (lax.full_like(x, 1),))[1]


# Kummer's, of the ratio (a + k) x / (b + k) (k + 1).


@special_function(refuses_complex=ValueError)
def hyp1f1(a: Any, b: Any, x: Any) -> Any:
    """Kummer's function M(a, b, x), the sum of (a)_k x**k / (b)_k k!; inf where it is a pole of b.

    Second derivatives by a and b are there in forward mode alone.

    >>> round(float(hyp1f1(1.0, 1.0, 1.0)), 5)
    2.71828
    """
    return _kummer(*numpy.broadcast_arrays(a, b, x))


_FAR, _ASYMPTOTIC_TERMS = 100.0, 30


def _kummer_value(a: Any, b: Any, x: Any) -> Any:
    """Below 0 by M(a, b, x) = exp(x) M(b - a, b, -x), DLMF 13.2.39; far out by DLMF 13.7.2."""
    is_minus = x < 0
    size = numpy.abs(x)
    a = numpy.where(is_minus, b - a, a)
    is_pole = _is_whole_below_1(b) & ~(_is_whole_below_1(a) & (a >= b))
    b = numpy.where(is_pole, 1, b)
    is_far = (size > _FAR) & ~_is_whole_below_1(a)
    near = numpy.where(is_far, 0, size)
    value = _series(lambda k: (a + k) / (b + k) * (near / (k + 1)), size)
    far = numpy.where(is_far, size, _FAR)
    total = term = lax.full_like(size, 1)
    for k in range(_ASYMPTOTIC_TERMS):
        new = term * (b - a + k) * (1 - a + k) / ((k + 1) * far)
        term = numpy.where(numpy.abs(new) < numpy.abs(term), new, 0)
        total = total + term
    log = numpy.where(is_minus, 0, far) + (a - b) * numpy.log(far) + lax.lgamma(b)
    sign = lax.stop_gradient(gammasgn(b))
    at_infinity = sign * numpy.exp(log) * _reciprocal_gamma(a) * total
    value = value * numpy.where(is_minus, numpy.exp(-near), 1)
    value = numpy.where(is_far, at_infinity, value)
    return numpy.where(is_pole, math.inf, value)


_kummer = _differentiable(_kummer_value, lambda a, b, x: a / b * _kummer(a + 1, b + 1, x))

# Gauss', of the ratio (a + k) (b + k) x / (c + k) (k + 1).


@special_function
def hyp2f1(a: Any, b: Any, c: Any, x: Any) -> Any:
    """Gauss' function F(a, b; c; x), the sum of (a)_k (b)_k x**k / (c)_k k!, for x up to 1.

    inf where it is a pole of c, and beyond 1. Second derivatives by a, b and c are there in forward
    mode alone.

    >>> round(float(hyp2f1(1.0, 1.0, 2.0, 0.5)), 5)
    1.38629
    """
    return _gauss(*numpy.broadcast_arrays(a, b, c, x))


def _gauss_series(a: Any, b: Any, c: Any, x: Any) -> Any:
    return _series(lambda k: (a + k) * (b + k) / (c + k) * (x / (k + 1)), x)


def _gauss_value(a: Any, b: Any, c: Any, x: Any) -> Any:
    """Below 0 by Pfaff's transformation, and where c < a + b by Euler's, DLMF 15.8.1; near 1 by
    powers of 1 - x, DLMF 15.8.4.

    Where these have a pole, since c - a - b is whole, the series is summed however long it is. A
    series that ends is summed everywhere.
    """
    ends_at = [_is_whole_below_1(n) & (n >= c) for n in (a, b)]
    is_pole = _is_whole_below_1(c) & ~(ends_at[0] | ends_at[1])
    c = numpy.where(is_pole, 1, c)
    ends = _is_whole_below_1(a) | _is_whole_below_1(b)
    is_minus, is_1, is_beyond = x < 0, (x == 1) & ~ends, (x > 1) & ~ends
    inner = numpy.where(is_beyond | is_1, 0.5, x)
    factor = numpy.where(is_minus, numpy.exp(-a * numpy.log1p(numpy.maximum(-inner, 0))), 1)
    b = numpy.where(is_minus, c - b, b)
    ends = _is_whole_below_1(a) | _is_whole_below_1(b)
    z = numpy.where(is_minus, inner / numpy.where(is_minus, inner - 1, 1), inner)
    rest = c - a - b
    is_turned = (rest < 0) & (z > 0.5) & ~ends
    powers = numpy.exp(rest * numpy.log1p(-numpy.where(is_turned, z, 0)))
    factor = factor * numpy.where(is_turned, powers, 1)
    a, b, rest = (
        numpy.where(is_turned, new, old) for new, old in ((c - a, a), (c - b, b), (-rest, rest))
    )
    ends = _is_whole_below_1(a) | _is_whole_below_1(b)
    is_apart = numpy.abs(rest - numpy.round(rest)) > 0.01
    is_near_1 = (z > 0.9) & is_apart & ~ends
    s, far = numpy.where(is_near_1, rest, 0.5), numpy.where(is_near_1, 1 - z, 0)
    first = _gauss_series(a, b, numpy.where(is_near_1, 1 - s, c), numpy.where(is_near_1, far, z))
    second = _gauss_series(c - a, c - b, 1 + s, far)
    at_1 = _gamma(c) * _gamma(rest) * _reciprocal_gamma(c - a) * _reciprocal_gamma(c - b)
    power = numpy.exp(s * numpy.log(numpy.where(is_near_1, far, 1))) * _gamma(c) * _gamma(-s)
    power = power * _reciprocal_gamma(a) * _reciprocal_gamma(b)
    value = factor * numpy.where(is_near_1, at_1 * first + power * second, first)
    sign = lax.stop_gradient(gammasgn(a) * gammasgn(b) * gammasgn(c))
    value = numpy.where(is_1, numpy.where(rest > 0, at_1, sign * math.inf), value)
    return numpy.where(is_pole | is_beyond, math.inf, value)


def _gamma(x: Any) -> Any:
    return lax.stop_gradient(gammasgn(x)) * numpy.exp(lax.lgamma(x))


_gauss = _differentiable(
    _gauss_value, lambda a, b, c, x: a * b / c * _gauss(a + 1, b + 1, c + 1, x)
)
