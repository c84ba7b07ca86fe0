"""What makes of numbers a distribution, or brings them to one scale: each along an axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import canonicalize_dtype, issubdtype
from minijax.core.errors import warn
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis, known_integer
from minijax.numpy.arguments import Axis, canonical_axes, check_arraylike, library_jit, user_dtype
from minijax.scipy.special import logsumexp


def softmax(x: Any, axis: Axis = -1, where: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along some axes: positive numbers whose sum is 1.

    What `where` does not mark is left out, and 0 in the result.

    >>> softmax(np.array([1.0, 1.0, 1.0, 1.0], np.float32))
    Array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    check_arraylike("nn.softmax", x)
    largest = numpy.max(x, axis, where=where, initial=-np.inf, keepdims=True)
    x_safe = x if where is None else numpy.where(where, x, -np.inf)
    powers = numpy.exp(x_safe - lax.stop_gradient(largest))
    result = powers / numpy.sum(powers, axis, where=where, keepdims=True)
    return result if where is None else numpy.where(where, result, 0)


@library_jit(static_argnames=("axis",))
def log_softmax(x: Any, axis: Axis = -1, where: Any = None) -> Any:
    """log(softmax(x)), without loss for small ones. What `where` does not mark is -inf."""
    largest = numpy.max(x, axis, where=where, initial=-np.inf, keepdims=True)
    x_safe = x if where is None else numpy.where(where, x, -np.inf)
    shifted = x_safe - lax.stop_gradient(largest)
    total = numpy.sum(numpy.exp(shifted), axis, where=where, keepdims=True)
    result = shifted - numpy.log(total)
    return result if where is None else numpy.where(where, result, -np.inf)


@library_jit(static_argnames=("axis", "keepdims"))
def logmeanexp(x: Any, axis: Axis = None, where: Any = None, keepdims: bool = False) -> Any:
    """log(mean(exp(x))) over some axes, or all, without overflow on the way."""
    total = logsumexp(x, axis=axis, where=where, keepdims=keepdims)
    dtype, shape = typeof(total).dtype, typeof(x).shape
    if where is None:
        axes = canonical_axes("nn.logmeanexp", axis, len(shape))
        count = lax.convert_element_type(math.prod(shape[d] for d in axes), dtype)
    else:
        count = numpy.sum(numpy.broadcast_to(where, shape), axis, dtype=dtype, keepdims=keepdims)
    return total - numpy.log(count)


@library_jit(static_argnames=("axis", "algorithm"))
def standardize(
    x: Any, axis: Axis = -1, mean: Any = None, variance: Any = None, epsilon: Any = 1e-5,
    where: Any = None, *, algorithm: str = "fast",
) -> Any:  # fmt: skip
    """(x - mean) / sqrt(variance + epsilon): along some axes, mean 0 and variance 1.

    The "fast" variance is the mean of squares less the square of the mean, the "stable" one the
    mean square of differences. ValueError for another word.
    """
    if mean is None:
        mean = numpy.mean(x, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm not in ("fast", "stable"):
            raise ValueError(
                f"nn.standardize has no algorithm {shown(algorithm)}. Choose 'fast' or 'stable'."
            )
        if algorithm == "stable":
            squares = numpy.square(numpy.subtract(x, mean))
            variance = numpy.mean(squares, axis, keepdims=True, where=where)
        else:
            squares = numpy.mean(numpy.square(x), axis, keepdims=True, where=where)
            variance = numpy.clip(squares - numpy.square(mean), 0)
    return numpy.subtract(x, mean) * lax.rsqrt(variance + epsilon)


# Classes as vectors.


def one_hot(x: Any, num_classes: int, *, dtype: Any = None, axis: Any = -1) -> Any:
    """For each integer in x a vector with 1 at its place and 0 elsewhere, along a new axis.

    An integer that is no class, below 0 or from `num_classes` on, gives zeros. `axis` may be a
    named axis of that size: each member then gets its own class's number.

    >>> one_hot(np.array([0, 2]), 3)
    Array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    num_classes = known_integer("nn.one_hot", "num_classes", num_classes)
    x = numpy.asarray(x)
    if not issubdtype(x.dtype, np.integer):
        warn(f"nn.one_hot takes integers, and got {x.dtype}.", DeprecationWarning)
    dtype = canonicalize_dtype(np.float64) if dtype is None else user_dtype("nn.one_hot", dtype)
    return _one_hot(x, num_classes, dtype=dtype, axis=axis)


@library_jit(checked=False, static_argnames=("num_classes", "dtype", "axis"))
def _one_hot(x: Any, num_classes: int, *, dtype: Any, axis: Any) -> Any:
    if not hasattr(axis, "__index__"):
        size = lax.axis_size(axis)
        if size != num_classes:
            raise ValueError(
                f"nn.one_hot got {num_classes} classes for the axis {shown(axis)}, whose size is "
                f"{size}. Give as many classes as that."
            )
        return numpy.asarray(x == lax.axis_index(axis), dtype=dtype)
    place = known_axis("nn.one_hot", axis, x.ndim + 1)
    shape = [1] * x.ndim
    shape.insert(place, num_classes)
    x = lax.expand_dims(x, (axis,))
    return numpy.astype(x == lax.broadcasted_iota(x.dtype, shape, place), dtype)
