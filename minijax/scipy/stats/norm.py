"""The normal distribution: its density, and how much of it lies below a number."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.forward import constant
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.promotion import promote_args
from minijax.scipy.special.errors import log_ndtr, ndtri, share_below

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x of numbers with mean `loc` and deviation `scale`.

    The arguments are broadcast; integers become floats. TypeError for what is no number.

    >>> round(float(logpdf(0.0)), 4)
    -0.9189
    """
    x, loc, scale = promote_args("norm.logpdf", x, loc, scale, inexact=True)
    variance = lax.square(scale)
    normalizer = lax.log(lax.mul(constant(variance, 2 * np.pi), variance))
    distance = lax.div(lax.square(lax.sub(x, loc)), variance)
    total = lax.add(normalizer, distance)
    return lax.div(total, constant(total, -2))


def pdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The density at x of numbers with mean `loc` and deviation `scale`; see `logpdf`."""
    return lax.exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the normal distribution lies below x.

    >>> cdf(0.0)
    Array(0.5, dtype=float32)
    """
    x, loc, scale = promote_args("norm.cdf", x, loc, scale, inexact=True)
    return share_below(lax.div(lax.sub(x, loc), scale))


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the normal distribution lies above x; see `cdf`."""
    x, loc, scale = promote_args("norm.sf", x, loc, scale, inexact=True)
    return cdf(lax.neg(x), lax.neg(loc), scale)


def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the normal distribution lies below x, far below as well.

    TypeError for other floats than float32 and float64.

    >>> logcdf(-100.0)
    Array(-5005.5244, dtype=float32)
    """
    x, loc, scale = promote_args("norm.logcdf", x, loc, scale, inexact=True)
    return log_ndtr(lax.div(lax.sub(x, loc), scale))


def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the normal distribution lies above x; see `logcdf`."""
    x, loc, scale = promote_args("norm.logsf", x, loc, scale, inexact=True)
    return log_ndtr(lax.div(lax.sub(loc, x), scale))


def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x below which the share q lies: the inverse of `cdf`.

    TypeError for other floats than float32 and float64.

    >>> ppf(0.5)
    Array(0., dtype=float32)
    """
    q, loc, scale = promote_args("norm.ppf", q, loc, scale, inexact=True)
    return lax.add(lax.mul(ndtri(q), scale), loc)


def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x above which the share q lies; see `ppf`."""
    q, loc, scale = promote_args("norm.isf", q, loc, scale, inexact=True)
    return lax.add(lax.mul(ndtri(lax.sub(constant(q, 1), q)), scale), loc)


guard(sys.modules[__name__])
