"""Beta: a share, with density x**(a - 1) * (1 - x)**(b - 1) / B(a, b). (Johnson, Kotz and
Balakrishnan, Continuous univariate distributions, volume 2, 1995, chapter 25.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import betainc, betaln, xlog1py, xlogy
from minijax.scipy.stats.functions import clamped, exp_of, log_of, on_floats

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, which is -inf outside of loc to loc + scale.

    NaN where a, b or scale isn't above 0.

    >>> round(float(pdf(0.5, 2.0, 2.0)), 4)
    1.5
    """
    y = (x - loc) / scale
    out = -betaln(a, b) + (xlogy(a - 1, y) + xlog1py(b - 1, -y)) - lax.log(scale)
    out = numpy.where((x > loc + scale) | (x < loc), -math.inf, out)
    return numpy.where((a <= 0) | (b <= 0) | (scale <= 0), math.nan, out)


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return betainc(a, b, clamped((x - loc) / scale, 1))


@on_floats
def sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies above x."""
    return betainc(b, a, 1 - clamped((x - loc) / scale, 1))


logcdf, logsf = log_of(cdf), log_of(sf)


guard(sys.modules[__name__])
