"""Arrays in other shapes: the same elements rearranged, repeated, joined or parted."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np  # noqa: F401  (the examples use it)

from minijax.core import primitives as lax
from minijax.core.arrays import as_array
from minijax.core.jitting import jit
from minijax.core.tracing import Tracer, typeof
from minijax.numpy.arguments import Axis, canonical_axes, canonical_axis, check_arraylike
from minijax.numpy.promotion import promote_dtypes

# What there is.


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of the axes.

    >>> shape(2.5), shape([[1, 2]])
    ((), (1, 2))
    """
    if isinstance(a, list | tuple):
        return (len(a), *(shape(a[0]) if a else ()))
    check_arraylike("shape", a)
    return typeof(a).shape


def ndim(a: Any) -> int:
    """The number of axes."""
    return len(shape(a))


def size(a: Any, axis: Axis = None) -> int:
    """The number of elements, of all axes or of some."""
    sizes = shape(a)
    result = 1
    for d in canonical_axes("size", axis, len(sizes)):
        result *= sizes[d]
    return result


# One array in another shape.


def reshape(a: Any, shape: Any) -> Any:
    """The elements of `a`, in row-major order, in another shape; one size may be -1.

    TypeError when the number of elements differs.

    >>> reshape(np.arange(6), (2, -1)).shape
    (2, 3)
    """
    check_arraylike("reshape", a)
    return lax.reshape(_as_array(a), _without_unknown(typeof(a), shape))


def _as_array(a: Any) -> Any:
    return a if isinstance(a, Tracer) else as_array(a)


def _without_unknown(aval: Any, shape: Any) -> tuple[int, ...]:
    """The new shape, with the size that is -1 worked out."""
    sizes = _integers("reshape", shape)
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    if len(unknown) > 1 or any(n < -1 for n in sizes):
        raise TypeError(f"jnp.reshape works out one size, -1, and got the shape {sizes}.")
    if not unknown:
        return sizes
    known = 1
    for n in sizes:
        known *= n if n != -1 else 1
    if not known or aval.size % known:
        raise TypeError(
            f"jnp.reshape of shape {aval.shape} to {sizes}: {aval.size} elements do not divide "
            f"evenly by {known}."
        )
    return tuple(aval.size // known if n == -1 else n for n in sizes)


def _integers(fun_name: str, shape: Any) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, shape if hasattr(shape, "__iter__") else [shape]))
    except TypeError as error:
        raise TypeError(
            f"jnp.{fun_name} needs a shape of integers that are known, and got {shape!r}."
        ) from error


def ravel(a: Any) -> Any:
    """The elements of `a`, in row-major order, along one axis."""
    check_arraylike("ravel", a)
    return lax.reshape(_as_array(a), (typeof(a).size,))


def squeeze(a: Any, axis: Axis = None) -> Any:
    """`a` without the axes of size 1, all of them or those named; ValueError for other sizes.

    >>> squeeze(np.ones((1, 2, 1))).shape
    (2,)
    """
    check_arraylike("squeeze", a)
    if axis is None:
        axes = [d for d, n in enumerate(typeof(a).shape) if n == 1]
    else:
        axes = canonical_axes("squeeze", axis, typeof(a).ndim)
    return lax.squeeze(_as_array(a), axes)


def expand_dims(a: Any, axis: Axis) -> Any:
    """`a` with new axes of size 1 at the places `axis` of the result.

    >>> expand_dims(np.ones(3), (0, -1)).shape
    (1, 3, 1)
    """
    check_arraylike("expand_dims", a)
    new = len(axis) if isinstance(axis, tuple | list) else 1
    return lax.expand_dims(a, canonical_axes("expand_dims", axis, typeof(a).ndim + new))


def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """`a` with its axes in the order `axes`; reversed, when none is given.

    >>> transpose(np.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    check_arraylike("transpose", a)
    n = typeof(a).ndim
    order = range(n)[::-1] if axes is None else [canonical_axis("transpose", d, n) for d in axes]
    return lax.transpose(_as_array(a), order)


def matrix_transpose(x: Any, /) -> Any:
    """`x` with its last two axes swapped."""
    check_arraylike("matrix_transpose", x)
    if typeof(x).ndim < 2:
        raise ValueError(f"jnp.matrix_transpose swaps the last two axes; got {typeof(x)}.")
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`a` with two axes in each other's place."""
    check_arraylike("swapaxes", a)
    order = list(range(typeof(a).ndim))
    try:
        order[axis1], order[axis2] = order[axis2], order[axis1]
    except IndexError as error:
        raise IndexError(
            f"jnp.swapaxes of the axes {axis1} and {axis2}: there are {len(order)} axes."
        ) from error
    return lax.transpose(_as_array(a), order)


