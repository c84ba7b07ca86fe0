"""Gumbel's distribution of the smallest of many, with density exp(x - exp(x)). (Johnson, Kotz and
Balakrishnan, Continuous univariate distributions, volume 2, 1995, chapter 22.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x; NaN where scale isn't above 0.

    >>> round(float(pdf(0.0)), 4)
    0.3679
    """
    y = (x - loc) / scale
    return numpy.where(scale > 0, y - lax.exp(y) - lax.log(scale), math.nan)


pdf = exp_of(logpdf)


@on_floats
def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies below x."""
    share = -lax.expm1(-lax.exp((x - loc) / scale))
    return numpy.where(scale > 0, lax.log(share), math.nan)


@on_floats
def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies above x."""
    return numpy.where(scale > 0, -lax.exp((x - loc) / scale), math.nan)


cdf, sf = exp_of(logcdf), exp_of(logsf)


@on_floats
def ppf(p: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x below which the share p lies; NaN where p isn't between 0 and 1."""
    x = loc + scale * lax.log(-lax.log1p(-p))
    return numpy.where((p > 0) & (p < 1), x, math.nan)


guard(sys.modules[__name__])
