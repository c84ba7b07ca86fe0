"""Gamma, with density x**(a - 1) * exp(-x) / gamma(a). (Johnson, Kotz and Balakrishnan, Continuous
univariate distributions, volume 1, 1994, chapter 17.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import gammainc, gammaincc, xlogy
from minijax.scipy.stats.functions import clamped, exp_of, log_of, on_floats

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, which is -inf below loc.

    >>> round(float(pdf(1.0, 2.0)), 4)
    0.3679
    """
    is_inside = x >= loc
    y = numpy.where(is_inside, (x - loc) / scale, 1)
    out = xlogy(a - 1, y) - y - (lax.lgamma(a) + lax.log(scale))
    return numpy.where(is_inside, out, -math.inf)


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return gammainc(a, clamped((x - loc) / scale, math.inf))


@on_floats
def sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies above x."""
    y = (x - loc) / scale
    return numpy.where(y < 0, 1, gammaincc(a, y))


logcdf, logsf = log_of(cdf), log_of(sf)


guard(sys.modules[__name__])
