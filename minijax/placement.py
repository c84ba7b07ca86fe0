"""Where arrays are: on the CPU, the one device that there is, and ready at once."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array, ArrayImpl, to_numpy
from minijax.core.dtypes import ExtendedDType
from minijax.core.pytrees import tree_map
from minijax.core.tracing import typeof
from minijax.face.transfer_guards import check_source
from minijax.lax.elementwise.arithmetic import cast_for_user, shown
from minijax.numpy.arguments import check_arraylike


class Device:
    """What arrays live on. There is one: the CPU."""

    platform = device_kind = "cpu"
    id = process_index = 0

    def __repr__(self) -> str:
        return f"CpuDevice(id={self.id})"

    def __str__(self) -> str:
        return f"cpu:{self.id}"


class SingleDeviceSharding:
    """All of an array lies on one device.

    >>> x = device_put(np.zeros(3))
    >>> x.sharding
    SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    >>> x.sharding.shard_shape(x.shape)
    (3,)
    """

    is_fully_replicated = is_fully_addressable = has_addressable_devices = True
    num_devices = 1

    def __init__(self, device: Device, *, memory_kind: str | None = "device") -> None:
        if not isinstance(device, Device):
            raise TypeError(
                f"SingleDeviceSharding takes a device, and got {shown(device)}. Give one of "
                f"minijax.devices()."
            )
        if memory_kind not in (None, "device"):
            raise ValueError(
                f"SingleDeviceSharding knows no memory_kind {shown(memory_kind)}. Leave it out."
            )
        self._device = device

    memory_kind = "device"
    device_set = property(lambda self: {self._device}, doc="The one device.")
    addressable_devices = device_set

    def devices_indices_map(self, global_shape: Sequence[int]) -> dict:
        """Which part of an array of a shape each device has: all of it."""
        return {self._device: (slice(None),) * len(global_shape)}

    addressable_devices_indices_map = devices_indices_map

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a device's part of an array of a shape: the same one."""
        return tuple(global_shape)

    def is_equivalent_to(self, other: Any, ndim: int) -> bool:
        """Whether an array of `ndim` axes lies in the same places."""
        return self == other

    def with_memory_kind(self, kind: str) -> SingleDeviceSharding:
        return SingleDeviceSharding(self._device, memory_kind=kind)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, SingleDeviceSharding) and self._device == other._device

    def __hash__(self) -> int:
        return hash((self._device, self.memory_kind))

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self._device!r}, memory_kind={self.memory_kind})"


_CPU = Device()
_SHARDING = SingleDeviceSharding(_CPU)
Array.device = property(lambda self: _CPU, doc="The device on which the array is.")
Array.devices = lambda self: {_CPU}
Array.sharding = property(lambda self: _SHARDING, doc="How the array lies on devices.")

# What is asked of an array that may be elsewhere, or on its way. This one is here, and ready.
Array.committed = property(lambda self: False, doc="Whether a device was asked for.")
Array.is_fully_addressable = property(lambda self: True, doc="Whether all of it is in reach.")
Array.is_fully_replicated = property(lambda self: True, doc="Whether each device has all of it.")


def _copy_to_host_async(self: Array) -> None:
    """Does nothing: arrays are in the host's memory."""


def _is_ready(self: Array) -> bool:
    """True: minijax computes before it answers. RuntimeError for an array that was deleted."""
    to_numpy(self)
    return True


def _platform(self: Array) -> str:
    """The kind of device that the array is on: "cpu"."""
    return _CPU.platform


def _on_device_size_in_bytes(self: Array) -> int:
    """How many bytes the elements take."""
    return self.nbytes


def _to_device(self: Array, device: Any, *, stream: Any = None) -> Array:
    """The array on a device, of which there is one: see `device_put`."""
    if stream is not None:
        raise NotImplementedError("x.to_device knows no streams. Leave `stream` out.")
    return device_put(self, device)


def _unsafe_buffer_pointer(self: Array) -> int:
    """Where in memory the elements begin. Nothing keeps them there, and nobody may write there."""
    return to_numpy(self).ctypes.data


for _method in (
    _copy_to_host_async, _is_ready, _on_device_size_in_bytes, _platform, _to_device,
    _unsafe_buffer_pointer,
):  # fmt: skip
    _method.__name__ = _method.__name__.removeprefix("_")
    setattr(Array, _method.__name__, _method)


def devices(backend: str | None = None) -> list[Device]:
    """All devices.

    >>> devices()
    [CpuDevice(id=0)]
    """
    if backend not in (None, "cpu"):
        raise RuntimeError(f"devices knows no backend {shown(backend)}. Give 'cpu', the only one.")
    return [_CPU]


def local_devices(
    process_index: int | None = None, backend: str | None = None, host_id: int | None = None
) -> list[Device]:
    """The devices of a process, of which there is one: all of them."""
    if process_index not in (None, 0) or host_id not in (None, 0):
        got = shown(process_index if process_index is not None else host_id)
        raise ValueError(f"local_devices knows no process {got}. Give 0, the only one.")
    return devices(backend)


def device_count(backend: str | None = None) -> int:
    """How many devices there are: 1."""
    return len(devices(backend))


def local_device_count(backend: str | None = None) -> int:
    """How many devices this process has: 1."""
    return len(devices(backend))


def process_index(backend: str | None = None) -> int:
    """The number of this process: 0."""
    return devices(backend)[0].process_index


def process_count(backend: str | None = None) -> int:
    """How many processes compute together: 1."""
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
    return [x for x in gc.get_objects() if type(x) is ArrayImpl and not x.is_deleted()]


def default_backend() -> str:
    """The platform on which arrays are made: "cpu"."""
    return Device.platform


def device_put(x: Any, device: Device | SingleDeviceSharding | None = None) -> Any:
    """The pytree with its numbers and NumPy arrays as arrays on a device, of which there is one.

    TypeError for leaves that can't be arrays, ValueError for what is no device.

    >>> device_put({"w": np.zeros(2)})
    {'w': Array([0., 0.], dtype=float32)}
    """
    if not (device is None or isinstance(device, Device | SingleDeviceSharding)):
        raise ValueError(
            f"device_put takes a device, and got {shown(device)}. Give one of minijax.devices()."
        )

    def put(leaf: Any) -> Any:
        check_arraylike("device_put", x=leaf)
        check_source("device_put", leaf, explicit=True)
        aval = typeof(leaf)
        return cast_for_user(leaf, aval.dtype, aval.weak_type)

    return tree_map(put, x)


def device_get(x: Any) -> Any:
    """The pytree with its arrays as NumPy arrays; keys and all other leaves stay as they are.

    >>> device_get([device_put(1.0), "text"])
    [array(1., dtype=float32), 'text']
    """
    def get(leaf: Any) -> Any:
        is_numbers = type(leaf) is ArrayImpl and not isinstance(leaf.dtype, ExtendedDType)
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
