"""How many of n trials succeed, if their chance is a beta distribution's. (Johnson, Kemp and Kotz,
Univariate discrete distributions, 2005, chapter 6.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import betaln
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["logpmf", "pmf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    """The logarithm of the chance of k, of whole numbers from loc to loc + n; -inf for others.

    A k between two whole numbers counts as the one below. NaN where n is negative, or a or b
    isn't above 0.

    >>> round(float(pmf(1, 2, 1.0, 1.0)), 4)
    0.3333
    """
    y = lax.floor(k) - loc
    choices = -(lax.log1p(n) + betaln(n - y + 1, y + 1))
    out = choices + (betaln(y + a, n - y + b) - betaln(a, b))
    out = numpy.where((y == 0) & (n == 0), 0, out)
    out = numpy.where((y < -loc) | (y > n) | (y + a <= 0), -math.inf, out)
    return numpy.where((n < 0) | (a <= 0) | (b <= 0), math.nan, out)


pmf = exp_of(logpmf)


guard(sys.modules[__name__])
