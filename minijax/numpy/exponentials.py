"""Near 0 and far from it, exponentials and logarithms need forms of their own to keep digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import fill
from minijax.core.tracing import typeof
from minijax.lax.custom_rules import custom_jvp
from minijax.numpy.promotion import promote_args


def log1p(x: Any, /) -> Any:
    """log(1 + x), as floats, exact for small x.

    >>> log1p(np.float32(1e-10))
    Array(1.e-10, dtype=float32)
    """
    return lax.log1p(*promote_args("jnp.log1p", x, inexact=True))


def expm1(x: Any, /) -> Any:
    """exp(x) - 1, as floats, exact for small x."""
    return lax.expm1(*promote_args("jnp.expm1", x, inexact=True))


# The logarithm of a sum is the larger one's, and what the smaller one adds to that.


def _wrap_between(x: Any, bound: float) -> Any:
    """An angle, from -bound to bound."""
    two = constant(x, 2 * bound)
    rest = lax.rem(lax.add(x, constant(x, bound)), two)
    rest = lax.select(lax.lt(rest, constant(x, 0)), lax.add(rest, two), rest)
    return lax.sub(rest, constant(x, bound))


def _complex_sum(x1: Any, x2: Any, larger: Any, log1p_exp: Callable, half_turn: float) -> Any:
    delta = lax.sub(lax.add(x1, x2), lax.mul(larger, constant(larger, 2)))
    out = lax.add(larger, log1p_exp(delta))
    return lax.complex(lax.real(out), _wrap_between(lax.imag(out), half_turn))


def _no_infinity(x: Any) -> Any:
    """x, with 0 for infinity: a difference of infinities is no number."""
    real = lax.real(x) if issubdtype(typeof(x).dtype, np.complexfloating) else x
    return lax.select(lax.eq(real, constant(real, math.inf)), fill(typeof(x), 0), x)


def _log_of_sum(name: str, exp: Callable, log1p_exp: Callable, half_turn: float) -> custom_jvp:
    def log_of_sum(x1: Any, x2: Any) -> Any:
        larger = lax.max(x1, x2)
        if issubdtype(typeof(x1).dtype, np.complexfloating):
            return _complex_sum(x1, x2, larger, log1p_exp, half_turn)
        delta = lax.sub(x1, x2)
        alike, total = lax.ne(delta, delta), lax.add(x1, x2)  # infinities of one sign, or NaN
        return lax.select(alike, total, lax.add(larger, log1p_exp(lax.neg(lax.abs(delta)))))

    def rule(primals: tuple, tangents: tuple) -> tuple:
        out = fun(*primals)
        first, second = (
            lax.mul(t, exp(lax.sub(_no_infinity(x), _no_infinity(out))))
            for x, t in zip(primals, tangents, strict=True)
        )
        return out, lax.add(first, second)

    log_of_sum.__name__, rule.__name__ = name, f"_{name}_jvp"
    fun = custom_jvp(log_of_sum)
    fun.defjvp(rule)
    return fun


def _log2_1p_exp2(x: Any) -> Any:
    return lax.mul(constant(x, 1 / math.log(2)), lax.log1p(lax.exp2(x)))


_logaddexp = _log_of_sum("logaddexp", lax.exp, lambda x: lax.log1p(lax.exp(x)), math.pi)
_logaddexp2 = _log_of_sum("logaddexp2", lax.exp2, _log2_1p_exp2, math.pi / math.log(2))


def logaddexp(x1: Any, x2: Any, /) -> Any:
    """log(exp(x1) + exp(x2)), which overflows only where the result does.

    >>> logaddexp(1000.0, 1000.0)
    Array(1000.6931, dtype=float32, weak_type=True)
    """
    return _logaddexp(*promote_args("jnp.logaddexp", x1, x2, inexact=True))


def logaddexp2(x1: Any, x2: Any, /) -> Any:
    """log2(exp2(x1) + exp2(x2)), which overflows only where the result does."""
    return _logaddexp2(*promote_args("jnp.logaddexp2", x1, x2, inexact=True))
