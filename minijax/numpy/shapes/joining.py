"""Arrays joined, parted and laid out again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np  # noqa: F401  (the examples use it)

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.batching import vmap
from minijax.core.dtypes import is_constant_shape
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer, known_axis, known_integer, known_shape
from minijax.lax.shapes.sizes import is_certain
from minijax.numpy.arguments import check_arraylike, is_several, library_jit, refuse_out, user_dtype
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.shapes.reshaping import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    moveaxis,
    ravel,
    reshape,
    transpose,
)

# Joining.


def _listed(fun_name: str, arrays: Any) -> list[Any]:
    """The arrays to be joined: those of a list, or the parts of one array along its first axis."""
    if isinstance(arrays, list | tuple):
        check_arraylike(fun_name, *arrays)
        arrays = list(arrays)
    else:
        if isinstance(arrays, bool | int | float | complex) or hasattr(arrays, "__jax_array__"):
            got = shown(arrays)
            raise TypeError(f"{fun_name} takes a list of arrays, and got {got}. Give [x, y].")
        check_arraylike(fun_name, arrays)
        arrays = list(arrays) if typeof(arrays).ndim else []
    if not arrays:
        raise ValueError(f"{fun_name} got no arrays. Give at least one.")
    return arrays


def _parts(fun_name: str, arrays: Any, dtype: Any) -> list[Any]:
    """The arrays to be joined, of one dtype."""
    arrays = _listed(fun_name, arrays)
    if dtype is not None:
        dtype = user_dtype(fun_name, dtype)
        return [lax.convert_element_type(x, dtype) for x in arrays]
    return promote_dtypes(*arrays)


@by_types
def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> Any:
    """The arrays one after the other along an axis that they have; all in one row for None.

    >>> concatenate([np.arange(2), np.array([0.5])])
    Array([0. , 1. , 0.5], dtype=float32)
    """
    return _concatenate("jnp.concatenate", arrays, axis, dtype)


def _is_open(arrays: Any) -> bool:
    """Whether it is one array, whose first axis has parts of a number that is not known yet."""
    if isinstance(arrays, list | tuple):
        return False
    shape = getattr(arrays, "shape", ())
    return bool(shape) and not is_constant_shape(shape[:1])


def _each(fun_name: str, function: Callable, arrays: Any) -> Any:
    """`function` of each of the arrays that are to be joined, or of each part of one."""
    if _is_open(arrays):
        return vmap(function)(arrays)
    return [function(x) for x in _listed(fun_name, arrays)]


def _ndim_of_first(parts: Any) -> int:
    return typeof(parts).ndim - 1 if _is_open(parts) else parts[0].ndim


def _joined(fun_name: str, parts: Any, axis: int | None, dtype: Any) -> Any:
    """`_concatenate` of the parts of one array, as one step: its first axis is taken into another.
    """
    if dtype is not None:
        parts = lax.convert_element_type(parts, user_dtype(fun_name, dtype))
    if axis is None:
        return ravel(parts)
    if parts.ndim == 1:
        raise ValueError(f"{fun_name} joins arrays along an axis, and numbers have none.\n"
                         f"Leave it out: they are one array already.")  # fmt: skip
    axis = known_axis(fun_name, axis, parts.ndim - 1, read=as_integer)
    parts = moveaxis(parts, 0, axis)
    sizes = parts.shape
    return reshape(parts, (*sizes[:axis], sizes[axis] * sizes[axis + 1], *sizes[axis + 2 :]))


def _concatenate(fun_name: str, arrays: Any, axis: int | None, dtype: Any) -> Any:
    if _is_open(arrays):
        return _joined(fun_name, arrays, axis, dtype)
    parts = _parts(fun_name, arrays, dtype)
    if axis is None:
        parts, axis = [ravel(x) for x in parts], 0
    if not parts[0].ndim:
        raise ValueError(
            f"{fun_name} joins arrays along an axis, and numbers have none. Use jnp.stack."
        )
    axis = known_axis(fun_name, axis, parts[0].ndim, read=as_integer)
    if len({(*x.shape[:axis], *x.shape[axis + 1 :]) for x in parts}) > 1 or any(
        x.ndim != parts[0].ndim for x in parts
    ):
        raise TypeError(
            f"{fun_name} along axis {axis} got the shapes {', '.join(str(x.shape) for x in parts)}."
            f"\nGive arrays that are alike in all other axes."
        )
    return lax.concatenate(parts, axis)


@by_types
def stack(arrays: Any, axis: int = 0, out: None = None, dtype: Any = None) -> Any:
    """The arrays, of one shape, along a new axis. NotImplementedError for `out`.

    >>> stack([np.zeros(2), np.ones(2)], axis=1)
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    refuse_out("jnp.stack", out)
    if _is_open(arrays):
        raise TypeError(
            f"jnp.stack got {typeof(arrays)}, whose parts have no known number. It is a stack "
            f"already:\nTry jnp.moveaxis(x, 0, axis)."
        )
    parts = _parts("jnp.stack", arrays, dtype)
    if any(x.shape != parts[0].shape for x in parts):
        raise ValueError(
            f"jnp.stack got the shapes {', '.join(str(x.shape) for x in parts)}.\n"
            f"Give arrays of one shape."
        )
    axis = known_axis("jnp.stack", axis, parts[0].ndim + 1, read=as_integer)
    return lax.stack(parts, axis)


