"""Comparing and choosing, element by element: results are bools, or one of two values."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype
from minijax.lax.shapes.sizes import is_certain
from minijax.numpy.arguments import (
    check_alike,
    check_arraylike,
    check_broadcast,
    library_jit,
    not_zero,
    refuse_complex,
    refuse_keys,
    refuse_out,
)
from minijax.numpy.creation import new_array
from minijax.numpy.promotion import (
    COMPARED,
    check_operands,
    promote_args,
    promote_dtypes,
    promoting_add,
    promoting_comparisons,
    promoting_mul,
)
from minijax.numpy.shapes.reshaping import broadcast_arrays, broadcast_shapes
from minijax.numpy.ufunc_objects import ufunc_of

# Comparisons: operands meet in one dtype first.


@by_types
def equal(x: Any, y: Any, /) -> Any:
    """Whether x == y, as bools.

    >>> equal(np.arange(3), 1)
    Array([False,  True, False], dtype=bool)
    """
    return promoting_comparisons["eq"](x, y)


@by_types
def not_equal(x: Any, y: Any, /) -> Any:
    """Whether x != y, as bools."""
    return promoting_comparisons["ne"](x, y)


@by_types
def less(x: Any, y: Any, /) -> Any:
    """Whether x < y, as bools."""
    return promoting_comparisons["lt"](x, y)


@by_types
def less_equal(x: Any, y: Any, /) -> Any:
    """Whether x <= y, as bools."""
    return promoting_comparisons["le"](x, y)


@by_types
def greater(x: Any, y: Any, /) -> Any:
    """Whether x > y, as bools."""
    return promoting_comparisons["gt"](x, y)


@by_types
def greater_equal(x: Any, y: Any, /) -> Any:
    """Whether x >= y, as bools."""
    return promoting_comparisons["ge"](x, y)


# Logic: what isn't zero is true.


@ufunc_of(2, identity=True)
@by_types
def logical_and(x: Any, y: Any, /) -> Any:
    """Whether both are true (not zero).

    >>> logical_and(np.array([0, 1, 2]), True)
    Array([False,  True,  True], dtype=bool)
    """
    return lax.bitwise_and(*_truths("jnp.logical_and", x, y))


@ufunc_of(2, identity=False)
@by_types
def logical_or(x: Any, y: Any, /) -> Any:
    """Whether at least one is true (not zero)."""
    return lax.bitwise_or(*_truths("jnp.logical_or", x, y))


@ufunc_of(2, identity=False)
@by_types
def logical_xor(x: Any, y: Any, /) -> Any:
    """Whether exactly one is true (not zero)."""
    return lax.bitwise_xor(*_truths("jnp.logical_xor", x, y))


@by_types
def logical_not(x: Any, /) -> Any:
    """Whether x is zero (false)."""
    return lax.bitwise_not(*_truths("jnp.logical_not", x))


def _truths(fun_name: str, *args: Any) -> list[Any]:
    return [not_zero(fun_name, x) for x in promote_args(fun_name, *args)]


# Numbers that are none.


@by_types
def isnan(x: Any, /) -> Any:
    """Whether x is NaN, which is what doesn't equal itself.

    >>> isnan(np.array([1.0, np.nan]))
    Array([False,  True], dtype=bool)
    """
    (x,) = promote_args("jnp.isnan", x, accepts=COMPARED)
    return lax.ne(x, x)


@by_types
def isfinite(x: Any, /) -> Any:
    """Whether x is neither infinite nor NaN."""
    (x,) = promote_args("jnp.isfinite", x, accepts=COMPARED)
    if not issubdtype(x.dtype, np.inexact):
        return lax.full(x.shape, True)
    if issubdtype(x.dtype, np.complexfloating):
        return lax.bitwise_and(lax.is_finite(lax.real(x)), lax.is_finite(lax.imag(x)))
    return lax.is_finite(x)


@library_jit
def isinf(x: Any, /) -> Any:
    """Whether x is infinite, of either sign."""
    (x,) = promote_args("jnp.isinf", x, accepts=COMPARED)
    if not issubdtype(x.dtype, np.inexact):
        return lax.full(x.shape, False)
    if issubdtype(x.dtype, np.complexfloating):
        real, imag = lax.real(x), lax.imag(x)
        return lax.bitwise_or(_is_infinite(real), _is_infinite(imag))
    return _is_infinite(x)


def _is_infinite(x: Any) -> Any:
    return lax.eq(lax.abs(x), cast(np.inf, typeof(x).dtype))


def isposinf(x: Any, /, out: None = None) -> Any:
    """Whether x is infinite and positive."""
    return _is_infinity("jnp.isposinf", np.inf, x, out)


def isneginf(x: Any, /, out: None = None) -> Any:
    """Whether x is infinite and negative.

    >>> isneginf(np.array([-np.inf, np.inf]))
    Array([ True, False], dtype=bool)
    """
    return _is_infinity("jnp.isneginf", -np.inf, x, out)


def _is_infinity(fun_name: str, infinity: float, x: Any, out: None) -> Any:
    check_arraylike(fun_name, x)
    refuse_out(fun_name, out)
    refuse_keys(fun_name, x)
    aval = typeof(x)
    refuse_complex(fun_name, ValueError, x)
    if not issubdtype(aval.dtype, np.floating):
        return lax.full(aval.shape, False)
    x = cast(x, aval.dtype)
    return lax.eq(x, constant(x, infinity))


# Choosing.


@by_types(static=())
def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y: the `jnp.where` of three arguments.

    >>> where(np.array([True, False]), np.array([1.0, 2.0]), 0)
    Array([1., 0.], dtype=float32)
    """
    check_arraylike("jnp.where", condition, x, y)
    check_alike("jnp.where", x, y)
    check_broadcast("jnp.where", [typeof(a).shape for a in (condition, x, y)], ValueError)
    return _where(condition, x, y)


