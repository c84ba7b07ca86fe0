"""New arrays: from Python's and NumPy's values, from one number, from a range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from minijax.core import primitives as lax
from minijax.core.arrays import Array, as_array, canonicalize_dtype, is_array_like, result_type
from minijax.core.jitting import jit
from minijax.core.tracing import Tracer, dtype_kind, typeof
from minijax.lax.composed import iota
from minijax.lax.elementwise import floor
from minijax.numpy.arguments import (
    canonical_axis,
    check_arraylike,
    inexact_dtype,
    known_integer,
    user_dtype,
)
from minijax.numpy.promotion import promoting_sub
from minijax.numpy.shapes import broadcast_shapes, broadcast_to

# From values.


def array(object: Any, dtype: Any = None, copy: bool = True, *, ndmin: int = 0) -> Any:
    """The array of a number, a NumPy array, an array, or nested lists of them, copied.

    The result has `dtype`, else the dtype that the numbers promote to. ValueError when nested
    lists have different lengths, TypeError when there is something else than numbers in them.

    >>> array([1, 2.5])
    Array([1. , 2.5], dtype=float32)
    >>> array(3)
    Array(3, dtype=int32, weak_type=True)
    """
    if dtype is not None:
        dtype = user_dtype("array", dtype)
    result = _array(object, dtype, copy)
    if result.ndim < ndmin:
        result = lax.expand_dims(result, range(ndmin - result.ndim))
    return result


def asarray(a: Any, dtype: Any = None, *, copy: bool | None = None) -> Any:
    """Like `array`, but what is an array of the right dtype already is returned as it is.

    >>> asarray(np.arange(3))
    Array([0, 1, 2], dtype=int32)
    """
    if dtype is not None:
        dtype = user_dtype("asarray", dtype)
    return _array(a, dtype, bool(copy))


def _array(object: Any, dtype: np.dtype | None, copy: bool) -> Any:
    if isinstance(object, Array):
        result = lax.copy_p.bind(object) if copy else object
        return result if dtype is None else lax.convert_element_type(result, dtype)
    if is_array_like(object):
        return as_array(object) if dtype is None else lax.convert_element_type(object, dtype)
    leaves = list(_leaves(object))
    for leaf in leaves:
        if not is_array_like(leaf):
            raise (ValueError if leaf is None else TypeError)(
                f"jnp.array takes numbers, arrays and lists of them, and got {leaf!r}, "
                f"of type {type(leaf).__name__}."
            )
    if dtype is None:
        dtype = result_type(*leaves) if leaves else canonicalize_dtype(float)
    return _nested(object, dtype)


def _leaves(object: Any) -> Iterator[Any]:
    if isinstance(object, list | tuple | range):
        for item in object:
            yield from _leaves(item)
    elif not is_array_like(object) and hasattr(object, "__array__"):
        yield np.asarray(object)
    else:
        yield object


def _nested(object: Any, dtype: np.dtype) -> Any:
    """The array of nested lists: by NumPy where all is known, else stacked from its parts."""
    if isinstance(object, Array):
        return lax.convert_element_type(object, dtype)
    if any(isinstance(leaf, Array) for leaf in _leaves(object)):
        return lax.concatenate([lax.expand_dims(_nested(x, dtype), [0]) for x in object], 0)
    values = np.array(object)
    if dtype_kind(dtype) in "iu" and values.dtype.kind in "iuO":
        return Array(np.array(object, dtype))  # OverflowError when one does not fit
    return lax.convert_element_type(values, dtype)


def copy(a: Any) -> Any:
    """A copy of an array or a number."""
    check_arraylike("copy", a)
    return array(a)


def astype(x: Any, dtype: Any) -> Any:
    """x converted to another dtype.

    >>> astype(np.array([1.7, -1.7]), int)
    Array([ 1, -1], dtype=int32)
    """
    check_arraylike("astype", x)
    return lax.convert_element_type(x, user_dtype("astype", float if dtype is None else dtype))


# From one number.


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros of a shape, as float32 unless another dtype is given.

    >>> zeros((2, 2), int)
    Array([[0, 0],
           [0, 0]], dtype=int32)
    """
    return lax.full(shape, 0, user_dtype("zeros", float if dtype is None else dtype))


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones of a shape, as float32 unless another dtype is given."""
    return lax.full(shape, 1, user_dtype("ones", float if dtype is None else dtype))


def empty(shape: Any, dtype: Any = None) -> Any:
    """An array whose values do not matter; they are zeros."""
    return lax.full(shape, 0, user_dtype("empty", float if dtype is None else dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`fill_value`, a number or an array, broadcast to a shape.

    >>> full((2, 2), np.array([1.0, 2.0]))
    Array([[1., 2.],
           [1., 2.]], dtype=float32)
    """
    check_arraylike("full", fill_value)
    if dtype is not None:
        dtype = user_dtype("full", dtype)
    if typeof(fill_value).ndim:
        return broadcast_to(asarray(fill_value, dtype), shape)
    return lax.full(shape, fill_value, dtype)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """`fill_value` in the shape and dtype of `a`, unless others are given.

    >>> full_like(np.arange(2), 7)
    Array([7, 7], dtype=int32)
    """
    check_arraylike("full_like", a, fill_value)
    if dtype is not None:
        dtype = user_dtype("full_like", dtype)
    if not typeof(fill_value).ndim:
        return lax.full_like(a, fill_value, dtype, shape)
    value = asarray(fill_value, typeof(a).dtype if dtype is None else dtype)
    return broadcast_to(value, typeof(a).shape if shape is None else shape)


