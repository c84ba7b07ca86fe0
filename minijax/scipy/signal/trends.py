"""Signals without what they have of a constant, or of a straight line."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import numpy
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact


def detrend(
    data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: None = None
) -> Any:
    """The data along an axis less the straight line that fits best, or less its mean ("constant").

    `bp`, an integer or several, has the places where a new line begins. NotImplementedError for
    `overwrite_data`.

    >>> numpy.abs(numpy.round(detrend(np.array([1.0, 2.0, 3.0])), 4))
    Array([0., 0., 0.], dtype=float32)
    """
    name = "scipy.signal.detrend"
    if overwrite_data is not None:
        raise NotImplementedError(f"{name} makes a new array. Leave overwrite_data out.")
    if type not in ("linear", "constant"):
        got = f"{shown(type)}. Give 'linear' or 'constant'."
        raise ValueError(f"{name} knows no type {got}")
    check_arraylike(name, data)
    (data,) = promote_dtypes_inexact(numpy.asarray(data))
    axis = known_axis(name, axis, data.ndim)
    if type == "constant":
        return data - numpy.mean(data, axis, keepdims=True)
    size = data.shape[axis]
    starts = np.unique([0, *np.atleast_1d(bp)]).astype(int)
    if np.any(starts < 0) or np.any(starts > size):
        got = f"{shown(bp)} for {size} numbers"
        raise ValueError(f"{name} got the places {got}. Give some of these.")
    ends = [*starts[1:], size]
    data = numpy.moveaxis(data, axis, -1)
    parts = [_without_line(data[..., a:b]) for a, b in zip(starts, ends, strict=True) if b > a]
    return numpy.moveaxis(numpy.concatenate(parts, -1), -1, axis)


def _without_line(x: Any) -> Any:
    """By least squares: the slope is the covariance with the place, over the place's variance."""
    n = x.shape[-1]
    place = np.arange(n) - (n - 1) / 2
    variance = float(np.sum(place**2)) or 1.0
    flat = x - numpy.mean(x, -1, keepdims=True)
    place = place.astype(x.dtype)
    slope = numpy.sum(flat * place, -1, keepdims=True) / variance
    return flat - slope * place
