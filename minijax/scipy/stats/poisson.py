"""Poisson's distribution: how often comes what comes mu times on the average. (Johnson, Kemp and
Kotz, Univariate discrete distributions, 2005, chapter 4.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import entr, gammaincc, xlogy
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["cdf", "entropy", "logpmf", "pmf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpmf(k: Any, mu: Any, loc: Any = 0) -> Any:
    """The logarithm of the chance of k, which is -inf below loc and for no whole number.

    >>> round(float(pmf(0, 1.0)), 4)
    0.3679
    """
    y = k - loc
    out = xlogy(y, mu) - lax.lgamma(y + 1) - mu
    return numpy.where((y < 0) | (numpy.round(k) != k), -math.inf, out)


pmf = exp_of(logpmf)


@on_floats
def cdf(k: Any, mu: Any, loc: Any = 0) -> Any:
    """The chance of a number up to k."""
    y = k - loc
    return numpy.where(y < 0, 0, gammaincc(lax.floor(1 + y), mu))


@on_floats
def entropy(mu: Any, loc: Any = 0) -> Any:
    """The entropy, in nats, which doesn't depend on loc.

    Up to mu = 100 it is a sum of so many chances that the rest is nothing; from there on Stirling's
    approximation, log(2 pi e mu) / 2 - 1 / (12 mu).

    >>> round(float(entropy(1.0)), 4)
    1.3048
    """
    mu, _ = numpy.broadcast_arrays(mu, loc)
    few = _entropy_of_first(35, mu, mu + 20)
    many = _entropy_of_first(250, mu, mu + 10 * lax.sqrt(mu) + 20)
    far = 0.5 * lax.log(2 * math.pi * math.e * mu) - 1 / (12 * mu)
    out = numpy.where(mu < 10, few, numpy.where(mu < 100, many, far))
    return numpy.where(mu == 0, 0, out)


def _entropy_of_first(count: int, mu: Any, end: Any) -> Any:
    """What the numbers below `count`, and below `end`, add to the entropy."""
    k = numpy.arange(count, dtype=mu.dtype).reshape(count, *(1,) * mu.ndim)
    return numpy.sum(entr(numpy.where(k < lax.ceil(end), pmf(k, mu), 0)), 0)


guard(sys.modules[__name__])
