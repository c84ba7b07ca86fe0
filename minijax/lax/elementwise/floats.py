"""Floats as digits and an exponent: their neighbours, their precision, the order of their bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from minijax.compiler.kernels.elements import FLOATS
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.special_cases.half_floats import from_bits_p, rounded_p, to_bits_p
from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.dtypes import issubdtype
from minijax.core.forward import primitive_jvps, zero_jvp
from minijax.core.primitives import (
    add,
    binary,
    broadcast_in_dim,
    eq,
    fill,
    mul,
    naryop,
    numpy_primitive,
    select,
    sub,
    through_float32,
    to_bool,
    unary,
)
from minijax.core.reverse import deflinear
from minijax.core.tracing import ShapedArray
from minijax.lax.elementwise.arithmetic import anything, ge, lt, ne, ordered
from minijax.lax.elementwise.bits import bitwise_and, bitwise_or
from minijax.lax.elementwise.number_sizes import signed_numbers, words_of
from minijax.lax.shapes.axes import as_integer

# Whole numbers, neighbours, and what is no number.

ceil_p = naryop("ceil", [np.floating], through_float32(np.ceil))
primitive_jvps[ceil_p] = partial(zero_jvp, ceil_p)
defvectorized(ceil_p)
register_lowering(ceil_p, template="np.ceil({0})")
ceil = unary(ceil_p, "The smallest whole number that is not below x, as a float.")

is_finite_p = naryop("is_finite", [np.floating], np.isfinite, to_bool)
primitive_jvps[is_finite_p] = partial(zero_jvp, is_finite_p)
defvectorized(is_finite_p)
register_lowering(is_finite_p, template="np.isfinite({0})")
is_finite = unary(is_finite_p, "Whether x is neither infinite nor NaN, as bools.")



def _numpy_nextafter(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of two zeros it is the second, where NumPy's is the first for float16 alone."""
    out = np.nextafter(x, y)
    return np.where(x == y, y, out) if x.dtype == np.float16 else out


nextafter_p = naryop("nextafter", [np.floating], _numpy_nextafter)
defbroadcasting(nextafter_p)


def _nextafter_of_halves(x: Any, y: Any, *, dtype: np.dtype) -> Any:
    """By their bits: a sign, and a size whose bits are in the order of the numbers."""
    shape = x.aval.shape or y.aval.shape  # one of them may be a number
    x, y = (v if v.aval.shape == shape else broadcast_in_dim(v, shape, ()) for v in (x, y))
    bits, zero = to_bits_p.bind(x, dtype=dtype), fill(x.aval, 0)
    one, sign_bit = (fill(bits.aval, word) for word in (1, 1 << 15))
    is_away = eq(lt(x, y), ge(x, zero))
    moved = select(is_away, add(bits, one), sub(bits, one))
    smallest = bitwise_or(bitwise_and(to_bits_p.bind(y, dtype=dtype), sign_bit), one)
    moved = from_bits_p.bind(select(eq(x, zero), smallest, moved), dtype=dtype)
    is_nan = bitwise_or(ne(x, x), ne(y, y))
    return select(is_nan, add(x, y), select(eq(x, y), y, moved))


register_lowering(
    nextafter_p, template="nextafter_{t}({0}, {1})", on_halves=_nextafter_of_halves
)
nextafter = binary(nextafter_p, "The float next to x in the direction of y.")

# Fewer bits.


def _reduce_precision_rule(
    x: ShapedArray, *, exponent_bits: int, mantissa_bits: int
) -> ShapedArray:
    if not issubdtype(x.dtype, np.floating):
        raise TypeError(f"lax.reduce_precision takes floats, and got {x}. Try x.astype(float).")
    if exponent_bits < 1 or mantissa_bits < 0:
        raise ValueError(
            f"lax.reduce_precision got exponent_bits {exponent_bits}, mantissa_bits "
            f"{mantissa_bits}.\nGive from 1 of the former, from 0 of the latter."
        )
    return x


def _narrower(dtype: np.dtype, exponent_bits: int, mantissa_bits: int) -> tuple[int, int, int]:
    """How many digits are dropped; the exponents up to which nothing is left, and beyond which a
    number is infinite."""
    info = ml_dtypes.finfo(dtype)
    dropped = max(info.nmant - mantissa_bits, 0)
    if exponent_bits >= info.nexp:
        return dropped, -1, 1 << info.nexp
    middle, reach = (1 << (info.nexp - 1)) - 1, (1 << (exponent_bits - 1)) - 1
    return dropped, middle - reach, middle + reach


