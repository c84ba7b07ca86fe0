"""Values between the points of a grid."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from minijax import numpy
from minijax.core.tracing import Tracer
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["RegularGridInterpolator"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

_METHODS = ("linear", "nearest")


class RegularGridInterpolator:
    """A function of points, made of its values where some coordinates meet.

    `points` has the coordinates along each axis, which rise or fall; `values` the values, and may
    have further axes. Called with points, whose last axis has their coordinates, it returns the
    value at each: that at the nearest point of the grid, or, with the method "linear", what goes
    straight from point to point along each axis. Beyond the grid that is `fill_value`, NaN; or,
    where it is None, as if the outermost cells went on.

    ValueError for other methods, and for what doesn't fit. NotImplementedError for `bounds_error`,
    which would have to ask the points.

    >>> f = RegularGridInterpolator((np.array([0.0, 1.0]),), np.array([0.0, 10.0]))
    >>> f(np.array([[0.25], [2.0]]))
    Array([2.5, nan], dtype=float32)
    """

    def __init__(
        self, points: Sequence[Any], values: Any, method: str = "linear",
        bounds_error: bool = False, fill_value: Any = np.nan,
    ) -> None:  # fmt: skip
        name = "RegularGridInterpolator"
        if bounds_error:
            raise NotImplementedError(f"{name} has fill_value instead. Leave bounds_error out.")
        _check_method(method)
        check_arraylike(name, values, *points)
        grid = tuple(map(numpy.asarray, points))
        values = numpy.asarray(values)
        if len(grid) > values.ndim:
            got = f"coordinates of {len(grid)} axes for values of {values.ndim}"
            raise ValueError(f"{name} got {got}. Leave some out.")
        for axis, coordinates in enumerate(grid):
            if coordinates.shape != (values.shape[axis],):
                raise ValueError(
                    f"{name} got coordinates of the shape {coordinates.shape} along axis {axis} of "
                    f"{values.shape}. Give a row of as many."
                )
            if _falls(axis, coordinates):
                grid = (*grid[:axis], coordinates[::-1], *grid[axis + 1 :])
                values = numpy.flip(values, axis)
        if fill_value is not None:
            check_arraylike(name, fill_value)
            if numpy.ndim(fill_value):
                got = shown(fill_value)
                raise ValueError(f"{name} takes one fill_value, and got {got}. Give a number.")
        self.method, self.fill_value = method, fill_value
        self.grid, self.values = grid, values

    def __call__(self, xi: Any, method: str | None = None) -> Any:
        """The values at the points xi, an array with their coordinates along its last axis, or a
        tuple with an array for each coordinate, which are broadcast."""
        name = "RegularGridInterpolator"
        method = self.method if method is None else method
        _check_method(method)
        ndim = len(self.grid)
        if isinstance(xi, tuple):
            check_arraylike(name, *xi)
            xi = numpy.stack(numpy.broadcast_arrays(*promote_dtypes_inexact(*xi)), -1)
        check_arraylike(name, xi)
        (xi,) = promote_dtypes_inexact(numpy.asarray(xi))
        if xi.ndim == 1:
            xi = xi[:, None] if ndim == 1 else xi[None]
        if not xi.ndim or xi.shape[-1] != ndim:
            raise ValueError(
                f"{name} has {ndim} axes, and got points of the shape {numpy.shape(xi)}. Give "
                f"{ndim} coordinates along the last axis."
            )
        flat = xi.reshape(-1, ndim)
        result = (_linear if method == "linear" else _nearest)(self.grid, self.values, flat)
        if self.fill_value is not None:
            is_outside = [
                (x < line[0]) | (x > line[-1]) for x, line in zip(flat.T, self.grid, strict=True)
            ]
            outside = numpy.any(numpy.stack(is_outside), axis=0)
            outside = outside.reshape(-1, *(1,) * (result.ndim - 1))
            result = numpy.where(outside, self.fill_value, result)
        has_nan = numpy.any(numpy.isnan(flat), axis=1).reshape(-1, *(1,) * (result.ndim - 1))
        result = numpy.where(has_nan, np.nan, result)
        return result.reshape(*xi.shape[:-1], *self.values.shape[ndim:])


def _falls(axis: int, coordinates: Any) -> bool:
    """Whether the coordinates fall. What is traced is taken to rise."""
    if isinstance(coordinates, Tracer):
        return False
    steps = np.diff(np.asarray(coordinates))
    if np.all(steps > 0) or np.all(steps < 0):
        return bool(steps.size and steps[0] < 0)
    raise ValueError(
        f"RegularGridInterpolator got coordinates along axis {axis} that neither rise nor fall. "
        f"Give them in order, each once."
    )


def _cells(grid: Sequence[Any], points: Any) -> list[tuple[Any, Any]]:
    """Along each axis: in which cell each point lies, and where in it, from 0 to 1."""
    found = []
    for line, x in zip(grid, points.T, strict=True):
        last = max(line.size - 2, 0)
        cell = numpy.clip(numpy.searchsorted(line, x) - 1, 0, last)
        start, end = line[cell], line[numpy.minimum(cell + 1, line.size - 1)]
        width = numpy.where(end == start, 1, end - start)
        found.append((cell, (x - start) / width))
    return found


def _linear(grid: Sequence[Any], values: Any, points: Any) -> Any:
    """The sum over a cell's corners, each by its share."""
    cells = _cells(grid, points)
    total: Any = 0
    for corner in product((0, 1), repeat=len(cells)):
        share, places = 1, []
        for is_end, (cell, part), line in zip(corner, cells, grid, strict=True):
            share = share * (part if is_end else 1 - part)
            places.append(numpy.minimum(cell + is_end, line.size - 1))
        share = share.reshape(-1, *(1,) * (values.ndim - len(grid)))
        total = total + share * values[tuple(places)]
    return total


def _nearest(grid: Sequence[Any], values: Any, points: Any) -> Any:
    places = [numpy.where(part <= 0.5, cell, cell + 1) for cell, part in _cells(grid, points)]
    sizes = [line.size - 1 for line in grid]
    return values[tuple(map(numpy.minimum, places, sizes))]


def _check_method(method: Any) -> None:
    if method not in _METHODS:
        raise ValueError(
            f"RegularGridInterpolator knows no method {shown(method)}. Give 'linear' or 'nearest'."
        )


guard(RegularGridInterpolator)
guard(sys.modules[__name__])
