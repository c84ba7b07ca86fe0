"""The logistic distribution, with `cdf` 1 / (1 + exp(-x)). (Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 2, 1995, chapter 23.)"""

from __future__ import annotations

import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import logit
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["cdf", "isf", "logpdf", "pdf", "ppf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x.

    >>> round(float(pdf(0.0)), 4)
    0.25
    """
    half = (x - loc) / scale / 2
    return -2 * numpy.logaddexp(half, -half) - lax.log(scale)


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return lax.logistic((x - loc) / scale)


@on_floats
def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies above x."""
    return lax.logistic((loc - x) / scale)


@on_floats
def ppf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The number below which the share x lies: the inverse of `cdf`."""
    return logit(x) * scale + loc


@on_floats
def isf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The number above which the share x lies: the inverse of `sf`."""
    return -logit(x) * scale + loc


guard(sys.modules[__name__])
