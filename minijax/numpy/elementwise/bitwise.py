"""The bits of bools and integers, one function for each operator."""

from __future__ import annotations

from typing import Any

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.numpy.promotion import WHOLE, promote_args, promoting_shift_left, promoting_shift_right
from minijax.numpy.ufunc_objects import ufunc_of


@ufunc_of(2, identity=-1)
@by_types
def bitwise_and(x: Any, y: Any, /) -> Any:
    """The bits that are set in both; of bools, and."""
    return lax.bitwise_and(*promote_args("jnp.bitwise_and", x, y, accepts=WHOLE))


@ufunc_of(2, identity=0)
@by_types
def bitwise_or(x: Any, y: Any, /) -> Any:
    """The bits that are set in either; of bools, or."""
    return lax.bitwise_or(*promote_args("jnp.bitwise_or", x, y, accepts=WHOLE))


@ufunc_of(2, identity=0)
@by_types
def bitwise_xor(x: Any, y: Any, /) -> Any:
    """The bits that are set in exactly one."""
    return lax.bitwise_xor(*promote_args("jnp.bitwise_xor", x, y, accepts=WHOLE))


@by_types
def bitwise_not(x: Any, /) -> Any:
    """Every bit turned over; of bools, not."""
    return lax.bitwise_not(*promote_args("jnp.bitwise_not", x, accepts=WHOLE))


@by_types
def invert(x: Any, /) -> Any:
    """Every bit turned over: another name for `bitwise_not`."""
    return lax.bitwise_not(*promote_args("jnp.invert", x, accepts=WHOLE))


@by_types
def left_shift(x: Any, y: Any, /) -> Any:
    """x << y, the bits of x moved y places to the left: x * 2**y.

    >>> left_shift(3, 2)
    Array(12, dtype=int32, weak_type=True)
    """
    return promoting_shift_left(x, y)


@by_types
def right_shift(x: Any, y: Any, /) -> Any:
    """x >> y, the bits of x moved y places to the right: x / 2**y, rounded down.

    >>> right_shift(-5, 1)
    Array(-3, dtype=int32, weak_type=True)
    """
    return promoting_shift_right(x, y)


@by_types
def bitwise_invert(x: Any, /) -> Any:
    """Every bit turned over: another name for `bitwise_not`."""
    return lax.bitwise_not(*promote_args("jnp.bitwise_invert", x, accepts=WHOLE))


@by_types
def bitwise_left_shift(x: Any, y: Any, /) -> Any:
    """x << y: another name for `left_shift`."""
    return promoting_shift_left(x, y)


@by_types
def bitwise_right_shift(x: Any, y: Any, /) -> Any:
    """x >> y: another name for `right_shift`."""
    return promoting_shift_right(x, y)
