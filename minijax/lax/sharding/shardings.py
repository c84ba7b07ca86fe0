"""Shardings: which part of an array each device has. That of a mesh is said by a PartitionSpec.

>>> from minijax.lax.sharding.meshes import make_mesh
>>> sharding = NamedSharding(make_mesh((1, 1), ("x", "y")), P("x", None))
>>> sharding.devices_indices_map((8, 3))
{CpuDevice(id=0): (slice(None, None, None), slice(None, None, None))}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from minijax.core.config import bounded_cache
from minijax.core.dtypes import integers
from minijax.face.lazily import call_lazily
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.meshes import AbstractMesh, AxisType, Device, Mesh
from minijax.lax.sharding.partition_specs import UNCONSTRAINED, P, names_in, names_of
from minijax.lax.sharding.processes import current

MEMORY_KINDS = ("device", "pinned_host", "unpinned_host")  # those that JAX has on a CPU


def known_memory_kind(fun_name: str, kind: str | None) -> str:
    """The one kind of memory. NotImplementedError for JAX's others, ValueError for the rest."""
    if kind in (None, "device"):
        return "device"
    wrong = NotImplementedError if kind in MEMORY_KINDS else ValueError
    raise wrong(f"{fun_name} knows no memory_kind {shown(kind)}. Leave it out.")


class IndivisibleError(ValueError):
    """An axis of an array has no equal parts for so many devices."""


class DuplicateSpecError(Exception):
    """A spec divides an array twice by one axis of the mesh."""

    def __init__(self, message: str, mesh: Any, pspec: P) -> None:
        super().__init__(message)
        self.message, self.mesh, self.pspec = message, mesh, pspec


class Sharding:
    """How an array lies on devices: which of them has which part."""

    memory_kind: str | None = "device"
    is_fully_replicated: bool

    @property
    def device_assignment(self) -> tuple[Device, ...]:
        """The devices, in the order of the parts."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say on which devices it is. Use a NamedSharding."
        )

    def ways(self, ndim: int) -> tuple[tuple[int, ...], np.ndarray]:
        """Into how many parts each of `ndim` axes is divided, and for each device, along the first
        axis, which of these it has."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say what each device has. Use a NamedSharding."
        )

    @property
    def device_set(self) -> set[Device]:
        """The devices."""
        return set(self.device_assignment)

    @property
    def addressable_devices(self) -> set[Device]:
        """Those of this process."""
        return {d for d in self.device_assignment if d.process_index == current.world.index}

    @property
    def is_fully_addressable(self) -> bool:
        """Whether this process has all the devices, and there are any."""
        return 0 < len(self.device_assignment) == len(self.addressable_devices)

    @property
    def has_addressable_devices(self) -> bool:
        """Whether this process has any of the devices."""
        return bool(self.addressable_devices)

    @property
    def num_devices(self) -> int:
        """How many devices there are."""
        return len(self.device_assignment)

    def shard_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a device's part of an array of a shape.

        ValueError where the array has fewer axes than are spoken of; IndivisibleError, which is
        one, where an axis has no equal parts.
        """
        return _shard_shape(self, integers(global_shape))

    def devices_indices_map(self, global_shape: Sequence[int]) -> Mapping[Device, Any]:
        """The part of an array of a shape that each device has, as slices. It raises as
        `shard_shape` does."""
        return dict(_device_slices(self, integers(global_shape)))

    def addressable_devices_indices_map(self, global_shape: Sequence[int]) -> Mapping[Device, Any]:
        """The same of the devices of this process."""
        here = self.addressable_devices
        return {d: i for d, i in self.devices_indices_map(global_shape).items() if d in here}

    def is_equivalent_to(self, other: Sharding, ndim: int) -> bool:
        """Whether an array of `ndim` axes has the same parts on the same devices."""
        return (
            self.memory_kind == other.memory_kind
            and _devices_of(self) == _devices_of(other)
            and same_parts(self, other, ndim)
        )

    def check_compatible_aval(self, aval_shape: Sequence[int]) -> None:
        """ValueError for an array that has fewer axes than are spoken of."""

    def with_memory_kind(self, kind: str) -> Any:
        """The same in another kind of memory."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say how its memory is changed. Use a NamedSharding."
        )


