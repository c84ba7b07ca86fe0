"""How a ufunc goes along an array: what is left in the end, all that comes on the way, over parts,
at places, and for each pair.

Where lax has an operation for it, that is used; else it goes step by step, in a loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import cast
from minijax.core.pytrees import tree_leaves, tree_map
from minijax.core.staging import eval_shape
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import known_axis
from minijax.numpy.arguments import (
    canonical_axes,
    check_arraylike,
    is_several,
    library_jit,
    refuse_keys,
    refuse_out,
)
from minijax.numpy.creation import asarray, astype
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.elementwise.exponentials import logaddexp, logaddexp2
from minijax.numpy.indexing.selecting import take
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.extremes import max as max_of
from minijax.numpy.reductions.extremes import min as min_of
from minijax.numpy.reductions.running_totals import cumprod, cumsum
from minijax.numpy.reductions.totals import check_where, finish, initial_value
from minijax.numpy.reductions.totals import prod as prod_of
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.editing import append
from minijax.numpy.shapes.reshaping import broadcast_shapes, broadcast_to, moveaxis, ravel
from minijax.numpy.ufunc_objects import ufunc
from minijax.numpy.vectorizing import vectorize


@partial(library_jit, checked=False, static_argnums=(0,))
def _call_vectorized(func: Callable, *args: Any) -> Any:
    return vectorize(func)(*args)


def _name(self: ufunc, method: str) -> str:
    return f"{'jnp.' if _is_own(self) else ''}{self.__name__}.{method}"


def _check(self: ufunc, method: str, *args: Any) -> str:
    """The name of the method; an error where the ufunc has none, or for what is no array."""
    name = _name(self, method)
    if (self.nin, self.nout) != (2, 1):
        raise ValueError(
            f"{name} is of functions with two operands and one result, and this one has {self.nin} "
            f"and {self.nout}.\nUse such a function."
        )
    check_arraylike(name, *args)
    refuse_keys(name, *args)
    return name


# What is left in the end.


@library_jit(checked=False, static_argnames=("self", "axis", "dtype", "keepdims"))
def reduce(
    self: ufunc, a: Any, axis: Any = 0, dtype: Any = None, out: None = None,
    keepdims: bool = False, initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    """f(f(f(a[0], a[1]), a[2]), ...) along an axis, or over several.

    It starts from `initial`, and leaves out what `where` is False for: then a function without
    identity needs `initial`.
    """
    name = _check(self, "reduce", a)
    refuse_out(name, out)
    a = asarray(a)
    axis = tuple(axis) if is_several(axis) else axis
    axes = canonical_axes(name, axis, a.ndim)
    check_where(name, a, where)
    if where is not None and self.identity is None and initial is None:
        raise ValueError(f"{name} has no identity to stand in for what `where` leaves out. "
                         f"Give `initial`.")  # fmt: skip
    own = _REDUCTIONS.get(self.__name__) if _is_own(self) else None
    if own is not None:
        return own(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)
    if isinstance(axis, tuple):
        raise NotImplementedError(
            f"{name} goes along one axis, and got {axis}. Name one, or give None for all in a row."
        )
    return _reduced(self, name, a, axes, axis is None, dtype, keepdims, initial, where)


def _is_own(self: ufunc) -> bool:
    """Whether it is one of jnp's functions, and not one of that name."""
    return self.__module__.startswith("minijax.numpy.")


def _reduced(
    self: ufunc, name: str, a: Any, axes: tuple, flat: bool, dtype: Any, keepdims: bool,
    initial: Any, where: Any,
) -> Any:  # fmt: skip
    """The reduction, element by element; of all elements in a row, if `flat`."""
    shape = [1 if d in axes else n for d, n in enumerate(a.shape)]
    if where is not None:
        where = broadcast_to(where, a.shape)
    if flat:
        a, where = ravel(a), where if where is None else ravel(where)
        axes = (0,)
    a = moveaxis(a, axes[0], 0)
    where = where if where is None else moveaxis(where, axes[0], 0)
    start = initial if initial is not None else self.identity if where is not None else None
    first = 0
    if start is None:
        if not a.shape[0]:
            if self.identity is None:
                raise ValueError(f"{name} of no elements has no result. Give `initial`.")
            start = self.identity
        else:
            start, first = a[0], 1
    dtype = _result_dtype(self, a, a) if dtype is None else dtype
    carry = broadcast_to(lax.convert_element_type(start, dtype), a.shape[1:])

    def step(i: Any, carry: Any) -> Any:
        kept = None if where is None else where[i]
        new = self(carry, a[i].astype(dtype))
        return new if kept is None else choose(kept, new, carry)

    result = lax.fori_loop(first, a.shape[0], step, carry) if a.shape[0] else carry
    return lax.reshape(result, shape) if keepdims else result


