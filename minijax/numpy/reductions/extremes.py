"""The largest and the smallest of many numbers, and where they are."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.compiler.maths.bounds import largest, smallest
from minijax.core.dtypes import canonicalize_dtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import as_integer, known_axis
from minijax.numpy.arguments import (
    Axis,
    canonical_axes,
    check_arraylike,
    library_jit,
    refuse_complex,
    refuse_keys,
    refuse_out,
)
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.promotion import promote_args
from minijax.numpy.reductions.totals import check_where, finish, initial_value
from minijax.numpy.shapes.reshaping import ravel

# How large they are.


def _extreme(
    fun_name: str, reduce: Callable, choice: Callable, neutral: Any, a: Any, axis: Axis,
    out: None, keepdims: bool, initial: Any, where: Any,
) -> Any:  # fmt: skip
    check_arraylike(fun_name, a)
    refuse_keys(fun_name, a)
    refuse_out(fun_name, out)
    check_where(fun_name, a, where)
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
        result = choice(initial_value(fun_name, initial, a.dtype), result)
    return finish(result, axes, keepdims)


@by_types
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
        "jnp.max", lax.reduce_max, lax.max, smallest, a, axis, out, keepdims, initial, where
    )


@by_types
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
        "jnp.min", lax.reduce_min, lax.min, largest, a, axis, out, keepdims, initial, where
    )


amax, amin = max, min


# Where the extremes are.


@by_types
def argmax(a: Any, axis: int | None = None, out: None = None, keepdims: bool | None = None) -> Any:
    """The index of the (first) largest element, along one axis or of all; NaN is the largest.

    >>> argmax(np.array([1.0, 7.0, 7.0]))
    Array(1, dtype=int32)
    """
    return _arg_extreme("jnp.argmax", lax.argmax, a, axis, out, keepdims)


@by_types
def argmin(a: Any, axis: int | None = None, out: None = None, keepdims: bool | None = None) -> Any:
    """The index of the (first) smallest element, along one axis or of all; NaN is the smallest.

    >>> argmin(np.array([[4, 2], [1, 3]]), axis=1)
    Array([1, 0], dtype=int32)
    """
    return _arg_extreme("jnp.argmin", lax.argmin, a, axis, out, keepdims)


def _arg_extreme(
    fun_name: str, find: Callable, a: Any, axis: int | None, out: None, keepdims: bool | None
) -> Any:  # fmt: skip
    refuse_out(fun_name, out)
    (a,) = promote_args(fun_name, a)
    refuse_complex(fun_name, TypeError, a)
    ndim = a.ndim
    if axis is None:
        a = ravel(a)
    axis = 0 if axis is None else known_axis(fun_name, axis, ndim, IndexError, as_integer)
    if not a.shape[axis]:
        raise ValueError(
            f"{fun_name} of no numbers: axis {axis} of {typeof(a)} is empty. Give some numbers."
        )
    index = find(a, axis, canonicalize_dtype(int))
    return finish(index, (axis,) if ndim == a.ndim else tuple(range(ndim)), bool(keepdims))


# From the one to the other.


@by_types
def ptp(a: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Any:
    """The difference of the largest and the smallest element, over some axes, or all.

    >>> ptp(np.array([3, 8, 5]))
    Array(5, dtype=int32)
    """
    check_arraylike("jnp.ptp", a)
    refuse_keys("jnp.ptp", a)
    refuse_out("jnp.ptp", out)
    axes = None if axis is None else canonical_axes("jnp.ptp", axis, typeof(a).ndim)
    return _ptp(a, axes, bool(keepdims))


@library_jit(checked=False, static_argnames=("axis", "keepdims"))
def _ptp(a: Any, axis: Axis, keepdims: bool) -> Any:
    return lax.sub(max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims))
