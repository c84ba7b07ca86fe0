"""Where arrays are: devices, putting arrays there, and what may be asked of an array about it."""

from __future__ import annotations

import gc
from typing import Any, NoReturn

import numpy as np

from minijax.core.arguments import flatten_axes
from minijax.core.arrays import Array, ArrayImpl, to_numpy
from minijax.core.dtypes import ExtendedDType
from minijax.core.errors import ConcretizationTypeError, JaxRuntimeError
from minijax.core.jitting import Running
from minijax.core.pytrees import tree_flatten, tree_map, tree_unflatten
from minijax.core.tracing import ShapedArray, Tracer
from minijax.face.lazily import call_lazily, put_lazily
from minijax.face.transfer_guards import check_source
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import Device, all_devices, first_device
from minijax.lax.sharding.processes import current
from minijax.lax.sharding.shardings import Sharding, SingleDeviceSharding
from minijax.numpy.arguments import check_arraylike

# What is asked of an array. This is what those answer that lie on the first device.

_FIRST = SingleDeviceSharding(first_device)


def _device(self: Array) -> Device | Sharding:
    """The device on which the array is; of several, how it lies on them."""
    devices = self.sharding.device_assignment
    return devices[0] if len(devices) == 1 else self.sharding


for _name, _answer in {
    "sharding": lambda self: _FIRST, "committed": lambda self: False, "device": _device,
    "is_fully_replicated": lambda self: self.sharding.is_fully_replicated,
    "is_fully_addressable": lambda self: self.sharding.is_fully_addressable,
}.items():  # fmt: skip
    setattr(Array, _name, property(_answer))
Array.sharding.__doc__ = "How the array lies on devices."
_PARTS = "minijax.lax.sharding.sharded_arrays"
put_lazily(Array, "addressable_shards", f"{_PARTS}.addressable_shards", property)
put_lazily(Array, "global_shards", f"{_PARTS}.global_shards", property)
put_lazily(Array, "format", "minijax.lax.sharding.layouts.format_of_array", property)
put_lazily(Array, "addressable_data", f"{_PARTS}.addressable_data", lambda method: method)


def _devices(self: Array) -> set[Device]:
    """The devices on which the array is."""
    return self.sharding.device_set


def _copy_to_host_async(self: Array) -> None:
    """Does nothing: arrays are in the host's memory."""


def _is_ready(self: Array) -> bool:
    """True: minijax computes before it answers. RuntimeError for an array that was deleted."""
    self.block_until_ready()
    return True


def _platform(self: Array) -> str:
    """The kind of device that the array is on: "cpu"."""
    return first_device.platform


def _on_device_size_in_bytes(self: Array) -> int:
    """How many bytes the elements take."""
    return self.nbytes


def _to_device(self: Array, device: Any, *, stream: Any = None) -> Array:
    """The array on a device: see `device_put`."""
    if stream is not None:
        raise NotImplementedError("x.to_device knows no streams. Leave `stream` out.")
    return device_put(self, device)


def _unsafe_buffer_pointer(self: Array) -> int:
    """Where in memory the elements begin. Nothing keeps them there, and nobody may write there.

    JaxRuntimeError for an array on several devices.
    """
    if self.sharding.num_devices > 1:
        raise JaxRuntimeError(
            f"x.unsafe_buffer_pointer: the array is on {self.sharding.num_devices} devices. Ask "
            f"one of x.addressable_shards for its `data`."
        )
    return to_numpy(self).ctypes.data


for _method in (
    _copy_to_host_async, _devices, _is_ready, _on_device_size_in_bytes, _platform, _to_device,
    _unsafe_buffer_pointer,
):  # fmt: skip
    _method.__name__ = _method.__name__.removeprefix("_")
    setattr(Array, _method.__name__, _method)

Tracer.to_device = _to_device


def _unknown(name: str) -> property:
    """What a tracer has in the place of something that only an array knows."""

    def refuse(self: Tracer) -> NoReturn:
        raise ConcretizationTypeError(
            self, f"x.{name} is of arrays: where this one will be, nobody knows yet.\nAsk it of "
            f"the traced function's result."
        )  # fmt: skip

    return property(refuse)


for _name in (
    "addressable_data", "addressable_shards", "committed", "delete", "devices", "global_shards",
    "is_deleted", "is_fully_addressable", "is_fully_replicated",
):  # fmt: skip
    setattr(Tracer, _name, _unknown(_name))

# Devices.


def devices(backend: str | None = None) -> list[Device]:
    """All devices: one, or as many as `jax_num_cpu_devices` says.

    RuntimeError for another backend than "cpu".

    >>> devices()
    [CpuDevice(id=0)]
    """
    if backend not in (None, "cpu"):
        raise RuntimeError(
            f"Unknown backend {shown(backend)} for devices. Give 'cpu', the only one."
        )
    return list(all_devices())


