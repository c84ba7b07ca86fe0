"""Axes in front, axes made one, and shapes that meet: written with what others are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from minijax.core.arrays import Array, as_array
from minijax.core.dtypes import canonicalize_dtype, integers
from minijax.core.primitives import broadcast_in_dim as broadcast_in_order
from minijax.core.primitives import (
    broadcast_in_dim_p,
    canonicalize_shape,
    expand_dims,
    reshape,
    transpose,
)
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import known_dtype, shown
from minijax.lax.out_sharding import lying, said
from minijax.lax.shapes.axes import as_integer, full, known_sizes


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast.

    >>> broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    for shape in shapes:
        if not isinstance(shape, Sequence):
            got = shown(shape)
            raise TypeError(f"lax.broadcast_shapes takes shapes, and got {got}. Give tuples.")
    sizes = [known_sizes("lax.broadcast_shapes", shape) for shape in shapes]
    columns = list(zip_longest(*(shape[::-1] for shape in sizes), fillvalue=1))[::-1]
    different = [set(column) - {1} for column in columns]
    if any(len(column) > 1 for column in different):
        raise ValueError(
            f"lax.broadcast_shapes got {', '.join(map(str, sizes))}, which do not broadcast.\n"
            f"Give axes of one size, or of size 1, counted from the right."
        )
    return tuple(column.pop() if column else 1 for column in different)


def broadcast_in_dim(
    operand: Any, shape: Any, broadcast_dimensions: Sequence[int], *, out_sharding: Any = None
) -> Any:
    """The operand repeated to `shape`; its axis i becomes axis broadcast_dimensions[i].

    These may stand in any order. The result lies on devices as `out_sharding` says, if anything.

    TypeError where an axis has another size than the one that it becomes, and is not of size 1.

    >>> broadcast_in_dim(np.array([[1, 2]]), (2, 3), (1, 0))
    Array([[1, 1, 1],
           [2, 2, 2]], dtype=int32)
    """
    dimensions = integers(broadcast_dimensions)
    order = sorted(range(len(dimensions)), key=dimensions.__getitem__)
    if order != list(range(len(dimensions))) and len(dimensions) == typeof(operand).ndim:
        operand, dimensions = transpose(operand, order), tuple(sorted(dimensions))
    if out_sharding is None:
        return broadcast_in_order(operand, shape, dimensions)
    how = said("lax.broadcast_in_dim", out_sharding, "sharding")
    out = broadcast_in_dim_p.bind(
        operand, shape=canonicalize_shape(shape), broadcast_dimensions=dimensions, **how
    )
    return lying("lax.broadcast_in_dim", out, out_sharding)


def broadcast_like(arr: Any, like_arr: Any) -> Any:
    """The array, repeated to the shape of another.

    >>> broadcast_like(2.0, np.ones(2))
    Array([2., 2.], dtype=float32, weak_type=True)
    """
    old, new = typeof(arr).shape, typeof(like_arr).shape
    added = len(new) - len(old)
    if added < 0 or any(n not in (1, m) for n, m in zip(old, new[added:], strict=True)):
        raise ValueError(
            f"lax.broadcast_like cannot repeat {typeof(arr)} to the shape {new}.\n"
            f"Give an array whose sizes are those of the last axes, or 1."
        )
    return broadcast_in_order(arr, new, range(added, len(new)))


def broadcast_to_rank(x: Any, rank: int) -> Any:
    """The array with `rank` axes at least: new ones, of size 1, are in front.

    >>> broadcast_to_rank(np.ones(3), 2).shape
    (1, 3)
    """
    missing = as_integer("lax.broadcast_to_rank", "rank", rank) - typeof(x).ndim
    if missing > 0:
        return expand_dims(x, tuple(range(missing)))
    return x if isinstance(x, Array) else as_array(x)


def collapse(operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Any:
    """The array with the axes from start up to stop, or the end, made one.

    >>> collapse(np.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    name, shape = "lax.collapse", typeof(operand).shape
    start = as_integer(name, "start_dimension", start_dimension)
    stop = None if stop_dimension is None else as_integer(name, "stop_dimension", stop_dimension)
    low, high, _ = slice(start, stop).indices(len(shape))
    if low > high:
        raise ValueError(
            f"{name} of {typeof(operand)} got the axes from {start} up to {stop}.\n"
            f"Give a stop_dimension behind the start_dimension."
        )
    return reshape(operand, (*shape[:low], math.prod(shape[low:high]), *shape[high:]))


def shape_as_value(shape: Sequence[int]) -> Any:
    """The sizes as integers, in a NumPy array; of no axes, in an array of ours, as in JAX.

    >>> shape_as_value((2, 3))
    array([2, 3], dtype=int32)
    """
    sizes = np.array(known_sizes("lax.shape_as_value", shape), canonicalize_dtype(int))
    return sizes if sizes.size else as_array(sizes)


def empty(shape: Any, dtype: Any, *, out_sharding: Any = None) -> Any:
    """An array whose values do not matter; they are zeros."""
    out = full(shape, 0, canonicalize_dtype(float) if dtype is None else dtype)
    return lying("lax.empty", out, out_sharding)


def dtype(x: Any) -> np.dtype:
    """The dtype of an array or a number, or that a scalar type, a dtype or its name stands for.

    >>> dtype(2.0), dtype(np.int8(1))
    (dtype('float32'), dtype('int8'))
    """
    if x is None:
        raise ValueError("lax.dtype takes an array or a number, and got None. Give one.")
    if isinstance(x, type | str | np.dtype) or hasattr(x, "dtype") and not hasattr(x, "shape"):
        return known_dtype("lax.dtype", x)
    return typeof(x).dtype
