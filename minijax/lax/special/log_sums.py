"""The logarithm of a sum of two exponentials, without overflow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import add, eq, exp, fill, mul, neg, select, sub
from minijax.core.primitives import max as lax_max
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.elementwise.arithmetic import abs, lt, ne, rem
from minijax.lax.elementwise.complex_numbers import complex as complex_number
from minijax.lax.elementwise.complex_numbers import imag as imag_part
from minijax.lax.elementwise.complex_numbers import real as real_part
from minijax.lax.elementwise.trigonometry import exp2
from minijax.lax.special.error_functions import log1p


def wrap_between(x: Any, bound: float) -> Any:
    """An angle, from -bound to bound."""
    two = constant(x, 2 * bound)
    rest = rem(add(x, constant(x, bound)), two)
    rest = select(lt(rest, constant(x, 0)), add(rest, two), rest)
    return sub(rest, constant(x, bound))


def _complex_sum(x1: Any, x2: Any, larger: Any, log1p_exp: Callable, half_turn: float) -> Any:
    delta = sub(add(x1, x2), mul(larger, constant(larger, 2)))
    out = add(larger, log1p_exp(delta))
    return complex_number(real_part(out), wrap_between(imag_part(out), half_turn))


def _no_infinity(x: Any) -> Any:
    """x, with 0 for infinity: a difference of infinities is no number."""
    real = real_part(x) if issubdtype(typeof(x).dtype, np.complexfloating) else x
    return select(eq(real, constant(real, math.inf)), fill(typeof(x), 0), x)


def _log_of_sum(name: str, exp: Callable, log1p_exp: Callable, half_turn: float) -> custom_jvp:
    def log_of_sum(x1: Any, x2: Any) -> Any:
        larger = lax_max(x1, x2)
        if issubdtype(typeof(x1).dtype, np.complexfloating):
            return _complex_sum(x1, x2, larger, log1p_exp, half_turn)
        delta = sub(x1, x2)
        alike, total = ne(delta, delta), add(x1, x2)  # infinities of one sign, or NaN
        return select(alike, total, add(larger, log1p_exp(neg(abs(delta)))))

    def rule(primals: tuple, tangents: tuple) -> tuple:
        out = fun(*primals)
        first, second = (
            mul(t, exp(sub(_no_infinity(x), _no_infinity(out))))
            for x, t in zip(primals, tangents, strict=True)
        )
        return out, add(first, second)

    log_of_sum.__name__, rule.__name__ = name, f"_{name}_jvp"
    fun = custom_jvp(log_of_sum)
    fun.defjvp(rule)
    return fun


def _log2_1p_exp2(x: Any) -> Any:
    return mul(constant(x, 1 / math.log(2)), log1p(exp2(x)))


logaddexp = _log_of_sum("logaddexp", exp, lambda x: log1p(exp(x)), math.pi)
logaddexp2 = _log_of_sum("logaddexp2", exp2, _log2_1p_exp2, math.pi / math.log(2))
