"""Normal numbers that lie between two bounds. (Johnson, Kotz and Balakrishnan, Continuous
univariate distributions, volume 1, 1994, chapter 13.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import log_ndtr, logsumexp, ndtr
from minijax.scipy.stats import norm
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, of normal numbers from loc + a * scale to loc + b * scale.

    It is -inf outside of them, and NaN where a isn't below b.

    >>> round(float(pdf(0.0, -1.0, 1.0)), 4)
    0.5844
    """
    y = (x - loc) / scale
    out = norm.logpdf(x, loc, scale) - _log_share(a, b)
    return numpy.where(a >= b, math.nan, numpy.where((y < a) | (y > b), -math.inf, out))


pdf = exp_of(logpdf)


@on_floats
def logcdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies below x."""
    return _log_share_below((x - loc) / scale, a, b)


@on_floats
def logsf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of how much of the distribution lies above x."""
    return _log_share_below((loc - x) / scale, -b, -a)


cdf, sf = exp_of(logcdf), exp_of(logsf)


def _log_share_below(y: Any, a: Any, b: Any) -> Any:
    """Near 0 it is taken from what lies above. 0 where y or a is NaN, as in JAX."""
    whole = _log_share(a, b)
    below, above = _log_share(a, y) - whole, _log_share(y, b) - whole
    inside = numpy.where(below > -0.1, lax.log1p(-lax.exp(above)), below)
    out = numpy.where(y <= a, -math.inf, numpy.where(y > a, inside, 0))
    return numpy.where(a >= b, math.nan, numpy.where(y >= b, 0, out))


def _log_share(a: Any, b: Any) -> Any:
    """The logarithm of how much of the normal distribution lies from a to b.

    Where both are on one side of 0, it is that of a difference of shares below, on the left; else
    of what two shares outside leave.
    """
    a, b = numpy.broadcast_arrays(a, b)
    is_right = a > 0
    low, high = numpy.where(is_right, -b, a), numpy.where(is_right, -a, b)
    shares = numpy.stack([log_ndtr(high), log_ndtr(low)])
    signs = numpy.array([1.0, -1.0], a.dtype).reshape(2, *(1,) * a.ndim)
    one_side = logsumexp(shares, axis=0, b=signs)
    return numpy.where(is_right | (b <= 0), one_side, lax.log1p(-ndtr(a) - ndtr(-b)))


guard(sys.modules[__name__])
