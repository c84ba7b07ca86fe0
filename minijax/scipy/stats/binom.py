"""Binomial: how many of n trials succeed, each with the chance p. (Johnson, Kemp and Kotz,
Univariate discrete distributions, 2005, chapter 3.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import xlog1py, xlogy
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["logpmf", "pmf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    """The logarithm of the chance of k, which is -inf outside of loc to loc + n.

    >>> round(float(pmf(1, 2, 0.5)), 4)
    0.5
    """
    y = k - loc
    choices = lax.lgamma(n + 1) - (lax.lgamma(y + 1) + lax.lgamma(n - y + 1))
    trials = xlogy(y, p) + xlog1py(n - y, -p)
    is_sure = ((y == 0) & (n == 0)) | (trials == 0)
    out = numpy.where(is_sure, 0, choices + trials)
    return numpy.where((k >= loc) & (k < loc + n + 1), out, -math.inf)


pmf = exp_of(logpmf)


guard(sys.modules[__name__])
