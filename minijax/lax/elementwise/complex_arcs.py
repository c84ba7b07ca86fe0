"""Inverses of the sine, the tangent and their like of complex numbers, as arithmetic of parts.

Of sines and cosines by the roots of 1 - x and 1 + x, whose parts are combined without a cancelled
digit (Kahan, Branch cuts for complex elementary functions, 1987); what leaves the range there, by
the asymptotes (Hull, Fairgrieve and Tang, ACM Trans. Math. Softw. 23, 1997). On a cut the sign of
a zero says the side, as in C's and NumPy's functions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.special_cases.complex_pairs import Pair, register_pairs
from minijax.core.primitives import add, div, gt, log, mul, neg, select, sub
from minijax.lax.elementwise.arithmetic import abs, ge, ne
from minijax.lax.elementwise.bits import bitwise_or
from minijax.lax.elementwise.complex_rules import (
    is_inf,
    is_zero,
    like,
    logarithm,
    parts_of_root,
    product,
    quotient,
    scaled,
    size,
    spread_pairs,
    square_root,
    turned,
    with_sign,
    without_nan,
)
from minijax.lax.elementwise.trigonometry import (
    acos_p,
    acosh_p,
    asin_p,
    asinh,
    asinh_p,
    atan2,
    atan2_p,
    atan_p,
    atanh_p,
)
from minijax.lax.special.error_functions import log1p


def _is_far(x: Pair) -> Any:
    """Whether 1 is nothing beside the number, also beside one with an infinite part."""
    large, _ = scaled(x)
    return ge(large, like(large, 1 / np.finfo(large.aval.dtype).eps))


# Sine and cosine.


class _Roots(NamedTuple):
    """Of a number x + iy, the parts' sizes of the roots of 1 - x - iy and of 1 + x + iy; whether it
    is far; and the size of the imaginary part of its arcsine."""

    minus: Pair
    plus: Pair
    is_far: Any
    height: Any


def _upper_root(re: Any, im: Any) -> Pair:
    large, small = parts_of_root(Pair(re, im))
    is_left = gt(like(re, 0), re)
    return Pair(select(is_left, small, large), select(is_left, large, small))


def _roots(x: Pair) -> _Roots:
    one, y, is_far = like(x.re, 1), abs(x.im), _is_far(x)
    minus, plus = _upper_root(sub(one, x.re), y), _upper_root(add(one, x.re), y)
    near = add(mul(minus.re, plus.im), mul(minus.im, plus.re))
    # asinh(s) is log(2 s), so far out. A quarter of the size is in range.
    far = size(Pair(*(mul(part, like(part, 0.25)) for part in x)))
    height = asinh(select(is_far, far, near))
    height = add(height, select(is_far, like(one, np.log(4)), like(one, 0)))
    return _Roots(minus, plus, is_far, height)


def arcsine(x: Pair) -> Pair:
    minus, plus, is_far, height = _roots(x)
    beside = add(mul(minus.re, plus.re), mul(minus.im, plus.im))
    re = atan2(x.re, select(is_far, abs(x.im), beside))
    return Pair(without_nan(x.re, re), with_sign(height, x.im))


def arccosine(x: Pair) -> Pair:
    minus, plus, is_far, height = _roots(x)
    y, one = abs(x.im), like(x.re, 1)
    angle = atan2(select(is_far, y, minus.re), select(is_far, x.re, plus.re))
    re = mul(angle, select(is_far, one, like(one, 2)))
    re = select(is_zero(x.re), like(one, np.pi / 2), re)
    return Pair(re, neg(with_sign(height, x.im)))


def hyperbolic_arccosine(x: Pair) -> Pair:
    """The arccosine, turned to the right half of the plane."""
    angle = arccosine(x)
    return Pair(abs(angle.im), with_sign(angle.re, x.im))


# Tangent.


def hyperbolic_arctangent(x: Pair) -> Pair:
    """log1p(4 re / |1 - x|**2) / 4 and half the angle of 1 - |x|**2 + 2 i im, of |re| and |im|.

    Near 1 the quotient may leave the range: there it is a sum of logarithms.
    """
    re, im, one = abs(x.re), abs(x.im), like(x.re, 1)
    away = Pair(sub(re, one), im)
    large, ratio = scaled(away)
    rest = mul(ratio, ratio)
    growth = div(div(mul(div(re, large), like(re, 4)), add(one, rest)), large)
    is_close = gt(growth, like(growth, 1 / np.finfo(growth.aval.dtype).eps))
    close = sub(sub(log(mul(re, like(re, 4))), log1p(rest)), mul(log(large), like(re, 2)))
    size = mul(select(is_close, close, log1p(growth)), like(re, 0.25))
    size = select(bitwise_or(is_inf(re), is_inf(im)), like(re, 0), size)

    below_one = sub(mul(sub(one, re), add(one, re)), mul(im, im))
    angle = mul(atan2(mul(im, like(im, 2)), below_one), like(im, 0.5))
    angle = select(_is_far(x), like(im, np.pi / 2), angle)
    angle = select(ne(im, im), im, angle)
    return Pair(without_nan(x.re, with_sign(size, x.re)), with_sign(angle, x.im))


def angle(x: Pair, y: Pair) -> Pair:
    """-i log((y + i x) / sqrt(x**2 + y**2)), the interpreter's."""
    x, y = spread_pairs(x, y)
    zero, one = like(x.re, 0), like(x.re, 1)
    turned_x, squares = product(Pair(zero, one), x), zip(product(x, x), product(y, y), strict=True)
    point = Pair(add(y.re, turned_x.re), add(y.im, turned_x.im))
    root = square_root(Pair(*(add(*parts) for parts in squares)))
    return product(Pair(neg(zero), neg(one)), logarithm(quotient(point, root)))


_rules = {
    asin_p: arcsine, acos_p: arccosine, acosh_p: hyperbolic_arccosine,
    asinh_p: turned(arcsine, lambda y: Pair(y.im, neg(y.re))),
    atanh_p: hyperbolic_arctangent,
    atan_p: turned(hyperbolic_arctangent, lambda y: Pair(y.im, neg(y.re))),
    atan2_p: angle,
}  # fmt: skip
for _primitive, _rule in _rules.items():
    register_pairs(_primitive, arithmetic=_rule, costly=True)
