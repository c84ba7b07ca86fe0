"""Many numbers become one: sums, means, extremes, and where they are."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import bfloat16, canonicalize_dtype, issubdtype
from minijax.core.jitting import jit
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise import real_dtype
from minijax.lax.reductions import dtype_bounds
from minijax.lax.shapes import as_integer, known_axis
from minijax.numpy.arguments import (
    Axis,
    canonical_axes,
    check_arraylike,
    check_broadcast,
    refuse_complex,
    refuse_keys,
    refuse_out,
    typeof_number,
    user_dtype,
)
from minijax.numpy.comparisons import where as choose
from minijax.numpy.creation import astype, check_convertible
from minijax.numpy.promotion import bools_as_integers, inexact_dtype, promote_args
from minijax.numpy.shapes import broadcast_to, ravel


def _finish(result: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return lax.expand_dims(result, axes) if keepdims and axes else result


def _wider(dtype: np.dtype) -> np.dtype:
    """16-bit floats are added up in 32 bits, unless a dtype is asked for."""
    return np.dtype(np.float32) if dtype in (np.float16, bfloat16) else dtype


def _check_where(fun_name: str, a: Any, where: Any) -> None:
    if where is None:
        return
    check_arraylike(fun_name, where=where)
    if typeof(where).dtype != np.bool_:
        raise ValueError(
            f"{fun_name} takes bools as where, and got {typeof(where)}. Compare: where != 0."
        )
    check_broadcast(fun_name, [typeof(x).shape for x in (a, where)], ValueError)


def _initial(fun_name: str, initial: Any, dtype: np.dtype) -> Any:
    """The number that a reduction starts from, in its dtype."""
    check_arraylike(fun_name, initial=initial)
    if typeof_number(initial).ndim:
        raise ValueError(
            f"{fun_name} takes one number as initial, and got {typeof(initial)}. Give a scalar."
        )
    return lax.convert_element_type(initial, dtype)


# Sums and means.


def _sum_dtype(dtype: np.dtype) -> np.dtype:
    """Bools and integers are added up in the widest integers there are."""
    if issubdtype(dtype, np.bool_, np.signedinteger):
        return canonicalize_dtype(np.int64)
    return canonicalize_dtype(np.uint64) if issubdtype(dtype, np.unsignedinteger) else dtype


def sum(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """The sum over some axes, or all. Bools and small integers become 32-bit ones first.

    >>> sum(np.array([[1, 2], [3, 4]]), axis=0)
    Array([4, 6], dtype=int32)
    """
    (a,) = promote_args("jnp.sum", a)
    refuse_out("jnp.sum", out)
    _check_where("jnp.sum", a, where)
    axes = canonical_axes("jnp.sum", axis, typeof(a).ndim)
    result_dtype = _sum_dtype(typeof(a).dtype) if dtype is None else user_dtype("jnp.sum", dtype)
    if result_dtype == np.bool_:
        result = any(a, axes, keepdims=keepdims, where=where)
        return (
            result
            if initial is None
            else lax.bitwise_or(_initial("jnp.sum", initial, result.dtype), result)
        )
    (a,) = bools_as_integers(a)
    a = lax.convert_element_type(a, _wider(result_dtype) if dtype is None else result_dtype)
    if where is not None:
        a = choose(where, a, cast(0, a.dtype))
    result = lax.reduce_sum(a, axes)
    if initial is not None:
        result = lax.add(_initial("jnp.sum", initial, a.dtype), result)
    return lax.convert_element_type(_finish(result, axes, keepdims), result_dtype)


def _mean_dtype(dtype: np.dtype) -> np.dtype:
    return canonicalize_dtype(inexact_dtype(dtype))


def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    *, where: Any = None,
) -> Any:  # fmt: skip
    """The mean over some axes, or all, as floats.

    >>> mean(np.array([1, 2, 6]))
    Array(3., dtype=float32)
    """
    check_arraylike("jnp.mean", a)
    refuse_keys("jnp.mean", a)
    refuse_out("jnp.mean", out)
    _check_where("jnp.mean", a, where)
    axis = canonical_axes("jnp.mean", axis, typeof(a).ndim)
    result_dtype = _mean_dtype(typeof(a).dtype) if dtype is None else user_dtype("jnp.mean", dtype)
    wide = _wider(result_dtype) if dtype is None else result_dtype
    count = _count(a, axis, wide, keepdims, where)
    total = sum(a, axis, wide, keepdims=keepdims, where=where)
    return lax.convert_element_type(lax.div(total, count), result_dtype)


def _count(
    a: Any, axes: tuple[int, ...], dtype: np.dtype, keepdims: bool, where: Any
) -> Any:  # fmt: skip
    """How many elements a mean is taken of."""
    shape = typeof(a).shape
    if where is not None:
        return sum(broadcast_to(where, shape), axes, dtype, keepdims=keepdims)
    return cast(math.prod(shape[d] for d in axes), dtype)


def var(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: bool = False, *, where: Any = None,
) -> Any:  # fmt: skip
    """The variance over some axes, or all: the mean square distance from the mean.

    The sum of squares is divided by the number of elements less `ddof`; NaN if that is not
    positive.

    >>> var(np.array([1.0, 3.0])), var(np.array([1.0, 3.0]), ddof=1)
    (Array(1., dtype=float32), Array(2., dtype=float32))
    """
    axes, dtype = _check_spread("jnp.var", a, axis, dtype, out, ddof, where)
    return _var(a, axes, dtype, ddof, bool(keepdims), where)


def std(
    a: Any, axis: Axis = None, dtype: Any = None, out: None = None, ddof: Any = 0,
    keepdims: bool = False, *, where: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation, the square root of `var`.

    >>> std(np.array([1.0, 3.0]))
    Array(1., dtype=float32)
    """
    axes, dtype = _check_spread("jnp.std", a, axis, dtype, out, ddof, where)
    if not issubdtype(dtype, np.inexact):
        raise ValueError(f"jnp.std gives floats, as roots are, and not {dtype}. Ask for floats.")
    return _std(a, axes, dtype, ddof, bool(keepdims), where)


