"""Arrays made of parts: each device's is computed, or is there already."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minijax.core.arguments import flatten_axes
from minijax.core.arrays import Array, raw_value
from minijax.core.dtypes import canonicalize_dtype, integers, storage_dtype
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.current_mesh import on_the_mesh_set
from minijax.lax.sharding.meshes import Device
from minijax.lax.sharding.partition_specs import P, names_in
from minijax.lax.sharding.sharded_arrays import ShardedArray, parts_of
from minijax.lax.sharding.shardings import NamedSharding, Sharding, in_short


def make_array_from_callback(
    shape: Sequence[int],
    sharding: Sharding,
    data_callback: Callable[[tuple[slice, ...]], Any],
    dtype: Any = None,
) -> ShardedArray:
    """The array of this shape whose parts a function gives: it is called with the slices of each
    that is on this process's devices.

    Devices with the same part share what one call gave. TypeError for what is no sharding or no
    array; ValueError for parts of other shapes than the sharding says, or of several dtypes, where
    none is here and no dtype is given, and as `sharding.shard_shape` has it.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> from minijax.lax.sharding.partition_specs import P
    >>> from minijax.lax.sharding.shardings import NamedSharding
    >>> rows, values = NamedSharding(make_mesh((1,), "x"), P("x")), np.arange(4)
    >>> make_array_from_callback((4,), rows, lambda index: values[index])
    Array([0, 1, 2, 3], dtype=int32)
    """
    name = "make_array_from_callback"
    _check_sharding(name, sharding)
    given: dict[tuple, Any] = {}
    parts = {}
    for device, index in sharding.addressable_devices_indices_map(integers(shape)).items():
        key = tuple((part.start, part.stop) for part in index)
        if key not in given:
            part = data_callback(index)
            given[key] = raw_value(part), typeof(part)
        parts[device] = given[key]
    return _of_parts(name, integers(shape), sharding, parts, dtype)


def make_array_from_single_device_arrays(
    shape: Sequence[int], sharding: Sharding, arrays: Sequence[Array], *, dtype: Any = None
) -> ShardedArray:
    """The array of this shape whose parts are arrays, each on a device of the sharding: those of
    this process.

    TypeError for what is no sharding, no list or no array; ValueError where the arrays are not one
    on each of these devices, for other shapes or dtypes than said, and where there is no array and
    no dtype is given.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> from minijax.lax.sharding.partition_specs import P
    >>> from minijax.lax.sharding.shardings import NamedSharding
    >>> rows, part = NamedSharding(make_mesh((1,), "x"), P("x")), Array(np.arange(4, dtype="int32"))
    >>> make_array_from_single_device_arrays((4,), rows, [part])
    Array([0, 1, 2, 3], dtype=int32)
    """
    name = "make_array_from_single_device_arrays"
    _check_sharding(name, sharding)
    if not isinstance(arrays, list | tuple):
        raise TypeError(f"{name} takes a list of arrays, and got {shown(arrays)}. Make it one.")
    for x in arrays:
        if not isinstance(x, Array):
            got = shown(x)
            raise TypeError(f"{name} takes arrays, and got {got}. Put it on a device: device_put.")
    found = {x.sharding.device_assignment: x for x in arrays}
    here = sharding.addressable_devices
    wanted = [(device,) for device in sharding.device_assignment if device in here]
    if len(arrays) != len(wanted) or found.keys() != set(wanted):
        wanted_ids = [device.id for (device,) in wanted]
        ids = [[device.id for device in x.sharding.device_assignment] for x in arrays]
        raise ValueError(
            f"{name} takes an array on each of the devices {wanted_ids}, and got arrays on {ids}. "
            f"Give one for each: jax.device_put(x, device)."
        )
    parts = {
        place[0]: (raw_value(parts_of(found[place])[0]), found[place].aval) for place in wanted
    }
    return _of_parts(name, integers(shape), sharding, parts, dtype)


def make_array_from_process_local_data(
    sharding: Any, local_data: Any, global_shape: Any = None
) -> Any:
    """The array of what each process has of it. One alone has all.

    `local_data` may be a tree of NumPy arrays, and `sharding` one that is a prefix of it. A spec is
    for the mesh that is set.
    The axes of `global_shape`, if it is not given, are as long as those of all processes' data
    together. ValueError where the data are other than this process's part of that, where no mesh is
    set, and as `sharding.shard_shape` has it; TypeError for what is no sharding.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> from minijax.lax.sharding.partition_specs import P
    >>> from minijax.lax.sharding.shardings import NamedSharding
    >>> rows = NamedSharding(make_mesh((1,), "x"), P("x"))
    >>> make_array_from_process_local_data(rows, np.arange(4))
    Array([0, 1, 2, 3], dtype=int32)
    """
    name = "make_array_from_process_local_data"
    leaves, treedef = tree_flatten(local_data)
    places = flatten_axes(f"{name}'s sharding", treedef, sharding)
    shapes = [None] * len(leaves)
    if global_shape is not None:
        is_shape = lambda x: x is None or isinstance(x, tuple)  # noqa: E731
        shapes = flatten_axes(f"{name}'s global_shape", treedef, global_shape, is_shape)
    return tree_unflatten(treedef, list(map(_of_process, leaves, places, shapes)))


def _of_process(data: Any, sharding: Any, shape: tuple | None) -> ShardedArray:
    name = "make_array_from_process_local_data"
    if isinstance(sharding, P):
        sharding = on_the_mesh_set(name, sharding)
    _check_sharding(name, sharding)
    aval, whole = typeof(data), raw_value(data)
    sizes = [whole_size(sharding, aval.shape, d) for d in range(aval.ndim)]
    shape = tuple(sizes) if shape is None else integers(shape)
    here = sharding.addressable_devices_indices_map(shape)
    starts, sizes_here = _box(here.values(), shape)
    if sizes_here != aval.shape:
        raise ValueError(
            f"{name} got data of shape {aval.shape}, and this process's part of the global_shape "
            f"{shape} has the shape {sizes_here}. Give that part, or leave global_shape out."
        )
    parts = {
        device: np.asarray(whole[_moved(index, starts, shape)], order="C")
        for device, index in here.items()
    }
    shards = list(map(parts.get, sharding.device_assignment))
    return ShardedArray(shards, sharding, aval.update(shape=shape))


def whole_size(sharding: Sharding, shape: tuple, d: int) -> int:
    """The size of an axis that all processes have together, by what this one has of it."""
    if not isinstance(sharding, NamedSharding) or sharding.is_fully_addressable:
        return shape[d]
    parts = math.prod(sharding.mesh.shape[name] for name in axis_names(sharding.spec, d))
    trial = tuple(parts if e == d else 1 for e in range(len(shape)))
    alone = NamedSharding(sharding.mesh, P(*[None] * d, axis_names(sharding.spec, d)))
    _, sizes = _box(alone.addressable_devices_indices_map(trial).values(), trial)
    return shape[d] * parts // sizes[d]


def axis_names(spec: P, d: int) -> tuple:
    return names_in(spec[d]) if d < len(spec) else ()


def _box(indices: Iterable[tuple[slice, ...]], shape: tuple) -> tuple[tuple, tuple]:
    """Where the smallest part that holds all of these starts, and its shape."""
    bounds = [[i.indices(n)[:2] for i, n in zip(index, shape, strict=True)] for index in indices]
    starts = tuple(min(b[0] for b in axis) for axis in zip(*bounds, strict=True))
    stops = tuple(max(b[1] for b in axis) for axis in zip(*bounds, strict=True))
    return starts, tuple(stop - start for start, stop in zip(starts, stops, strict=True))


def _moved(index: tuple[slice, ...], starts: tuple, shape: tuple) -> tuple[slice, ...]:
    """A part of the whole, as one of what starts there."""
    bounds = (i.indices(n)[:2] for i, n in zip(index, shape, strict=True))
    return tuple(slice(a - start, b - start) for (a, b), start in zip(bounds, starts, strict=True))


def _check_sharding(name: str, sharding: Any) -> None:
    if not isinstance(sharding, Sharding):
        got = shown(sharding)
        raise TypeError(f"{name} takes a sharding, and got {got}. Give a jax.NamedSharding.")


def _of_parts(
    name: str, shape: tuple, sharding: Sharding, parts: dict[Device, tuple[np.ndarray, Any]],
    dtype: Any,
) -> ShardedArray:  # fmt: skip
    """The array, after a look at its parts on this process's devices: the NumPy arrays, and their
    types."""
    local = sharding.shard_shape(shape)
    if not parts:
        if dtype is None:
            raise ValueError(
                f"{name} got no dtype, and {in_short(sharding)} has no device of this process, "
                f"whose part would say it. Give a dtype."
            )
        aval = ShapedArray(shape, canonicalize_dtype(dtype))
        return ShardedArray([None] * sharding.num_devices, sharding, aval)
    first = next(aval for _, aval in parts.values())
    for _, aval in parts.values():
        if aval.shape != local:
            raise ValueError(
                f"{name} got a part of shape {aval.shape}, and "
                f"{in_short(sharding)} divides an array of shape {shape} into parts of shape "
                f"{local}. Give such parts."
            )
        if aval.dtype != first.dtype:
            raise ValueError(
                f"{name} got parts of {first.dtype} and of {aval.dtype}. Give all one dtype."
            )
    if dtype is not None and canonicalize_dtype(dtype) != first.dtype:
        raise ValueError(
            f"{name} got parts of {first.dtype}, and dtype={dtype}. Give parts of that dtype."
        )
    stored = storage_dtype(first.dtype)
    shards = {device: np.asarray(x, stored) for device, (x, _) in parts.items()}
    aval = ShapedArray(shape, first.dtype, first.weak_type)
    return ShardedArray(list(map(shards.get, sharding.device_assignment)), sharding, aval)
