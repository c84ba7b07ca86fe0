"""Functions of a number that LLVM turns into vector instructions, when a loop calls them.

Sums, products, bits, and choices between two values that are both computed: no branch, and no call.
A docstring says by how much results may be wrong, in units in the last place (ulp), for float32
and float64: the worst that was met in millions of arguments (tests/compiler/test_vector_math.py).
Infinities, NaN, signed zeros and denormal numbers are NumPy's.
"""

from __future__ import annotations

import numpy as np

from minijax.compiler.extremes import maximum, minimum  # noqa: F401  (kernels call them too)
from minijax.compiler.precisions import Pair, both, inlined, polynomial, publish, real, whole

# The bits of a float: a sign, an exponent, and the digits behind the point.

digits = Pair(23, 52)
bias = Pair(np.int32(127), np.int64(1023))
sign_bit = Pair(np.int32(-(2**31)), np.int64(-(2**63)))
epsilon = Pair(np.float32(2.0**-24), 2.0**-53)  # half the gap between 1 and the next number
smallest = Pair(np.float32(2.0**-126), 2.0**-1022)  # below are the denormal numbers


@both
def bits_of(x):
    return real(x).view(whole)


@both
def number_of(bits):
    return whole(bits).view(real)


@both
def with_sign(size, x):
    """The size of one number, with the sign of another."""
    return number_of((bits_of(size) & ~sign_bit) | (bits_of(x) & sign_bit))


infinity = Pair(np.float32(np.inf), np.inf)
not_a_number = Pair(np.float32(np.nan), np.nan)

# Adding 1.5 * 2**digits leaves no place for a fraction: it rounds to a whole number, which then
# stands in the lowest bits.

shift = Pair(np.float32(1.5 * 2**23), 1.5 * 2.0**52)
shift_bits = Pair(*(bits_of[i](shift[i]) for i in (0, 1)))


@both
def rounded(x):
    """The whole number that is nearest to x, as a float and as an integer."""
    shifted = x + shift
    return shifted - shift, whole(bits_of(shifted) - shift_bits)


@both
def as_real(n):
    return number_of(whole(n + shift_bits)) - shift


@both
def times_power_of_two(x, n):
    """x * 2**n, in two steps, since the result may be denormal where 2**n would be too small."""
    half = whole(n >> 1)
    rest = whole(n - half)
    return x * number_of((half + bias) << digits) * number_of((rest + bias) << digits)


# Exponentials.

log2_e = Pair(np.float32(1.4426950408889634), 1.4426950408889634)
ln2 = Pair(np.float32(0.6931471805599453), 0.6931471805599453)
# ln 2 in two parts, the first with few digits: times a whole number it is exact.
ln2_high = Pair(np.float32(0.69314575), 0.6931471805598903)
ln2_low = Pair(np.float32(1.4286068e-06), 5.497923018708371e-14)
exp_bottom = Pair(np.float32(-104), -746.0)  # here exp is 0 ...
exp_top = Pair(np.float32(90), 711.0)  # ... and infinite, also half of it
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
    """e**x = 2**n * e**r (Cody and Waite, Software manual for the elementary functions, 1980)."""
    return exp_of_sum(x, -0.0)


@both
def exp2(x):
    x = exp_top * log2_e if x > exp_top * log2_e else x
    x = exp_bottom * log2_e if x < exp_bottom * log2_e else x
    n, k = rounded(x)
    return times_power_of_two(1.0 + expm1_near((x - n) * ln2, -0.0), k)


@both
def half_expm1(x):
    """(exp(x) - 1) / 2, of a sum: 2**(n - 1) * ((exp(r) - 1) + (1 - 2**-n))."""
    k, high, low = exp_split(-40.0 if x < -40.0 else x)
    rest = 1.0 - number_of((bias - (k if k < 64 else whole(64))) << digits)
    return times_power_of_two(expm1_near(high, low) + rest, whole(k - 1))


@both
def expm1(x):
    """exp(x) - 1."""
    return x if abs(x) < epsilon else 2.0 * half_expm1(x)


@both
def logistic(x):
    """1 / (1 + exp(-x)), of exp(-|x|), which cannot overflow."""
    small = exp(-abs(x))
    return (small if x < 0.0 else real(1.0)) / (1.0 + small)


