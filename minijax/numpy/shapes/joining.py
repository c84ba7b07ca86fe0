"""Arrays joined, parted and laid out again and again."""

from __future__ import annotations

from typing import Any

import numpy as np  # noqa: F401  (the examples use it)

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import as_integer, known_axis, known_integer, known_shape
from minijax.numpy.arguments import check_arraylike, is_several, user_dtype
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.shapes.reshaping import atleast_1d, atleast_2d, ravel

# Joining.


def _listed(fun_name: str, arrays: Any) -> list[Any]:
    """The arrays to be joined: those of a list, or the parts of one array along its first axis."""
    if isinstance(arrays, list | tuple):
        check_arraylike(fun_name, *arrays)
        arrays = list(arrays)
    else:
        if isinstance(arrays, bool | int | float | complex):
            raise TypeError(f"{fun_name} takes a list of arrays, and got {arrays!r}. Give [x, y].")
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


def _concatenate(fun_name: str, arrays: Any, axis: int | None, dtype: Any) -> Any:
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
def stack(arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    """The arrays, of one shape, along a new axis.

    >>> stack([np.zeros(2), np.ones(2)], axis=1)
    Array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
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
    return _concatenate("jnp.vstack", [atleast_2d(x) for x in _listed("jnp.vstack", tup)], 0, dtype)


@by_types
def hstack(tup: Any, dtype: Any = None) -> Any:
    """The arrays beside one another: along the second axis; vectors along their only one.

    >>> hstack([np.zeros(2), np.ones(1)])
    Array([0., 0., 1.], dtype=float32)
    """
    parts = [atleast_1d(x) for x in _listed("jnp.hstack", tup)]
    return _concatenate("jnp.hstack", parts, 0 if parts[0].ndim == 1 else 1, dtype)


# Parting, and laying out.


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """The parts of an array along an axis: so many equal ones, or cut at the given places.

    ValueError when the parts are not equal, or a place lies outside.

    >>> split(np.arange(4), [1])
    [Array([0], dtype=int32), Array([1, 2, 3], dtype=int32)]
    """
    check_arraylike("jnp.split", ary)
    axis = known_axis("jnp.split", axis, typeof(ary).ndim, IndexError)
    size = typeof(ary).shape[axis]
    if is_several(indices_or_sections):
        places = [known_integer("jnp.split", "places", i) for i in indices_or_sections]
        cuts = [0, *places, size]
    else:
        sections = known_integer("jnp.split", "indices_or_sections", indices_or_sections)
        if sections < 1 or size % sections:
            raise (ValueError if sections else ZeroDivisionError)(
                f"jnp.split cannot cut an axis of {size} into {sections} equal parts.\n"
                f"Give a number that divides {size}, or the places of the cuts."
            )
        cuts = list(range(0, size + 1, size // sections)) if size else [0] * (sections + 1)
    if cuts != sorted(cuts):
        raise ValueError(
            f"jnp.split got the places {cuts[1:-1]}. Give growing ones, from 0 to {size}."
        )
    return lax.split(ary, [high - low for low, high in zip(cuts[:-1], cuts[1:], strict=True)], axis)


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