@by_types
def vstack(tup: Any, dtype: Any = None) -> Any:
    """The arrays below one another: along the first axis; vectors are rows.

    >>> vstack([np.zeros(2), np.ones(2)])
    Array([[0., 0.],
           [1., 1.]], dtype=float32)
    """
    return _concatenate("jnp.vstack", _each("jnp.vstack", atleast_2d, tup), 0, dtype)


@by_types
def hstack(tup: Any, dtype: Any = None) -> Any:
    """The arrays beside one another: along the second axis; vectors along their only one.

    >>> hstack([np.zeros(2), np.ones(1)])
    Array([0., 0., 1.], dtype=float32)
    """
    parts = _each("jnp.hstack", atleast_1d, tup)
    return _concatenate("jnp.hstack", parts, 0 if _ndim_of_first(parts) == 1 else 1, dtype)


@by_types
def dstack(tup: Any, dtype: Any = None) -> Any:
    """The arrays behind one another: along the third axis; see `atleast_3d`.

    >>> dstack([np.zeros(2), np.ones(2)])
    Array([[[0., 1.],
            [0., 1.]]], dtype=float32)
    """
    return _concatenate("jnp.dstack", _each("jnp.dstack", atleast_3d, tup), 2, dtype)


@by_types
def column_stack(tup: Any) -> Any:
    """The arrays beside one another: along the second axis; vectors are columns.

    >>> column_stack([np.zeros(2), np.ones(2)])
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    def column(x: Any) -> Any:
        return transpose(atleast_2d(x)) if typeof(x).ndim < 2 else x

    return _concatenate("jnp.column_stack", _each("jnp.column_stack", column, tup), 1, None)


@by_types
def concat(arrays: Any, /, *, axis: int | None = 0) -> Any:
    """The arrays one after the other: another name for `concatenate`."""
    return _concatenate("jnp.concat", arrays, axis, None)


@library_jit(checked=False)
def block(arrays: Any) -> Any:
    """The array that nested lists lay out: the innermost along the last axis, those around them
    along the axis before, and so on.

    >>> block([[np.eye(2), np.ones((2, 1))], [np.zeros((1, 3))]])
    Array([[1., 0., 1.],
           [0., 1., 1.],
           [0., 0., 0.]], dtype=float32)
    """
    return _block(arrays)[0]


def _block(arrays: Any) -> tuple[Any, int]:
    """The array, and how many lists are in one another."""
    if isinstance(arrays, tuple):
        raise ValueError("jnp.block takes lists of arrays, and got a tuple. Make it a list.")
    if not isinstance(arrays, list):
        check_arraylike("jnp.block", arrays)
        return arrays, 0
    if not arrays:
        raise ValueError("jnp.block got an empty list. Leave it out.")
    parts, depths = zip(*map(_block, arrays), strict=True)
    if len(set(depths)) > 1:
        raise ValueError(
            f"jnp.block got lists in one another {', '.join(map(str, depths))} times side by side."
            f"\nGive lists of one depth."
        )
    depth = depths[0] + 1
    ndim = max(depth, *(typeof(x).ndim for x in parts))
    parts = [lax.expand_dims(x, range(ndim - typeof(x).ndim)) for x in parts]
    return _concatenate("jnp.block", parts, ndim - depth, None), depth


# Parting, and laying out.


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """The parts of an array along an axis: so many equal ones, or cut at the given places.

    ValueError when the parts are not equal, or a place lies outside.

    >>> split(np.arange(4), [1])
    [Array([0], dtype=int32), Array([1, 2, 3], dtype=int32)]
    """
    return _split("jnp.split", ary, indices_or_sections, axis)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Like `split`, and where no equal parts are possible, the first ones have one element more.

    >>> [x.size for x in array_split(np.arange(7), 3)]
    [3, 2, 2]
    """
    return _split("jnp.array_split", ary, indices_or_sections, axis, equal=False)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the second axis; of a vector, along its only one."""
    check_arraylike("jnp.hsplit", ary)
    return _split("jnp.hsplit", ary, indices_or_sections, 0 if typeof(ary).ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the first axis."""
    return _split("jnp.vsplit", ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the third axis."""
    return _split("jnp.dsplit", ary, indices_or_sections, 2)


def _split(
    fun_name: str, ary: Any, indices_or_sections: Any, axis: int, equal: bool = True
) -> list[Any]:
    check_arraylike(fun_name, ary)
    axis = known_axis(fun_name, axis, typeof(ary).ndim, IndexError)
    size = typeof(ary).shape[axis]
    if is_several(indices_or_sections):
        places = [known_integer(fun_name, "places", i) for i in indices_or_sections]
        cuts = [0, *places, size]
    else:
        sections = known_integer(fun_name, "indices_or_sections", indices_or_sections)
        if sections < 1 or (equal and not is_certain(lambda: size % sections == 0)):
            raise (ValueError if sections else ZeroDivisionError)(
                f"{fun_name} cannot cut an axis of {size} into {sections} equal parts.\n"
                f"Give a number that divides {size}, or the places of the cuts."
            )
        part, longer = divmod(size, sections)
        cuts = [i * part + min(i, longer) for i in range(sections + 1)]
    if cuts != sorted(cuts):
        raise ValueError(
            f"{fun_name} got the places {cuts[1:-1]}. Give growing ones, from 0 to {size}."
        )
    return lax.split(ary, [high - low for low, high in zip(cuts[:-1], cuts[1:], strict=True)], axis)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts of an array along an axis, which they have no longer.

    >>> unstack(np.array([[1, 2], [3, 4]]))
    (Array([1, 2], dtype=int32), Array([3, 4], dtype=int32))
    """
    check_arraylike("jnp.unstack", x)
    axis = known_axis("jnp.unstack", axis, typeof(x).ndim)
    return tuple(lax.unstack(x, axis))


def tile(A: Any, reps: Any) -> Any:
    """`A` laid out again and again, reps[i] times along axis i.

    >>> tile(np.arange(2), (2, 2))
    Array([[0, 1, 0, 1],
           [0, 1, 0, 1]], dtype=int32)
    """
    check_arraylike("jnp.tile", A)
    reps, old = known_shape("jnp.tile", reps), typeof(A).shape
    ndim = max(len(reps), len(old))
    A = lax.expand_dims(A, range(ndim - len(old))) if ndim > len(old) else A
    return lax.tile(A, (1,) * (ndim - len(reps)) + reps)
