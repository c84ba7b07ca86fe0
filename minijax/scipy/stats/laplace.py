"""Laplace's distribution, with density exp(-abs(x)) / 2. (Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 2, 1995, chapter 24.)"""

from __future__ import annotations

import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["cdf", "logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x.

    >>> round(float(pdf(0.0)), 4)
    0.5
    """
    return -(abs(x - loc) / scale + lax.log(2 * scale))


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """How much of the distribution lies below x."""
    y = (x - loc) / scale
    return numpy.where(y <= 0, 0.5 * lax.exp(y), 1 - 0.5 * lax.exp(-y))


guard(sys.modules[__name__])
