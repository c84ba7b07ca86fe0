"""Places in arrays, as arrays of integers: where elements are not zero, on which side of a
diagonal, and one number for a place in several axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.core.tracing import typeof
from minijax.face.offers import offered
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_integer, known_value
from minijax.lax.shapes.sizes import is_certain
from minijax.numpy.arguments import check_arraylike, not_zero, user_dtype
from minijax.numpy.creation import arange, asarray, new_array, ones, zeros
from minijax.numpy.elementwise import comparisons
from minijax.numpy.elementwise.ufuncs import clip, divmod, floor_divide, remainder
from minijax.numpy.promotion import promote_dtypes, promoting_add, promoting_mul
from minijax.numpy.reductions.counting import bincount
from minijax.numpy.reductions.running_totals import cumsum
from minijax.numpy.reductions.totals import any as any_of
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.joining import stack, vstack
from minijax.numpy.shapes.reshaping import atleast_1d, ravel, transpose
from minijax.numpy.shapes.triangles import tril, triu

index_exp, s_ = np.index_exp, np.s_

# Where elements are not zero.


def where(
    condition: Any, x: Any = None, y: Any = None, /, *, size: int | None = None,
    fill_value: Any = None,
) -> Any:  # fmt: skip
    """x where the condition holds, else y; the three shapes are broadcast to one.

    Of a condition alone, the places where it holds, as `nonzero` gives them.

    >>> where(np.array([True, False]), np.array([1.0, 2.0]), 0)
    Array([1., 0.], dtype=float32)
    """
    if x is None and y is None:
        return _nonzero("jnp.where", offered(condition), size, fill_value)
    check_arraylike("jnp.where", condition, x, y)
    if size is not None or fill_value is not None:
        raise ValueError(
            "jnp.where of three arguments has the size of these. Leave size and fill_value out."
        )
    return comparisons.where(condition, x, y)


def nonzero(a: Any, *, size: int | None = None, fill_value: Any = None) -> tuple[Any, ...]:
    """The places of the elements that are not zero, one array of indices for each axis.

    With `size`, which is needed while tracing, there are so many: the first ones, and where there
    are fewer, `fill_value`, one number or one for each axis, or 0.

    >>> nonzero(np.array([[0, 5], [7, 0]]))
    (Array([0, 1], dtype=int32), Array([1, 0], dtype=int32))
    """
    return _nonzero("jnp.nonzero", a, size, fill_value)


def _nonzero(fun_name: str, a: Any, size: int | None, fill_value: Any) -> tuple[Any, ...]:
    check_arraylike(fun_name, a)
    a = asarray(a)
    if not a.ndim:
        raise ValueError(f"{fun_name} of {typeof(a)}, which has no axes. Use jnp.atleast_1d(x).")
    mask = not_zero(fun_name, a)
    size = known_integer(fun_name, "size", sum_of(mask) if size is None else size)
    if size < 0:
        raise TypeError(f"{fun_name} was asked for {size} places. Give a size from 0.")
    if not a.size or not size:
        return tuple(zeros(size, int) for _ in a.shape)
    # How many elements before each one hold says which place is the i-th.
    flat = cumsum(bincount(cumsum(mask), length=size))
    strides = np.cumprod(a.shape[::-1])[::-1] // a.shape
    out = tuple(
        remainder(floor_divide(flat, flat.dtype.type(stride)), n)
        for stride, n in zip(strides, a.shape, strict=True)
    )
    if fill_value is None:
        return out
    fills = fill_value if isinstance(fill_value, tuple) else (fill_value,) * a.ndim
    if len(fills) != a.ndim or any(np.ndim(fill) for fill in fills):
        raise ValueError(
            f"{fun_name} got the fill_value {shown(fill_value)}. Give one number, or a tuple of "
            f"{a.ndim}."
        )
    beyond = lax.ge(arange(size), sum_of(mask))
    return tuple(
        comparisons.where(beyond, fill, i) for fill, i in zip(fills, out, strict=True)
    )


def flatnonzero(a: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The places of the elements that are not zero, among all elements in a row.

    >>> flatnonzero(np.array([[0, 5], [7, 0]]))
    Array([1, 2], dtype=int32)
    """
    check_arraylike("jnp.flatnonzero", a)
    return _nonzero("jnp.flatnonzero", ravel(a), size, fill_value)[0]


