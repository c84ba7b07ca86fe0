"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis
from minijax.numpy.arguments import (
    check_arraylike,
    library_jit,
    not_zero,
    refuse_keys,
    refuse_out,
    user_dtype,
)
from minijax.numpy.elementwise.comparisons import isnan
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.reductions.totals import sum_dtype
from minijax.numpy.shapes.reshaping import reshape


def _running(
    fun_name: str, reduce: Callable, a: Any, axis: int | None, dtype: Any, out: None = None,
    instead_of_nan: int | None = None, promote_integers: bool = False,
) -> Any:  # fmt: skip
    """The running totals; without an axis, of all elements in a row. A number is such a row too,
    an array without axes is not, as in JAX.

    Bools are added up as integers, also where the result is to be bools.
    """
    check_arraylike(fun_name, a)
    refuse_keys(fun_name, a)
    refuse_out(fun_name, out)
    if axis is None or (not typeof(a).ndim and typeof(a).weak_type):
        a = reshape(a, (typeof(a).size,))
    axis = 0 if axis is None else known_axis(fun_name, axis, typeof(a).ndim)
    if instead_of_nan is not None:
        a = choose(isnan(a), cast(instead_of_nan, typeof(a).dtype), a)
    old = typeof(a).dtype
    if dtype is None:
        result_dtype = sum_dtype(old) if promote_integers or old == np.bool_ else old
    else:
        result_dtype = user_dtype(fun_name, dtype)
    wide = result_dtype
    if result_dtype == np.bool_:
        a, wide = not_zero(fun_name, a), sum_dtype(result_dtype)
    result = reduce(lax.convert_element_type(a, wide), axis)
    return lax.convert_element_type(result, result_dtype)


@library_jit(static_argnames=("axis", "dtype"))
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    """The sums of all elements up to each place, along an axis or (None) of all in a row.

    >>> cumsum(np.array([1, 2, 3]))
    Array([1, 3, 6], dtype=int32)
    """
    return _running("jnp.cumsum", lax.cumsum, a, axis, dtype, out)


@library_jit(static_argnames=("axis", "dtype"))
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    """The products of all elements up to each place, along an axis or (None) of all in a row.

    >>> cumprod(np.array([1, 2, 3]))
    Array([1, 2, 6], dtype=int32)
    """
    return _running("jnp.cumprod", lax.cumprod, a, axis, dtype, out)


@library_jit(static_argnames=("axis", "dtype"))
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    """Like `cumsum`, with 0 in place of NaN."""
    return _running("jnp.nancumsum", lax.cumsum, a, axis, dtype, out, instead_of_nan=0)


@library_jit(static_argnames=("axis", "dtype"))
def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    """Like `cumprod`, with 1 in place of NaN."""
    return _running("jnp.nancumprod", lax.cumprod, a, axis, dtype, out, instead_of_nan=1)


# With what was there before the first.


@library_jit(checked=False, static_argnames=("axis", "dtype"))
def _cumsum_with_promotion(x: Any, axis: int, dtype: Any) -> Any:
    return _running("jnp.cumulative_sum", lax.cumsum, x, axis, dtype, promote_integers=True)


def _one_axis(fun_name: str, x: Any, axis: int | None) -> int:
    """The axis, which may be left out where there is but one."""
    check_arraylike(fun_name, x)
    refuse_keys(fun_name, x)
    ndim = typeof(x).ndim
    if not ndim or (axis is None and ndim > 1):
        raise ValueError(
            f"{fun_name} goes along one axis, and got {typeof(x)} with axis {shown(axis)}.\n"
            f"Give {'an array' if not ndim else 'the axis'}."
        )
    return 0 if axis is None else known_axis(fun_name, axis, ndim)


def _with_initial(out: Any, axis: int, initial: int) -> Any:
    shape = typeof(out).shape
    first = lax.full((*shape[:axis], 1, *shape[axis + 1 :]), initial, typeof(out).dtype)
    return lax.concatenate([first, out], axis)


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The running sums along an axis, which may be left out where there is one alone.

    With `include_initial`, a 0 comes first. Bools and small integers become 32-bit ones first.

    >>> cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    Array([0, 1, 3, 6], dtype=int32)
    """
    axis = _one_axis("jnp.cumulative_sum", x, axis)
    dtype = None if dtype is None else user_dtype("jnp.cumulative_sum", dtype)
    out = _cumsum_with_promotion(x, axis, dtype)
    return _with_initial(out, axis, 0) if include_initial else out


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The running products along an axis, which may be left out where there is one alone.

    With `include_initial`, a 1 comes first.

    >>> cumulative_prod(np.array([1, 2, 3]), include_initial=True)
    Array([1, 1, 2, 6], dtype=int32)
    """
    axis = _one_axis("jnp.cumulative_prod", x, axis)
    dtype = None if dtype is None else user_dtype("jnp.cumulative_prod", dtype)
    out = _running("jnp.cumulative_prod", lax.cumprod, x, axis, dtype)
    return _with_initial(out, axis, 1) if include_initial else out
