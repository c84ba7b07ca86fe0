"""Cauchy's distribution, with density 1 / (pi * (1 + x**2)). (Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 1, 1994, chapter 16.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.stats.functions import exp_of, log_of, on_floats

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x.

    >>> round(float(pdf(0.0)), 4)
    0.3183
    """
    y = (x - loc) / scale
    return -(lax.log(math.pi * scale) + lax.log1p(y * y))


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    return _share_below((x - loc) / scale)


@on_floats
def sf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies above x."""
    return _share_below((loc - x) / scale)


def _share_below(y: Any) -> Any:
    return 0.5 + 1 / math.pi * lax.atan(y)


logcdf, logsf = log_of(cdf), log_of(sf)


@on_floats
def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x below which the share q lies: the inverse of `cdf`."""
    return lax.tan(math.pi * q - math.pi / 2) * scale + loc


@on_floats
def isf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x above which the share q lies: the inverse of `sf`."""
    return lax.tan(math.pi / 2 - math.pi * q) * scale + loc


guard(sys.modules[__name__])
