"""Student's t, with density (1 + x**2 / df)**(-(df + 1) / 2) / (sqrt(df) * B(1 / 2, df / 2)).
(Johnson, Kotz and Balakrishnan, Continuous univariate distributions, volume 2, 1995, chapter
28.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """The logarithm of the density at x, with df degrees of freedom: Cauchy's with 1 of them.

    >>> round(float(pdf(0.0, 1.0)), 4)
    0.3183
    """
    y, half = (x - loc) / scale, df / 2
    power = half + 0.5
    size = lax.lgamma(half) + lax.log(scale * scale * math.pi * df) / 2 - lax.lgamma(power)
    return -(size + power * lax.log1p(y * y / df))


pdf = exp_of(logpdf)


guard(sys.modules[__name__])
