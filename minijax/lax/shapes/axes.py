"""New arrays of a shape, and axes turned round or left out: each primitive with all its rules."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import START, Place
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.identities import undone
from minijax.compiler.special_cases.shape_identities import reshaped
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.arrays import Array, ArrayImpl
from minijax.core.batching import moveaxis, primitive_batchers, shift_axes
from minijax.core.dtypes import ExtendedDType, SymbolicDimension, integers
from minijax.core.errors import ConcretizationTypeError, JAXTypeError
from minijax.core.primitives import (
    Shape,
    broadcast_in_dim,
    broadcast_numpy,
    expand_dims,
    numpy_primitive,
    zeros,
)
from minijax.core.prng import random_wrap
from minijax.core.reverse import deflinear
from minijax.core.tracing import ShapedArray, Tracer, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.elementwise.arithmetic import cast_for_user, convert_element_type, dtype_for, shown
from minijax.lax.out_sharding import lying, said

# Integers that shape a result, as a user gives them: an error names the function and the argument.


def known_value(fun_name: str, what: str, value: Any) -> Any:
    """The value, or what a tracer carries; ConcretizationTypeError where that is not known."""
    if not isinstance(value, Tracer):
        return value
    known = value.to_concrete_value()
    if known is None:
        raise ConcretizationTypeError(
            value,
            f"{fun_name} needs {what} to be known while tracing.\n"
            f"Mark it static (jit's static_argnums).",
        )
    return known


def as_integer(fun_name: str, what: str, value: Any) -> int:
    """The integer, or symbolic dimension; TypeError where it is none, of a tracer its own."""
    try:
        return value if isinstance(value, SymbolicDimension) else operator.index(value)
    except JAXTypeError:
        raise
    except TypeError as error:
        raise TypeError(
            f"{fun_name} takes an integer as {what}, and got {shown(value)}. Give an int."
        ) from error


def known_integer(fun_name: str, what: str, value: Any) -> int:
    """Like `as_integer`; ConcretizationTypeError where it is traced."""
    return as_integer(fun_name, what, known_value(fun_name, what, value))


def as_integers(fun_name: str, what: str, values: Any) -> tuple[int, ...]:
    """The integers of a sequence; errors as of `as_integer`."""
    if isinstance(values, str | bytes | Tracer) or not np.iterable(values):
        raise TypeError(
            f"{fun_name} takes integers as {what}, and got {shown(values)}. Give a tuple of ints."
        )
    return tuple(as_integer(fun_name, what, value) for value in values)


def known_sizes(fun_name: str, shape: Any) -> tuple[int, ...]:
    """The shape, one integer or a sequence of them, as a tuple; TypeError when it is not known."""
    several = isinstance(shape, Sequence) and not isinstance(shape, str | bytes)
    several = several or (isinstance(shape, Array | np.ndarray) and shape.ndim > 0)
    try:
        return integers(shape if several else [shape])
    except TypeError as error:
        raise TypeError(
            f"{fun_name} needs its shape to be known while tracing, and got {shown(shape)}.\n"
            f"Mark the argument that it comes from static (jit's static_argnums)."
            if _is_traced(shape) else
            f"{fun_name} takes a shape of integers, and got {shown(shape)}. Give a tuple of ints."
        ) from error  # fmt: skip


def _is_traced(shape: Any) -> bool:
    return isinstance(shape, Tracer) or (
        isinstance(shape, list | tuple) and any(isinstance(n, Tracer) for n in shape)
    )


def known_shape(fun_name: str, shape: Any) -> tuple[int, ...]:
    """Like `known_sizes`; TypeError when one is negative, or too large for any array.

    >>> known_shape("lax.full", 3), known_shape("lax.full", [2, 3])
    ((3,), (2, 3))
    """
    sizes = known_sizes(fun_name, shape)
    if any(n < 0 for n in sizes):
        raise TypeError(
            f"{fun_name} takes a shape without negative sizes, and got {sizes}. Give sizes from 0."
        )
    if any(isinstance(n, int) and n >= 2**63 for n in sizes):
        raise TypeError(f"{fun_name} got the shape {shown(sizes)}. Give sizes that fit in 64 bits.")
    return sizes


def known_axis(
    fun_name: str, axis: Any, ndim: int, error: type[Exception] = ValueError,
    read: Callable = known_integer,
) -> int:  # fmt: skip
    """The axis, which `read` reads, counted from the front; `error` when there is no such axis.

    >>> known_axis("lax.squeeze", -1, 3)
    2
    """
    axis = read(fun_name, "axis", axis)
    if not -ndim <= axis < ndim:
        way_out = f"Give one from {-ndim} to {ndim - 1}." if ndim else "Give an array that has one."
        raise error(f"{fun_name} found no axis {axis} among {ndim}. {way_out}")
    return axis % ndim


# Filled with one number, or counting.


def full(
    shape: Shape, fill_value: Any, dtype: Any = None, *, sharding: Any = None
) -> Any:  # fmt: skip
    """An array of `shape` that holds one number everywhere. TypeError for more than one. A key of
    a number is one whose words are that number.

    Outside of traced functions it lies on devices as `sharding` says, if anything.

    >>> full((2,), 1.5)
    Array([1.5, 1.5], dtype=float32, weak_type=True)
    """
    shape = known_shape("lax.full", shape)
    _check_scalar("lax.full", fill_value)
    weak_type = dtype is None and typeof(fill_value).weak_type
    dtype = typeof(fill_value).dtype if dtype is None else dtype_for("lax.full", dtype)
    if _is_number_of_keys(fill_value, dtype):
        out = _keys_of_number(fill_value, shape)
    else:
        out = broadcast_in_dim(convert_element_type(fill_value, dtype, weak_type), shape, ())
    return out if sharding is None or isinstance(out, Tracer) else lying("lax.full", out, sharding)


def _is_number_of_keys(fill_value: Any, dtype: Any) -> bool:
    return isinstance(dtype, ExtendedDType) and not isinstance(
        typeof(fill_value).dtype, ExtendedDType
    )


def _keys_of_number(fill_value: Any, shape: Shape) -> Any:
    return random_wrap(full((*shape, 2), fill_value, np.uint32))


def zeros_of(aval: ShapedArray) -> Any:
    """Zeros of a type; of keys, those whose words are zeros."""
    is_of_keys = isinstance(aval.dtype, ExtendedDType)
    return _keys_of_number(0, aval.shape) if is_of_keys else zeros(aval)


def _check_scalar(fun_name: str, fill_value: Any) -> None:
    if type(fill_value) is not int and typeof(fill_value).ndim:
        raise TypeError(
            f"{fun_name} takes one number as fill_value, and got {typeof(fill_value)}.\n"
            f"Use lax.broadcast_in_dim for an array."
        )


_beside = call_lazily("minijax.lax.sharding.sharded_arrays.beside")


def full_like(
    x: Any, fill_value: Any, dtype: Any = None, shape: Shape | None = None, *, sharding: Any = None
) -> Any:
    """An array that holds one number everywhere, like x unless another dtype, shape or sharding is
    given."""
    aval = x.aval if isinstance(x, ShapeDtypeStruct) else typeof(x)
    shape = aval.shape if shape is None else known_shape("lax.full_like", shape)
    _check_scalar("lax.full_like", fill_value)
    if _is_number_of_keys(fill_value, aval.dtype if dtype is None else dtype):
        out = _keys_of_number(fill_value, shape)
    elif dtype is None:
        out = broadcast_in_dim(cast_for_user(fill_value, aval.dtype, aval.weak_type), shape, ())
    else:
        value = convert_element_type(fill_value, dtype_for("lax.full_like", dtype))
        out = broadcast_in_dim(value, shape, ())
    if sharding is not None:
        return lying("lax.full_like", out, sharding)
    out = aval.placed(out) if shape == aval.shape else out
    is_elsewhere = isinstance(x, ArrayImpl) and type(x) is not ArrayImpl and shape == aval.shape
    return _beside(x, out) if is_elsewhere else out


def broadcast(operand: Any, sizes: Shape, *, out_sharding: Any = None) -> Any:
    """The operand repeated along new axes of these sizes, in front of its own. The result lies on
    devices as `out_sharding` says, if anything.

    >>> broadcast(2.0, (3,))
    Array([2., 2., 2.], dtype=float32, weak_type=True)
    """
    sizes, shape = known_shape("lax.broadcast", sizes), typeof(operand).shape
    kept = range(len(sizes), len(sizes) + len(shape))
    return lying("lax.broadcast", broadcast_in_dim(operand, (*sizes, *shape), kept), out_sharding)


def _iota_rule(*, dtype: np.dtype, shape: tuple, dimension: int) -> ShapedArray:
    if dtype == np.bool_:
        raise TypeError("lax.iota counts, which bools cannot. Ask for another dtype, as int32.")
    if not 0 <= dimension < len(shape):
        raise ValueError(
            f"lax.broadcasted_iota counts along an axis of the shape {shape}, and got axis "
            f"{dimension}.\nGive one from 0 to {len(shape) - 1}."
        )
    return ShapedArray(shape, dtype)


def _numpy_iota(dtype: np.dtype, shape: tuple, dimension: int) -> np.ndarray:
    count = np.arange(shape[dimension]).astype(dtype)
    return broadcast_numpy(count, shape, (dimension,))


def _iota_places(
    places: Sequence[Place], dtype: np.dtype, shape: Shape, dimension: int
) -> tuple[list[Place], list[int]]:
    return [places[dimension]], [shape[dimension]]


# It has no operands, so nothing to differentiate and nothing to batch.
iota_p = numpy_primitive("iota", _iota_rule, _numpy_iota, inert={"sharding": None})
register_lowering(iota_p, index=_iota_places)


def broadcasted_iota(
    dtype: Any, shape: Shape, dimension: int, out_sharding: Any = None
) -> Any:  # fmt: skip
    """0, 1, 2, ... along one axis of an array of `shape`, which lies on devices as `out_sharding`
    says, if anything.

    >>> broadcasted_iota(np.int32, (2, 3), 1)
    Array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    name = "lax.broadcasted_iota"
    dtype, shape = dtype_for(name, dtype), known_shape(name, shape)
    dimension = known_integer(name, "dimension", dimension)
    if not 0 <= dimension < len(shape):
        raise ValueError(f"{name} found no axis {dimension} in the shape {shape}. Count from 0.")
    how = said(name, out_sharding, "sharding")
    out = iota_p.bind(dtype=dtype, shape=shape, dimension=dimension, **how)
    return lying(name, out, out_sharding)