@bounded_cache
def _shard_shape(sharding: Sharding, shape: tuple[int, ...]) -> tuple[int, ...]:
    sharding.check_compatible_aval(shape)
    ways, _ = sharding.ways(len(shape))
    for axis, (size, parts) in enumerate(zip(shape, ways, strict=True)):
        if size % parts:
            raise IndivisibleError(
                f"{in_short(sharding)} divides axis {axis} of an array of shape {shape} into "
                f"{parts} parts, and its size {size} has no {parts} equal ones. Make it a "
                f"multiple of {parts}, or divide another axis."
            )
    return tuple(size // parts for size, parts in zip(shape, ways, strict=True))


@bounded_cache
def _device_slices(sharding: Sharding, shape: tuple[int, ...]) -> tuple[tuple, ...]:
    local = sharding.shard_shape(shape)
    if isinstance(sharding, NamedSharding) and sharding.spec.unreduced:
        raise NotImplementedError(
            f"{in_short(sharding)} has devices hold terms of a sum, and no slices of the array. "
            f"Give a spec without `unreduced`."
        )
    ways, parts = sharding.ways(len(shape))
    return tuple(
        (device, tuple(
            slice(None) if count == 1 else slice(int(i) * size, (int(i) + 1) * size)
            for i, size, count in zip(part, local, ways, strict=True)
        ))
        for device, part in zip(sharding.device_assignment, parts, strict=True)
    )  # fmt: skip


def same_parts(sharding: Sharding, other: Sharding, ndim: int) -> bool:
    """Whether an array of `ndim` axes has the same parts by both, on whichever devices."""
    (ways, parts), (other_ways, other_parts) = sharding.ways(ndim), other.ways(ndim)
    return (
        ways == other_ways
        and np.array_equal(parts, other_parts)
        and unreduced(sharding) == unreduced(other)
    )


def unreduced(sharding: Sharding) -> frozenset:
    """The names along which devices have terms of a sum."""
    return getattr(getattr(sharding, "spec", None), "unreduced", frozenset())


def without_sums(sharding: Sharding) -> Sharding:
    """How the terms lie of an array that lies so."""
    if not unreduced(sharding):
        return sharding
    return sharding.update(spec=sharding.spec.update(unreduced=frozenset()))  # type: ignore[attr-defined]


def has_first_term(sharding: Any) -> list[bool]:
    """For each device, whether it is the first along the names along which devices have terms."""
    mesh = sharding.mesh
    places = np.indices(mesh.axis_sizes).reshape(len(mesh.axis_names), -1)
    along = [mesh.axis_names.index(name) for name in unreduced(sharding)]
    return list((places[along] == 0).all(0))


def _devices_of(sharding: Sharding) -> Any:
    """The devices in order, or nothing where they are not said: a mesh may be abstract."""
    mesh = getattr(sharding, "mesh", None)
    return None if isinstance(mesh, AbstractMesh) else sharding.device_assignment


_explicit_type = call_lazily("minijax.lax.sharding.explicit_typing.explicit_type")


class NamedSharding(Sharding):
    """A mesh, and for each axis of an array the axes of the mesh that divide it.

    TypeError for what is no mesh or no PartitionSpec, ValueError for axes that the mesh doesn't
    have, DuplicateSpecError for an axis that is named twice.

    >>> from minijax.lax.sharding.meshes import make_mesh
    >>> NamedSharding(make_mesh((1,), "x"), P("x"))
    NamedSharding(mesh=Mesh('x': 1, axis_types=(Explicit,)), spec=P('x',), memory_kind=device)
    """

    def __init__(
        self, mesh: Mesh | AbstractMesh, spec: P, *, memory_kind: str | None = None
    ) -> None:
        if not isinstance(mesh, Mesh | AbstractMesh):
            got = shown(mesh)
            raise TypeError(
                f"NamedSharding takes a Mesh, and got {got}. jax.make_mesh makes one. Use that."
            )
        if not isinstance(spec, P):
            wanted = f"P({shown(spec)})" if isinstance(spec, str) else "P(...)"
            got = shown(spec)
            raise TypeError(f"NamedSharding takes a spec, and got {got}. Give jax.P: {wanted}.")
        _check_spec(mesh, spec)
        self.mesh, self.spec = mesh, spec
        kind = known_memory_kind("NamedSharding", memory_kind)
        self.memory_kind = memory_kind if isinstance(mesh, AbstractMesh) else kind

    @property
    def device_assignment(self) -> tuple[Device, ...]:
        if isinstance(self.mesh, AbstractMesh):
            raise ValueError(f"{in_short(self)} is on no devices. Give it a Mesh that has some.")
        return self.mesh.flat_devices

    @property
    def num_devices(self) -> int:
        return self.mesh.size

    def ways(self, ndim: int) -> tuple[tuple[int, ...], np.ndarray]:
        sizes = self.mesh.shape
        coordinates = dict(
            zip(self.mesh.axis_names, np.indices(self.mesh.axis_sizes).reshape(len(sizes), -1),
                strict=True)
        )  # fmt: skip
        count = math.prod(sizes.values())
        columns, ways = [], []
        for names in [*map(names_in, self.spec.partitions), *[()] * ndim][:ndim]:
            column = np.zeros(count, int)
            for name in names:  # the last varies fastest
                column = column * sizes[name] + coordinates[name]
            columns.append(column)
            ways.append(math.prod(sizes[name] for name in names))
        return tuple(ways), np.stack(columns, -1) if columns else np.zeros((count, 0), int)

    @property
    def is_fully_replicated(self) -> bool:  # type: ignore[override]
        """Whether each device has all of the array."""
        names = names_of(self.spec)
        if self.spec.unreduced:
            return self.mesh.size == 1
        return math.prod(self.mesh.shape[name] for name in names) == 1

    @property
    def replicated_axes(self) -> frozenset:
        """The axes of the mesh along which the devices have the same."""
        said = {*names_of(self.spec), *self.spec.unreduced, *self.spec.reduced}
        return frozenset(self.mesh.axis_names) - said

    def check_compatible_aval(self, aval_shape: Sequence[int]) -> None:
        if len(aval_shape) < len(self.spec):
            raise ValueError(
                f"{in_short(self)} speaks of {len(self.spec)} axes, and an array of shape "
                f"{tuple(aval_shape)} has {len(aval_shape)}. Give a spec with no more than that."
            )

    def say_in_type(self, aval: Any) -> Any:
        """The type of an array that lies so."""
        return _explicit_type(aval, self) if self.mesh.explicit_axes else aval

    def update(self, **changes: Any) -> NamedSharding:
        """A sharding with another `mesh`, `spec` or `memory_kind`."""
        spec = changes.get("spec", self.spec)
        spec = spec if isinstance(spec, P) else P(*spec)
        kind = changes.get("memory_kind", self.memory_kind)
        return NamedSharding(changes.get("mesh", self.mesh), spec, memory_kind=kind)

    def with_memory_kind(self, kind: str) -> NamedSharding:
        return self.update(memory_kind=kind)

    def __eq__(self, other: Any) -> bool:
        return self is other or (
            isinstance(other, NamedSharding)
            and self.mesh is other.mesh
            and self.spec is other.spec
            and self.memory_kind == other.memory_kind
        )

    @cached_property
    def _hash(self) -> int:
        return hash((self.mesh, self.spec, self.memory_kind))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        memory = f", memory_kind={self.memory_kind}" if self.memory_kind else ""
        return f"NamedSharding(mesh={self.mesh}, spec={self.spec}{memory})"

    def __reduce__(self) -> tuple:
        return NamedSharding, (self.mesh, self.spec)


class SingleDeviceSharding(Sharding):
    """All of an array lies on one device.

    >>> from minijax.lax.sharding.meshes import first_device
    >>> SingleDeviceSharding(first_device).shard_shape((3,))
    (3,)
    """

    is_fully_replicated = True

    def __init__(self, device: Device, *, memory_kind: str | None = "device") -> None:
        if not isinstance(device, Device):
            raise TypeError(
                f"SingleDeviceSharding takes a device, and got {shown(device)}. Give one of "
                f"minijax.devices()."
            )
        self.memory_kind = known_memory_kind("SingleDeviceSharding", memory_kind)
        self._device = device

    device_assignment = property(lambda self: (self._device,), doc="The one device.")

    def ways(self, ndim: int) -> tuple[tuple[int, ...], np.ndarray]:
        return (1,) * ndim, np.zeros((1, ndim), int)

    def with_memory_kind(self, kind: str) -> SingleDeviceSharding:
        return SingleDeviceSharding(self._device, memory_kind=kind)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, SingleDeviceSharding) and self._device is other._device

    def __hash__(self) -> int:
        return hash((self._device, self.memory_kind))

    def __repr__(self) -> str:
        return f"SingleDeviceSharding(device={self._device!r}, memory_kind={self.memory_kind})"


