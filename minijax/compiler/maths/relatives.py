"""More exponentials, roots, roundings and neighbours, made of the functions in elementary.py, and
Threefry.

They are described as those are.
"""

from __future__ import annotations

import numpy as np

from minijax.compiler.maths.elementary import (
    bits_of, digits, epsilon, exp, exp_bottom, exp_top, expm1_near, from_bits, infinity, ln2, log1p,
    log2_e, quarter_expm1, rounded, sign_bit, times_power_of_two, with_sign,
)
from minijax.compiler.maths.precisions import both, inlined, publish, whole


@both
def exp2(x):
    """2**x = 2**n * e**r for r = (x - n) ln(2). Errors: 1.1 and 1.1 ulp."""
    x = exp_top * log2_e if x > exp_top * log2_e else x
    x = exp_bottom * log2_e if x < exp_bottom * log2_e else x
    n, k = rounded(x)
    return times_power_of_two(1.0 + expm1_near((x - n) * ln2, -0.0), k)


@both
def logaddexp(x, y):
    """log(exp(x) + exp(y)), without overflow. Errors, below 1 those of 1: 1.5 and 1.5 ulp."""
    larger, smaller = (x, y) if x > y else (y, x)
    value = larger + log1p(exp(smaller - larger))
    return x + ln2 if x == y else value  # also of infinities


@both
def sinh(x):
    """2 (q + q / (4 q + 1)) for q = (exp(|x|) - 1) / 4. Errors: 2.4 and 2.5 ulp."""
    q = quarter_expm1(abs(x))
    rest = q / (4.0 * q + 1.0) if q < infinity else 0.0
    return x if abs(x) < epsilon else with_sign(2.0 * (q + rest), x)


@both
def cosh(x):
    """h + 1 / (4 h) for h = exp(|x|) / 2. Errors: 1.6 and 1.6 ulp."""
    h = 2.0 * quarter_expm1(-x if x < 0.0 else x) + 0.5  # of NaN x, with its sign
    return h + 0.25 / h


@both
def rsqrt(x):
    """1 / sqrt(x). Errors: 1.6 and 1.6 ulp."""
    return 1.0 / np.sqrt(x)


@both
def sign(x):
    """-1 or 1, and 0 or NaN of those."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)


@both
def round_half_away(x):
    """The nearest whole number; of two, that which is further from 0."""
    towards_zero = np.trunc(x)
    step = 1.0 if abs(x - towards_zero) >= 0.5 else 0.0
    return towards_zero + with_sign(step, x)


# By their bits: a sign, and a size whose bits are in the order of the numbers.


@both
def nextafter(x, y):
    """The number next to x in the direction of y. Errors: 0 ulp."""
    bits = bits_of(x)
    grows = (x < y) == (bits >= 0)
    moved = from_bits(whole(bits + (1 if grows else -1)))
    moved = with_sign(from_bits(whole(1)), y) if x == 0.0 else moved
    moved = y if x == y else moved
    return x + y if x != x or y != y else moved


@both
def reduce_precision(x, dropped, lowest, highest):
    """x without so many digits, rounded to even. From exponents up to `lowest` it becomes zero, and
    infinite from those above `highest`."""
    sign, size = bits_of(x) & sign_bit, bits_of(x) & ~sign_bit
    last, half = (size >> dropped) & 1, (1 << dropped) >> 1
    size = (size + (half - 1 + last if dropped > 0 else 0)) >> dropped << dropped
    exponent = size >> digits
    size = bits_of(infinity) if exponent > highest else size
    size = 0 if exponent <= lowest else size
    return x if x != x else from_bits(whole(size | sign))


# Random bits.


even, odd = (13, 15, 26, 6), (17, 29, 16, 24)  # the rotations of groups of rounds


@inlined
def one_round(x0, x1, places):
    x0 = np.uint32(x0 + x1)
    turned = np.uint32(np.uint32(x1 << places) | np.uint32(x1 >> (32 - places)))
    return x0, np.uint32(x0 ^ turned)


@inlined
def four_rounds(x0, x1, rotations):
    x0, x1 = one_round(x0, x1, rotations[0])
    x0, x1 = one_round(x0, x1, rotations[1])
    x0, x1 = one_round(x0, x1, rotations[2])
    return one_round(x0, x1, rotations[3])


@inlined
def with_key(x0, x1, k0, k1, group):
    return np.uint32(x0 + k0), np.uint32(x1 + k1 + np.uint32(group))


@inlined
def threefry2x32(k0, k1, x0, x1):
    """Two words of a key of two and a counter of two: what threefry_numpy in core/prng.py gives."""
    k2 = np.uint32(k0 ^ k1 ^ np.uint32(0x1BD11BDA))
    x0, x1 = four_rounds(*with_key(x0, x1, k0, k1, 0), even)
    x0, x1 = four_rounds(*with_key(x0, x1, k1, k2, 1), odd)
    x0, x1 = four_rounds(*with_key(x0, x1, k2, k0, 2), even)
    x0, x1 = four_rounds(*with_key(x0, x1, k0, k1, 3), odd)
    x0, x1 = four_rounds(*with_key(x0, x1, k1, k2, 4), even)
    return with_key(x0, x1, k2, k0, 5)


publish(globals())