def _check_spread(
    fun_name: str, a: Any, axis: Axis, dtype: Any, out: None, ddof: Any, where: Any
) -> tuple[tuple[int, ...], np.dtype]:
    """The axes and the dtype of `var` or `std`, after a look at the other arguments."""
    check_arraylike(fun_name, a, ddof=ddof)
    refuse_keys(fun_name, a)
    refuse_out(fun_name, out)
    _check_where(fun_name, a, where)
    aval = typeof(a)
    if issubdtype(aval.dtype, np.complexfloating):
        raise NotImplementedError(
            f"{fun_name} of complex numbers is not here yet. Give real numbers."
        )
    axes = canonical_axes(fun_name, axis, aval.ndim)
    if dtype is None:
        return axes, _mean_dtype(aval.dtype)
    return axes, user_dtype(fun_name, dtype)


@partial(jit, static_argnames=("axes", "dtype", "keepdims"))
def _var(
    a: Any, axes: tuple[int, ...], dtype: np.dtype, ddof: Any, keepdims: bool, where: Any
) -> Any:
    wide = _wider(real_dtype(dtype))
    a = lax.convert_element_type(a, wide)
    centered = lax.sub(a, mean(a, axes, wide, keepdims=True, where=where))
    squares = lax.square(centered)
    count = _count(a, axes, wide, keepdims, where)
    count = lax.sub(count, lax.convert_element_type(ddof, wide))
    total = sum(squares, axes, wide, keepdims=keepdims, where=where)
    result = lax.convert_element_type(lax.div(total, count), dtype)
    return choose(lax.gt(count, cast(0, wide)), result, np.nan)


@partial(jit, static_argnames=("axes", "dtype", "keepdims"))
def _std(
    a: Any, axes: tuple[int, ...], dtype: np.dtype, ddof: Any, keepdims: bool, where: Any
) -> Any:
    return lax.sqrt(_var(a, axes, dtype, ddof, keepdims, where))


# Extremes.


def _extreme(
    fun_name: str, reduce: Callable, choice: Callable, neutral: Any, a: Any, axis: Axis,
    out: None, keepdims: bool, initial: Any, where: Any,
) -> Any:  # fmt: skip
    check_arraylike(fun_name, a)
    refuse_keys(fun_name, a)
    refuse_out(fun_name, out)
    _check_where(fun_name, a, where)
    shape = typeof(a).shape
    axes = canonical_axes(fun_name, axis, len(shape))
    if initial is None and builtins.any(shape[d] == 0 for d in axes):
        raise ValueError(f"{fun_name} of no numbers, shape {shape}. Give `initial` to start from.")
    if initial is None and where is not None:
        raise ValueError(
            f"{fun_name} with `where`, which may leave no numbers. Give `initial` to start from."
        )
    a = lax.convert_element_type(a, typeof(a).dtype)
    if where is not None:
        a = choose(where, a, cast(neutral(a.dtype), a.dtype))
    result = reduce(a, axes)
    if initial is not None:
        result = choice(_initial(fun_name, initial, a.dtype), result)
    return _finish(result, axes, keepdims)


