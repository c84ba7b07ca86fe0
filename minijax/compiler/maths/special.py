"""More functions that vectorise: powers, the circle and its angles, the error function, roots.

They are made of the functions in elementary.py, and described as those are.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minijax.compiler.maths.elementary import (
    as_real, bias, bits_of, digits, epsilon, exp, exp_of_sum, from_bits, infinity, ln2, ln2_high,
    ln2_low, log, log1p, log_split, no_number, not_a_number, rescaled, rescaling, rounded, sign_bit,
    smallest, with_sign,
)
from minijax.compiler.maths.precisions import (
    Pair, both, floats, integers, polynomial, publish, real, version, whole,
)
from minijax.compiler.maths.xla_numbers import ERF_INV_FAR, ERF_INV_FARTHEST, ERF_INV_NEAR


def exactly(fun: Callable) -> Pair:
    """Like `both`, for what counts on each operation being rounded by itself."""
    return both(fun, ())


def in_double(fun: Callable) -> Callable:
    """A decorator for what is computed in float64 only."""
    return version(fun, True)


# Sums and products with what rounding takes off them, which is a float too.

splitter = floats(2.0**12 + 1, 2.0**27 + 1)


@exactly
def two_sum(x, y):
    """x + y, rounded, and what is missing (Knuth, The art of computer programming, 4.2.2)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


@exactly
def halves(x):
    """x as a sum of two numbers with half of its digits each."""
    far = x * splitter
    high = far - (far - x)
    return high, x - high


@exactly
def two_product(x, y):
    """x * y, rounded, and what is missing (Dekker, Numerische Mathematik 18, 1971)."""
    product = x * y
    x_high, x_low = halves(x)
    y_high, y_low = halves(y)
    rest = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, rest


# Powers. The logarithm is multiplied by up to 1000, so it needs ten binary digits more.

two_thirds, two_thirds_low = 0.6666666666666666, 3.700743415417188e-17
# ((log((1 + s) / (1 - s)) / s - 2) / s**2 - 2/3) / s**2, of s**2.
log_rest = polynomial(
    """0.11723603622905411 0.11706195689881364 0.13334806212100603 0.15384594934597917
    0.1818181833565416 0.22222222221654733 0.2857142857142937 0.4""",
)


@in_double
def log_in_two(x):
    """log(x) of a positive float64 as a sum of two: log_of_sum, with its large terms in two."""
    m, k = log_split(x)
    f = m - 1.0
    g, g_low = two_sum(m, 1.0)
    s = f / g
    p, p_low = two_product(s, g)
    s_low = ((f - p) - p_low - s * g_low) / g
    z, z_low = two_product(s, s)
    c, c_low = two_sum(two_thirds, z * log_rest(z))
    t, t_low = two_product(z, c)
    t_low = t_low + z * (c_low + two_thirds_low) + (z_low + 2.0 * s * s_low) * c
    u, u_low = two_product(s, t)
    high, low = two_sum(k * ln2_high, 2.0 * s)
    high, rest = two_sum(high, u)
    return high, rest + (low + (k * ln2_low + (u_low + s * t_low + s_low * t + 2.0 * s_low)))


@in_double
def power_single(a, y):
    """float64 has digits to spare."""
    return np.float32(exp(np.float64(y) * log(np.float64(a))))


@in_double
def power_double(a, y):
    high, low = log_in_two(a)
    y = 2.0**65 if y > 2.0**65 else y  # which decides: a logarithm is 0, or 2**-53 and more
    y = -(2.0**65) if y < -(2.0**65) else y
    product, rest = two_product(y, high)
    return exp_of_sum(product, rest + y * low if abs(product) < 750.0 else 0.0)


power = Pair(power_single, power_double)


