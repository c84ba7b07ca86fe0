"""Functions of a number that LLVM turns into vector instructions, when a loop calls them.

Sums, products, bits, and choices between two values that are both computed: no branch, no call. A
docstring says how far a result may be from the right one in float32, and in float64, in units in
the last place (ulp): tests/compiler/maths/test_elementary.py measures it. Infinities, NaN, signed
zeros and denormal numbers give what they give in NumPy.
"""

from __future__ import annotations

import numpy as np

from minijax.compiler.maths.precisions import (
    Pair, both, floats, integers, polynomial, publish, real, whole,
)
from minijax.compiler.maths.totals import (  # noqa: F401  (kernels call them too)
    added, maximum, minimum, multiplied,
)

# The bits of a float: a sign, an exponent, and the digits behind the point.

digits = Pair(23, 52)
bias = integers(127, 1023)
sign_bit = integers(-(2**31), -(2**63))
epsilon = floats(2.0**-24, 2.0**-53)  # half the gap between 1 and the next number
smallest = floats(2.0**-126, 2.0**-1022)  # below are the denormal numbers


@both
def bits_of(x):
    return real(x).view(whole)


@both
def from_bits(bits):
    return whole(bits).view(real)


@both
def with_sign(size, x):
    """A number that is not negative, with the sign of another."""
    return from_bits(bits_of(size) | (bits_of(x) & sign_bit))


infinity, not_a_number = np.inf, np.nan


@both
def no_number(x):
    """NaN for a number, with the sign that the processor gives it, as in XLA; of NaN, x itself."""
    return (x - x) * infinity


# Adding 1.5 * 2**digits leaves no place for a fraction: it rounds to a whole number, which then
# stands in the lowest bits.

shift = floats(1.5 * 2**23, 1.5 * 2.0**52)
shift_bits = Pair(*(bits_of[i](shift[i]) for i in (0, 1)))


@both
def rounded(x):
    """The whole number that is nearest to x, as a float and as an integer."""
    shifted = x + shift
    return shifted - shift, whole(bits_of(shifted) - shift_bits)


@both
def as_real(n):
    return from_bits(whole(n + shift_bits)) - shift


@both
def times_power_of_two(x, n):
    """x * 2**n, in two steps, since the result may be denormal where 2**n would be too small."""
    half = whole(n >> 1)
    rest = whole(n - half)
    return x * from_bits((half + bias) << digits) * from_bits((rest + bias) << digits)


# Exponentials.

log2_e = 1.4426950408889634
ln2 = 0.6931471805599453
# ln 2 in two parts, the first with few digits: times a whole number it is exact.
ln2_high = floats(0.69314575, 0.6931471805598903)
ln2_low = floats(1.4286068e-06, 5.497923018708371e-14)
exp_bottom = floats(-176.06, -1418.2)  # here 2**(n / 2) is 0, and so is exp ...
exp_top = floats(89.5, 710.5)  # ... and infinite; exp(89.5) / 2 is infinite too
# (exp(r) - 1 - r) / r**2 for r to ln(2) / 2 on both sides.
exp_series = polynomial(
    "1.3942206e-03 8.368679e-03 4.1666385e-02 1.6666521e-01 0.5",
    """2.510038319586702e-08 2.7620085455018414e-07 2.7557268464831627e-06 2.4801521302241082e-05
    0.00019841269863050506 0.001388888891720967 0.008333333333330063 0.041666666666624136
    0.16666666666666669 0.5""",
)


@both
def exp_split(x):
    """A whole n and a small r, in two parts, with x = n ln(2) + r. The first part is exact."""
    x = exp_top if x > exp_top else x
    x = exp_bottom if x < exp_bottom else x
    n, k = rounded(x * log2_e)
    return k, x - n * ln2_high, -n * ln2_low


@both
def expm1_near(high, low):
    """exp(r) - 1 for r = high + low."""
    r = high + low
    return high + (low + r * r * exp_series(r))


