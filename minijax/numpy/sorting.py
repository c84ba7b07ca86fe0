"""Arrays in order, and the order itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.batching import vmap
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis, known_integer
from minijax.numpy.arguments import check_arraylike, library_jit, refuse_keys, user_dtype
from minijax.numpy.promotion import inexact_dtype
from minijax.numpy.shapes.reshaping import ravel, swapaxes


def _refuse_options(fun_name: str, kind: None, order: None) -> None:
    """TypeError for what NumPy's functions have, and these have not."""
    if kind is not None:
        raise TypeError(
            f"{fun_name} has one way of sorting, and got kind {shown(kind)}.\n"
            f"Give stable=True or stable=False instead."
        )
    if order is not None:
        raise TypeError(
            f"{fun_name} sorts numbers, which have no fields, and got order {shown(order)}.\n"
            f"Leave it out, or use jnp.lexsort for several keys."
        )


def _along(fun_name: str, a: Any, axis: int | None) -> tuple[Any, int]:
    """The array and its axis; where that is None, its elements in a row."""
    refuse_keys(fun_name, a)
    if axis is None:
        return ravel(a), 0
    return a, known_axis(fun_name, axis, typeof(a).ndim)


_SORTING = ("axis", "kind", "order", "stable", "descending")


@library_jit(static_argnames=_SORTING)
def sort(
    a: Any, axis: int | None = -1, *, kind: None = None, order: None = None, stable: bool = True,
    descending: bool = False,
) -> Any:  # fmt: skip
    """The elements in order along an axis, or (None) all in a row; NaN last, or first descending.

    >>> sort(np.array([3, 1, 2]))
    Array([1, 2, 3], dtype=int32)
    """
    _refuse_options("jnp.sort", kind, order)
    a, axis = _along("jnp.sort", a, axis)
    result = lax.sort(a, axis, stable)
    return lax.rev(result, [axis]) if descending else result


@library_jit(static_argnames=(*_SORTING, "dtype"))
def argsort(
    a: Any, axis: int | None = -1, *, kind: None = None, order: None = None, stable: bool = True,
    descending: bool = False, dtype: Any = None,
) -> Any:  # fmt: skip
    """The indices that put the elements in order, along an axis or (None) of all in a row.

    >>> argsort(np.array([30, 10, 20]))
    Array([1, 2, 0], dtype=int32)
    """
    _refuse_options("jnp.argsort", kind, order)
    a, axis = _along("jnp.argsort", a, axis)
    dtype = canonicalize_dtype(int) if dtype is None else user_dtype("jnp.argsort", dtype)
    places = lax.broadcasted_iota(dtype, typeof(a).shape, axis)
    if descending and stable:  # twice turned round, equal elements keep their order
        a, places = lax.rev(a, [axis]), lax.rev(places, [axis])
    _, indices = lax.sort_key_val(a, places, axis, stable)
    return lax.rev(indices, [axis]) if descending else indices


@library_jit(checked=False, static_argnames=("axis",))
def lexsort(keys: Sequence[Any], axis: int = -1) -> Any:
    """The indices that put several keys, of one shape, in order: the last is the most important.

    >>> lexsort((np.array([2, 1, 3]), np.array([0, 1, 0])))
    Array([0, 2, 1], dtype=int32)
    """
    if not np.iterable(keys):
        got = shown(keys)
        raise TypeError(f"jnp.lexsort takes a list of arrays as keys, and got {got}. Give one.")
    keys = tuple(keys)
    if not keys:
        raise TypeError("jnp.lexsort needs keys, and got none. Give a list of arrays.")
    check_arraylike("jnp.lexsort", *keys)
    refuse_keys("jnp.lexsort", *keys)
    shapes = list(dict.fromkeys(typeof(key).shape for key in keys))
    if len(shapes) > 1:
        raise ValueError(
            f"jnp.lexsort got keys of the shapes {', '.join(map(str, shapes))}.\n"
            f"Give keys of one shape."
        )
    (shape,), dtype = shapes, canonicalize_dtype(int)
    if not shape:
        return lax.full((), 0, dtype)
    axis = known_axis("jnp.lexsort", axis, len(shape))
    places = lax.broadcasted_iota(dtype, shape, axis)
    return lax.sort([*keys[::-1], places], axis, num_keys=len(keys))[-1]


@library_jit
def sort_complex(a: Any) -> Any:
    """The elements in order along the last axis, as complex numbers: by their real parts first.

    >>> sort_complex(np.array([2 + 1j, 1 + 2j, 2.0]))
    Array([1.+2.j, 2.+0.j, 2.+1.j], dtype=complex64)
    """
    a, axis = _along("jnp.sort_complex", a, -1)
    result = lax.sort(a, axis)
    return lax.convert_element_type(result, np.result_type(inexact_dtype(a.dtype), np.complex64))


# Put in order only as far as needed.


def _ends(fun_name: str, a: Any, kth: Any, axis: Any) -> tuple[Any, int, int, Any]:
    """The array with the axis last, kth from the front, the axis, and minus the array: the
    largest of which are the smallest. Unsigned integers are one more first, for -0 is 0."""
    refuse_keys(fun_name, a)
    aval = typeof(a)
    if issubdtype(aval.dtype, np.complexfloating):
        raise NotImplementedError(
            f"{fun_name} of complex numbers, {aval}, is not here. Use jnp.sort, which has an order."
        )
    axis = known_axis(fun_name, axis, aval.ndim)
    size = aval.shape[axis]
    kth = known_integer(fun_name, "kth", kth)
    if not -size <= kth < size:
        raise ValueError(
            f"{fun_name} has no place {kth} along axis {axis} of {aval}.\n"
            f"Give kth from {-size} to {size - 1}."
        )
    a = swapaxes(a, axis, -1)
    is_unsigned = issubdtype(aval.dtype, np.unsignedinteger)
    return a, kth % size, axis, -(a + 1) if is_unsigned else -a


@library_jit(static_argnames=("kth", "axis"))
def partition(a: Any, kth: int, axis: int = -1) -> Any:
    """The elements with the kth in its place, no larger one before it, no smaller one behind.

    >>> partition(np.array([3, 1, 2, 0]), 1)
    Array([0, 1, 3, 2], dtype=int32)
    """
    a, kth, axis, negative = _ends("jnp.partition", a, kth, axis)
    is_unsigned = issubdtype(a.dtype, np.unsignedinteger)
    lower = -lax.top_k(negative, kth + 1)[0]
    lower = lower - 1 if is_unsigned else lower
    upper = lax.top_k(a, a.shape[-1] - kth - 1)[0]
    return swapaxes(lax.concatenate([lower, upper], a.ndim - 1), -1, axis)


@library_jit(static_argnames=("kth", "axis"))
def argpartition(a: Any, kth: int, axis: int = -1) -> Any:
    """The indices that put the kth element in its place, as `partition` does.

    >>> argpartition(np.array([3, 1, 2, 0]), 1)
    Array([3, 1, 0, 2], dtype=int32)
    """
    a, kth, axis, negative = _ends("jnp.argpartition", a, kth, axis)
    lower = lax.top_k(negative, kth + 1)[1]
    set_to_zero = _set_to_zero
    for _ in range(a.ndim - 1):
        set_to_zero = vmap(set_to_zero)
    others = set_to_zero(lax.full(a.shape, 1.0), lower)  # equal values are told apart by place
    upper = lax.top_k(others, a.shape[-1] - kth - 1)[1]
    return swapaxes(lax.concatenate([lower, upper], a.ndim - 1), -1, axis)


def _set_to_zero(x: Any, places: Any) -> Any:
    return x.at[places].set(0)