def _result_dtype(self: ufunc, *operands: Any) -> np.dtype:
    """The dtype of results, for operands of these dtypes."""
    return eval_shape(self, *(ShapeDtypeStruct((), typeof(x).dtype) for x in operands)).dtype


def _extreme(
    reduce: Callable, a: Any, *, axis: Any, dtype: Any, **options: Any
) -> Any:  # fmt: skip
    return reduce(a if dtype is None else astype(a, dtype), axis=axis, **options)


def _fold(
    reduce: Callable, combine: Callable, neutral: int, of_truth: bool, a: Any, *, axis: Any,
    dtype: Any, keepdims: bool, initial: Any, where: Any,
) -> Any:  # fmt: skip
    """A reduction of bits, or of whether numbers are true."""
    axes = canonical_axes("jnp.ufunc.reduce", axis, a.ndim)
    if of_truth:
        a = astype(a, np.bool_)
    elif not issubdtype(a.dtype, np.bool_, np.integer):
        raise ValueError(f"jnp.ufunc.reduce of bits got {typeof(a)}. Use x.astype(int).")
    if where is not None:
        a = choose(where, a, cast(neutral, a.dtype))
    result = reduce(a, axes)
    if initial is not None:
        result = combine(initial_value("jnp.ufunc.reduce", initial, a.dtype), result)
    return finish(result, axes, keepdims)


def _log_sum(
    scale: float, combine: Callable, a: Any, *, axis: Any, dtype: Any, keepdims: bool, initial: Any,
    where: Any,
) -> Any:  # fmt: skip
    """The logarithm of a sum of exponentials: the largest is taken out, so that none overflows."""
    (a,) = promote_dtypes_inexact(a if dtype is None else astype(a, dtype))
    axes = canonical_axes("jnp.ufunc.reduce", axis, a.ndim)
    a = a if scale == 1 else a * scale
    top = max_of(a, axis=axes, keepdims=keepdims, initial=-np.inf, where=where)
    top = lax.stop_gradient(lax.select(lax.is_finite(top), top, lax.full_like(top, 0)))
    terms = lax.exp(a - (top if keepdims else lax.expand_dims(top, axes)))
    terms = terms if where is None else choose(where, terms, cast(0, terms.dtype))
    result = lax.log(sum_of(terms, axis=axes, keepdims=keepdims)) + top
    result = result if scale == 1 else result / scale
    return result if initial is None else combine(initial, result)


_REDUCTIONS = {
    "add": sum_of, "multiply": prod_of,
    "maximum": partial(_extreme, max_of), "minimum": partial(_extreme, min_of),
    "bitwise_and": partial(_fold, lax.reduce_and, lax.bitwise_and, -1, False),
    "bitwise_or": partial(_fold, lax.reduce_or, lax.bitwise_or, 0, False),
    "bitwise_xor": partial(_fold, lax.reduce_xor, lax.bitwise_xor, 0, False),
    "logical_and": partial(_fold, lax.reduce_and, lax.bitwise_and, 1, True),
    "logical_or": partial(_fold, lax.reduce_or, lax.bitwise_or, 0, True),
    "logical_xor": partial(_fold, lax.reduce_xor, lax.bitwise_xor, 0, True),
    "logaddexp": partial(_log_sum, 1, logaddexp),
    "logaddexp2": partial(_log_sum, float(np.log(2)), logaddexp2),
}  # fmt: skip


# All that comes on the way.


