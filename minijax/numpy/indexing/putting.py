"""New arrays with values put in some places: at indices, where a mask holds, on the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np  # noqa: F401  (the examples use it)

from minijax import lax
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike, library_jit
from minijax.numpy.creation import asarray
from minijax.numpy.elementwise.ufuncs import clip, remainder
from minijax.numpy.indexing.positions import diag_indices, nonzero, unravel_index
from minijax.numpy.indexing.positions import indices as places_of
from minijax.numpy.indexing.selecting import along, check_integers
from minijax.numpy.shapes.joining import tile
from minijax.numpy.shapes.reshaping import broadcast_to, check_repeatable, ravel


def _refuse_inplace(fun_name: str, inplace: bool) -> None:
    if inplace:
        raise ValueError(
            f"{fun_name} returns a new array: an array is never changed. Give inplace=False."
        )


@library_jit(static_argnames=("axis", "inplace", "mode"))
def put_along_axis(
    arr: Any, indices: Any, values: Any, axis: int | None, inplace: bool = True, *,
    mode: str | None = None,
) -> Any:  # fmt: skip
    """`arr` with `values` in the places that `take_along_axis` takes; `inplace` must be False.

    Modes are those of `x.at[...].set`.

    >>> put_along_axis(np.zeros((2, 2)), np.array([[1], [0]]), 7, axis=1, inplace=False)
    Array([[0., 7.],
           [7., 0.]], dtype=float32)
    """
    name = "jnp.put_along_axis"
    _refuse_inplace(name, inplace)
    check_integers(name, indices)
    x, axis = along(name, arr, indices, axis)
    check_repeatable(name, values.shape, indices.shape)
    values = broadcast_to(values, indices.shape)
    places = list(places_of(x.shape, sparse=True))
    places[axis] = indices
    return lax.reshape(x.at[tuple(places)].set(values, mode=mode), arr.shape)


def put(a: Any, ind: Any, v: Any, mode: str | None = None, *, inplace: bool = True) -> Any:
    """`a` with the values `v`, again and again, at the indices `ind` of its elements in a row;
    `inplace` must be False.

    Indices out of range move to the nearest element; with the mode "wrap" they are counted round,
    and with "clip" negative ones move to the first.

    >>> put(np.zeros(4), np.array([0, 2]), np.array([1, 2]), inplace=False)
    Array([1., 0., 2., 0.], dtype=float32)
    """
    _refuse_inplace("jnp.put", inplace)
    check_arraylike("jnp.put", a, ind, v)
    check_integers("jnp.put", ind)
    x, indices, values = asarray(a), ravel(asarray(ind)), ravel(asarray(v))
    if not x.size or not indices.size or not values.size:
        return x
    values = _to_size(values, indices.size)
    if mode == "raise":
        raise NotImplementedError(
            'jnp.put cannot raise an error of an index. Give the mode "clip" or "wrap".'
        )
    if mode not in (None, "clip", "wrap"):
        raise ValueError(f'jnp.put knows no mode {shown(mode)}. Give "clip" or "wrap".')
    if mode == "clip":
        indices = clip(indices, 0, x.size - 1)
    elif mode == "wrap":
        indices = remainder(indices, x.size)
    mode = "drop" if mode is None else "promise_in_bounds"
    return x.at[unravel_index(indices, x.shape)].set(values, mode=mode)


def _to_size(values: Any, size: int) -> Any:
    """So many values: the first ones of a row, again and again."""
    if values.size < size:
        values = tile(values, -(-size // values.size))
    return values[:size] if values.size > size else values


def place(arr: Any, mask: Any, vals: Any, *, inplace: bool = True) -> Any:
    """`arr` with the values `vals`, again and again, where the mask holds; `inplace` must be False.

    >>> place(np.zeros(4), np.array([True, False, True, True]), np.array([1, 2]), inplace=False)
    Array([1., 0., 2., 1.], dtype=float32)
    """
    check_arraylike("jnp.place", arr, mask, vals)
    _refuse_inplace("jnp.place", inplace)
    x, mask, values = asarray(arr), asarray(mask), ravel(asarray(vals))
    if x.size != mask.size:
        raise ValueError(
            f"jnp.place got a mask of {mask.size} elements for {x.size}. Give as many."
        )
    if not values.size:
        raise ValueError("jnp.place got no values. Give at least one.")
    if not x.size:
        return x
    (places,) = nonzero(ravel(mask), size=mask.size, fill_value=mask.size)
    values = _to_size(values, mask.size)
    return lax.reshape(ravel(x).at[places].set(values, mode="drop"), x.shape)


def fill_diagonal(a: Any, val: Any, wrap: bool = False, *, inplace: bool = True) -> Any:
    """`a` with `val`, a number or a row of them, on its diagonal; `inplace` must be False.

    >>> fill_diagonal(np.zeros((2, 2)), 7, inplace=False)
    Array([[7., 0.],
           [0., 7.]], dtype=float32)
    """
    if inplace or wrap:
        raise NotImplementedError(
            "jnp.fill_diagonal returns a new array, with one diagonal. Give inplace=False, and no "
            "wrap."
        )
    check_arraylike("jnp.fill_diagonal", a, val)
    x, values = asarray(a), asarray(val)
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise ValueError(
            f"jnp.fill_diagonal got {typeof(x)}. Give a matrix, or more axes of one size."
        )
    n = min(x.shape)
    values = _to_size(ravel(values), n) if values.ndim else values
    return x.at[diag_indices(n, x.ndim)].set(values)
