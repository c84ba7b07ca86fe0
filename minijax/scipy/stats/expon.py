"""Exponential: how long one waits for what comes at any time alike. (Johnson, Kotz and
Balakrishnan, Continuous univariate distributions, volume 1, 1994, chapter 19.)"""

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
def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, which is -inf below loc. The mean is loc + scale.

    >>> round(float(pdf(1.0)), 4)
    0.3679
    """
    return numpy.where(x < loc, -math.inf, -((x - loc) / scale + lax.log(scale)))


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return numpy.where(x < loc, 0, -lax.expm1((loc - x) / scale))


@on_floats
def logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies below x."""
    return lax.log1p(-lax.exp(_log_share_above(x, loc, scale)))


@on_floats
def logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies above x."""
    return _log_share_above(x, loc, scale)


def _log_share_above(x: Any, loc: Any, scale: Any) -> Any:
    return numpy.where(x < loc, 0, (loc - x) / scale)


sf = exp_of(logsf)


@on_floats
def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x below which the share q lies; NaN where q isn't from 0 to 1."""
    return numpy.where(is_no_share(q), math.nan, loc - scale * lax.log1p(-q))


guard(sys.modules[__name__])
