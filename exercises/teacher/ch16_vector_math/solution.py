"""The teacher's solutions of chapter 16."""

from minijax.compiler.maths.elementary import expm1_near, rounded, times_power_of_two
from minijax.compiler.maths.precisions import both, floats

log2_ten, ln_ten = 3.321928094887362, 2.302585092994046
# log10(2) in two parts, the first with 16 and 40 binary digits: times n it is exact.
two_high = floats(0.301025390625, 0.301029995663157)
two_low = floats(4.605038981195214e-06, 8.241712586023572e-13)
ten_bottom, ten_top = floats(-45.5, -324.5), floats(38.6, 308.3)


@both
def exp10(x):
    """10**x = 2**n * e**(r ln(10)), for r = x - n log10(2)."""
    x = ten_top if x > ten_top else x
    x = ten_bottom if x < ten_bottom else x
    n, k = rounded(x * log2_ten)
    high, low = (x - n * two_high) * ln_ten, -n * two_low * ln_ten
    return times_power_of_two(1.0 + expm1_near(high, low), k)
