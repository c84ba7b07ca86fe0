"""The normal distribution: its density, and how much of it lies below a number."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.promotion import promote_args

__all__ = ["cdf", "logpdf", "pdf", "sf"]
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

    By erf in the middle and erfc outside, as Cephes' ndtr has it, so that no digits are lost.

    >>> cdf(0.0)
    Array(0.5, dtype=float32)
    """
    x, loc, scale = promote_args("norm.cdf", x, loc, scale, inexact=True)
    deviations = lax.div(lax.sub(x, loc), scale)
    t = cast(deviations, typeof(deviations).dtype)
    middle = constant(t, np.sqrt(0.5))
    t = lax.mul(t, middle)
    size = lax.abs(t)
    is_inside, inside = lax.lt(size, middle), lax.add(constant(t, 1), lax.erf(t))
    is_above, above = lax.gt(t, constant(t, 0)), lax.sub(constant(t, 2), lax.erfc(size))
    outside = lax.select(is_above, above, lax.erfc(size))
    return lax.mul(constant(t, 0.5), lax.select(is_inside, inside, outside))


def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the normal distribution lies above x; see `cdf`."""
    x, loc, scale = promote_args("norm.sf", x, loc, scale, inexact=True)
    return cdf(lax.neg(x), lax.neg(loc), scale)


guard(sys.modules[__name__])