def _smallest(dtype: np.dtype) -> Any:
    return dtype_bounds(dtype)[0]


def _largest(dtype: np.dtype) -> Any:
    return dtype_bounds(dtype)[1]


def max(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The largest element over some axes, or all; NaN where there is one.

    ValueError when there are no elements and no `initial`.

    >>> max(np.array([[1, 5], [3, 2]]), axis=1, keepdims=True)
    Array([[5],
           [3]], dtype=int32)
    """
    return _extreme(
        "jnp.max", lax.reduce_max, lax.max, _smallest, a, axis, out, keepdims, initial, where
    )


def min(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, initial: Any = None,
    where: Any = None,
) -> Any:  # fmt: skip
    """The smallest element over some axes, or all; NaN where there is one.

    ValueError when there are no elements and no `initial`.

    >>> min(np.array([[1, 5], [3, 2]]), axis=0)
    Array([1, 2], dtype=int32)
    """
    return _extreme(
        "jnp.min", lax.reduce_min, lax.min, _largest, a, axis, out, keepdims, initial, where
    )


amax, amin = max, min


def any(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, *, where: Any = None
) -> Any:
    """Whether some element is true (not zero), over some axes, or all.

    >>> any(np.array([[0, 1], [0, 0]]), axis=1)
    Array([ True, False], dtype=bool)
    """
    return _logical("jnp.any", lax.reduce_max, False, a, axis, out, keepdims, where)


def all(
    a: Any, axis: Axis = None, out: None = None, keepdims: bool = False, *, where: Any = None
) -> Any:
    """Whether every element is true (not zero), over some axes, or all.

    >>> all(np.array([[0, 1], [1, 1]]), axis=1)
    Array([False,  True], dtype=bool)
    """
    return _logical("jnp.all", lax.reduce_min, True, a, axis, out, keepdims, where)


def _logical(
    fun_name: str, reduce: Callable, neutral: bool, a: Any, axis: Axis, out: None,
    keepdims: bool, where: Any,
) -> Any:  # fmt: skip
    check_arraylike(fun_name, a)
    check_convertible(fun_name, a, np.dtype(np.bool_))
    refuse_out(fun_name, out)
    _check_where(fun_name, a, where)
    axes = canonical_axes(fun_name, axis, typeof(a).ndim)
    a = astype(a, np.bool_)
    if where is not None:
        a = choose(where, a, neutral)
    return _finish(reduce(a, axes), axes, keepdims)


# Where the extremes are.


def argmax(a: Any, axis: int | None = None, out: None = None, keepdims: bool | None = None) -> Any:
    """The index of the (first) largest element, along one axis or of all; NaN is the largest.

    >>> argmax(np.array([1.0, 7.0, 7.0]))
    Array(1, dtype=int32)
    """
    return _arg_extreme("jnp.argmax", lax.reduce_max, a, axis, out, keepdims)


def argmin(a: Any, axis: int | None = None, out: None = None, keepdims: bool | None = None) -> Any:
    """The index of the (first) smallest element, along one axis or of all; NaN is the smallest.

    >>> argmin(np.array([[4, 2], [1, 3]]), axis=1)
    Array([1, 0], dtype=int32)
    """
    return _arg_extreme("jnp.argmin", lax.reduce_min, a, axis, out, keepdims)


def _arg_extreme(
    fun_name: str, reduce: Callable, a: Any, axis: int | None, out: None, keepdims: bool | None
) -> Any:  # fmt: skip
    """The smallest index of those where the extreme is."""
    refuse_out(fun_name, out)
    (a,) = promote_args(fun_name, a)
    refuse_complex(fun_name, TypeError, a)
    ndim = a.ndim
    if axis is None:
        a = ravel(a)
    axis = 0 if axis is None else known_axis(fun_name, axis, ndim, IndexError, as_integer)
    size = a.shape[axis]
    if not size:
        raise ValueError(
            f"{fun_name} of no numbers: axis {axis} of {typeof(a)} is empty. Give some numbers."
        )
    extreme = lax.expand_dims(reduce(a, [axis]), [axis])
    there = lax.bitwise_or(lax.eq(a, extreme), lax.ne(a, a))
    places = lax.broadcasted_iota(canonicalize_dtype(int), a.shape, axis)
    nowhere = lax.full_like(places, size)
    index = lax.reduce_min(lax.select(there, places, nowhere), [axis])
    return _finish(index, (axis,) if ndim == a.ndim else tuple(range(ndim)), bool(keepdims))