@library_jit(checked=False)
def _where(condition: Any, x: Any, y: Any) -> Any:
    condition = not_zero("jnp.where", condition)
    x, y = promote_dtypes(x, y)
    if typeof(condition).ndim:
        condition, x, y = broadcast_arrays(condition, x, y)
    else:
        x, y = broadcast_arrays(x, y)
    is_empty = is_certain(lambda: typeof(x).size == 0)
    return x if is_empty else lax.select(condition, x, y)


# Equal, up to rounding or exactly.


@library_jit(static_argnames=("equal_nan",))
def isclose(
    a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Any:  # fmt: skip
    """Whether |a - b| <= atol + rtol * |b|; infinities are close to themselves alone.

    >>> isclose(np.array([1.0, 2.0]), np.array([1.0000001, 2.1]))
    Array([ True, False], dtype=bool)
    """
    a, b = promote_args("jnp.isclose", a, b, inexact=True)
    refuse_keys("jnp.isclose", rtol, atol, error=ValueError)
    check_broadcast("jnp.isclose", [typeof(x).shape for x in (rtol, atol, a, b)], TypeError)
    rtol, atol = (cast(x, real_dtype(a.dtype)) for x in (rtol, atol))
    both_nan, finite = logical_and(isnan(a), isnan(b)), isfinite(b)
    distance, size = lax.abs(lax.sub(a, b)), lax.abs(b)
    near = less_equal(distance, promoting_add(atol, promoting_mul(rtol, size)))
    close = logical_or(equal(a, b), logical_and(finite, near))
    return logical_or(close, both_nan) if equal_nan else close


@library_jit(static_argnames=("equal_nan",))
def allclose(
    a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Any:  # fmt: skip
    """Whether a and b are close everywhere, as one bool.

    >>> allclose(np.ones(3), 1.0)
    Array(True, dtype=bool)
    """
    check_operands("jnp.allclose", a, b)
    close = isclose(a, b, rtol, atol, equal_nan=equal_nan)
    return lax.reduce_and(close, range(close.ndim))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Whether two arrays have one shape and the same elements, as one bool.

    >>> array_equal(np.arange(3), np.arange(4))
    Array(False, dtype=bool)
    """
    a1, a2 = new_array("jnp.array_equal", a1), new_array("jnp.array_equal", a2)
    if a1.shape != a2.shape:
        return lax.full((), False)
    same = equal(a1, a2)
    if equal_nan:
        same = logical_or(same, logical_and(isnan(a1), isnan(a2)))
    return lax.reduce_and(cast(same, np.dtype(np.bool_)), range(same.ndim))


def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether the elements of two arrays are the same, as one bool, once the arrays are broadcast
    to one shape.

    >>> array_equiv(np.ones(3), 1)
    Array(True, dtype=bool)
    """
    a1, a2 = new_array("jnp.array_equiv", a1), new_array("jnp.array_equiv", a2)
    try:
        broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return lax.full((), False)
    same = equal(a1, a2)
    return lax.reduce_and(same, range(same.ndim))
