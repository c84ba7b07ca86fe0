"""Near 0 and far from it, exponentials and logarithms need forms of their own to keep digits; and
powers of integers that are floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.lax.special import log_sums
from minijax.numpy.promotion import promote_args
from minijax.numpy.ufunc_objects import ufunc_of


@by_types
def log1p(x: Any, /) -> Any:
    """log(1 + x), as floats, exact for small x.

    >>> log1p(np.float32(2**-40)) == 2**-40
    Array(True, dtype=bool)
    """
    return lax.log1p(*promote_args("jnp.log1p", x, inexact=True))


@by_types
def expm1(x: Any, /) -> Any:
    """exp(x) - 1, as floats, exact for small x."""
    return lax.expm1(*promote_args("jnp.expm1", x, inexact=True))


# The logarithm of a sum.


@ufunc_of(2, identity=-np.inf)
@by_types
def logaddexp(x1: Any, x2: Any, /) -> Any:
    """log(exp(x1) + exp(x2)), which overflows only where the result does.

    >>> logaddexp(1000.0, 0.0)
    Array(1000., dtype=float32, weak_type=True)
    """
    return log_sums.logaddexp(*promote_args("jnp.logaddexp", x1, x2, inexact=True))


@ufunc_of(2, identity=-np.inf)
@by_types
def logaddexp2(x1: Any, x2: Any, /) -> Any:
    """log2(exp2(x1) + exp2(x2)), which overflows only where the result does."""
    return log_sums.logaddexp2(*promote_args("jnp.logaddexp2", x1, x2, inexact=True))


# A power, as floats.


@by_types
def float_power(x: Any, y: Any, /) -> Any:
    """x to the power of y, as floats: for integers too, and negative y.

    >>> float_power(2, -1)
    Array(0.5, dtype=float32, weak_type=True)
    """
    return lax.pow(*promote_args("jnp.float_power", x, y, inexact=True))
