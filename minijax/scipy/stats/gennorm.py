"""Generalized normal, with density beta * exp(-abs(x)**beta) / (2 * gamma(1 / beta)). (Nadarajah, A
generalized normal distribution, 2005.)"""

from __future__ import annotations

import sys
from typing import Any

from minijax import lax
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import gammainc
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["cdf", "logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, beta: Any) -> Any:
    """The logarithm of the density at x: Laplace's with beta 1, and normal with beta 2.

    >>> round(float(pdf(0.0, 1.0)), 4)
    0.5
    """
    return lax.log(0.5 * beta) - lax.lgamma(1 / beta) - abs(x) ** beta


pdf = exp_of(logpdf)


@on_floats
def cdf(x: Any, beta: Any) -> Any:
    """How much of the distribution lies below x."""
    return 0.5 * (1 + lax.sign(x) * gammainc(1 / beta, abs(x) ** beta))


guard(sys.modules[__name__])
