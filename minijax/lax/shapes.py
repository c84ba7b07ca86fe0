"""New arrays of a shape, and axes turned round or left out: each primitive with all its rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array
from minijax.core.batching import moveaxis, primitive_batchers, shift_axes
from minijax.core.dtypes import canonicalize_dtype
from minijax.core.primitives import (
    Shape,
    broadcast_in_dim,
    broadcast_numpy,
    canonicalize_axis,
    canonicalize_shape,
    expand_dims,
    integers,
    numpy_primitive,
)
from minijax.core.reverse import deflinear
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise import cast_for_user, convert_element_type

# Filled with one number, or counting.


def full(shape: Shape, fill_value: Any, dtype: Any = None) -> Any:
    """An array of `shape` that holds one number everywhere.

    >>> full((2,), 1.5)
    Array([1.5, 1.5], dtype=float32, weak_type=True)
    """
    weak_type = dtype is None and typeof(fill_value).weak_type
    dtype = typeof(fill_value).dtype if dtype is None else dtype
    return broadcast_in_dim(convert_element_type(fill_value, dtype, weak_type), shape, ())


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Shape | None = None) -> Any:
    """An array that holds one number everywhere, like x unless another dtype or shape is given."""
    aval = typeof(x)
    if dtype is None:
        value = cast_for_user(fill_value, aval.dtype, aval.weak_type)
    else:
        value = convert_element_type(fill_value, dtype)
    return broadcast_in_dim(value, aval.shape if shape is None else shape, ())


def broadcast(operand: Any, sizes: Shape) -> Any:
    """The operand repeated along new axes of these sizes, in front of its own.

    >>> broadcast(2.0, (3,))
    Array([2., 2., 2.], dtype=float32, weak_type=True)
    """
    sizes, shape = canonicalize_shape(sizes), typeof(operand).shape
    kept = range(len(sizes), len(sizes) + len(shape))
    return broadcast_in_dim(operand, (*sizes, *shape), kept)


def _iota_rule(*, dtype: np.dtype, shape: tuple, dimension: int) -> ShapedArray:
    if dtype == np.bool_:
        raise TypeError("iota counts, which bools cannot; ask for int32.")
    if not 0 <= dimension < len(shape):
        raise ValueError(f"iota counts along an axis of the shape {shape}; got axis {dimension}.")
    return ShapedArray(shape, dtype)


def _numpy_iota(dtype: np.dtype, shape: tuple, dimension: int) -> np.ndarray:
    count = np.arange(shape[dimension]).astype(dtype)
    return broadcast_numpy(count, shape, (dimension,))


# It has no operands, so nothing to differentiate and nothing to batch.
iota_p = numpy_primitive("iota", _iota_rule, _numpy_iota, inert={"sharding": None})


def broadcasted_iota(dtype: Any, shape: Shape, dimension: int) -> Any:
    """0, 1, 2, ... along one axis of an array of `shape`.

    >>> broadcasted_iota(np.int32, (2, 3), 1)
    Array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    dtype, shape = canonicalize_dtype(dtype), canonicalize_shape(shape)
    return iota_p.bind(dtype=dtype, shape=shape, dimension=canonicalize_axis(dimension, len(shape)))


def iota(dtype: Any, size: int) -> Any:
    """0, 1, 2, ..., size - 1."""
    return broadcasted_iota(dtype, (size,), 0)


# Axes left out.


def _squeeze_rule(x: ShapedArray, *, dimensions: tuple) -> ShapedArray:
    if any(x.shape[d] != 1 for d in dimensions):
        raise ValueError(f"squeeze removes axes of size 1; got {dimensions} of shape {x.shape}.")
    return x.update(shape=[n for d, n in enumerate(x.shape) if d not in dimensions])


def _squeeze_batcher(args, dims, *, dimensions):
    return squeeze(moveaxis(args[0], dims[0], 0), [d + 1 for d in dimensions]), 0


squeeze_p = numpy_primitive("squeeze", _squeeze_rule, lambda x, dimensions: x.squeeze(dimensions))
deflinear(squeeze_p, lambda ct, *, dimensions: [expand_dims(ct, dimensions)])
primitive_batchers[squeeze_p] = _squeeze_batcher


def squeeze(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand without the axes `dimensions`, which have size 1."""
    ndim = typeof(operand).ndim
    dimensions = tuple(sorted(canonicalize_axis(d, ndim) for d in dimensions))
    if not dimensions and isinstance(operand, Array):
        return operand
    return squeeze_p.bind(operand, dimensions=dimensions)


# Axes turned round.


def _rev_rule(x: ShapedArray, *, dimensions: tuple) -> ShapedArray:
    if any(not 0 <= d < x.ndim for d in dimensions) or len(set(dimensions)) != len(dimensions):
        raise ValueError(f"rev needs different axes of the shape {x.shape}; got {dimensions}.")
    return x


def _rev_batcher(args, dims, *, dimensions):
    return rev(args[0], shift_axes(dimensions, dims[0])), dims[0]


rev_p = numpy_primitive("rev", _rev_rule, lambda x, dimensions: np.flip(x, dimensions))
deflinear(rev_p, lambda ct, *, dimensions: [rev(ct, dimensions)])
primitive_batchers[rev_p] = _rev_batcher


def rev(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand turned round along `dimensions`."""
    return rev_p.bind(operand, dimensions=integers(dimensions))
