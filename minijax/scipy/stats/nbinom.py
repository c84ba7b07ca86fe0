"""Negative binomial: how many trials fail before n succeed, each with the chance p. (Johnson, Kemp
and Kotz, Univariate discrete distributions, 2005, chapter 5.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import xlogy
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["logpmf", "pmf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    """The logarithm of the chance of k, which is -inf below loc.

    >>> round(float(pmf(1, 1, 0.5)), 4)
    0.25
    """
    y = k - loc
    choices = lax.lgamma(y + n) - lax.lgamma(n) - lax.lgamma(y + 1)
    out = choices + (xlogy(n, p) + xlogy(y, 1 - p))
    return numpy.where(k < loc, -math.inf, out)


pmf = exp_of(logpmf)


guard(sys.modules[__name__])
