"""The constants of float32 serve float64 too, and its ends."""

from minijax.compiler.maths.elementary import expm1_near, rounded, times_power_of_two
from minijax.compiler.maths.precisions import both

log2_ten, ln_ten = 3.321928094887362, 2.302585092994046
two_high, two_low = 0.301025390625, 4.605038981195214e-06


@both
def exp10(x):
    x = 38.6 if x > 38.6 else x
    x = -45.5 if x < -45.5 else x
    n, k = rounded(x * log2_ten)
    high, low = (x - n * two_high) * ln_ten, -n * two_low * ln_ten
    return times_power_of_two(1.0 + expm1_near(high, low), k)
