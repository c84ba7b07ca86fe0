"""Uniform: any number from loc to loc + scale alike. (Johnson, Kotz and Balakrishnan, Continuous
univariate distributions, volume 2, 1995, chapter 26.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special.operands import strong
from minijax.scipy.stats.functions import exp_of, is_no_share, on_floats

__all__ = ["cdf", "logpdf", "pdf", "ppf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, which is -inf outside of loc to loc + scale.

    >>> round(float(pdf(0.5, 0, 2)), 4)
    0.5
    """
    is_outside = (x > loc + scale) | (x < loc)
    return numpy.where(is_outside, -math.inf, -lax.log(scale))


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x; 0 for NaN, as in JAX."""
    inside = numpy.where(x >= loc, (x - loc) / scale, 0)
    return strong(numpy.where((x > loc + scale) & (x >= loc), 1, inside))


@on_floats
def ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The x below which the share q lies; NaN where q isn't from 0 to 1."""
    return numpy.where(is_no_share(q), math.nan, loc + scale * q)


guard(sys.modules[__name__])
