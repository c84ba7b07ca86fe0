"""Functions of `lax` that are a primitive or two, said differently."""

from __future__ import annotations

import operator
from typing import Any

from minijax.core import primitives
from minijax.core.arrays import canonicalize_dtype
from minijax.core.primitives import (
    Shape,
    broadcast_in_dim,
    canonicalize_axis,
    canonicalize_shape,
    convert_element_type,
    dot_general,
    integer_pow,
    iota_p,
    squeeze,
)
from minijax.core.pytrees import tree_map
from minijax.core.tracing import typeof


def stop_gradient(x: Any) -> Any:
    """The same pytree of arrays, which derivatives take for constants.

    >>> stop_gradient({"w": 2.0})
    {'w': 2.0}
    """
    return tree_map(primitives.stop_gradient, x)


def reciprocal(x: Any) -> Any:
    """1 / x, for floats or complex numbers.

    >>> reciprocal(4.0)
    Array(0.25, dtype=float32, weak_type=True)
    """
    return integer_pow(x, -1)


def full(shape: Shape, fill_value: Any, dtype: Any = None) -> Any:
    """An array of `shape` that holds one number everywhere.

    >>> full((2,), 1.5)
    Array([1.5, 1.5], dtype=float32, weak_type=True)
    """
    weak_type = dtype is None and typeof(fill_value).weak_type
    dtype = typeof(fill_value).dtype if dtype is None else dtype
    return broadcast_in_dim(convert_element_type(fill_value, dtype, weak_type), shape, ())


def broadcast(operand: Any, sizes: Shape) -> Any:
    """The operand repeated along new axes of these sizes, in front of its own.

    >>> broadcast(2.0, (3,))
    Array([2., 2., 2.], dtype=float32, weak_type=True)
    """
    sizes, shape = canonicalize_shape(sizes), typeof(operand).shape
    kept = range(len(sizes), len(sizes) + len(shape))
    return broadcast_in_dim(operand, (*sizes, *shape), kept)


def slice_in_dim(
    operand: Any, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0
) -> Any:
    """The part of the operand from `start_index` up to `limit_index` along one axis.

    Negative indices count from the end; None is the one end or the other. TypeError where the
    part does not lie in the operand.

    >>> import numpy as np
    >>> slice_in_dim(np.arange(5), 1, -1)
    Array([1, 2, 3], dtype=int32)
    """
    shape = typeof(operand).shape
    axis = canonicalize_axis(axis, len(shape))
    start = _from_front(start_index, 0, shape[axis])
    limit = _from_front(limit_index, shape[axis], shape[axis])
    return primitives.slice_in_dim(operand, start, limit, stride, axis)


def _from_front(index: int | None, default: int, size: int) -> int:
    index = default if index is None else operator.index(index)
    return index + size if index < 0 else index


def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    """One part of the operand along an axis, which stays, with size 1, if `keepdims`.

    IndexError when there is no such part.

    >>> import numpy as np
    >>> index_in_dim(np.arange(3), -1, keepdims=False)
    Array(2, dtype=int32)
    """
    shape = typeof(operand).shape
    axis, index = canonicalize_axis(axis, len(shape)), operator.index(index)
    if not -shape[axis] <= index < shape[axis]:
        raise IndexError(f"index_in_dim has no part {index} in axis {axis} of the shape {shape}.")
    part = slice_in_dim(operand, index % shape[axis], index % shape[axis] + 1, axis=axis)
    return part if keepdims else squeeze(part, [axis])


def broadcasted_iota(dtype: Any, shape: Shape, dimension: int) -> Any:
    """0, 1, 2, ... along one axis of an array of `shape`.

    >>> import numpy as np
    >>> broadcasted_iota(np.int32, (2, 3), 1)
    Array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    dtype, shape = canonicalize_dtype(dtype), canonicalize_shape(shape)
    dimension = canonicalize_axis(dimension, len(shape))
    return iota_p.bind(dtype=dtype, shape=shape, dimension=dimension, sharding=None)


def iota(dtype: Any, size: int) -> Any:
    """0, 1, 2, ..., size - 1."""
    return broadcasted_iota(dtype, (size,), 0)


def dot(
    lhs: Any, rhs: Any, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The product of two vectors, a matrix and a vector, or two matrices."""
    x, y = typeof(lhs), typeof(rhs)
    if not (x.ndim in (1, 2) and y.ndim in (1, 2) and x.shape[-1] == y.shape[0]):
        raise ValueError(f"dot needs vectors or matrices that fit; got {x} and {y}.")
    numbers = ((x.ndim - 1,), (0,)), ((), ())
    return dot_general(lhs, rhs, numbers, precision, preferred_element_type)
