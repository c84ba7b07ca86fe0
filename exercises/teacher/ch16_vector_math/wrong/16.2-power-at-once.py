"""2**n is made in one step, of n's bits: there are no denormal results, and none above 2**127."""

from minijax.compiler.maths.elementary import bias, digits, expm1_near, from_bits, rounded
from minijax.compiler.maths.precisions import both, floats

log2_ten, ln_ten = 3.321928094887362, 2.302585092994046
two_high = floats(0.301025390625, 0.301029995663157)
two_low = floats(4.605038981195214e-06, 8.241712586023572e-13)
ten_bottom, ten_top = floats(-37.9, -307.6), floats(38.6, 308.3)


@both
def exp10(x):
    x = ten_top if x > ten_top else x
    x = ten_bottom if x < ten_bottom else x
    n, k = rounded(x * log2_ten)
    high, low = (x - n * two_high) * ln_ten, -n * two_low * ln_ten
    return (1.0 + expm1_near(high, low)) * from_bits((k + bias) << digits)