def _numpy_reduce_precision(x: np.ndarray, exponent_bits: int, mantissa_bits: int) -> np.ndarray:
    """Rounds the mantissa to even; what the exponent cannot say is infinite, or zero."""
    if x.dtype.itemsize == 1:  # as XLA does it
        wide = _numpy_reduce_precision(x.astype(np.float32), exponent_bits, mantissa_bits)
        return wide.astype(x.dtype)
    dropped, lowest, highest = _narrower(x.dtype, exponent_bits, mantissa_bits)
    whole = np.dtype(f"u{x.dtype.itemsize}").type
    bits = x.view(whole)
    if dropped:
        last = (bits >> whole(dropped)) & whole(1)
        bits = bits + whole((1 << (dropped - 1)) - 1) + last
        bits = bits >> whole(dropped) << whole(dropped)
    sign = bits & whole(1 << (8 * x.dtype.itemsize - 1))
    exponent = (bits ^ sign) >> whole(ml_dtypes.finfo(x.dtype).nmant)
    bits = np.where(exponent > highest, sign | x.dtype.type(np.inf).view(whole), bits)
    bits = np.where(exponent.astype(np.int64) <= lowest, sign, bits)
    return np.where(np.isnan(x), x, bits.view(x.dtype))


def _reduce_precision_template(
    in_dtypes: Any, dtype: np.dtype, exponent_bits: int, mantissa_bits: int
) -> str:
    dropped, lowest, highest = _narrower(dtype, exponent_bits, mantissa_bits)
    if not dropped and lowest < 0:
        return "{0}"
    return f"reduce_precision_{{t}}({{0}}, {dropped}, {lowest}, {highest})"


def _reduce_precision_of_halves(
    x: Any, *, dtype: np.dtype, exponent_bits: int, mantissa_bits: int
) -> Any:
    """That of the float32 number. But small float16 numbers have fewer digits: there, of one that
    is 2**112 times smaller, for float32's have fewer digits too, from as small an exponent."""
    if dtype != np.float16 or exponent_bits < ml_dtypes.finfo(dtype).nexp:
        return reduce_precision(x, exponent_bits, mantissa_bits)
    small = reduce_precision(mul(x, fill(x.aval, 2.0**-112)), exponent_bits + 3, mantissa_bits)
    return rounded_p.bind(mul(small, fill(x.aval, 2.0**112)), dtype=dtype)  # or infinite


reduce_precision_p = numpy_primitive(
    "reduce_precision", _reduce_precision_rule, _numpy_reduce_precision
)
deflinear(reduce_precision_p, lambda ct, **params: [reduce_precision_p.bind(ct, **params)])
defvectorized(reduce_precision_p)
register_lowering(
    reduce_precision_p, template=_reduce_precision_template,
    on_halves=_reduce_precision_of_halves,
)  # fmt: skip


def reduce_precision(operand: Any, exponent_bits: int, mantissa_bits: int) -> Any:
    """The floats, rounded to those of a narrower format, in the dtype that they have.

    >>> reduce_precision(np.float32(1 / 3), 5, 10)
    Array(0.33325195, dtype=float32)
    """
    name = "lax.reduce_precision"
    exponent_bits = as_integer(name, "exponent_bits", exponent_bits)
    mantissa_bits = as_integer(name, "mantissa_bits", mantissa_bits)
    return reduce_precision_p.bind(
        operand, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits
    )


# An order in which no two floats that differ in a bit are equal, NaNs among them.


def total_order(x: np.ndarray) -> np.ndarray:
    """Integers in the order of floats by IEEE 754: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.

    The bits of floats are such integers, but that those of negative ones count backwards.
    """
    if not issubdtype(x.dtype, np.floating):
        return x
    if ml_dtypes.finfo(x.dtype).min > 0:  # without a sign
        return words_of(x)
    bits = signed_numbers(x)
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def _numpy_eq_to(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if issubdtype(x.dtype, np.complexfloating):
        return _numpy_eq_to(x.real, y.real) & _numpy_eq_to(x.imag, y.imag)
    return total_order(x) == total_order(y)


eq_to_p = naryop("eq_to", anything[:2], _numpy_eq_to, to_bool)
le_to_p = naryop("le_to", ordered, lambda x, y: total_order(x) <= total_order(y), to_bool)
lt_to_p = naryop("lt_to", ordered, lambda x, y: total_order(x) < total_order(y), to_bool)


def _in_total_order(relation: str) -> Callable:
    """The template of a comparison: of floats, of the integers that `total_order` makes of them."""

    def rule(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype) -> str:
        x, y = "{0}", "{1}"
        if in_dtypes[0] in FLOATS:
            whole = np.dtype(f"int{8 * in_dtypes[0].itemsize}")
            bits = f"{in_dtypes[0]}({{0}}).view({whole})"
            flipped = f"{bits} ^ {whole}({np.iinfo(whole).max})"
            x = f"({flipped} if {bits} < 0 else {bits})"
            y = x.replace("{0}", "{1}")
        return f"{x} {relation} {y}"

    return rule


for _primitive, _relation in {eq_to_p: "==", le_to_p: "<=", lt_to_p: "<"}.items():
    register_lowering(_primitive, template=_in_total_order(_relation))
    primitive_jvps[_primitive] = partial(zero_jvp, _primitive)
    defbroadcasting(_primitive)
