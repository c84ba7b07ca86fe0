"""x is not kept within ends: n outgrows the exponent, and infinity less infinity is NaN."""

from minijax.compiler.maths.elementary import expm1_near, rounded, times_power_of_two
from minijax.compiler.maths.precisions import both, floats

log2_ten, ln_ten = 3.321928094887362, 2.302585092994046
two_high = floats(0.301025390625, 0.301029995663157)
two_low = floats(4.605038981195214e-06, 8.241712586023572e-13)


@both
def exp10(x):
    n, k = rounded(x * log2_ten)
    high, low = (x - n * two_high) * ln_ten, -n * two_low * ln_ten
    return times_power_of_two(1.0 + expm1_near(high, low), k)
