"""A denormal number's exponent is read as if it had one, and what is to be added is left out."""

from minijax.compiler.maths.elementary import (
    as_real,
    bits_of,
    digits,
    from_bits,
    ln2_high,
    ln2_low,
    log_series,
    root_half_bits,
)
from minijax.compiler.maths.precisions import both, whole


@both
def log_split(x):
    bits = bits_of(x)
    k = whole(whole(bits - root_half_bits) >> digits)
    return from_bits(bits - (k << digits)), as_real(k)


@both
def log_of_sum(x, low):
    m, k = log_split(x)
    f = m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    rest = s * (half + s * s * log_series(s * s)) + k * ln2_low
    return k * ln2_high - ((half - rest) - f)