def make_single_device_sharding(
    device: Device, *, memory_kind: str | None = None
) -> SingleDeviceSharding:
    """The sharding of an array that is on one device. It raises as the class does.

    >>> from minijax.lax.sharding.meshes import first_device
    >>> make_single_device_sharding(first_device)
    SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """
    return SingleDeviceSharding(device, memory_kind=memory_kind)


def in_short(sharding: Sharding) -> str:
    """A sharding as messages show it: without its mesh."""
    spec = getattr(sharding, "spec", None)
    return repr(sharding) if spec is None else f"NamedSharding(..., {spec})"


# What is refused.


@bounded_cache
def _check_spec(mesh: Mesh | AbstractMesh, spec: P) -> None:
    names = names_of(spec)
    for name in names:
        if name not in mesh.shape:
            raise ValueError(
                f"{spec} names an axis {shown(name)}, which {mesh} doesn't have. Give some of its "
                f"own: {', '.join(map(repr, mesh.axis_names))}."
            )
        if names.count(name) > 1:
            raise DuplicateSpecError(
                f"{spec} names the axis {shown(name)} more than once, and an axis of a mesh "
                f"divides an array once. Name it for one axis of the array.",
                mesh, spec,
            )  # fmt: skip
    if UNCONSTRAINED in spec.partitions and AxisType.Auto not in mesh.axis_types:
        raise ValueError(
            f"{spec} leaves an axis to the compiler, and {mesh} has no Auto axis. Name axes of it."
        )
    for name in sorted(spec.unreduced | spec.reduced, key=str):
        if name not in mesh.explicit_axes:
            raise ValueError(
                f"{spec} says of {shown(name)} that it is unreduced or reduced, and {mesh} has no "
                f"Explicit axis of this name. Make it with axis_types=AxisType.Explicit."
            )
