"""What a collective does between devices: each brings an array, and takes one away.

A rule maps the arrays of all that meet, NumPy's, in the order of their numbers, to one for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.special_cases.python_calls import run_by_python, why_python
from minijax.core.arrays import Array, raw_value
from minijax.core.jitting import as_runtime_value
from minijax.core.tracing import Primitive
from minijax.lax.sharding.device_threads import meet

Arrays = Sequence[np.ndarray]


def meets(primitive: Primitive, combine: Callable) -> None:
    """Says of a collective what it does between devices: `combine(arrays, **params)`."""
    primitive.says_what_varies = True
    run_by_python.add(primitive)
    register_lowering(primitive, opaque=True)  # each device comes to it, at its turn
    why_python[primitive] = "devices meet: Python brings their arrays together"
    between[primitive] = combine


between: dict[Primitive, Callable] = {}


def take_part(
    primitive: Primitive, x: Any, names: Sequence, groups: Any = None, **params: Any
) -> Array:
    """This device's part in a collective along the named axes."""
    x = as_runtime_value(x)
    value, combine = raw_value(x), between[primitive]
    out = meet(primitive.name, names, value, lambda values: combine(values, **params), groups)
    inside = value.ndim - x.ndim  # axes of a key's words
    return Array(out, x.aval.update(shape=out.shape[: out.ndim - inside]))


# Reductions.


def fold(ufunc: np.ufunc, values: Arrays) -> np.ndarray:
    """All values, folded from the first to the last."""
    total = ufunc(values[0], values[1]) if len(values) > 1 else values[0]
    total = np.asarray(total, values[0].dtype)
    for value in values[2:]:
        ufunc(total, value, out=total)
    return total


def folded(ufunc: np.ufunc) -> Callable:
    """Everybody gets the total."""
    return lambda values: [fold(ufunc, values)] * len(values)


def scattered(
    values: Arrays, *, scatter_dimension: int, tiled: bool, axis_size: int
) -> list[np.ndarray]:
    """Everybody gets a part of the sum."""
    parts = np.split(fold(np.add, values), len(values), scatter_dimension)
    return parts if tiled else [np.squeeze(part, scatter_dimension) for part in parts]


# Moves.


def gathered(
    values: Arrays, *, all_gather_dimension: int, tiled: bool, axis_size: int
) -> list[np.ndarray]:
    """Everybody gets everybody's."""
    join = np.concatenate if tiled else np.stack
    return [join(values, all_gather_dimension)] * len(values)


def permuted(values: Arrays, *, perm: tuple) -> list[np.ndarray]:
    """A target gets its source's, the others zeros."""
    out = [np.zeros_like(value) for value in values]
    for source, target in perm:
        out[target] = values[source]
    return out


def exchanged(
    values: Arrays, *, split_axis: int, concat_axis: int, tiled: bool, axis_size: int
) -> list[np.ndarray]:
    """Each cuts its own in pieces, and gets one from each."""
    pieces = [np.split(value, len(values), split_axis) for value in values]
    return [np.concatenate(mine, concat_axis) for mine in zip(*pieces, strict=True)]


def from_one(values: Arrays, *, source: int) -> list[np.ndarray]:
    """Everybody gets the source's."""
    return [values[source]] * len(values)