@both
def pow(x, y):
    """x**y = exp(y * log(x)); for a negative x only with a whole y, and signed if that is odd.

    The edges are those of the C standard (annex F.10.4.4). Errors: 0.6 and 1.3 ulp.
    """
    a = abs(x)
    result = power(a, y)
    zero_or_inf = 0.0 if (a < 1.0) == (y > 0.0) else infinity
    result = zero_or_inf if a == 0.0 or a == infinity else result
    odd = np.floor(0.5 * y) != 0.5 * y and np.floor(y) == y
    result = with_sign(result, x) if odd else result
    result = no_number(x) if x < 0.0 and np.floor(y) != y and a != infinity else result
    result = x + y if x != x or y != y else result
    return 1.0 if y == 0.0 or x == 1.0 or (x == -1.0 and abs(y) == infinity) else result


# The circle. What counts of x is how many quarter turns it is, and only that number modulo 4. Of
# x = m * 2**e, m is a whole number with as many digits as a float has, and 2**e * 2/pi modulo 4
# stands in a table: so no x is too large (after Payne and Hanek, SIGNUM Newsletter 18, 1983).


def two_over_pi(bits: int) -> int:
    """2/pi * 2**bits, by Machin's pi = 16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan_of_one_over(n: int) -> int:
        total, power, k = 0, one // n, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power, k = power // (n * n), k + 2
        return total

    one = 1 << (bits + 64)
    return (one << (bits + 1)) // (16 * arctan_of_one_over(5) - 4 * arctan_of_one_over(239))


def table_of_turns(first: int, last: int, widths: tuple[int, ...]) -> list[np.ndarray]:
    """For e from first to last, 2**e * 2/pi modulo 4: a sum of floats with so many digits."""
    bits, rows = 224, list[list[float]]()
    turns = two_over_pi(bits + last)
    for shift in range(last - first, -1, -1):
        rest, row = (turns >> shift) & ((4 << bits) - 1), list[float]()
        for width in widths:
            cut = max(rest.bit_length() - width, 0)
            row.append(math.ldexp(rest >> cut, cut - bits))
            rest &= (1 << cut) - 1
        rows.append(row)
    rows.append([math.nan] * len(widths))  # for infinity and NaN
    return list(np.array(rows).T.copy())


# The exponent of m is 23 or 52 less than that of x, which is half or more here.
single_high, single_low = table_of_turns(-1 - 23, 127 - 23, (29, 53))
double_high, double_middle, double_low = table_of_turns(-1 - 52, 1023 - 52, (53, 53, 53))
fraction_bits = integers(2**23 - 1, 2**52 - 1)
m_bits = Pair(*(bits_of[i](real[i](2.0 ** digits[i])) for i in (0, 1)))
half_pi = 1.5707963267948966


@in_double
def turns_single(m, place):
    """The nearest whole number of quarter turns, and the angle that is left: exact products."""
    product = m * single_high[place]
    turns = (product - 4.0 * np.rint(0.25 * product)) + m * single_low[place]
    n, k = rounded(turns)
    return np.int32(k), np.float32((turns - n) * half_pi)


@in_double
def turns_double(m, place):
    """The same, of sums of two."""
    product, rest = two_product(m, double_high[place])
    second, second_rest = two_product(m, double_middle[place])
    turns, low = two_sum(product - 4.0 * np.rint(0.25 * product), rest)
    turns, second_low = two_sum(turns, second)
    low, lower = two_sum(low, second_low)
    n, k = rounded(turns)
    turns, low = two_sum(turns - n, low)
    return k, (turns + (low + (lower + (second_rest + m * double_low[place])))) * half_pi


turns = Pair(turns_single, turns_double)


@both
def circle_split(x):
    """A whole n and an r from -pi/4 to pi/4, with |x| = n pi/2 + r but for full turns."""
    bits = bits_of(abs(x))
    place = whole((bits >> digits) - (bias - 1))
    place = place if place > 0 else whole(0)
    n, r = turns(from_bits((bits & fraction_bits) | m_bits), np.uint32(place))
    small = abs(x) < 0.78
    return whole(0) if small else n, abs(x) if small else r


sin_series = polynomial(  # (sin(r) / r - 1) / r**2, of r**2, and (cos(r) - 1 + r**2/2) / r**4
    "-1.9518619e-04 8.332191e-03 -1.6666655e-01",
    """-7.586682497157786e-13 1.6058531370931902e-10 -2.505210623088241e-08 2.755731921933466e-06
    -0.0001984126984126506 0.008333333333333331 -0.16666666666666666""",
)
cos_series = polynomial(
    "2.4430661e-05 -1.3887301e-03 4.1666646e-02",
    """-1.1382611119025631e-11 2.087614597263508e-09 -2.755731727031051e-07 2.480158729876295e-05
    -0.0013888888888887395 0.041666666666666664""",
)


@both
def sin_near(r):
    return r + r * (r * r) * sin_series(r * r)


@both
def cos_near(r):
    z = r * r
    return 1.0 - (0.5 * z - z * z * cos_series(z))


@both
def with_flipped_sign(y, x):
    """y times the sign of x."""
    return from_bits(bits_of(y) ^ (bits_of(x) & sign_bit))


@both
def sin(x):
    """Of any x. Errors: 1.6 and 2.5 ulp."""
    n, r = circle_split(x)
    y = cos_near(r) if n & 1 else sin_near(r)
    return with_flipped_sign(-y if n & 2 else y, x) if abs(x) < infinity else x - x


@both
def cos(x):
    """Of any x. Errors: 1.6 and 2.5 ulp."""
    n, r = circle_split(x)
    y = sin_near(r) if n & 1 else cos_near(r)
    return (-y if (n + 1) & 2 else y) if abs(x) < infinity else x - x


@both
def tan(x):
    """Of any x. Errors: 3.3 and 4.4 ulp."""
    n, r = circle_split(x)
    s, c = sin_near(r), cos_near(r)
    top, bottom = (-c if n & 1 else s), (s if n & 1 else c)
    # Here and not around the quotient: LLVM would branch there, and make no vectors.
    top = with_flipped_sign(top, x) if abs(x) < infinity else x - x
    return top / bottom


# Angles. Of a / b, the smaller is divided by the larger, and what is more than tan(pi/8) is turned
# back by pi/4: the tangent of the difference is (a - b) / (a + b).

pi = floats(3.1415925, 3.141592653589793)
pi_low = floats(1.509958e-07, 1.2246467991473532e-16)
atan_series = polynomial(  # (atan(t) / t - 1) / t**2, of t**2
    "-6.0927887e-02 1.0600188e-01 -1.4244512e-01 1.9998533e-01 -3.3333316e-01",
    """-0.01917627151752634 0.0392311556198723 -0.050854323376990765 0.05858145587628202
    -0.06664511064599371 0.07692183163650894 -0.09090904576954117 0.11111111015227572
    -0.14285714284666184 0.19999999999995519 -0.3333333333333333""",
)


@both
def angle(a, b, beyond):
    """Of a point (b, a), neither negative; from `beyond`, pi minus it: on the other side."""
    steep = a > b
    small, large = b if steep else a, a if steep else b
    scale = rescaling if large < 1.0 else 0.25  # neither too small nor infinite
    small, large = small * scale, large * scale
    equal = small == large
    turned = equal or small > 0.41421356 * large
    top = small - large if turned else small
    bottom = small + large if turned else large
    t = (0.0 if equal else top) / (1.0 if equal else bottom)
    t = t + t * (t * t) * atan_series(t * t)
    eighths = 1.0 if turned and large > 0.0 else 0.0  # of half a turn: quarters of pi
    t, eighths = (-t, 2.0 - eighths) if steep else (t, eighths)
    t, eighths = (-t, 4.0 - eighths) if beyond else (t, eighths)
    return 0.25 * eighths * pi + (t + 0.25 * eighths * pi_low)


@both
def atan(x):
    """The angle whose tangent is x. Errors: 2.2 and 2.4 ulp."""
    return with_sign(angle(abs(x), 1.0, False), x)


@both
def atan2(y, x):
    """The angle of the point (x, y), from -pi to pi. Errors: 2.7 and 2.7 ulp."""
    return with_sign(angle(abs(y), abs(x), bits_of(x) < 0), y)


@both
def asin(x):
    """The angle of (sqrt(1 - x**2), x). Errors: 2.8 and 3.0 ulp."""
    a = abs(x)
    y = with_sign(angle(a, np.sqrt((1.0 - a) * (1.0 + a)), False), x)
    return y if a <= 1.0 else no_number(x)


@both
def acos(x):
    """The angle of (x, sqrt(1 - x**2)). Errors: 2.8 and 3.0 ulp."""
    a = abs(x)
    return angle(np.sqrt((1.0 - a) * (1.0 + a)), a, x < 0.0) if a <= 1.0 else no_number(x)


# The error function, near 0 by a series, and beyond by what is left of 1, which falls like
# exp(-a**2): the rest varies slowly (Shepherd and Laframboise, Math. Comp. 36, 1981).

erfc_end = floats(10.2, 27.5)
erf_series = polynomial(  # erf(x) / x - 1, of x**2
    """7.920368e-05 -8.0307614e-04 5.190734e-03 -2.6855126e-02 1.1283618e-01 -3.761263e-01
    1.2837917e-01""",
    """5.957176147748911e-11 -1.1372848856791674e-09 1.4659775274047436e-08 -1.6350312701054695e-07
    1.6461000484121368e-06 -1.4925595266831182e-05 0.0001205533111164271 -0.000854832698083379
    0.0052239776248180145 -0.026866170645076792 0.11283791670954879 -0.3761263890318375
    0.1283791670955126""",
)
erfc_series = polynomial(  # exp(a**2) * erfc(a) * (a + 3), of (a - 3) / (a + 3)
    """-2.2856738e-04 2.8625524e-03 -1.3862138e-03 -2.678671e-02 1.19559646e-01 -3.1047156e-01
    5.902266e-01 -8.833943e-01 1.0740069e+00""",
    """-6.441476944102176e-09 -2.972963866864035e-09 4.8834685520342956e-08
    4.8068329680744504e-08 -2.3298353966103546e-07 -4.090717239726354e-07 9.991547911996276e-07
    2.7657190905657647e-06 -4.74952465991112e-06 -1.7470608357549267e-05 3.0398283607665055e-05
    0.00010756148468884706 -0.00027677787217168375 -0.0005483096905409503 0.003034062004286033
    -0.0012124166273386403 -0.026827234624671754 0.11952776128729564 -0.3104672619005622
    0.5902283571041017 -0.8833944531698836 1.0740069070883398""",
)


@both
def erf_near(x):
    return x + x * erf_series(x * x)


@both
def scaled_erfc(a):
    """exp(a**2) * erfc(a), from 0.4 on."""
    a = erfc_end if a > erfc_end else a
    part = 1.0 / (a + 3.0)
    return erfc_series((a - 3.0) * part) * part


@in_double
def erf_double(x):
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x. Errors: 1.6 ulp."""
    a = abs(x)
    return erf_near(x) if a < 1.0 else with_sign(abs(1.0 - exp(-a * a) * scaled_erfc(a)), x)