def iota(dtype: Any, size: int) -> Any:
    """0, 1, 2, ..., size - 1."""
    shape = known_shape("lax.iota", (size,))
    return iota_p.bind(dtype=dtype_for("lax.iota", dtype), shape=shape, dimension=0)


# Axes left out.


def _squeeze_rule(x: ShapedArray, *, dimensions: tuple) -> ShapedArray:
    if any(x.shape[d] != 1 for d in dimensions):
        raise ValueError(
            f"lax.squeeze removes axes of size 1, and got {dimensions} of the shape {x.shape}.\n"
            f"Name such axes alone."
        )
    return x.update(shape=[n for d, n in enumerate(x.shape) if d not in dimensions])


def _squeeze_batcher(args, dims, *, dimensions):
    return squeeze(moveaxis(args[0], dims[0], 0), [d + 1 for d in dimensions]), 0


def _squeeze_places(
    places: Sequence[Place], in_shape: Sequence[int], dimensions: tuple
) -> list[Place]:
    kept = iter(places)
    return [START if d in dimensions else next(kept) for d in range(len(in_shape))]


squeeze_p = numpy_primitive("squeeze", _squeeze_rule, lambda x, dimensions: x.squeeze(dimensions))
deflinear(squeeze_p, lambda ct, *, dimensions: [expand_dims(ct, dimensions)])
primitive_batchers[squeeze_p] = _squeeze_batcher
register_lowering(squeeze_p, identity=reshaped, same_order=True, view=_squeeze_places)


