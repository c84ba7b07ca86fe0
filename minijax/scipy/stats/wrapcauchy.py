"""Cauchy's distribution wrapped round a circle. (Mardia and Jupp, Directional statistics, 2000,
section 3.5.7.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, c: Any) -> Any:
    """The logarithm of the density at the angle x, which is -inf outside of 0 to 2 pi.

    NaN where c isn't between 0 and 1.

    >>> round(float(pdf(0.0, 0.5)), 4)
    0.4775
    """
    size = lax.log(1 - c * c) - math.log(2 * math.pi)
    out = size - lax.log(1 + c * c - 2 * c * lax.cos(x))
    out = numpy.where((x >= 0) & (x <= 2 * math.pi), out, -math.inf)
    return numpy.where((c > 0) & (c < 1), out, math.nan)


pdf = exp_of(logpdf)


guard(sys.modules[__name__])
