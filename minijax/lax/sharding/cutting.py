"""Cutting: from a whole array to the parts that devices have of it, and back.

A grid of devices is given by the sizes of its axes, by name: those of a mesh, or some of them.
Parts are in the grid's row-major order; None is that of a device of another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from minijax.core.arrays import Array, raw_value, to_numpy
from minijax.core.config import bounded_cache
from minijax.core.jitting import as_runtime_value
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.collectives.meetings import of_kind
from minijax.lax.sharding.constraints import constrained
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.partition_specs import P, names_in, names_of
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding


def places(sizes: dict) -> Iterator[dict]:
    """The coordinates of each device, by the names of axes."""
    for at in product(*map(range, sizes.values())):
        yield dict(zip(sizes, at, strict=True))


def piece(spec: P, shape: Sequence[int], sizes: dict, place: dict) -> tuple[slice, ...]:
    """Where a device has its piece of an array of this shape."""
    slices = []
    for size, names in zip(shape, map(names_in, spec.partitions), strict=False):
        number, count = 0, 1
        for name in names:  # the last varies fastest
            number, count = number * sizes[name] + place[name], count * sizes[name]
        slices.append(slice(number * size // count, (number + 1) * size // count))
    return tuple(slices)


@bounded_cache
def part_type(aval: ShapedArray, sharding: NamedSharding) -> ShapedArray:
    """The type of a device's part."""
    return ShapedArray(sharding.shard_shape(aval.shape), aval.dtype, aval.weak_type)


@bounded_cache
def lies_so(sharding: Any, mesh: Mesh, spec: P, ndim: int) -> bool:
    """Whether each device of an array's sharding has the part that is wanted there."""
    is_on_mesh = getattr(sharding, "mesh", None) is mesh
    return is_on_mesh and sharding.is_equivalent_to(NamedSharding(mesh, spec), ndim)


def cut(x: Any, spec: P, sizes: dict, mesh: Mesh) -> list[Any]:
    """Each device's part of an operand: the one that it has already, or one of the whole."""
    if type(x) is ShardedArray:
        if not (x.is_fully_addressable or lies_so(x.sharding, mesh, spec, x.ndim)):
            x = constrained(x, NamedSharding(mesh, spec))  # all processes send what others need
        if len(sizes) == len(mesh.axis_names) and lies_so(x.sharding, mesh, spec, x.ndim):
            part = part_type(x.aval, x.sharding)
            return [shard if shard is None else Array(shard, part) for shard in x.shards()]
        x = Array(to_numpy(x), x.aval)
    x, grid = as_runtime_value(x), list(places(sizes))
    if not names_of(spec):
        return [x] * len(grid)
    value = raw_value(x) if isinstance(x, Array) else x  # of float0, which is no Array
    parts = [value[piece(spec, x.shape, sizes, place)] for place in grid]
    if not isinstance(x, Array):
        return parts
    return [of_kind(np.asarray(part, order="C"), x) for part in parts]


def kept(parts: Sequence[Any], sharding: NamedSharding, aval: ShapedArray) -> Any:
    """A result of all devices of a mesh, whose parts stay where they are."""
    here = next(part for part in parts if part is not None)
    if not isinstance(here, Array):  # a token, or of float0
        return put_together(parts, sharding.spec, sharding.mesh.shape, aval)
    shards = [part if part is None else raw_value(part) for part in parts]
    return ShardedArray(shards, sharding, aval)


def put_together(parts: Sequence[Any], spec: P, sizes: dict, aval: Any) -> Any:
    """A result, from each device's part. Along axes that the spec does not name they have all the
    same, and the first device's counts."""
    if not names_of(spec):
        return parts[0]
    values = [raw_value(part) if isinstance(part, Array) else part for part in parts]
    words = values[0].shape[typeof(parts[0]).ndim :]
    whole = np.empty((*aval.shape, *words), values[0].dtype)
    unnamed = [name for name in sizes if name not in names_of(spec)]
    for value, place in zip(values, places(sizes), strict=True):
        if not any(place[name] for name in unnamed):
            whole[piece(spec, aval.shape, sizes, place)] = value
    return Array(whole, aval) if isinstance(parts[0], Array) else whole