@both
def erfc_far(a):
    a = erfc_end if a > erfc_end else a
    square, rest = two_product(a, a)
    return exp_of_sum(-square, -rest) * scaled_erfc(a)


@both
def erfc(x):
    """1 - erf(x), with all its digits where that is small. Errors: 5.7 and 5.6 ulp."""
    far = erfc_far(abs(x))
    far = 2.0 - far if x < 0.0 else far
    return 1.0 - erf_near(x) if x < 0.5 and x > -1.0 else far


# Its inverse, in terms of w = -log(1 - x**2), by Giles (GPU Computing Gems, Jade edition, 2011).

erf_inv_near, erf_inv_far = polynomial(ERF_INV_NEAR), polynomial(ERF_INV_FAR)
erf_inv_farthest = polynomial(ERF_INV_FARTHEST)  # beyond what float32 has numbers for


@in_double
def erf_inv_guess(x, rest):
    """The inverse at x, for rest = 1 - x**2."""
    w = -log(rest)
    root = np.sqrt(w)
    near, far = erf_inv_near(w - 2.5), erf_inv_far(root - 3.0)
    far = far if w < 16.0 else erf_inv_farthest(root - 5.0)
    return x * (infinity if rest == 0.0 else (near if w < 5.0 else far))


half_root_pi = 0.886226925452758


