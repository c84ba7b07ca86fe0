"""The border is at 1: for an x just below it, k ln(2) and log(m) cancel."""

from minijax.compiler.maths.elementary import (
    as_real,
    bias,
    bits_of,
    digits,
    from_bits,
    ln2_high,
    ln2_low,
    log_series,
    rescaled,
    rescaling,
    smallest,
)
from minijax.compiler.maths.precisions import both, whole


@both
def log_split(x):
    denormal = x < smallest
    bits = bits_of(x * rescaling if denormal else x)
    k = whole(whole(bits >> digits) - bias)
    m = from_bits(bits - (k << digits))
    return m, as_real(whole(k - rescaled) if denormal else k)


@both
def log_of_sum(x, low):
    m, k = log_split(x)
    f = m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    rest = s * (half + s * s * log_series(s * s)) + (k * ln2_low + low)
    return k * ln2_high - ((half - rest) - f)
