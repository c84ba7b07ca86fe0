"""More primitives that work element by element, outside the machine, with all their rules."""

from __future__ import annotations

from typing import Any

import numpy as np

import minijax.core.primitives as lax
from minijax.core.batching import defbroadcasting, defvectorized
from minijax.core.forward import defjvp2, defzero_jvp, spread
from minijax.core.tracing import dtype_kind


def _numpy_rem(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if dtype_kind(x.dtype) not in "iu":
        return np.fmod(x, y)
    return np.where(y == 0, x, np.fmod(x, np.where(y == 0, 1, y)))


floor_p = lax.naryop("floor", "f", lax.through_float32(np.floor))
rem_p = lax.naryop("rem", "iuf", _numpy_rem)
xor_p = lax.naryop("xor", "biu", np.bitwise_xor)

floor = lax.unary(floor_p, "The largest whole number that is not above x, as a float.")
rem = lax.binary(rem_p, "What is left of x after division by y, with x's sign.")
bitwise_xor = lax.binary(xor_p, "The bits that are set in exactly one.")

# The rest is x - y * n, with a whole number n that changes only in jumps.


def _rem_jvp_y(g: Any, ans: Any, x: Any, y: Any) -> Any:
    quotient = lax.div(x, y)
    return lax.mul(lax.neg(g), lax.mul(lax.sign(quotient), floor(lax.abs(quotient))))


defjvp2(rem_p, lambda g, ans, x, y: spread(g, ans), _rem_jvp_y)
defzero_jvp(floor_p)
defzero_jvp(xor_p)
defvectorized(floor_p)
defbroadcasting(rem_p)
defbroadcasting(xor_p)