@both
def tanh(x):
    """The tangent of the hyperbola, -u / (u + 1) for u = (exp(-2 |x|) - 1) / 2."""
    u = half_expm1(-2.0 * abs(x))
    return x if abs(x) < epsilon else with_sign(u / (u + 1.0), x)


@both
def sinh(x):
    """u + u / (2 u + 1) for u = (exp(|x|) - 1) / 2."""
    u = half_expm1(abs(x))
    rest = u / (2.0 * u + 1.0) if u < infinity else real(0.0)
    return x if abs(x) < epsilon else with_sign(u + rest, x)


@both
def cosh(x):
    """h + 1 / (4 h) for h = exp(|x|) / 2."""
    h = half_expm1(abs(x)) + 0.5
    return h + 0.25 / h


# Logarithms.

root_half_bits = Pair(*(bits_of[i](real[i](np.sqrt(0.5))) for i in (0, 1)))
rescaling = Pair(np.float32(2.0**24), 2.0**54)  # of denormal numbers
rescaled = Pair(np.int32(24), np.int64(54))
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
    m = number_of(bits - (k << digits))
    return m, as_real(whole(k - rescaled) if denormal else k)


@both
def log_of_sum(x, low):
    """log(x) + low, of a positive x and a low that is small beside 1.

    With f = m - 1 and s = f / (2 + f), log(m) = 2 s + s**3 (...) = f - f**2 / 2 + s (...): the
    largest part, f, is exact (Tang, ACM Transactions on Mathematical Software 16, 1990).
    """
    m, k = log_split(x)
    f = m - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    return k * ln2_high - ((half - (s * (half + s * s * log_series(s * s)) + (k * ln2_low + low))) - f)


@both
def log_at_edges(x, result):
    """The logarithm where x is 0, negative, infinite or no number; else the result."""
    result = result if x < infinity else x
    result = result if not x < 0.0 else not_a_number
    return result if x != 0.0 else -infinity


@both
def log(x):
    """The natural logarithm."""
    return log_at_edges(x, log_of_sum(x, -0.0))


@both
def log1p(x):
    """log(1 + x): what rounds off 1 + x comes in again, divided by it, as the logarithm's slope."""
    u = 1.0 + x
    lost = x - (u - 1.0) if x < 1.0 else 1.0 - (u - x)
    return x if abs(x) < epsilon else log_at_edges(u, log_of_sum(u, lost / u))


# Others.


@both
def rsqrt(x):
    return 1.0 / np.sqrt(x)


@both
def sign(x):
    """-1 or 1, and 0 or NaN of those."""
    return real(1.0) if x > 0.0 else (real(-1.0) if x < 0.0 else x)


@both
def round_half_even(x):
    return np.rint(x)


@both
def round_half_away(x):
    towards_zero = np.trunc(x)
    step = real(1.0) if abs(x - towards_zero) >= 0.5 else real(0.0)
    return towards_zero + with_sign(step, x)


# Random bits.


@inlined
def rotated(x, places):
    return np.uint32(np.uint32(x << places) | np.uint32(x >> (np.uint32(32) - places)))


@inlined
def four_rounds(x0, x1, r0, r1, r2, r3):
    for r in (r0, r1, r2, r3):
        x0 = np.uint32(x0 + x1)
        x1 = np.uint32(rotated(x1, r) ^ x0)
    return x0, x1


A = tuple(map(np.uint32, (13, 15, 26, 6)))
B = tuple(map(np.uint32, (17, 29, 16, 24)))


@inlined
def threefry2x32(k0, k1, x0, x1):
    """Two words from a key of two and a counter of two: the twenty rounds of core/prng.py."""
    k2 = np.uint32(k0 ^ k1 ^ np.uint32(0x1BD11BDA))
    x0, x1 = four_rounds(np.uint32(x0 + k0), np.uint32(x1 + k1), *A)
    x0, x1 = four_rounds(np.uint32(x0 + k1), np.uint32(x1 + k2 + np.uint32(1)), *B)
    x0, x1 = four_rounds(np.uint32(x0 + k2), np.uint32(x1 + k0 + np.uint32(2)), *A)
    x0, x1 = four_rounds(np.uint32(x0 + k0), np.uint32(x1 + k1 + np.uint32(3)), *B)
    x0, x1 = four_rounds(np.uint32(x0 + k1), np.uint32(x1 + k2 + np.uint32(4)), *A)
    return np.uint32(x0 + k2), np.uint32(x1 + k0 + np.uint32(5))


publish(globals())
