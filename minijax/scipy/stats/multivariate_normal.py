"""The normal distribution of vectors, by their mean and the covariances of their elements. (Kotz,
Balakrishnan and Johnson, Continuous multivariate distributions, 2000, chapter 45.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.arguments import check_arraylike, check_broadcast
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def logpdf(x: Any, mean: Any, cov: Any, allow_singular: None = None) -> Any:
    """The logarithm of the density at the vectors x, along the last axis.

    `mean` is a vector, and `cov` a symmetric positive matrix, or a number: the variance of each
    element. Of a mean that is a number, x is numbers, and so is the result. NaN where cov isn't
    positive. NotImplementedError if allow_singular is given, ValueError where the shapes don't fit.

    >>> round(float(pdf(numpy.zeros(2), numpy.zeros(2), numpy.eye(2))), 4)
    0.1592
    """
    if allow_singular is not None:
        raise NotImplementedError(
            "multivariate_normal.logpdf takes no singular cov. Leave allow_singular out."
        )
    return _logpdf("multivariate_normal.logpdf", x, mean, cov)


def pdf(x: Any, mean: Any, cov: Any) -> Any:
    """The density at the vectors x; see `logpdf`."""
    return lax.exp(_logpdf("multivariate_normal.pdf", x, mean, cov))


def _logpdf(name: str, x: Any, mean: Any, cov: Any) -> Any:
    check_arraylike(name, x, mean, cov)
    x, mean, cov = map(numpy.asarray, promote_dtypes_inexact(x, mean, cov))
    check_broadcast(name, [x.shape, mean.shape], ValueError)
    away = x - mean
    if not mean.ndim:
        return -0.5 * numpy.square(away) / cov - 0.5 * (math.log(2 * math.pi) + lax.log(cov))
    size = mean.shape[-1]
    if not cov.ndim:
        square = numpy.vecdot(away, away)
        return -0.5 * square / cov - size / 2 * (math.log(2 * math.pi) + lax.log(cov))
    if cov.shape[-2:] != (size, size):
        got = f"cov of the shape {cov.shape} for a mean of {size} elements"
        raise ValueError(f"{name} got {got}. Give a square matrix of as many rows, or a number.")
    factor = numpy.linalg.cholesky(cov)
    shape = numpy.broadcast_shapes(away.shape[:-1], cov.shape[:-2])
    factors = numpy.broadcast_to(factor, (*shape, size, size))
    columns = numpy.broadcast_to(away, (*shape, size))[..., None]
    scaled = lax.linalg.triangular_solve(factors, columns, left_side=True, lower=True)[..., 0]
    half_log_det = numpy.sum(lax.log(numpy.diagonal(factor, axis1=-2, axis2=-1)), -1)
    return -0.5 * numpy.vecdot(scaled, scaled) - size / 2 * math.log(2 * math.pi) - half_log_det


guard(sys.modules[__name__])
