"""Special functions under SciPy's names: what `lax` has, with NumPy's promotion before it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.custom.derivatives import custom_jvp
from minijax.numpy.arguments import Axis, canonical_axes
from minijax.numpy.promotion import promote_args

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "expit", "gammaln", "logit", "logsumexp", "xlog1py",
    "xlogy",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def _promoting(name: str, fun: Callable, doc: str) -> Callable:
    """A function of one number, an array or a number of any real dtype."""

    def special(x: Any) -> Any:
        return fun(*promote_args(f"scipy.special.{name}", x, inexact=True))

    special.__name__ = special.__qualname__ = name
    special.__doc__ = doc
    return special


erf = _promoting("erf", lax.erf, "The error function: 2 / sqrt(pi) * the integral of exp(-t**2).")
erfc = _promoting("erfc", lax.erfc, "1 - erf(x), without loss for large x.")
erfinv = _promoting("erfinv", lax.erf_inv, "The y with erf(y) = x.")
gammaln = _promoting("gammaln", lax.lgamma, "The logarithm of the gamma function's absolute value.")
digamma = _promoting("digamma", lax.digamma, "The derivative of gammaln.")
expit = _promoting("expit", lax.logistic, "1 / (1 + exp(-x)).")


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


def logsumexp(
    a: Any, axis: Axis = None, b: Any = None, keepdims: bool = False, return_sign: bool = False,
    where: Any = None,
) -> Any:  # fmt: skip
    """log(sum(b * exp(a))) over some axes, or all, without overflow on the way. b is 1 by default.

    Where the sum is negative, NaN, or with `return_sign` the pair of the logarithm of its absolute
    value and its sign. What `where` does not mark is left out.

    >>> logsumexp(np.array([1000.0, 0.0], np.float32))
    Array(1000., dtype=float32)
    """
    if where is not None:
        a = numpy.where(where, a, 0)
    if b is None:
        (a,) = promote_args("logsumexp", a, inexact=True)
    else:
        a, b = promote_args("logsumexp", a, b, inexact=True)
        a = numpy.where(b != 0, a, -np.inf)
    aval = typeof(a)
    is_complex = issubdtype(aval.dtype, np.complexfloating)
    axes = canonical_axes("logsumexp", axis, aval.ndim)
    real = lax.real(a) if is_complex else a
    largest = numpy.max(real, axis=axes, keepdims=keepdims, where=where, initial=-np.inf)
    finite = lax.select(numpy.isfinite(largest), largest, lax.full_like(largest, 0))
    largest = lax.stop_gradient(finite)
    spread = largest if keepdims else lax.expand_dims(largest, axes)
    powers = lax.exp(lax.sub(a, numpy.astype(spread, aval.dtype)))
    powers = powers if b is None else lax.mul(powers, b)
    total = numpy.sum(powers, axis=axes, keepdims=keepdims, where=where)
    sign = lax.sign(total)
    size = lax.abs(total) if return_sign or not is_complex else total
    out = lax.add(lax.log(size), numpy.astype(largest, typeof(size).dtype))
    if return_sign:
        return out, sign
    if b is not None and not is_complex:
        out = numpy.where(sign < 0, numpy.array(np.nan, dtype=typeof(out).dtype), out)
    return out


guard(sys.modules[__name__])
