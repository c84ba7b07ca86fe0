"""Arrays in other shapes: the same elements rearranged, or repeated along new axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import as_array
from minijax.core.primitives import remaining
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import with_axes
from minijax.lax.shapes.axes import as_integer, known_axis, known_integer, known_shape, known_sizes
from minijax.numpy.arguments import (
    Axis,
    canonical_axes,
    check_arraylike,
    check_broadcast,
    is_several,
    library_jit,
)

# What there is.


def shape(a: Any) -> tuple[int, ...]:
    """The sizes of the axes.

    >>> shape(2.5), shape([[1, 2]])
    ((), (1, 2))
    """
    return _shape("jnp.shape", a)


def _shape(fun_name: str, a: Any) -> tuple[int, ...]:
    if isinstance(a, list | tuple):
        return (len(a), *(_shape(fun_name, a[0]) if a else ()))
    if hasattr(a, "shape"):  # of a description of an array too, or of a sparse one
        return a.shape
    check_arraylike(fun_name, a)
    return typeof(a).shape


def ndim(a: Any) -> int:
    """The number of axes."""
    return len(_shape("jnp.ndim", a))


def size(a: Any, axis: Axis = None) -> int:
    """The number of elements, of all axes or of some."""
    sizes = _shape("jnp.size", a)
    result = 1
    for d in canonical_axes("jnp.size", axis, len(sizes), as_integer):
        result *= sizes[d]
    return result


# One array in another shape.


def reshape(
    a: Any, shape: Any, order: str = "C", *, copy: bool | None = None, out_sharding: Any = None
) -> Any:
    """The elements of `a` in another shape; one size may be -1.

    They are read and laid out in row-major order, or, if `order` is "F", in column-major order.
    The result lies on devices as `out_sharding` says, if anything. A NumPy array stays one, with
    its dtype, where that is not given: under `jit` too it is a value still, and no tracer.
    TypeError when the number of elements differs, ValueError for a NumPy array.

    >>> reshape(np.arange(6), (2, -1)).shape
    (2, 3)
    """
    if out_sharding is None and isinstance(a, np.ndarray | np.generic):
        sizes = _without_unknown(a, shape, ValueError)
        _is_row_major("jnp.reshape", order, "CF")
        return (a.copy() if copy else a).reshape(sizes, order=order)
    return _reshape(a, shape, order, copy=copy, out_sharding=out_sharding)


@by_types
def _reshape(
    a: Any, shape: Any, order: str = "C", *, copy: bool | None = None, out_sharding: Any = None
) -> Any:
    check_arraylike("jnp.reshape", a)
    sizes = _without_unknown(typeof(a), shape)
    if _is_row_major("jnp.reshape", order):
        result = lax.reshape(_as_array(a), sizes, out_sharding=out_sharding)
    else:
        how = with_axes(out_sharding, range(len(sizes))[::-1])
        result = transpose(lax.reshape(transpose(a), sizes[::-1], out_sharding=how))
    return lax.copy_p.bind(result) if copy and result is a else result


def _is_row_major(fun_name: str, order: str, known: str = "CFA") -> bool:
    if order not in tuple(known):
        raise ValueError(f"{fun_name} knows no order {shown(order)}. Give 'C' or 'F'.")
    if order in ("A", "K"):
        raise NotImplementedError(
            f"{fun_name} has no order {order!r}, which asks how an array lies in memory.\n"
            f"Use 'C' or 'F'."
        )
    return order == "C"


def _as_array(a: Any) -> Any:
    return a if isinstance(a, Tracer) else as_array(a)


def _without_unknown(
    aval: Any, shape: Any, error: type[Exception] = TypeError
) -> tuple[int, ...]:  # fmt: skip
    """The new shape, with the size that is -1 worked out; an error where it doesn't fit."""
    sizes = known_sizes("jnp.reshape", shape)
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    if len(unknown) > 1 or any(n < -1 for n in sizes):
        raise error(f"jnp.reshape got the shape {sizes}. Give sizes from 0; one may be -1.")
    known = math.prod(n for n in sizes if n != -1)
    fits = known and not aval.size % known if unknown else known == aval.size
    if not fits:
        multiple = "a multiple of " if unknown else ""
        raise error(
            f"jnp.reshape cannot reshape array of shape {aval.shape} to {sizes}:\n"
            f"there are {aval.size} elements, and not {multiple}{known}.\n"
            f"Give sizes whose product is {aval.size}."
        )
    return tuple(aval.size // known if n == -1 else n for n in sizes)


@by_types
def ravel(a: Any, order: str = "C", *, out_sharding: Any = None) -> Any:
    """The elements of `a` along one axis, in row-major order, or column-major if `order` is "F".
    It lies on devices as `out_sharding` says, if anything."""
    check_arraylike("jnp.ravel", a)
    if not _is_row_major("jnp.ravel", order, "CFAK"):
        a = transpose(a)
    return lax.reshape(_as_array(a), (typeof(a).size,), out_sharding=out_sharding)


@by_types
def squeeze(a: Any, axis: Axis = None) -> Any:
    """`a` without the axes of size 1, all of them or those named; ValueError for other sizes.

    >>> squeeze(np.ones((1, 2, 1))).shape
    (2,)
    """
    check_arraylike("jnp.squeeze", a)
    if axis is None:
        if not all(isinstance(n, int) for n in typeof(a).shape):
            raise ValueError(
                f"jnp.squeeze of {typeof(a)}: whether a symbolic size is 1 is not known. Give axis."
            )
        axes = [d for d, n in enumerate(typeof(a).shape) if n == 1]
    else:
        axes = canonical_axes("jnp.squeeze", axis, typeof(a).ndim)
        if any(typeof(a).shape[d] != 1 for d in axes):
            raise ValueError(
                f"jnp.squeeze removes axes of size 1, and got {axis} of {typeof(a)}.\n"
                f"Name such axes alone."
            )
    return lax.squeeze(_as_array(a), axes)


@by_types
def expand_dims(a: Any, axis: Axis) -> Any:
    """`a` with new axes of size 1 at the places `axis` of the result.

    >>> expand_dims(np.ones(3), (0, -1)).shape
    (1, 3, 1)
    """
    check_arraylike("jnp.expand_dims", a)
    axes = list(axis) if is_several(axis) else [axis]
    return lax.expand_dims(a, canonical_axes("jnp.expand_dims", axes, typeof(a).ndim + len(axes)))


@by_types
def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """`a` with its axes in the order `axes`; reversed, when none is given.

    >>> transpose(np.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    check_arraylike("jnp.transpose", a)
    n = typeof(a).ndim
    if axes is None:
        return lax.transpose(_as_array(a), range(n)[::-1])
    if not is_several(axes):
        raise TypeError(f"jnp.transpose takes {n} axes, and got {shown(axes)}. Give a tuple.")
    order = [known_axis("jnp.transpose", d, n, read=as_integer) for d in axes]
    if sorted(order) != list(range(n)):
        raise TypeError(
            f"jnp.transpose of {typeof(a)} got the axes {tuple(axes)}. Name each axis once."
        )
    return lax.transpose(_as_array(a), order)


@by_types
def matrix_transpose(x: Any, /) -> Any:
    """`x` with its last two axes swapped."""
    check_arraylike("jnp.matrix_transpose", x)
    if typeof(x).ndim < 2:
        raise ValueError(
            f"jnp.matrix_transpose swaps the last two axes, and got {typeof(x)}. Give a matrix."
        )
    return swapaxes(x, -1, -2)


@by_types
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`a` with two axes in each other's place."""
    check_arraylike("jnp.swapaxes", a)
    order = list(range(typeof(a).ndim))
    axis1, axis2 = (known_integer("jnp.swapaxes", "axes", axis) for axis in (axis1, axis2))
    try:
        order[axis1], order[axis2] = order[axis2], order[axis1]
    except IndexError as error:
        raise IndexError(
            f"jnp.swapaxes found no axes {axis1} and {axis2} among {len(order)}. Give two of these."
        ) from error
    return lax.transpose(_as_array(a), order)


@by_types
def moveaxis(a: Any, source: Axis, destination: Axis) -> Any:
    """`a` with the axes `source` at the places `destination`, the others in their old order.

    >>> moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    check_arraylike("jnp.moveaxis", a)
    n = typeof(a).ndim
    if source is None or destination is None:
        raise TypeError("jnp.moveaxis takes integers as axes, and got None. Give ints.")
    sources = canonical_axes("jnp.moveaxis", source, n)
    places = canonical_axes("jnp.moveaxis", destination, n)
    if len(sources) != len(places):
        raise ValueError(
            f"jnp.moveaxis cannot move {len(sources)} axes to {len(places)} places. Give as many."
        )
    order = remaining(n, sources)
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return lax.transpose(_as_array(a), order)


@by_types
def flip(m: Any, axis: Axis = None) -> Any:
    """`m` turned round along some axes, or all.

    >>> flip(np.arange(3))
    Array([2, 1, 0], dtype=int32)
    """
    check_arraylike("jnp.flip", m)
    return _flip(m, canonical_axes("jnp.flip", axis, typeof(m).ndim))


@library_jit(checked=False, static_argnames=("axes",))
def _flip(m: Any, axes: tuple[int, ...]) -> Any:
    return lax.rev(m, axes)


def flipud(m: Any) -> Any:
    """`m` upside down: turned round along the first axis."""
    check_arraylike("jnp.flipud", m)
    return _flip(m, canonical_axes("jnp.flipud", 0, typeof(m).ndim))


def fliplr(m: Any) -> Any:
    """`m` with left and right exchanged: turned round along the second axis."""
    check_arraylike("jnp.fliplr", m)
    return _flip(m, canonical_axes("jnp.fliplr", 1, typeof(m).ndim))


@library_jit(static_argnames=("k", "axes"))
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """`m` turned by k quarters, from the first of two axes to the second.

    >>> rot90(np.array([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], dtype=int32)
    """
    first, second = _two_axes("jnp.rot90", axes, typeof(m).ndim)
    k = known_integer("jnp.rot90", "k", k) % 4
    if k == 2:
        return flip(flip(m, first), second)
    if k == 1:
        return swapaxes(flip(m, second), first, second)
    return flip(swapaxes(m, first, second), second) if k else m


def _two_axes(fun_name: str, axes: Any, ndim: int) -> tuple[int, int]:
    found = canonical_axes(fun_name, axes, ndim)
    if len(found) != 2:
        raise ValueError(f"{fun_name} turns from one axis to another, and got {axes}. Name two.")
    return found[0], found[1]


@library_jit(static_argnames=("axis", "start"))
def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """`a` with an axis moved before the axis that is at `start`; see `moveaxis`.

    >>> rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    ndim = typeof(a).ndim
    axis = known_axis("jnp.rollaxis", axis, ndim)
    start = known_integer("jnp.rollaxis", "start", start)
    if not -ndim <= start <= ndim:
        raise ValueError(f"jnp.rollaxis got start={start}. Give one from {-ndim} to {ndim}.")
    start = start + ndim if start < 0 else start
    return moveaxis(a, axis, start - 1 if start > axis else start)


def permute_dims(a: Any, /, axes: Sequence[int]) -> Any:
    """`a` with its axes in the order `axes`: another name for `transpose`."""
    check_arraylike("jnp.permute_dims", a)
    return transpose(a, axes)


# Broadcasting: axes are counted from the back, and an axis of size 1 is repeated.


@by_types
def broadcast_to(array: Any, shape: Any, *, out_sharding: Any = None) -> Any:
    """The array repeated to a shape; ValueError when its own shape doesn't fit in. The result lies
    on devices as `out_sharding` says, if anything.

    >>> broadcast_to(np.arange(2), (2, 2))
    Array([[0, 1],
           [0, 1]], dtype=int32)
    """
    check_arraylike("jnp.broadcast_to", array)
    old, new = typeof(array).shape, known_sizes("jnp.broadcast_to", shape)
    check_repeatable("jnp.broadcast_to", old, new)
    new = known_shape("jnp.broadcast_to", new)
    axes = range(len(new) - len(old), len(new))
    return lax.broadcast_in_dim(_as_array(array), new, axes, out_sharding=out_sharding)


def check_repeatable(fun_name: str, old: Sequence[int], new: Sequence[int]) -> None:
    """ValueError unless an array of the shape `old` can be repeated to the shape `new`."""
    added = len(new) - len(old)
    if added < 0 or any(n not in (1, m) for n, m in zip(old, new[added:], strict=True)):
        raise ValueError(
            f"{fun_name} cannot repeat the shape {old} to the shape {new}.\n"
            f"Give a shape that ends with the sizes of the first, where these are not 1."
        )


def broadcast_shapes(*shapes: int | Sequence[int]) -> tuple[int, ...]:
    """The shape that all of them broadcast to.

    >>> broadcast_shapes((3, 1), 2)
    (3, 2)
    """
    known = [known_shape("jnp.broadcast_shapes", shape) for shape in shapes]
    check_broadcast("jnp.broadcast_shapes", known, ValueError)
    ndim = max(map(len, known), default=0)
    padded = [(1,) * (ndim - len(shape)) + shape for shape in known]
    sizes = [set(axis_sizes) - {1} for axis_sizes in zip(*padded, strict=True)]
    return tuple(axis_sizes.pop() if axis_sizes else 1 for axis_sizes in sizes)


def broadcast_arrays(*args: Any) -> list[Any]:
    """The arrays, repeated to the shape that all of them broadcast to."""
    check_arraylike("jnp.broadcast_arrays", *args)
    shapes = [typeof(x).shape for x in args]
    check_broadcast("jnp.broadcast_arrays", shapes, ValueError)
    shape = broadcast_shapes(*shapes)
    return [broadcast_to(x, shape) for x in args]


# At least so many axes.


@library_jit
def atleast_1d(*arys: Any) -> Any:
    """Each argument with at least one axis; a list of them, unless there is one.

    >>> atleast_1d(3)
    Array([3], dtype=int32, weak_type=True)
    """
    return _one_or_all([_with_leading_axes(x, 1) for x in arys])


@library_jit
def atleast_2d(*arys: Any) -> Any:
    """Each argument with at least two axes, new ones in front; a list, unless there is one."""
    return _one_or_all([_with_leading_axes(x, 2) for x in arys])


@library_jit
def atleast_3d(*arys: Any) -> Any:
    """Each argument with at least three axes; a list, unless there is one.

    A vector gets an axis on either side, a matrix one behind.

    >>> atleast_3d(np.ones(2)).shape, atleast_3d(np.ones((2, 3))).shape
    ((1, 2, 1), (2, 3, 1))
    """
    new_axes = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    results = [
        lax.expand_dims(x, new_axes[typeof(x).ndim]) if typeof(x).ndim < 3 else x for x in arys
    ]
    return _one_or_all(results)


def _with_leading_axes(x: Any, ndim: int) -> Any:
    return lax.expand_dims(x, range(ndim - x.ndim)) if x.ndim < ndim else x


def _one_or_all(results: list) -> Any:
    return results[0] if len(results) == 1 else results
