"""Multinomial: how often each of several things comes in n trials. (Johnson, Kotz and Balakrishnan,
Discrete multivariate distributions, 1997, chapter 35.)"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_args
from minijax.scipy.special import xlogy

__all__ = ["logpmf", "pmf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def logpmf(x: Any, n: Any, p: Any) -> Any:
    """The logarithm of the chance of the counts x, along the last axis, whose chances are p.

    -inf where the counts don't sum to n. ValueError where x or n has no integers.

    >>> round(float(pmf(numpy.array([1, 1]), 2, numpy.array([0.5, 0.5]))), 4)
    0.5
    """
    return _logpmf("multinomial.logpmf", x, n, p)


def pmf(x: Any, n: Any, p: Any) -> Any:
    """The chance of the counts x; see `logpmf`."""
    return lax.exp(_logpmf("multinomial.pmf", x, n, p))


def _logpmf(name: str, x: Any, n: Any, p: Any) -> Any:
    check_arraylike(name, x, n, p)
    (p,) = promote_args(name, p, inexact=True)
    x, n, p = map(numpy.asarray, (x, n, p))
    for argument, value in (("x", x), ("n", n)):
        if not issubdtype(value.dtype, np.integer):
            got = f"{value.dtype} as {argument}"
            raise ValueError(f"{name} counts with integers, and got {got}. Convert with astype.")
    x, n = x.astype(p.dtype), n.astype(p.dtype)
    out = lax.lgamma(n + 1) + numpy.sum(xlogy(x, p) - lax.lgamma(x + 1), -1)
    return numpy.where(numpy.sum(x, -1) == n, out, -math.inf)


guard(sys.modules[__name__])