def argwhere(a: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The places of the elements that are not zero, a row for each.

    >>> argwhere(np.array([[0, 5], [7, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int32)
    """
    check_arraylike("jnp.argwhere", a)
    ndim = typeof(a).ndim
    places = transpose(vstack(_nonzero("jnp.argwhere", atleast_1d(a), size, fill_value)))
    if not ndim:
        return lax.reshape(places[:0], (places.shape[0], 0))
    return lax.reshape(places, (places.shape[0], ndim))


# On a diagonal, or on one side of it.


def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """The places of the diagonal of an array with `ndim` axes of the size n.

    >>> diag_indices(2)
    (Array([0, 1], dtype=int32), Array([0, 1], dtype=int32))
    """
    n = known_integer("jnp.diag_indices", "n", n)
    ndim = known_integer("jnp.diag_indices", "ndim", ndim)
    if n < 0 or ndim < 0:
        raise ValueError(f"jnp.diag_indices got n {n} and ndim {ndim}. Give numbers from 0.")
    return (lax.iota(canonicalize_dtype(int), n),) * ndim


def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """The places of the diagonal of `arr`, whose axes, two or more, all have one size."""
    check_arraylike("jnp.diag_indices_from", arr)
    shape = typeof(arr).shape
    if len(shape) < 2 or len(set(shape)) != 1:
        raise ValueError(
            f"jnp.diag_indices_from got the shape {shape}. Give two axes or more, of one size."
        )
    return diag_indices(shape[0], len(shape))


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """The places on and below the k-th diagonal of an n by m matrix.

    >>> tril_indices(2)
    (Array([0, 1, 1], dtype=int32), Array([0, 0, 1], dtype=int32))
    """
    n, k, m = _matrix("jnp.tril_indices", n, k, m)
    return nonzero(tril(lax.full((n, m), 1.0, np.float32), k=k), size=_upper_count(m, n, -k))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Any, Any]:
    """The places on and above the k-th diagonal of an n by m matrix."""
    n, k, m = _matrix("jnp.triu_indices", n, k, m)
    return nonzero(triu(lax.full((n, m), 1.0, np.float32), k=k), size=_upper_count(n, m, k))


def _matrix(fun_name: str, n: Any, k: Any, m: Any) -> tuple[int, int, int]:
    n, k = known_integer(fun_name, "n", n), known_integer(fun_name, "k", k)
    m = n if m is None else known_integer(fun_name, "m", m)
    if n < 0 or m < 0:
        raise TypeError(f"{fun_name} was asked for the sizes {n} and {m}. Give sizes from 0.")
    return n, k, m


def _upper_count(n: int, m: int, k: int) -> int:
    """How many places of an n by m matrix lie on the k-th diagonal or above."""
    return sum(min(max(m - k - row, 0), m) for row in range(n))


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Any, Any]:
    """The places on and below the k-th diagonal of a matrix."""
    return tril_indices(*_from_matrix("jnp.tril_indices_from", arr, k))


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Any, Any]:
    """The places on and above the k-th diagonal of a matrix."""
    return triu_indices(*_from_matrix("jnp.triu_indices_from", arr, k))


def _from_matrix(fun_name: str, arr: Any, k: int) -> tuple[int, int, int]:
    if not hasattr(arr, "shape"):
        check_arraylike(fun_name, arr)
    shape = tuple(arr.shape) if hasattr(arr, "shape") else typeof(arr).shape
    if len(shape) != 2:
        raise ValueError(f"{fun_name} takes a matrix, and got the shape {shape}. Give two axes.")
    return shape[0], k, shape[1]


def mask_indices(
    n: int, mask_func: Callable, k: int = 0, *, size: int | None = None
) -> tuple[Any, ...]:
    """The places of an n by n matrix that `mask_func` leaves, as `triu` does: where it is not zero
    of a matrix of ones. With `size`, there are so many, as `nonzero` has it.

    >>> mask_indices(2, triu)
    (Array([0, 0, 1], dtype=int32), Array([0, 1, 1], dtype=int32))
    """
    n = known_integer("jnp.mask_indices", "n", n)
    kept = asarray(mask_func(ones((n, n)), k))
    return _nonzero("jnp.mask_indices", kept, size, None)


# Several axes and one number.


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """The places in an array of this shape of elements that are counted in a row.

    Indices out of range are moved to the nearest element.

    >>> unravel_index(np.array([1, 5]), (2, 3))
    (Array([0, 1], dtype=int32), Array([1, 2], dtype=int32))
    """
    check_arraylike("jnp.unravel_index", indices)
    rest = asarray(indices)
    shape = list(shape) if np.iterable(shape) else [shape]
    if any(np.ndim(n) for n in shape):
        raise ValueError("jnp.unravel_index takes integers as shape. Give one, or a tuple of them.")
    out: list[Any] = [0] * len(shape)
    for axis in reversed(range(len(shape))):
        rest, out[axis] = divmod(rest, shape[axis])
    beyond = rest > 0
    is_unsigned = issubdtype(rest.dtype, np.unsignedinteger)
    before = asarray(False) if is_unsigned else rest < -1
    return tuple(
        comparisons.where(beyond, n - 1, comparisons.where(before, 0, i))
        for n, i in zip(shape, out, strict=True)
    )


def ravel_multi_index(
    multi_index: Sequence[Any], dims: Sequence[int], mode: str = "raise", order: str = "C", *,
    dtype: Any = None,
) -> Any:  # fmt: skip
    """The numbers, counted in a row, of places in an array of the shape `dims`.

    `mode` says what of indices out of range: "raise" a ValueError, which needs them while
    tracing; "clip" moves them to the nearest, "wrap" counts round. `order` "F" counts the first
    axis quickest.

    >>> ravel_multi_index((np.array([0, 1]), np.array([1, 2])), (2, 3))
    Array([1, 5], dtype=int32)
    """
    name = "jnp.ravel_multi_index"
    if len(multi_index) != len(dims):
        raise AssertionError(
            f"{name} got {len(multi_index)} arrays of indices for {len(dims)} axes. Give one each."
        )
    dims = tuple(known_integer(name, "dims", d) for d in dims)
    check_arraylike(name, *multi_index)
    places = [asarray(i) for i in multi_index]
    dtype = _number_dtype(name, places, dims, dtype)
    modes = ("raise", "clip", "wrap", "ignore")
    places = [in_range(name, i, d, mode, modes) for i, d in zip(places, dims, strict=True)]
    if order not in ("C", "F"):
        raise ValueError(f'{name} got the order {shown(order)}. Give "C" or "F".')
    strides = [math.prod(dims[:i] if order == "F" else dims[i + 1 :]) for i in range(len(dims))]
    total = new_array(name, 0, dtype)
    for place, stride in zip(places, strides, strict=True):
        moved = promoting_mul(lax.convert_element_type(place, dtype), stride)
        total = promoting_add(total, moved)
    return total


def _number_dtype(name: str, places: Sequence[Any], dims: Sequence[int], dtype: Any) -> np.dtype:
    if dtype is None:
        dtype = promote_dtypes(asarray(0), *places)[0].dtype
    dtype = user_dtype(name, dtype)
    if not issubdtype(dtype, np.integer):
        raise ValueError(f"{name} counts in integers, not in {dtype}. Give a dtype of these.")
    if is_certain(lambda: math.prod(dims) - 1 > np.iinfo(dtype).max):
        raise ValueError(f"{name} cannot count {dims} in {dtype}. Give a wider dtype.")
    for place in places:
        if not issubdtype(place.dtype, np.integer):
            raise TypeError(f"{name} takes integers, and got {typeof(place)}. Use i.astype(int).")
    return dtype


def in_range(name: str, index: Any, size: int, mode: str, modes: Sequence[str]) -> Any:
    """An index brought into range; with the mode "raise", ValueError where one is not."""
    if mode not in modes:
        raise ValueError(f"{name} knows no mode {shown(mode)}. Give one of\n{', '.join(modes)}.")
    if mode == "clip":
        return clip(index, 0, size - 1)
    if mode == "wrap":
        return remainder(index, size)
    if mode == "raise":
        index = asarray(known_value(name, "its indices", index))
        if any_of(lax.bitwise_or(index < 0, index >= size)):
            raise ValueError(
                f'{name} got an index beyond {size}. Give the mode "clip" or "wrap", or other ones.'
            )
    return index


def ix_(*args: Any) -> tuple[Any, ...]:
    """Rows of indices, laid out so that an array indexed by them is read at all their crossings.

    >>> [i.shape for i in ix_(np.arange(2), np.arange(3))]
    [(2, 1), (1, 3)]
    """
    check_arraylike("jnp.ix_", *args)
    for x in args:
        if typeof(x).ndim != 1:
            raise ValueError(f"jnp.ix_ takes rows, and got {typeof(x)}. Give arrays of one axis.")
        if typeof(x).dtype == np.bool_:
            raise NotImplementedError("jnp.ix_ takes no masks. Give jnp.nonzero(mask)[0].")
    return tuple(_along(asarray(x), i, len(args)) for i, x in enumerate(args))


def _along(x: Any, axis: int, ndim: int) -> Any:
    shape = [1] * ndim
    shape[axis] = x.size
    if not x.size:
        return lax.full(shape, 0, canonicalize_dtype(int))
    return lax.broadcast_in_dim(x, shape, [axis])


def indices(dimensions: Sequence[int], dtype: Any = None, sparse: bool = False) -> Any:
    """For each axis of an array of this shape, the index along it of every element, stacked; with
    `sparse`, as a tuple of arrays that broadcast to that shape.

    >>> indices((2, 3))[1]
    Array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    dtype = user_dtype("jnp.indices", int if dtype is None else dtype)
    shape = tuple(known_integer("jnp.indices", "dimensions", n) for n in dimensions)
    layouts = [
        [1] * i + [n] + [1] * (len(shape) - i - 1) if sparse else shape for i, n in enumerate(shape)
    ]
    out = [
        lax.broadcast_in_dim(lax.iota(dtype, n), layout, [i])
        for i, (n, layout) in enumerate(zip(shape, layouts, strict=True))
    ]
    if sparse:
        return tuple(out)
    return stack(out) if out else zeros((0,), dtype)
