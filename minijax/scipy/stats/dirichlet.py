"""Dirichlet's distribution of shares that sum to 1, with density prod(x**(alpha - 1)) / B(alpha).
(Kotz, Balakrishnan and Johnson, Continuous multivariate distributions, 2000, chapter 49.)"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.scipy.special import xlogy

__all__ = ["logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def logpdf(x: Any, alpha: Any) -> Any:
    """The logarithm of the density at x, whose first axis has the shares.

    `alpha` has a number above 0 for each share. x may leave the last share out, which is what the
    others leave. -inf where a share isn't above 0, or they don't sum to 1. ValueError for other
    shapes, TypeError for complex numbers.

    >>> round(float(pdf(numpy.array([0.5, 0.5]), numpy.array([2.0, 2.0]))), 4)
    1.5
    """
    return _logpdf("dirichlet.logpdf", x, alpha)


def pdf(x: Any, alpha: Any) -> Any:
    """The density at x; see `logpdf`."""
    return lax.exp(_logpdf("dirichlet.pdf", x, alpha))


def _logpdf(name: str, x: Any, alpha: Any) -> Any:
    check_arraylike(name, x, alpha)
    x, alpha = map(numpy.asarray, promote_dtypes_inexact(x, alpha))
    if issubdtype(x.dtype, np.complexfloating):
        raise TypeError(f"{name} takes real numbers, and got {x.dtype}. Give floats.")
    if alpha.ndim != 1:
        got = f"one of the shape {alpha.shape}"
        raise ValueError(f"{name} takes a row as alpha, and got {got}. Use jax.vmap for several.")
    count = alpha.shape[0]
    if not x.ndim or x.shape[0] not in (count, count - 1):
        got = f"x of the shape {x.shape} for {count} numbers of alpha"
        raise ValueError(f"{name} got {got}. Give x a first axis of as many, or of one less.")
    if x.shape[0] == count - 1:
        x = numpy.concatenate([x, 1 - numpy.sum(x, 0, keepdims=True)])
    size = numpy.sum(lax.lgamma(alpha)) - lax.lgamma(numpy.sum(alpha))
    powers = numpy.expand_dims(alpha - 1, tuple(range(1, x.ndim)))
    out = numpy.sum(xlogy(powers, x), 0) - size
    are_shares = numpy.all(x > 0, 0) & (abs(numpy.sum(x, 0) - 1) < 1e-6)
    return numpy.where(are_shares, out, -math.inf)


guard(sys.modules[__name__])
