"""Places on grids, and arrays that brackets write: `mgrid[0:3, 0:2]`, `r_[1, 2, 5:8]`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np  # noqa: F401  (the examples use it)

from minijax import lax
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.creation import arange, array, asarray, linspace
from minijax.numpy.promotion import promote_dtypes
from minijax.numpy.shapes.joining import concatenate, stack
from minijax.numpy.shapes.reshaping import transpose


def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> list[Any]:  # fmt: skip
    """For each row of coordinates, the coordinate of every point of the grid.

    The first row goes along the second axis, and the second along the first; with `indexing` "ij",
    each goes along its own. With `sparse`, arrays that broadcast to the grid.

    >>> meshgrid(np.array([1, 2, 3]), np.array([10, 20]))[0]
    Array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    """
    name = "jnp.meshgrid"
    check_arraylike(name, *xi)
    shapes = [typeof(x).shape for x in xi]
    if any(len(shape) != 1 for shape in shapes):
        raise ValueError(f"{name} takes rows, and got the shapes {shapes}. Use jnp.ravel(x).")
    if not copy:
        raise ValueError(f"{name} makes new arrays, and got copy={copy}. Leave it out.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"{name} knows no indexing {shown(indexing)}. Give 'xy' or 'ij'.")
    rows = [asarray(x) for x in xi]
    swapped = indexing == "xy" and len(rows) > 1
    if swapped:
        rows[:2] = rows[1::-1]
    grids = _laid_across(rows, sparse)
    if swapped:
        grids[:2] = grids[1::-1]
    return grids


def _laid_across(rows: list[Any], sparse: bool) -> list[Any]:
    """Each row along an axis of its own; repeated along the others, unless `sparse`."""
    sizes = [x.size for x in rows]
    shapes = [
        [n if d == axis or not sparse else 1 for d, n in enumerate(sizes)]
        for axis in range(len(rows))
    ]
    return [lax.broadcast_in_dim(x, shapes[d], [d]) for d, x in enumerate(rows)]


def _counted(fun_name: str, part: Any) -> Any:
    """The row that a slice stands for: by steps, or if its step is imaginary, of so many values."""
    if not isinstance(part, slice):
        got = shown(part)
        raise AttributeError(f"{fun_name} takes slices, and got {got}. Give start:stop:step.")
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)))
    return arange(start, part.stop, step)


class _Mgrid:
    """mgrid[0:3, 0:2]: for each slice, the coordinate of every point of the grid, stacked.

    A slice whose step is imaginary, as 0:1:5j, stands for so many values, the last included.

    >>> mgrid[0:2, 0:3]
    Array([[[0, 0, 0],
            [1, 1, 1]],
    <BLANKLINE>
           [[0, 1, 2],
            [0, 1, 2]]], dtype=int32)
    """

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _counted("jnp.mgrid", key)
        rows = promote_dtypes(*(_counted("jnp.mgrid", part) for part in _several("mgrid", key)))
        return stack(_laid_across(rows, sparse=False))


class _Ogrid:
    """ogrid[0:3, 0:2]: for each slice, its values along an axis of their own; they broadcast to the
    grid.

    >>> [x.shape for x in ogrid[0:2, 0:3]]
    [(2, 1), (1, 3)]
    """

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _counted("jnp.ogrid", key)
        rows = promote_dtypes(*(_counted("jnp.ogrid", part) for part in _several("ogrid", key)))
        return _laid_across(rows, sparse=True)


def _several(name: str, key: Any) -> tuple:
    if not isinstance(key, tuple):
        raise TypeError(f"jnp.{name} takes slices, and got {shown(key)}. Give start:stop:step.")
    return key


class _Layout(NamedTuple):
    """Along which axis parts are joined, how many axes each has at least, and at which place among
    the new ones its own stand; -1: behind them."""

    axis: int
    ndmin: int
    own: int


class _Joined:
    """What joins the parts in its brackets."""

    name: str
    layout: _Layout

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        directive, layout = "", self.layout
        if isinstance(parts[0], str):
            directive, *parts = parts
            layout = self._read(directive)
        joined = concatenate([self._laid_out(part, layout) for part in parts], layout.axis)
        if directive in ("r", "c") and joined.ndim == 1:
            return joined[None, :] if directive == "r" else joined[:, None]
        return joined

    def _read(self, directive: str) -> _Layout:
        if directive in ("r", "c"):
            return self.layout
        try:
            numbers = [int(part) for part in directive.split(",")]
            return self.layout._replace(**dict(zip(_Layout._fields, numbers, strict=False)))
        except ValueError as error:
            raise ValueError(
                f"{self.name} cannot read {directive!r}. Give 'r', 'c', or up to three integers, "
                f"as '0,2,-1'."
            ) from error

    def _laid_out(self, part: Any, layout: _Layout) -> Any:
        if isinstance(part, str):
            raise ValueError(f"{self.name} got {part!r} behind another part. Put it in front.")
        x = _counted(self.name, part) if isinstance(part, slice) else asarray(part)
        missing = layout.ndmin - x.ndim
        laid_out = array(x, copy=False, ndmin=layout.ndmin)
        if missing < 1 or layout.own == -1 or not x.ndim:
            return laid_out
        place = layout.own + (missing + 1 if layout.own < 0 else 0)
        order = list(range(missing))
        order[place:place] = range(missing, layout.ndmin)
        return transpose(laid_out, order)


class RClass(_Joined):
    """r_[1, 5:8, x]: numbers, slices and arrays, joined along the first axis.

    A text in front says otherwise: "0,2,-1" are the axis along which parts are joined, the number
    of axes that each has at least, and at which place among new axes its own stand; "r" makes a
    row with two axes, "c" a column.

    >>> r_[1, 5:8, np.array([0, 0])]
    Array([1, 5, 6, 7, 0, 0], dtype=int32)
    """

    name, layout = "jnp.r_", _Layout(0, 1, -1)


class CClass(_Joined):
    """c_[x, y]: numbers, slices and arrays, joined as columns; see `r_`.

    >>> c_[np.array([1, 2]), np.array([3, 4])]
    Array([[1, 3],
           [2, 4]], dtype=int32)
    """

    name, layout = "jnp.c_", _Layout(-1, 2, 0)


guard(_Mgrid, _Ogrid, _Joined)
mgrid, ogrid, r_, c_ = _Mgrid(), _Ogrid(), RClass(), CClass()
