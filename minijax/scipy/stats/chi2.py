"""Chi-squared: the sum of the squares of df normal numbers. (Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 1, 1994, chapter 18.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import gammainc, gammaincc
from minijax.scipy.stats.functions import clamped, exp_of, log_of, on_floats

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, which is -inf below loc.

    >>> round(float(pdf(1.0, 2.0)), 4)
    0.3033
    """
    y, half = (x - loc) / scale, df / 2
    size = lax.lgamma(half) + math.log(2) * df / 2
    out = -size - lax.log(scale) + ((half - 1) * lax.log(y) - y / 2)
    return numpy.where(x < loc, -math.inf, out)


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return gammainc(df / 2, clamped((x - loc) / (scale * 2), math.inf))


@on_floats
def sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies above x."""
    return gammaincc(df / 2, clamped((x - loc) / (scale * 2), math.inf))


logcdf, logsf = log_of(cdf), log_of(sf)


guard(sys.modules[__name__])