@library_jit(checked=False, static_argnames=("self", "axis", "dtype"))
def accumulate(self: ufunc, a: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Any:
    """The results of `reduce` up to each place, along an axis."""
    name = _check(self, "accumulate", a)
    refuse_out(name, out)
    own = {"add": cumsum, "multiply": cumprod}.get(self.__name__) if _is_own(self) else None
    if own is not None:
        return own(a, axis=axis, dtype=dtype)
    if axis is None or is_several(axis):
        raise ValueError(f"{name} goes along one axis, and got {axis}. Name one.")
    a = asarray(a)
    axis = known_axis(name, axis, a.ndim)
    a = moveaxis(a, axis, 0)
    if not a.shape[0]:
        return a
    dtype = _result_dtype(self, a, a) if dtype is None else dtype

    def step(carry: tuple, _: None) -> tuple:
        i, so_far = carry
        new = choose(i == 0, a[0].astype(dtype), self(so_far, a[i].astype(dtype)))
        return (i + 1, new), new

    _, result = lax.scan(step, (0, a[0].astype(dtype)), None, length=a.shape[0])
    return moveaxis(result, 0, axis)


# Over parts.


@library_jit(checked=False, static_argnames=("self", "axis", "dtype"))
def reduceat(
    self: ufunc, a: Any, indices: Any, axis: int = 0, dtype: Any = None, out: None = None
) -> Any:
    """The reductions from each index up to the next, along an axis; where the next is not larger,
    the element at the index."""
    name = _check(self, "reduceat", a, indices)
    if out is not None:
        raise NotImplementedError(f"{name} fills no array, but returns one. Leave `out` out.")
    if not issubdtype(typeof(indices).dtype, np.integer) or typeof(indices).ndim != 1:
        raise ValueError(f"{name} got {typeof(indices)} as indices. Give a row of integers.")
    if axis is None or is_several(axis) or not typeof(a).ndim:
        raise ValueError(f"{name} of {typeof(a)} goes along one axis, and got {axis}. Name one.")
    axis = known_axis(name, axis, typeof(a).ndim)
    result = take(a, indices, axis=axis)
    if not result.size:
        return result
    size = typeof(a).shape[axis]
    bounds = append(indices, size)
    bounds = lax.expand_dims(bounds, [d for d in range(typeof(a).ndim) if d != axis])
    starts = lax.slice_in_dim(bounds, 0, -1, axis=axis)
    ends = lax.slice_in_dim(bounds, 1, None, axis=axis)

    def step(i: Any, so_far: Any) -> Any:
        inside = lax.bitwise_and(i > starts, i < ends)
        return choose(inside, self(so_far, take(a, lax.expand_dims(i, [0]), axis=axis)), so_far)

    return lax.fori_loop(0, size, step, result)


# At places, and for each pair.


def at(self: ufunc, a: Any, indices: Any, b: Any = None, /, *, inplace: bool = True) -> Any:
    """a with f(a[i], b) in place of a[i] for each index, one after the other; of a function of one
    operand, f(a[i]). It is a new array: say `inplace=False`.

    >>> import minijax.numpy as jnp
    >>> jnp.add.at(jnp.zeros(2), jnp.array([0, 0]), 1.0, inplace=False)
    Array([2., 0.], dtype=float32)
    """
    name = _name(self, "at")
    if inplace:
        raise NotImplementedError(
            f"{name} fills no array, since arrays don't change. Give inplace=False, and use the "
            f"result."
        )
    if self.nin == 2 and b is None:
        raise TypeError(f"{name} needs a second operand. Give it behind the indices.")
    return _at(self, a, indices, b)


def _at_places(self: ufunc, a: Any, indices: Any, b: Any) -> Any:
    check_arraylike(_name(self, "at"), a, *([] if b is None else [b]))
    a = asarray(a)
    own = {"add": "add", "multiply": "multiply", "subtract": "subtract"}.get(self.__name__)
    if own is not None and _is_own(self):
        return getattr(a.at[indices], own)(b)
    dtype = _result_dtype(self, *([a] if b is None else [a, b]))
    a = lax.convert_element_type(a, dtype)
    shape = broadcast_shapes(*(typeof(i).shape for i in tree_leaves(indices)))
    count = math.prod(shape)
    if len(shape) != 1:
        indices = tree_map(lambda i: ravel(broadcast_to(i, shape)), indices)
    if b is not None:
        part = a.shape[len(tree_leaves(indices)) :]
        b = broadcast_to(lax.convert_element_type(b, dtype), (*shape, *part))
        b = b if len(shape) == 1 else lax.reshape(b, (count, *part))

    def step(carry: tuple, _: None) -> tuple:
        i, so_far = carry
        place = tree_map(lambda row: row[i], indices)
        new = self(so_far[place]) if b is None else self(so_far[place], b[i])
        so_far = so_far.at[place].set(new)
        return (i + 1, so_far), None

    return lax.scan(step, (0, a), None, length=count)[0][1]


_at_places.__name__ = "at"
_at = library_jit(_at_places, checked=False, static_argnames=("self",))


@library_jit(checked=False, static_argnames=("self",))
def outer(self: ufunc, A: Any, B: Any, /) -> Any:
    """f of each element of A and each of B, with the axes of A, then those of B."""
    _check(self, "outer", A, B)
    A, B = asarray(A), asarray(B)
    shape = (*A.shape, *B.shape)
    A, B = (x if x.ndim == 1 else ravel(x) for x in (A, B))
    row = lax.expand_dims(B, [0])
    result = self(lax.expand_dims(A, [1]), row)
    return lax.reshape(result, shape) if result.shape != shape else result
