"""log10(2) is one float: its error is taken n times."""

from minijax.compiler.maths.elementary import expm1_near, rounded, times_power_of_two
from minijax.compiler.maths.precisions import both, floats

log2_ten, log10_two, ln_ten = 3.321928094887362, 0.30102999566398120, 2.302585092994046
ten_bottom, ten_top = floats(-45.5, -324.5), floats(38.6, 308.3)


@both
def exp10(x):
    x = ten_top if x > ten_top else x
    x = ten_bottom if x < ten_bottom else x
    n, k = rounded(x * log2_ten)
    return times_power_of_two(1.0 + expm1_near((x - n * log10_two) * ln_ten, 0.0), k)
