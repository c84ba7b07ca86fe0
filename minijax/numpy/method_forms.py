"""Functions that take their arguments otherwise when they are called as an array's method."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minijax.numpy import creation
from minijax.numpy.arguments import is_several
from minijax.numpy.elementwise import ufuncs
from minijax.numpy.indexing import selecting
from minijax.numpy.shapes import reshaping


def reshape(self: Any, *shape: Any, order: str = "C", out_sharding: Any = None) -> Any:
    """The same elements in another shape, given as one tuple or as several integers."""
    shape = shape[0] if len(shape) == 1 else shape
    return reshaping.reshape(self, shape, order, out_sharding=out_sharding)


def transpose(self: Any, *axes: Any) -> Any:
    """The array with its axes in another order, given as one tuple or as several integers."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return reshaping.transpose(self)
    return reshaping.transpose(self, axes[0] if len(axes) == 1 and is_several(axes[0]) else axes)


def clip(self: Any, min: Any = None, max: Any = None) -> Any:
    """The elements, held between `min` and `max`."""
    return ufuncs.clip(self, min=min, max=max)


def round(self: Any, ndigits: int | None = None) -> Any:
    """Python's round(): integers, unless a number of decimals is given."""
    rounded = ufuncs.round(self, 0 if ndigits is None else ndigits)
    return creation.astype(rounded, int) if ndigits is None else rounded


def compress(self: Any, condition: Any, axis: int | None = None, **options: Any) -> Any:
    """The parts along an axis for which a condition, a row, holds."""
    return selecting.compress(condition, self, axis, **options)


def array_namespace(self: Any, /, *, api_version: str | None = None) -> Any:
    """The module of functions of arrays, as the Python array API standard has it: `jnp`."""
    return sys.modules["minijax.numpy"]


def flat(self: Any) -> Any:
    """NotImplementedError, as in JAX: an iterator that is written to would change the array."""
    raise NotImplementedError("`flat` is not offered, since arrays don't change. Use x.ravel().")


# Of arrays alone: a tracer has no bytes.


def clone(self: Any) -> Any:
    """A copy of the array."""
    return creation.array(self)


def tobytes(self: Any, order: str = "C") -> bytes:
    """The bytes of the elements, in row-major order, or column-major if `order` is "F"."""
    return np.asarray(self).tobytes(order)