def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Zeros in the shape and dtype of `a`, unless others are given."""
    check_arraylike("zeros_like", a)
    return full_like(a, 0, dtype, shape)


def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Ones in the shape and dtype of `a`, unless others are given."""
    check_arraylike("ones_like", a)
    return full_like(a, 1, dtype, shape)


def empty_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Values that do not matter, in the shape and dtype of `a`, unless others are given."""
    check_arraylike("empty_like", a)
    return full_like(a, 0, dtype, shape)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """N rows of M zeros (N when not given), with ones on the k-th diagonal.

    >>> eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    dtype = user_dtype("eye", float if dtype is None else dtype)
    shape = (N, N if M is None else M)
    if any(isinstance(n, int) and n < 0 for n in shape):
        raise ValueError(f"jnp.eye was asked for a matrix of the sizes {shape}.")
    rows = lax.broadcasted_iota(np.int32, shape, 0)
    columns = lax.broadcasted_iota(np.int32, shape, 1)
    on_diagonal = lax.eq(lax.add(rows, lax.convert_element_type(k, np.int32)), columns)
    return lax.convert_element_type(on_diagonal, dtype)


def identity(n: int, dtype: Any = None) -> Any:
    """The n by n identity matrix."""
    return eye(n, dtype=dtype)


# From a range.


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """start, start + step, ..., without stop; with one argument 0, 1, ..., without it.

    >>> arange(2, 11, 3)
    Array([2, 5, 8], dtype=int32)
    """
    given = {"start": start, "stop": stop, "step": step}
    if stop is None:
        given = {"stop": start, "step": step}
    known = {name: _known_number(name, value) for name, value in given.items() if value is not None}
    if dtype is None:
        dtype = result_type(*(given[name] for name in known))
    else:
        dtype = user_dtype("arange", dtype)
    if dtype_kind(dtype) == "b":
        raise TypeError("jnp.arange counts, so it makes integers or floats, not bools.")
    first, stride = known.get("start", 0), known.get("step", 1)
    size = max(0, math.ceil((known["stop"] - first) / stride))
    result = iota(dtype, size)
    if step is not None:
        result = lax.mul(lax.convert_element_type(stride, dtype), result)
    if step is not None or (stop is not None and first != 0):
        result = lax.add(lax.convert_element_type(first, dtype), result)
    return result


def _known_number(name: str, value: Any) -> int | float:
    check_arraylike("arange", value)
    if isinstance(value, Tracer):
        return known_integer("arange", name, value)
    number = as_array(value)
    if number.ndim or dtype_kind(number.dtype) == "c":
        raise ValueError(f"jnp.arange takes real numbers; {name} is {number.aval}.")
    return number.item()


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """`num` values, evenly spaced, from start to stop, stop included when `endpoint`.

    Arrays as bounds give values along a new `axis`. With `retstep`, (values, step).

    >>> linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    check_arraylike("linspace", start, stop)
    num = known_integer("linspace", "num", num)
    if num < 0:
        raise ValueError(f"jnp.linspace was asked for {num} values.")
    if dtype is None:
        dtype = inexact_dtype(result_type(start, stop))
    else:
        dtype = user_dtype("linspace", dtype)
    return _linspace(start, stop, num, endpoint, retstep, dtype, axis)


@partial(jit, static_argnames=("num", "endpoint", "retstep", "dtype", "axis"))
def _linspace(
    start: Any, stop: Any, num: int, endpoint: bool, retstep: bool, dtype: np.dtype, axis: int
) -> Any:
    floats = inexact_dtype(dtype)
    start, stop = (lax.convert_element_type(x, floats) for x in (start, stop))
    shape = broadcast_shapes(start.shape, stop.shape)
    first, last = broadcast_to(start, shape), broadcast_to(stop, shape)
    axis = canonical_axis("linspace", axis, len(shape) + 1)
    column = (*shape[:axis], 1, *shape[axis:])
    steps = num - 1 if endpoint else num
    delta = lax.convert_element_type(np.nan, floats)
    if steps > 0:
        count = lax.convert_element_type(steps, floats)
        delta = lax.div(promoting_sub(stop, start), count)
    if num == 0:
        values = lax.full((*shape[:axis], 0, *shape[axis:]), 0, floats)
    elif num == 1:
        values = lax.reshape(first, column)
    else:
        row = [steps if d == axis else 1 for d in range(len(column))]
        fraction = lax.div(lax.reshape(iota(floats, steps), row), count)
        one = lax.convert_element_type(1, floats)
        values = lax.add(
            lax.mul(lax.reshape(first, column), lax.sub(one, fraction)),
            lax.mul(lax.reshape(last, column), fraction),
        )
        if endpoint:
            values = lax.concatenate([values, lax.expand_dims(last, [axis])], axis)
    if dtype_kind(dtype) in "iu":
        values = lax.convert_element_type(floor(values), dtype)
    return (values, delta) if retstep else values