@both
def exp_of_sum(x, rest):
    """exp(x + rest), of a rest that is small beside 1."""
    k, high, low = exp_split(x)
    return times_power_of_two(1.0 + expm1_near(high, low + rest), k)


@both
def exp(x):
    """e**x = 2**n * e**r (Cody and Waite, Software manual for the elementary functions, 1980).

    Errors: 1.0 and 1.1 ulp.
    """
    return exp_of_sum(x, -0.0)


@both
def quarter_expm1(x):
    """(exp(x) - 1) / 4, of a sum: 2**(n - 2) * (exp(r) - 1) + (2**(n - 2) - 1/4)."""
    k, high, low = exp_split(-40.0 if x < -40.0 else x)
    power = from_bits((k + (bias - 2)) << digits)
    return expm1_near(high, low) * power + (power - 0.25)


@both
def expm1(x):
    """exp(x) - 1, with all its digits where x is small. Errors: 1.6 and 2.4 ulp."""
    return x if abs(x) < epsilon else 4.0 * quarter_expm1(x)


@both
def logistic(x):
    """1 / (1 + exp(-x)), of exp(-|x|), which cannot overflow. Errors: 2.4 and 2.4 ulp."""
    small = exp(x if x < 0.0 else -x)  # of NaN -x, as in XLA
    return (small if x < 0.0 else 1.0) / (1.0 + small)


@both
def tanh(x):
    """-q / (q + 1/2) for q = (exp(-2 |x|) - 1) / 4. Errors: 2.6 and 2.6 ulp."""
    q = quarter_expm1(-2.0 * abs(x))
    return x if abs(x) < epsilon else with_sign(q / (-0.5 - q), x)


# Logarithms.

root_half_bits = Pair(*(bits_of[i](real[i](np.sqrt(0.5))) for i in (0, 1)))
rescaling = floats(2.0**24, 2.0**54)  # of denormal numbers
rescaled = integers(24, 54)
# (log((1 + s) / (1 - s)) / s - 2) / s**2, of s**2.
log_series = polynomial(
    "2.9871064e-01 3.9977577e-01 6.6666776e-01",
    """0.1461703754879165 0.1533167403016786 0.18182890556695602 0.2222221111514416
    0.2857142862609589 0.3999999999989924 0.666666666666667""",
)


@both
def log_split(x):
    """A whole k and an m from sqrt(1/2) to sqrt(2) with x = m * 2**k, for positive numbers."""
    denormal = x < smallest
    bits = bits_of(x * rescaling if denormal else x)
    k = whole(whole(bits - root_half_bits) >> digits)
    m = from_bits(bits - (k << digits))
    return m, as_real(whole(k - rescaled) if denormal else k)


@both
def log_of_sum(x, low):
    """log(x) + low, of a positive x and a low that is small beside 1.

    With f = m - 1 and s = f / (2 + f), log(m) = 2 s + s**3 (...) = f - f**2 / 2 + s (...): the
    largest part, f, is exact (Ng, in Sun's library fdlibm, 1993).
    """
    m, k = log_split(x)
    f = m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    rest = s * (half + s * s * log_series(s * s)) + (k * ln2_low + low)
    return k * ln2_high - ((half - rest) - f)


@both
def log_at_edges(x, result):
    """The logarithm where x is 0, negative, infinite or no number; else the result."""
    result = result if x < infinity else x
    result = result if not x < 0.0 else not_a_number
    return result if x != 0.0 else -infinity


@both
def log(x):
    """The natural logarithm. Errors: 0.9 and 0.9 ulp."""
    return log_at_edges(x, log_of_sum(x, -0.0))


@both
def log1p(x):
    """log(u) + lost / u for u = 1 + x, and what rounding took off that. Errors: 0.9 and 0.9 ulp."""
    u = 1.0 + x
    lost = x - (u - 1.0) if x < 1.0 else 1.0 - (u - x)
    return x if abs(x) < epsilon else log_at_edges(u, log_of_sum(u, lost / u))


publish(globals())