def moveaxis(a: Any, source: Axis, destination: Axis) -> Any:
    """`a` with the axes `source` at the places `destination`, the others in their old order.

    >>> moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    check_arraylike("moveaxis", a)
    n = typeof(a).ndim
    sources = canonical_axes("moveaxis", source, n)
    places = canonical_axes("moveaxis", destination, n)
    if len(sources) != len(places):
        raise ValueError(f"jnp.moveaxis cannot move {len(sources)} axes to {len(places)} places.")
    order = lax.remaining(n, sources)
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return lax.transpose(_as_array(a), order)


def flip(m: Any, axis: Axis = None) -> Any:
    """`m` turned round along some axes, or all.

    >>> flip(np.arange(3))
    Array([2, 1, 0], dtype=int32)
    """
    check_arraylike("flip", m)
    return _flip(m, canonical_axes("flip", axis, typeof(m).ndim))


@partial(jit, static_argnames=("axes",))
def _flip(m: Any, axes: tuple[int, ...]) -> Any:
    return lax.rev(m, axes)


# Broadcasting: axes are counted from the back, and an axis of size 1 is repeated.


def broadcast_to(array: Any, shape: Any) -> Any:
    """The array repeated to a shape; ValueError when its own shape doesn't fit in.

    >>> broadcast_to(np.arange(2), (2, 2))
    Array([[0, 1],
           [0, 1]], dtype=int32)
    """
    check_arraylike("broadcast_to", array)
    old, new = typeof(array).shape, lax.canonicalize_shape(shape)
    added = len(new) - len(old)
    if added < 0 or any(n not in (1, m) for n, m in zip(old, new[added:], strict=True)):
        raise ValueError(f"jnp.broadcast_to cannot repeat the shape {old} to the shape {new}.")
    return lax.broadcast_in_dim(_as_array(array), new, range(added, len(new)))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that all of them broadcast to.

    >>> broadcast_shapes((3, 1), (2,))
    (3, 2)
    """
    ndim = max(map(len, shapes), default=0)
    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
    sizes = [set(axis_sizes) - {1} for axis_sizes in zip(*padded, strict=True)]
    if any(len(axis_sizes) > 1 for axis_sizes in sizes):
        raise ValueError(f"The shapes {', '.join(map(str, shapes))} do not broadcast to one.")
    return tuple(axis_sizes.pop() if axis_sizes else 1 for axis_sizes in sizes)


def broadcast_arrays(*args: Any) -> list[Any]:
    """The arrays, repeated to the shape that all of them broadcast to."""
    check_arraylike("broadcast_arrays", *args)
    shape = broadcast_shapes(*(typeof(x).shape for x in args))
    return [broadcast_to(x, shape) for x in args]


# Joining.


def _parts(fun_name: str, arrays: Any, dtype: Any) -> list[Any]:
    """The arrays to be joined, of one dtype."""
    if isinstance(arrays, list | tuple):
        check_arraylike(fun_name, *arrays)
    else:
        if isinstance(arrays, bool | int | float | complex):
            raise TypeError(f"jnp.{fun_name} takes a list of arrays, and got {arrays!r}.")
        check_arraylike(fun_name, arrays)
        arrays = list(arrays) if typeof(arrays).ndim else []
    if not arrays:
        raise ValueError(f"jnp.{fun_name} needs at least one array, and got none.")
    if dtype is not None:
        return [lax.convert_element_type(x, dtype) for x in arrays]
    return promote_dtypes(*arrays)


def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> Any:
    """The arrays one after the other along an axis that they have; all in one row for None.

    >>> concatenate([np.arange(2), np.array([0.5])])
    Array([0. , 1. , 0.5], dtype=float32)
    """
    parts = _parts("concatenate", arrays, dtype)
    if axis is None:
        parts, axis = [ravel(x) for x in parts], 0
    if not parts[0].ndim:
        raise ValueError(
            "jnp.concatenate joins arrays along an axis, and numbers have none. Use jnp.stack."
        )
    return lax.concatenate(parts, canonical_axis("concatenate", axis, parts[0].ndim))


