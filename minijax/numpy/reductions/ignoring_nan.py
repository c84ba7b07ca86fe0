"""Reductions for which NaN is a gap: what is there counts, and what is missing does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import as_integer
from minijax.numpy.arguments import (
    Axis,
    check_arraylike,
    library_jit,
    refuse_complex,
    refuse_keys,
    refuse_out,
    user_dtype,
)
from minijax.numpy.elementwise.comparisons import isnan
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.reductions import extremes, totals
from minijax.numpy.reductions.totals import check_where, var_dtypes

_STATIC = ("axis", "dtype", "keepdims")


def _check(fun_name: str, a: Any, out: None, where: Any) -> None:
    refuse_keys(fun_name, a)
    refuse_out(fun_name, out)
    check_where(fun_name, a, where)


def _without_nan(reduce: Callable, neutral: float, a: Any, **params: Any) -> Any:
    """The reduction, with what changes nothing in place of NaN."""
    if issubdtype(typeof(a).dtype, np.inexact):
        a = choose(isnan(a), cast(neutral, typeof(a).dtype), a)
    return reduce(a, **params)


@library_jit(static_argnames=_STATIC)
def nansum(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """The sum of what is not NaN, over some axes, or all.

    >>> nansum(np.array([1.0, np.nan, 2.0]))
    Array(3., dtype=float32)
    """
    _check("jnp.nansum", a, out, where)
    return _without_nan(
        totals.sum, 0, a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial,
        where=where,
    )  # fmt: skip


@library_jit(static_argnames=_STATIC)
def nanprod(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """The product of what is not NaN, over some axes, or all."""
    _check("jnp.nanprod", a, out, where)
    return _without_nan(
        totals.prod, 1, a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial,
        where=where,
    )  # fmt: skip


@library_jit(static_argnames=("axis", "keepdims"))
def nanmax(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The largest of what is not NaN, over some axes, or all; NaN where there is nothing else.

    >>> nanmax(np.array([1.0, np.nan, 2.0]))
    Array(2., dtype=float32)
    """
    return _nan_extreme(
        "jnp.nanmax", extremes.max, -np.inf, a, axis, out, keepdims, initial, where
    )


@library_jit(static_argnames=("axis", "keepdims"))
def nanmin(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The smallest of what is not NaN, over some axes, or all; NaN where there is nothing else."""
    return _nan_extreme("jnp.nanmin", extremes.min, np.inf, a, axis, out, keepdims, initial, where)


def _nan_extreme(
    fun_name: str, reduce: Callable, neutral: float, a: Any, axis: Axis, out: None,
    keepdims: bool, initial: Any, where: Any,
) -> Any:  # fmt: skip
    _check(fun_name, a, out, where)
    params = {"axis": axis, "keepdims": keepdims}
    result = _without_nan(reduce, neutral, a, initial=initial, where=where, **params)
    if initial is not None or not issubdtype(typeof(a).dtype, np.inexact):
        return result
    return choose(totals.all(isnan(a), **params), constant(a, np.nan), result)


@library_jit(static_argnames=_STATIC)
def nanmean(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    where: Any = None,
) -> Any:  # fmt: skip
    """The mean of what is not NaN, over some axes, or all.

    >>> nanmean(np.array([1.0, np.nan, 2.0]))
    Array(1.5, dtype=float32)
    """
    _check("jnp.nanmean", a, out, where)
    if not issubdtype(typeof(a).dtype, np.inexact):
        return totals.mean(a, axis, dtype, keepdims=keepdims, where=where)
    dtype = typeof(a).dtype if dtype is None else user_dtype("jnp.nanmean", dtype)
    there = lax.bitwise_not(isnan(a))
    count = totals.sum(there, axis, dtype, keepdims=keepdims, where=where)
    return lax.div(nansum(a, axis, dtype, keepdims=keepdims, where=where), count)


@library_jit(static_argnames=_STATIC)
def nanvar(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: bool = False, where: Any = None, mean: Any = None,
) -> Any:  # fmt: skip
    """The variance of what is not NaN, over some axes, or all; NaN where too little is there.

    `mean` is the mean, where it is known.

    >>> nanvar(np.array([1.0, np.nan, 3.0]))
    Array(1., dtype=float32)
    """
    _check("jnp.nanvar", a, out, where)
    wide, dtype = var_dtypes("jnp.nanvar", typeof(a).dtype, dtype)
    a = lax.convert_element_type(a, wide)
    if mean is None:
        mean = nanmean(a, axis, wide, keepdims=True, where=where)
    centered = choose(isnan(a), 0, lax.sub(a, lax.convert_element_type(mean, wide)))
    squares = totals.squared_size(centered)
    there = lax.bitwise_not(isnan(a))
    count = totals.sum(there, axis, keepdims=keepdims, where=where) - ddof
    too_few = lax.le(count, constant(count, 0))
    total = totals.sum(squares, axis, keepdims=keepdims, where=where)
    total = choose(too_few, np.nan, total)
    divisor = lax.convert_element_type(choose(too_few, 1, count), total.dtype)
    return lax.convert_element_type(lax.div(total, divisor), dtype)


@library_jit(static_argnames=_STATIC)
def nanstd(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: bool = False, where: Any = None, mean: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation of what is not NaN, the square root of `nanvar`."""
    _check("jnp.nanstd", a, out, where)
    return lax.sqrt(
        nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean)
    )


# Where the extremes are.


def nanargmax(
    a: Any, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Any:  # fmt: skip
    """The index of the (first) largest of what is not NaN; -1 where there is nothing else.

    >>> nanargmax(np.array([1.0, np.nan, 2.0]))
    Array(2, dtype=int32)
    """
    return _nanargmax(*_arg_arguments("jnp.nanargmax", a, axis, out, keepdims))


def nanargmin(
    a: Any, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Any:  # fmt: skip
    """The index of the (first) smallest of what is not NaN; -1 where there is nothing else."""
    return _nanargmin(*_arg_arguments("jnp.nanargmin", a, axis, out, keepdims))


def _arg_arguments(
    fun_name: str, a: Any, axis: int | None, out: None, keepdims: bool | None
) -> tuple[Any, int | None, bool]:
    check_arraylike(fun_name, a)
    refuse_out(fun_name, out)
    refuse_keys(fun_name, a)
    refuse_complex(fun_name, TypeError, a)
    axis = None if axis is None else as_integer(fun_name, "axis", axis)
    return a, axis, bool(keepdims)


@library_jit(checked=False, static_argnames=("axis", "keepdims"))
def _nanargmax(a: Any, axis: int | None, keepdims: bool) -> Any:
    return _nan_place(extremes.argmax, -np.inf, a, axis, keepdims)


@library_jit(checked=False, static_argnames=("axis", "keepdims"))
def _nanargmin(a: Any, axis: int | None, keepdims: bool) -> Any:
    return _nan_place(extremes.argmin, np.inf, a, axis, keepdims)


def _nan_place(
    find: Callable, neutral: float, a: Any, axis: int | None, keepdims: bool
) -> Any:  # fmt: skip
    if not issubdtype(typeof(a).dtype, np.floating):
        return find(a, axis, keepdims=keepdims)
    missing = isnan(a)
    index = find(choose(missing, neutral, a), axis, keepdims=keepdims)
    return choose(totals.all(missing, axis, keepdims=keepdims), -1, index)
