"""More primitives that work element by element, outside the machine, with all their rules."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

import minijax.core.primitives as lax
from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.forward import defjvp2, defzero_jvp, spread
from minijax.core.tracing import dtype_kind

# Rounding, and what a division leaves over.


class RoundingMethod(IntEnum):
    """Which way a half goes."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _numpy_round(x: np.ndarray, rounding_method: RoundingMethod) -> np.ndarray:
    if rounding_method == RoundingMethod.TO_NEAREST_EVEN:
        return np.round(x)
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


def _numpy_rem(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if dtype_kind(x.dtype) not in "iu":
        return np.fmod(x, y)
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


floor_p = lax.naryop("floor", "f", lax.through_float32(np.floor))
round_p = lax.naryop("round", "f", lax.through_float32(_numpy_round))
rem_p = lax.naryop("rem", "iuf", _numpy_rem)

floor = lax.unary(floor_p, "The largest whole number that is not above x, as a float.")
rem = lax.binary(rem_p, "What is left of x after division by y, with x's sign.")


def round(x: Any, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Any:
    """The nearest whole number, as a float.

    >>> round(2.5), round(2.5, RoundingMethod.TO_NEAREST_EVEN)
    (Array(3., dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True))
    """
    return round_p.bind(x, rounding_method=RoundingMethod(rounding_method))


# The rest is x - y * n, with a whole number n that changes only in jumps.


def _rem_jvp_y(g: Any, ans: Any, x: Any, y: Any) -> Any:
    quotient = lax.div(x, y)
    return lax.mul(lax.neg(g), lax.mul(lax.sign(quotient), floor(lax.abs(quotient))))


defjvp2(rem_p, lambda g, ans, x, y: spread(g, ans), _rem_jvp_y)
defbroadcasting(rem_p)
for _primitive in [floor_p, round_p]:
    defzero_jvp(_primitive)
    defvectorized(_primitive)

# Bits. A number is shifted by 0 up to one less than its bits; by any other count, all of them
# are shifted out.


def _counts(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
    """Which counts are in range, and the greatest that is."""
    last = 8 * x.dtype.itemsize - 1
    return (y >= 0) & (y <= last), last


def _numpy_shift_left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    in_range, _ = _counts(x, y)
    return np.where(in_range, x << np.where(in_range, y, 0), 0)


def _numpy_shift_right_logical(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Zeros come in on the left."""
    in_range, _ = _counts(x, y)
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    shifted = x.astype(unsigned) >> np.where(in_range, y, 0).astype(unsigned)
    return np.where(in_range, shifted, 0).astype(x.dtype)


def _numpy_shift_right_arithmetic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Copies of the sign come in on the left."""
    in_range, last = _counts(x, y)
    signed = np.dtype(f"i{x.dtype.itemsize}")
    return (x.astype(signed) >> np.where(in_range, y, last).astype(signed)).astype(x.dtype)


xor_p = lax.naryop("xor", "biu", np.bitwise_xor)
shift_left_p = lax.naryop("shift_left", "iu", _numpy_shift_left)
shift_right_logical_p = lax.naryop("shift_right_logical", "iu", _numpy_shift_right_logical)
shift_right_arithmetic_p = lax.naryop("shift_right_arithmetic", "iu", _numpy_shift_right_arithmetic)

bitwise_xor = lax.binary(xor_p, "The bits that are set in exactly one.")
shift_left = lax.binary(shift_left_p, "The bits of x, y places to the left: x * 2**y.")
shift_right_logical = lax.binary(
    shift_right_logical_p, "The bits of x, y places to the right; zeros follow."
)
shift_right_arithmetic = lax.binary(
    shift_right_arithmetic_p, "The bits of x, y places to the right; copies of the first follow."
)

for _primitive in [xor_p, shift_left_p, shift_right_logical_p, shift_right_arithmetic_p]:
    defzero_jvp(_primitive)
    defbroadcasting(_primitive)