def stack(arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    """The arrays, of one shape, along a new axis.

    >>> stack([np.zeros(2), np.ones(2)], axis=1)
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    parts = _parts("stack", arrays, dtype)
    if any(x.shape != parts[0].shape for x in parts):
        raise ValueError(
            f"jnp.stack needs arrays of one shape, and got {', '.join(str(x.shape) for x in parts)}"
        )
    axis = canonical_axis("stack", axis, parts[0].ndim + 1)
    return lax.concatenate([lax.expand_dims(x, [axis]) for x in parts], axis)


@jit
def atleast_1d(*arys: Any) -> Any:
    """Each argument with at least one axis; a list of them, unless there is one.

    >>> atleast_1d(3)
    Array([3], dtype=int32, weak_type=True)
    """
    check_arraylike("atleast_1d", *arys)
    return _one_or_all([_with_leading_axes(x, 1) for x in arys])


@jit
def atleast_2d(*arys: Any) -> Any:
    """Each argument with at least two axes, new ones in front; a list, unless there is one."""
    check_arraylike("atleast_2d", *arys)
    return _one_or_all([_with_leading_axes(x, 2) for x in arys])


def _with_leading_axes(x: Any, ndim: int) -> Any:
    return lax.expand_dims(x, range(ndim - x.ndim)) if x.ndim < ndim else x


def _one_or_all(results: list) -> Any:
    return results[0] if len(results) == 1 else results


def vstack(tup: Any, dtype: Any = None) -> Any:
    """The arrays below one another: along the first axis; vectors are rows.

    >>> vstack([np.zeros(2), np.ones(2)])
    Array([[0., 0.],
           [1., 1.]], dtype=float32)
    """
    return concatenate([atleast_2d(x) for x in tup], 0, dtype)


def hstack(tup: Any, dtype: Any = None) -> Any:
    """The arrays beside one another: along the second axis; vectors along their only one.

    >>> hstack([np.zeros(2), np.ones(1)])
    Array([0., 0., 1.], dtype=float32)
    """
    parts = [atleast_1d(x) for x in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype)


# Parting and repeating.


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """The parts of an array along an axis: so many equal ones, or cut at the given places.

    ValueError when the parts are not equal, or a place lies outside.

    >>> split(np.arange(4), [1])
    [Array([0], dtype=int32), Array([1, 2, 3], dtype=int32)]
    """
    check_arraylike("split", ary)
    axis = canonical_axis("split", axis, typeof(ary).ndim)
    size = typeof(ary).shape[axis]
    if hasattr(indices_or_sections, "__iter__"):
        cuts = [0, *map(operator.index, indices_or_sections), size]
    else:
        sections = operator.index(indices_or_sections)
        if size % sections:
            raise ValueError(f"jnp.split cannot cut an axis of {size} into {sections} equal parts.")
        cuts = list(range(0, size + 1, size // sections)) if size else [0] * (sections + 1)
    if cuts != sorted(cuts):
        raise ValueError(
            f"jnp.split needs growing places within 0 to {size}, and got {cuts[1:-1]}."
        )
    return [
        lax.slice_in_dim(ary, low, high, axis=axis)
        for low, high in zip(cuts[:-1], cuts[1:], strict=True)
    ]


def tile(A: Any, reps: Any) -> Any:
    """`A` laid out again and again, reps[i] times along axis i.

    >>> tile(np.arange(2), (2, 2))
    Array([[0, 1, 0, 1],
           [0, 1, 0, 1]], dtype=int32)
    """
    check_arraylike("tile", A)
    reps, old = lax.canonicalize_shape(reps), typeof(A).shape
    ndim = max(len(reps), len(old))
    reps, old = (1,) * (ndim - len(reps)) + reps, (1,) * (ndim - len(old)) + old
    apart = [n for pair in zip([1] * ndim, old, strict=True) for n in pair]
    repeated = [n for pair in zip(reps, old, strict=True) for n in pair]
    whole = [n * m for n, m in zip(reps, old, strict=True)]
    return lax.reshape(broadcast_to(reshape(A, apart), repeated), whole)


def repeat(a: Any, repeats: int, axis: int | None = None) -> Any:
    """Every element, or every part along `axis`, `repeats` times in place.

    >>> repeat(np.arange(3), 2)
    Array([0, 0, 1, 1, 2, 2], dtype=int32)
    """
    check_arraylike("repeat", a)
    if typeof(repeats).ndim:
        raise NotImplementedError("jnp.repeat with a number for each element is not here yet.")
    if axis is None:
        a, axis = ravel(a), 0
    axis, old = canonical_axis("repeat", axis, typeof(a).ndim), list(typeof(a).shape)
    (count,) = lax.canonicalize_shape(repeats)
    kept = [d if d <= axis else d + 1 for d in range(len(old))]
    repeated = lax.broadcast_in_dim(a, (*old[: axis + 1], count, *old[axis + 1 :]), kept)
    old[axis] *= count
    return lax.reshape(repeated, old)