def squeeze(array: Any, dimensions: Sequence[int]) -> Any:
    """The array without the axes `dimensions`, which have size 1."""
    ndim, given = typeof(array).ndim, as_integers("lax.squeeze", "dimensions", dimensions)
    dimensions = tuple(sorted(known_axis("lax.squeeze", d, ndim) for d in given))
    if len(set(dimensions)) < len(dimensions):
        raise ValueError(f"lax.squeeze was given an axis twice: {given}. Name each once.")
    if not dimensions and isinstance(array, Array):
        return array
    return squeeze_p.bind(array, dimensions=dimensions)


# Axes turned round.


def _rev_rule(x: ShapedArray, *, dimensions: tuple) -> ShapedArray:
    if any(not 0 <= d < x.ndim for d in dimensions) or len(set(dimensions)) != len(dimensions):
        raise TypeError(
            f"lax.rev turns different axes round, from 0 to {x.ndim - 1} of {x}, and got "
            f"{dimensions}.\nName each once."
        )
    return x


def _rev_batcher(args, dims, *, dimensions):
    return rev(args[0], shift_axes(dimensions, dims[0])), dims[0]


def _rev_places(places: Sequence[Place], in_shape: Sequence[int], dimensions: tuple) -> list[Place]:
    return [
        place.moved(-1, n - 1) if d in dimensions else place
        for d, (place, n) in enumerate(zip(places, in_shape, strict=True))
    ]


rev_p = numpy_primitive("rev", _rev_rule, lambda x, dimensions: np.flip(x, dimensions))
deflinear(rev_p, lambda ct, *, dimensions: [rev(ct, dimensions)])
primitive_batchers[rev_p] = _rev_batcher
register_lowering(rev_p, identity=undone, view=_rev_places)


def rev(operand: Any, dimensions: Sequence[int]) -> Any:
    """The operand turned round along `dimensions`."""
    return rev_p.bind(operand, dimensions=as_integers("lax.rev", "dimensions", dimensions))
