"""What divides whole numbers, and what they divide."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.tracing import typeof
from minijax.numpy.arguments import library_jit, refuse_keys
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.elementwise.ufuncs import floor_divide
from minijax.numpy.promotion import promote_args, promoting_abs
from minijax.numpy.shapes.reshaping import broadcast_arrays


@library_jit
def gcd(x1: Any, x2: Any) -> Any:
    """The greatest common divisor, by Euclid's algorithm; of 0 and x, |x|.

    >>> gcd(np.array([12, 7]), 18)
    Array([6, 1], dtype=int32)
    """
    x1, x2 = broadcast_arrays(*map(promoting_abs, _integers("jnp.gcd", x1, x2)))

    def some_left(pair: tuple) -> Any:
        return lax.reduce_or(pair[1] != 0, range(pair[1].ndim))

    def step(pair: tuple) -> tuple:
        a, b = pair
        a, b = where(b != 0, b, a), where(b != 0, lax.rem(a, b), constant(a, 0))
        return where(a < b, b, a), where(a < b, a, b)

    return lax.while_loop(some_left, step, (x1, x2))[0]


@library_jit
def lcm(x1: Any, x2: Any) -> Any:
    """The least common multiple; 0 where either is 0.

    >>> lcm(np.array([4, 7]), 6)
    Array([12, 42], dtype=int32)
    """
    x1, x2 = map(promoting_abs, _integers("jnp.lcm", x1, x2))
    divisor = gcd(x1, x2)
    return where(divisor == 0, constant(x1, 0), x1 * floor_divide(x2, divisor))


def _integers(fun_name: str, x1: Any, x2: Any) -> list[Any]:
    refuse_keys(fun_name, x1, x2)
    x1, x2 = promote_args(fun_name, x1, x2)
    if not issubdtype(typeof(x1).dtype, np.integer):
        raise ValueError(f"{fun_name} takes integers, and got {typeof(x1)}. Use x.astype(int).")
    return [x1, x2]
