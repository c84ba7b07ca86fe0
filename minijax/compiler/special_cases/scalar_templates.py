"""Templates for what takes more than an operator: quotients of integers, powers, roundings.

Without them NumPy computes these equations, between kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import FLOATS, literal_text


def truncated_quotient(dtype: np.dtype) -> str:
    """x / y of integers, rounded towards zero, for a y that is neither 0 nor, of 64 bits, -1.

    Two integers of 32 bits have a quotient that float64 doesn't round to the next whole number.
    """
    if dtype.itemsize < 8:
        return "int64(float64({0}) / float64({1}))"
    if dtype.kind == "u":
        return "{0} // {1}"
    return "({0} // {1} + int64(({0} % {1} != 0) & (({0} < 0) != ({1} < 0))))"


def quotient(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype) -> str:
    """Of integers: x / 0 has all bits set; the lowest number / -1 is that number again."""
    quotient = truncated_quotient(out_dtype)
    if out_dtype == np.uint64:
        return f"~uint64(0) if {{1}} == 0 else {quotient}"
    if out_dtype == np.int64:
        quotient = f"-{{0}} if {{1}} == -1 else {quotient}"
    return f"int64(-1) if {{1}} == 0 else {quotient}"


def power(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, y: int) -> str | None:
    """By squaring, written out. Of the interpreter's products, in its order."""
    if not 0 <= abs(y) <= 16 or y < 0 and in_dtypes[0] not in FLOATS:
        return None
    one, cast = literal_text(np.ones((), out_dtype)), out_dtype
    result, square, n = one, "{0}", abs(y)
    while n:
        if n % 2:
            result = square if result == one else f"{cast}({result} * {square})"
        n //= 2
        square = f"{cast}({square} * {square})"
    return result if y >= 0 else f"{one} / ({result})"


def saturated(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, **_: Any) -> str:
    """Floats as integers: beyond the range they become its bounds, and NaN 0."""
    bounds, zero = np.iinfo(out_dtype), f"{out_dtype}(0)"
    low, high = f"{out_dtype}({bounds.min})", f"{out_dtype}({bounds.max})"
    number = f"{out_dtype}({{0}}) if {{0}} == {{0}} else {zero}"
    number = f"{high} if {{0}} >= {float(bounds.max)} else {number}"
    return f"{low} if {{0}} <= {float(bounds.min)} else {number}"
