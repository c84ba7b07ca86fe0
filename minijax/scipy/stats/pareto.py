"""Pareto's distribution, with density b / x**(b + 1) from 1 on. (Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 1, 1994, chapter 20.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.stats.functions import exp_of, is_no_share, on_floats

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, which is -inf below loc + scale.

    >>> round(float(pdf(2.0, 1.0)), 4)
    0.25
    """
    y = (x - loc) / scale
    return numpy.where(x < loc + scale, -math.inf, -(lax.log(scale / b) + (b + 1) * lax.log(y)))


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return numpy.where(x < loc + scale, 0, 1 - ((x - loc) / scale) ** -b)


@on_floats
def logcdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies below x."""
    return numpy.where(x < loc + scale, -math.inf, lax.log1p(-(((x - loc) / scale) ** -b)))


@on_floats
def logsf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies above x."""
    return numpy.where(x < loc + scale, 0, -(b * lax.log((x - loc) / scale)))


sf = exp_of(logsf)


@on_floats
def ppf(q: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x below which the share q lies; NaN where q isn't from 0 to 1."""
    return numpy.where(is_no_share(q), math.nan, loc + scale * (1 - q) ** -(1 / b))


guard(sys.modules[__name__])
