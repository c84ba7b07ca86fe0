"""Images read between their pixels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["map_coordinates"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

# Where a pixel beyond the end of an axis is read.


def _mirrored(index: Any, size: int) -> Any:
    """There and back, the last pixel once."""
    turn = max(size - 1, 1)
    return numpy.minimum(numpy.abs(numpy.mod(index + turn, 2 * turn) - turn), size - 1)


def _reflected(index: Any, size: int) -> Any:
    """There and back, the last pixel twice."""
    place = numpy.mod(index, 2 * size)
    return numpy.minimum(place, 2 * size - 1 - place)


_MODES: dict[str, Callable] = {
    "constant": lambda index, size: index,
    "nearest": lambda index, size: numpy.clip(index, 0, size - 1),
    "wrap": numpy.mod,
    "mirror": _mirrored,
    "reflect": _reflected,
}


def map_coordinates(
    input: Any, coordinates: Sequence[Any], order: int, mode: str = "constant", cval: Any = 0.0
) -> Any:
    """The values of `input` at the coordinates, an array for each of its axes.

    Of the `order` 0 that is the nearest pixel's, of 1 what goes straight from pixel to pixel.
    Beyond the ends it is `cval`; with another `mode`, what "nearest", "wrap", "mirror" (the last
    pixel once) or "reflect" (twice) continue the image with. Integers are rounded.
    NotImplementedError for other orders and modes, ValueError for another number of coordinates.

    >>> map_coordinates(np.array([0.0, 10.0]), [np.array([0.25, 5.0])], 1, mode="nearest")
    Array([ 2.5, 10. ], dtype=float32)
    """
    name = "scipy.ndimage.map_coordinates"
    image = numpy.asarray(input)
    lines = [numpy.asarray(line) for line in coordinates]
    check_arraylike(name, image, *lines, cval)
    if mode not in _MODES:
        got = f"{shown(mode)}. Give one of {', '.join(map(repr, _MODES))}."
        raise NotImplementedError(f"{name} has no mode {got}")
    if order not in (0, 1):
        raise NotImplementedError(f"{name} has no order {shown(order)}. Give 0 or 1.")
    if len(lines) != image.ndim:
        raise ValueError(
            f"{name} got {len(lines)} coordinates for {image.ndim} axes. Give one for each."
        )
    lines = [*promote_dtypes_inexact(*lines)]
    outside = lax.convert_element_type(cval, image.dtype)
    per_axis = [list((_neighbours if order else _nearest)(line)) for line in lines]
    total: Any = 0
    for corner in product(*per_axis):
        share, is_inside, places = 1, True, []
        for (index, weight), size in zip(corner, image.shape, strict=True):
            share = share * weight
            is_inside = is_inside & (index >= 0) & (index < size)
            places.append(_MODES[mode](index, size))
        values = image[tuple(places)]
        if mode == "constant":
            values = numpy.where(is_inside, values, outside)
        total = total + share * values
    if issubdtype(image.dtype, np.integer):
        total = numpy.round(total)
    return total.astype(image.dtype)


def _nearest(line: Any) -> list[tuple]:
    return [(numpy.floor(line + 0.5).astype(np.int32), 1)]


def _neighbours(line: Any) -> list[tuple]:
    low = numpy.floor(line)
    part, index = line - low, low.astype(np.int32)
    return [(index, 1 - part), (index + 1, part)]


guard(sys.modules[__name__])
