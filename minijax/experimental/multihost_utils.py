"""Values that processes have of their own, and arrays that they share: from one to the other, by
the names of `jax.experimental.multihost_utils`.

All processes call these functions, in the same order and with values of the same shapes, or get a
JaxRuntimeError. A process alone may call them too, and is then all that there are.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.core.arguments import flatten_axes
from minijax.core.arrays import Array, as_array, raw_value, to_numpy
from minijax.core.config import bounded_cache
from minijax.core.dtypes import float0
from minijax.core.jitting import jit
from minijax.core.pytrees import tree_flatten, tree_map, tree_unflatten
from minijax.core.tracing import Tracer, typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.processes import Group, current
from minijax.lax.sharding.sharded_arrays import ShardedArray, place
from minijax.lax.sharding.shardings import NamedSharding

__all__ = [
    "assert_equal", "broadcast_one_to_all", "global_array_to_host_local_array",
    "host_local_array_to_global_array", "process_allgather", "sync_global_devices",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


# Values of each process.


def _everyone() -> Group:
    return current.world.group(range(current.world.count))


def _is_shared(x: Any) -> bool:
    """Whether parts of it are on devices of other processes."""
    return isinstance(x, Array) and not isinstance(x, Tracer) and not x.is_fully_addressable


def broadcast_one_to_all(in_tree: Any, is_source: bool | None = None) -> Any:
    """The pytree of one process, for all of them, as NumPy arrays: of process 0, or of the one that
    says that it is the source.

    Several sources are added up, as in JAX. TypeError for leaves that can't be arrays.

    >>> broadcast_one_to_all([np.arange(3)])
    [array([0, 1, 2])]
    """
    if current.world.count == 1:
        return tree_map(np.asarray, in_tree)
    if is_source is None:
        is_source = current.world.index == 0

    def sent(leaf: Any) -> np.ndarray:
        x = to_numpy(as_array(leaf))
        given = x if is_source else np.zeros_like(x)
        return _everyone().reduced("broadcast_one_to_all", given, np.add)

    return tree_map(sent, in_tree)


def process_allgather(in_tree: Any, tiled: bool = False) -> Any:
    """The pytrees of all processes in one, as NumPy arrays: each leaf has them along a new first
    axis or, where it is `tiled`, one after the other along its own first.

    An array that processes share is put together, and is to be `tiled`: else ValueError. TypeError
    for leaves that can't be arrays.

    >>> process_allgather(np.arange(3)), process_allgather(np.arange(3), tiled=True)
    (array([[0, 1, 2]]), array([0, 1, 2]))
    """
    def gathered(leaf: Any) -> np.ndarray:
        if _is_shared(leaf):
            return _whole(leaf, tiled)
        if current.world.count == 1:
            return np.asarray(leaf) if tiled else np.asarray(leaf)[None]
        out = _everyone().gathered("process_allgather", to_numpy(as_array(leaf)))
        return np.concatenate(out) if tiled and out.ndim > 1 else out

    return tree_map(gathered, in_tree)


def _whole(x: Array, tiled: bool) -> np.ndarray:
    if not tiled:
        raise ValueError(
            f"process_allgather got {x.aval}, which processes share: there is only one of it to "
            f"gather. Give tiled=True."
        )
    mesh = getattr(x.sharding, "mesh", None) or Mesh(x.sharding.device_assignment, "devices")
    return np.asarray(_divided(NamedSharding(mesh, P()))(x))


@bounded_cache
def _divided(sharding: NamedSharding) -> Callable:
    """A function that gives an array of these devices, divided so."""
    return jit(lambda x: x, out_shardings=sharding)


def sync_global_devices(name: str) -> None:
    """Returns when all processes have come to it. AssertionError where another has come to one of
    another name, AttributeError for a name that is no string.

    >>> sync_global_devices("data is loaded")
    """
    if not isinstance(name, str):
        got = shown(name)
        raise AttributeError(f"sync_global_devices takes a string as name, got {got}. Give one.")
    number = np.uint32(zlib.crc32(name.encode()))
    assert_equal(number, f"sync_global_devices got the name {shown(name)}, and others another")


def assert_equal(in_tree: Any, fail_message: str = "") -> None:
    """AssertionError, which begins with the message, where processes have other values; NaN equals
    none. TypeError for leaves that can't be arrays.

    >>> assert_equal({"seed": 0})
    """
    def mine(leaf: Any) -> np.ndarray:
        if _is_shared(leaf):
            return np.asarray(leaf.addressable_data(0))
        return np.asarray(leaf) if current.world.count == 1 else to_numpy(as_array(leaf))

    def all_are(leaf: Any) -> bool:
        own, all_of_them = mine(leaf), process_allgather(leaf, tiled=_is_shared(leaf))
        shape = all_of_them.shape[all_of_them.ndim - own.ndim :]
        return shape == own.shape and bool(np.all(own == all_of_them))

    leaves, _ = tree_flatten(in_tree)
    # All are compared, even after one that differs: the other processes wait for each.
    if not all([all_are(leaf) for leaf in leaves]):
        raise AssertionError(
            f"{fail_message + ': ' if fail_message else ''}assert_equal: process "
            f"{current.world.index} has {shown(in_tree)}, and another has other values. Give the "
            f"same in all of them, such as those of broadcast_one_to_all."
        )


# Arrays that processes share.


def host_local_array_to_global_array(local_inputs: Any, global_mesh: Mesh, pspecs: Any) -> Any:
    """The pytree of arrays of which each process has given its part: the devices of a process have
    its values, divided among them as `pspecs` says.

    An axis that the spec divides among processes is as long as their parts together; along others,
    all give the same. `pspecs` is a spec or a tree of these that is a prefix of the inputs. Arrays
    that processes share already are returned as they are.

    ValueError for None as a spec, for a tree that doesn't fit, for axes without equal parts, and
    for a mesh in which the devices of a process are no grid. AttributeError for what is no mesh and
    no spec, TypeError for what is no array. NotImplementedError inside of jit, where processes
    share the mesh.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> host_local_array_to_global_array(np.arange(4), make_mesh((1,), "x"), P("x")).sharding.spec
    P('x',)
    """
    name = "host_local_array_to_global_array"

    def shared(x: Any, sharding: NamedSharding, local: NamedSharding) -> Any:
        if _is_shared(x):
            return x
        aval, values = typeof(x), raw_value(x)
        parts = {d: _part(values, i) for d, i in local.devices_indices_map(aval.shape).items()}
        sizes = zip(aval.shape, _processes_along(sharding, local, aval.ndim), strict=True)
        shape = tuple(size * count for size, count in sizes)
        shards = [parts.get(device) for device in sharding.device_assignment]
        return ShardedArray(shards, sharding, aval.update(shape=shape))

    return _each(name, shared, local_inputs, global_mesh, pspecs)


def global_array_to_host_local_array(global_inputs: Any, global_mesh: Mesh, pspecs: Any) -> Any:
    """The pytree of arrays that have only the parts on this process's devices: the other direction
    of `host_local_array_to_global_array`, with the same errors.

    An array that lies otherwise than its spec says is first divided so. Arrays that this process
    has alone are returned as they are; of a NumPy array, which all have, it takes its own part.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> global_array_to_host_local_array(np.arange(4), make_mesh((1,), "x"), P("x")).sharding.spec
    P('x',)
    """
    name = "global_array_to_host_local_array"

    def own(x: Any, sharding: NamedSharding, local: NamedSharding) -> Any:
        if isinstance(x, Array) and x.is_fully_addressable:
            return x
        if not _is_shared(x):
            x = place(raw_value(x), sharding, typeof(x))
        elif not x.sharding.is_equivalent_to(sharding, x.ndim):
            x = _divided(sharding)(x)
        sizes = zip(x.shape, _processes_along(sharding, local, x.ndim), strict=True)
        shape = tuple(size // count for size, count in sizes)
        shards = [shard for shard in x.shards() if shard is not None]
        return ShardedArray(shards, local, x.aval.update(shape=shape))

    return _each(name, own, global_inputs, global_mesh, pspecs)


def _each(name: str, convert: Callable, tree: Any, mesh: Any, pspecs: Any) -> Any:
    """Each leaf converted, with its sharding on the mesh and on this process's part of that."""
    if not isinstance(mesh, Mesh):
        got = shown(mesh)
        raise AttributeError(f"{name} takes a Mesh, and got {got}. Make one: jax.make_mesh.")
    leaves, treedef = tree_flatten(tree)
    specs = flatten_axes(f"{name}'s pspecs", treedef, pspecs)
    return tree_unflatten(
        treedef, [_one(name, convert, x, mesh, spec) for x, spec in zip(leaves, specs, strict=True)]
    )


def _one(name: str, convert: Callable, x: Any, mesh: Mesh, spec: Any) -> Any:
    if not isinstance(spec, P):
        wrong = ValueError if spec is None else AttributeError
        raise wrong(
            f"{name} takes specs, and got {shown(spec)}. Give jax.P(...); by P() all have all."
        )
    sharding = NamedSharding(mesh, spec)
    if isinstance(x, Tracer):
        if mesh.is_multi_process:
            raise NotImplementedError(
                f"{name} got a traced {typeof(x)}, of which each process has its own. Call it "
                f"outside of jit and of derivatives."
            )
        return x
    if typeof(x).dtype == float0:
        x = np.zeros(x.shape, bool)
    return convert(x, sharding, NamedSharding(mesh.local_mesh, spec))


def _part(values: np.ndarray, index: tuple[slice, ...]) -> np.ndarray:
    return np.asarray(values[index], order="C")


def _processes_along(sharding: NamedSharding, local: NamedSharding, ndim: int) -> list[int]:
    """Among how many processes each axis of an array is divided."""
    (everywhere, _), (here, _) = sharding.ways(ndim), local.ways(ndim)
    return [all_of_it // own for all_of_it, own in zip(everywhere, here, strict=True)]


guard(sys.modules[__name__])
