"""One trial: 1 with the chance p, and 0 otherwise. (Johnson, Kemp and Kotz, Univariate discrete
distributions, 2005, chapter 3.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import xlog1py, xlogy
from minijax.scipy.special.operands import strong
from minijax.scipy.stats.functions import exp_of, is_no_share, on_floats

__all__ = ["cdf", "logpmf", "pmf", "ppf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    """The logarithm of the chance of k: p at loc + 1, 1 - p at loc. Outside of them it is -inf.

    >>> round(float(pmf(1, 0.25)), 4)
    0.25
    """
    y = k - loc
    return numpy.where((y < 0) | (y > 1), -math.inf, xlogy(y, p) + xlog1py(1 - y, -p))


pmf = exp_of(logpmf)


@on_floats
def cdf(k: Any, p: Any) -> Any:
    """The chance of a number up to k; NaN where p is no chance."""
    below_one = numpy.where(k < 0, 0, 1 - p)
    return numpy.where(numpy.isnan(k) | is_no_share(p), math.nan, numpy.where(k < 1, below_one, 1))


@on_floats
def ppf(q: Any, p: Any) -> Any:
    """The smallest number, 0 or 1, whose `cdf` is at least q; NaN where q or p is no chance."""
    number = strong((q > 1 - p).astype(p.dtype))
    return numpy.where(is_no_share(q) | is_no_share(p), math.nan, number)


guard(sys.modules[__name__])
