"""Von Mises' distribution of angles, with density exp(kappa * cos(x)) / (2 pi I0(kappa)). (Mardia
and Jupp, Directional statistics, 2000, section 3.5.4.)"""

from __future__ import annotations

import math
import sys
from typing import Any

from minijax import lax, numpy
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.scipy.special import i0e
from minijax.scipy.stats.functions import exp_of, on_floats

__all__ = ["logpdf", "pdf"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


@on_floats
def logpdf(x: Any, kappa: Any) -> Any:
    """The logarithm of the density at the angle x; NaN where kappa isn't above 0.

    >>> round(float(pdf(0.0, 1.0)), 4)
    0.3417
    """
    out = kappa * (lax.cos(x) - 1) - lax.log(2 * math.pi * i0e(kappa))
    return numpy.where(kappa > 0, out, math.nan)


pdf = exp_of(logpdf)


guard(sys.modules[__name__])
