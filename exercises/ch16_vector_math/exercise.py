"""Exercises of chapter 16. README.md says what is asked."""

from __future__ import annotations

import numpy as np

from minijax.compiler.maths.elementary import (
    as_real,
    bias,
    bits_of,
    digits,
    epsilon,
    exp_series,
    expm1_near,
    from_bits,
    infinity,
    ln2,
    ln2_high,
    ln2_low,
    log_series,
    not_a_number,
    rescaled,
    rescaling,
    root_half_bits,
    rounded,
    smallest,
    times_power_of_two,
    with_sign,
)
from minijax.compiler.maths.precisions import both, floats, integers, polynomial, real, whole

# 16.1 The logarithm, taken apart and put together


@both
def log_split(x):
    """A whole k and an m from sqrt(1/2) to sqrt(2) with x = m * 2**k, for positive numbers."""
    raise NotImplementedError("16.1 log_split")


@both
def log_of_sum(x, low):
    """log(x) + low, of a positive x and a low that is small beside 1.

    With f = m - 1 and s = f / (2 + f), log(m) = 2 s + s**3 (...) = f - f**2 / 2 + s (...): the
    largest part, f, is exact (Ng, in Sun's library fdlibm, 1993).
    """
    raise NotImplementedError("16.1 log_of_sum")


# 16.2 Ten to the power of x


@both
def exp10(x):
    """10**x. Errors: below 1.5 ulp.

    `exp10.single(np.float32(2))` is 100, a float32, and `exp10.double(np.float64(2))` a float64.
    """
    raise NotImplementedError("16.2 exp10")


# 16.3 Bits and roundings
# The questions: python -m exercises questions ch16

answers_16_3 = [None, None, None, None]