@in_double
def erf_inv_double(x):
    """The guess has six digits, and a step of Halley's method makes three of one. Errors: 6 ulp."""
    a = abs(x)
    y = erf_inv_guess(a, (1.0 - a) * (1.0 + a))
    wrong = (1.0 - a) - erfc_far(y) if a > 0.5 else erf_near(y) - a
    step = wrong * half_root_pi * exp(y * y)
    y = with_sign(y if a == 1.0 else y - step / (1.0 + y * step), x)
    return y if a <= 1.0 else no_number(x)


# Roots.

third = 1 / 3
root_of_2 = 2 ** (1 / 3)
root_of_4 = 4 ** (1 / 3)
cbrt_series = polynomial(  # of m from 1 to 2
    "2.2800475e-02 -1.6160685e-01 5.8513826e-01 5.537497e-01",
    """0.005072953325277491 -0.04831832068166114 0.19665479701360078 -0.4602977267696209
    0.8317431442479309 0.47514693623890253""",
)


@both
def cbrt(x):
    """Of |x| = m * 2**k * 8**j, k 0 to 2: a guess, and a step of Halley's method.

    Errors: 1.1 and 1.1 ulp.
    """
    a = abs(x)
    denormal = a < smallest
    bits = bits_of(a * rescaling if denormal else a)
    exponent = whole((bits >> digits) - bias)
    _, j_whole = rounded((as_real(exponent) - 1.0) * third)
    k = whole(exponent - 3 * j_whole)
    m = from_bits((bits & fraction_bits) | bits_of(1.0))
    y = cbrt_series(m) * (1.0 if k == 0 else (root_of_2 if k == 1 else root_of_4))
    m = m * from_bits((k + bias) << digits)
    cube = y * y * y
    y = y - y * (cube - m) / (2.0 * cube + m)
    j = whole(j_whole - rescaled // 3 if denormal else j_whole)
    return with_sign(y * from_bits((j + bias) << digits), x) if a > 0.0 and a < infinity else x


# Inverses of the hyperbolic functions. Beyond 1 / epsilon, adding 1 changes nothing.


@both
def asinh(x):
    """log(a + sqrt(a**2 + 1)) for a = |x|. Errors: 1.9 and 1.9 ulp."""
    a = abs(x)
    large = a > 1.0 / epsilon
    square = a if large else a * a
    size = log1p(a if large else a + square / (1.0 + np.sqrt(square + 1.0)))
    return with_sign(size + (ln2 if large else 0.0), x)


@both
def acosh(x):
    """log(1 + t + sqrt(2 t + t**2)) for t = x - 1. Errors: 2.5 and 2.7 ulp."""
    large = x > 1.0 / epsilon
    t = x - 1.0
    bounded = 1.0 if large else t
    size = log1p(t if large else t + np.sqrt(bounded * (2.0 + bounded)))
    return size + (ln2 if large else 0.0) if x >= 1.0 else no_number(x)


@both
def atanh(x):
    """log(1 + 2 a / (1 - a)) / 2 for a = |x|. Errors: 2.1 and 2.1 ulp."""
    a = abs(x)
    y = with_sign(0.5 * log1p(2.0 * a / (1.0 - a)), x)
    return not_a_number if a > 1.0 else y


publish(globals())
