"""Logarithms of chances, and their products with chances: 0 where a chance is 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minijax import lax, numpy
from minijax.core.forward import constant
from minijax.lax.custom.derivatives import custom_jvp
from minijax.numpy.promotion import promote_args
from minijax.scipy.special.operands import special_function


@special_function(refuses_complex=None)
def expit(x: Any) -> Any:
    """1 / (1 + exp(-x)), from 0 to 1."""
    return lax.logistic(x)


@custom_jvp
def logit(x: Any) -> Any:
    """log(x / (1 - x)): the inverse of expit."""
    (x,) = promote_args("scipy.special.logit", x, inexact=True)
    return lax.log(lax.div(x, lax.sub(constant(x, 1), x)))


logit.defjvps(lambda g, ans, x: lax.div(g, lax.mul(x, lax.sub(constant(x, 1), x))))

# x log y, which is 0 where x is.


@custom_jvp
def xlogy(x: Any, y: Any) -> Any:
    """x * log(y), and 0 where x is 0.

    >>> xlogy(0.0, 0.0)
    Array(0., dtype=float32, weak_type=True)
    """
    x, y = promote_args("scipy.special.xlogy", x, y, inexact=True)
    return _times(x, y, lax.log)


def _times(x: Any, y: Any, log: Callable) -> Any:
    counts = (x != 0.0) | numpy.isnan(y)
    return numpy.where(counts, lax.mul(x, log(y)), numpy.zeros_like(x))


@xlogy.defjvp
def _xlogy_jvp(primals: tuple, tangents: tuple) -> tuple:
    (x, y), (x_dot, y_dot) = primals, tangents
    result = xlogy(x, y)
    return result, numpy.astype(x_dot * lax.log(y) + y_dot * x / y, result.dtype)


@custom_jvp
def xlog1py(x: Any, y: Any) -> Any:
    """x * log(1 + y), and 0 where x is 0."""
    x, y = promote_args("scipy.special.xlog1py", x, y, inexact=True)
    return _times(x, y, lax.log1p)


@xlog1py.defjvp
def _xlog1py_jvp(primals: tuple, tangents: tuple) -> tuple:
    (x, y), (x_dot, y_dot) = primals, tangents
    result = xlog1py(x, y)
    return result, numpy.astype(x_dot * lax.log1p(y) + y_dot * x / (1 + y), result.dtype)


# Entropies. Outside of their domain they are infinitely bad.


@custom_jvp
def _xlogx(x: Any) -> Any:
    return _times(x, x, lax.log)


_xlogx.defjvps(lambda g, ans, x: g * (lax.log(x) + 1))


@special_function(refuses_complex=ValueError)
def entr(x: Any) -> Any:
    """-x * log(x): what a chance x adds to the entropy. 0 at 0, -inf below.

    >>> entr(1.0)
    Array(-0., dtype=float32, weak_type=True)
    """
    return lax.select(x < 0, lax.full_like(x, -math.inf), -_xlogx(x))


@special_function(refuses_complex=ValueError)
def rel_entr(p: Any, q: Any) -> Any:
    """p * log(p / q): what a chance adds to the entropy of p relative to q. 0 where p is 0.

    inf where p or q is below 0, or q is 0 and p is not.
    """
    both, none = (p > 0) & (q > 0), (p == 0) & (q >= 0)
    p_safe, q_safe = (numpy.where(both, x, 1) for x in (p, q))
    out = _xlogx(p_safe) - xlogy(p_safe, q_safe)
    outside = numpy.where(numpy.isnan(p) | numpy.isnan(q), math.nan, math.inf)
    return numpy.where(both, out, numpy.where(none, numpy.zeros_like(out), outside))


@special_function(refuses_complex=ValueError)
def kl_div(p: Any, q: Any) -> Any:
    """p * log(p / q) - p + q: from 0, which it is where p is q. See `rel_entr`."""
    return rel_entr(p, q) - p + q


# Powers that pass into logarithms.


def _power(name: str, log: Callable, base: str) -> Callable:
    @custom_jvp
    def transformed(x: Any, lmbda: Any) -> Any:
        is_log = lmbda == 0
        power = numpy.where(is_log, 1, lmbda)
        return numpy.where(is_log, log(x), numpy.expm1(power * log(x)) / power)

    def by_power(g: Any, ans: Any, x: Any, lmbda: Any) -> Any:
        """That of (exp(a t) - 1) / a by a; at 0 it is t**2 / 2."""
        t, is_log = log(x), lmbda == 0
        power = numpy.where(is_log, 1, lmbda)
        grown = t * numpy.exp(power * t)
        slope = numpy.where(is_log, t * t / 2, (grown - numpy.expm1(power * t) / power) / power)
        return g * slope

    transformed.defjvps(
        lambda g, ans, x, lmbda: g * numpy.exp((lmbda - 1) * log(x)),
        by_power,
    )

    def box_cox(x: Any, lmbda: Any) -> Any:
        return transformed(x, lmbda)

    box_cox.__name__ = box_cox.__qualname__ = name
    box_cox.__doc__ = (
        f"({base}**lmbda - 1) / lmbda, which is log({base}) where lmbda is 0.\n\n"
        f"    Box and Cox, An analysis of transformations (1964)."
    )
    return special_function(box_cox, refuses_complex=None)


boxcox = _power("boxcox", numpy.log, "x")
boxcox1p = _power("boxcox1p", numpy.log1p, "(1 + x)")
