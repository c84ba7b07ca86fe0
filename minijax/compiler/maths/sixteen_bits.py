"""Floats of 16 bits, bfloat16 and float16, as kernels have them: float32 numbers, rounded.

`as_` rounds a float32 number, `from_` and `to_` take such numbers out of their bits in memory and
put them there. A NaN stays one, and keeps its bits on the way there and back; what is too large
becomes infinite.
"""

from __future__ import annotations

import numpy as np

from minijax.compiler.maths.precisions import inlined

sign_bit, infinite_bits = np.uint32(1 << 31), np.uint32(0x7F800000)
# bfloat16 is the first half of a float32.
low_half, half_of_low = np.uint32(0xFFFF0000), np.uint32(0x7FFF)
# float16 has ten bits behind the point; its exponents begin at -14, and below lie multiples of
# 2**-24, as which the sum of such a number and 1/2 is rounded.
ten_bits, half_of_rest = np.uint32(0xFFFFE000), np.uint32(0x0FFF)
least_normal, one_half, largest = np.float32(2.0**-14), np.float32(0.5), np.float32(65504)
infinity, shift, shift_back = np.float32(np.inf), np.float32(2.0**112), np.float32(2.0**-112)


@inlined
def word_of(x):
    return np.float32(x).view(np.uint32)


@inlined
def number_of(word):
    return np.uint32(word).view(np.float32)


@inlined
def rounded_bits(bits, odd, half, kept):
    """The bits that are kept; of two numbers as near, the even one."""
    return np.uint32(np.uint32(np.uint32(bits + half) + np.uint32(odd & 1)) & kept)


@inlined
def as_bfloat16(x):
    bits = word_of(x)
    near = rounded_bits(bits, np.uint32(bits >> 16), half_of_low, low_half)
    return number_of(near) if x == x else x


@inlined
def from_bfloat16(bits):
    return number_of(np.uint32(bits) << 16)


@inlined
def to_bfloat16(x):
    bits = np.uint32(word_of(x) >> 16)
    is_kept = (x == x) | (np.uint32(bits & np.uint32(0x7F)) != 0)
    return np.uint16(bits if is_kept else np.uint32(bits | 64))


@inlined
def as_float16(x):
    size = abs(x)
    bits = word_of(size)
    near = number_of(rounded_bits(bits, np.uint32(bits >> 13), half_of_rest, ten_bits))
    near = (size + one_half) - one_half if size < least_normal else near
    near = infinity if near > largest else near
    return number_of(word_of(near) | (word_of(x) & sign_bit)) if x == x else x


@inlined
def from_float16(bits):
    """Its exponent is as if it were 112 less; that of an infinite number or of NaN, the largest."""
    rest = np.uint32(np.uint32(bits) & np.uint32(0x7FFF))
    sign = np.uint32(np.uint32(np.uint32(bits) << 16) & sign_bit)
    special = infinite_bits if rest >= np.uint32(0x7C00) else np.uint32(0)
    size = number_of(rest << 13) * shift
    return number_of(np.uint32(word_of(size) | special) | sign)


@inlined
def to_float16(x):
    sign = np.uint32(np.uint32(word_of(x) >> 16) & np.uint32(0x8000))
    bits = np.uint32(word_of(abs(x) * shift_back) >> 13)
    bits = np.uint32(0x7C00) if abs(x) == infinity else bits
    rest = np.uint32(np.uint32(word_of(x) >> 13) & np.uint32(0x3FF))
    nan = np.uint32(np.uint32(0x7C00) | (rest if rest != 0 else np.uint32(0x200)))
    return np.uint16(np.uint32((bits if x == x else nan) | sign))