def local_devices(
    process_index: int | None = None, backend: str | None = None, host_id: int | None = None
) -> list[Device]:
    """The devices of a process, this one unless said. ValueError for one that there isn't."""
    found, asked = devices(backend), process_index if process_index is not None else host_id
    asked = current.world.index if asked is None else asked
    if asked not in range(current.world.count):
        last = current.world.count - 1
        raise ValueError(
            f"local_devices knows no process {shown(asked)}. Give a number from 0 to {last}."
        )
    return [device for device in found if device.process_index == asked]


def device_count(backend: str | None = None) -> int:
    """How many devices there are."""
    return len(devices(backend))


def local_device_count(backend: str | None = None) -> int:
    """How many devices this process has."""
    return len(local_devices(backend=backend))


def process_index(backend: str | None = None) -> int:
    """The number of this process; of one alone, 0."""
    return local_devices(backend=backend)[0].process_index


def process_count(backend: str | None = None) -> int:
    """How many processes compute together; one unless `distributed.initialize` found others."""
    return len(process_indices(backend))


def process_indices(backend: str | None = None) -> list[int]:
    """The numbers of all processes that compute together.

    >>> process_indices()
    [0]
    """
    return sorted({device.process_index for device in devices(backend)})


def live_arrays(platform: str | None = None) -> list[Array]:
    """All arrays that exist and were not deleted, in no order.

    RuntimeError for a platform that there isn't.

    >>> x = device_put(np.ones(3))
    >>> any(y is x for y in live_arrays())
    True
    """
    if platform not in (None, "cpu"):
        got = shown(platform)
        raise RuntimeError(f"live_arrays knows no platform {got}. Give 'cpu', the only one.")
    return [x for x in gc.get_objects() if issubclass(type(x), ArrayImpl) and not x.is_deleted()]


def default_backend() -> str:
    """The platform on which arrays are made: "cpu"."""
    return Device.platform


# Putting arrays somewhere.

_put_all = call_lazily("minijax.lax.sharding.device_puts.put_all")
put_lazily(ShapedArray, "sharding", "minijax.lax.sharding.explicit_types.sharding_of", property)
put_lazily(ShapedArray, "laid", "minijax.lax.sharding.explicit_types.laid", lambda method: method)
_PLACED_FUNCTIONS = "minijax.lax.sharding.placed_functions"
Running.on_shardings = staticmethod(call_lazily(f"{_PLACED_FUNCTIONS}.on_shardings"))


def device_put(
    x: Any,
    device: Any = None,
    *,
    src: Any = None,
    donate: bool = False,
    may_alias: bool | None = None,
) -> Any:
    """The pytree with its numbers and arrays on a device, or divided among several.

    `device` is a device, a sharding, a Format whose layout is row after row, or a PartitionSpec for
    the mesh that is set; or a tree of these that is a prefix of `x`. With None, arrays stay where
    they are. `src`, `donate` and `may_alias` are only told in a program's equation.

    TypeError for leaves that can't be arrays. ValueError for what is no place, for a tree that
    doesn't fit, for a spec without a mesh, and where an array has no equal parts or fewer axes
    than are spoken of.

    >>> device_put({"w": np.zeros(2)})
    {'w': Array([0., 0.], dtype=float32)}
    """
    leaves, treedef = tree_flatten(x)
    for leaf in leaves:
        check_arraylike("device_put", x=leaf)
        check_source("device_put", leaf, explicit=True)
    places, srcs, donated, shared = (
        flatten_axes(f"device_put's {name}", treedef, given)
        for name, given in [("device", device), ("src", src), ("donate", donate),
                            ("may_alias", may_alias)]
    )  # fmt: skip
    ways = list(zip(donated, shared, strict=True))
    return tree_unflatten(treedef, _put_all(leaves, places, srcs, ways))


def device_get(x: Any) -> Any:
    """The pytree with its arrays as NumPy arrays; keys and all other leaves stay as they are.

    >>> device_get([device_put(1.0), "text"])
    [array(1., dtype=float32), 'text']
    """
    def get(leaf: Any) -> Any:
        is_numbers = isinstance(leaf, ArrayImpl) and not isinstance(leaf.dtype, ExtendedDType)
        return np.asarray(leaf) if is_numbers else leaf

    return tree_map(get, x)


def effects_barrier() -> None:
    """Returns at once: whatever a program shows has been shown when it returns."""


def block_until_ready(x: Any) -> Any:
    """The same pytree: minijax computes before it answers, so there is nothing to wait for.

    >>> block_until_ready([1.0])
    [1.0]
    """
    return x
