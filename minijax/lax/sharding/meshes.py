"""A mesh: devices in a grid, whose axes have names. An array's axes are spread over these.

A laptop has one CPU, so devices are made: as many as `jax_num_cpu_devices` says, each with memory
of its own. An `AbstractMesh` is a mesh's names and sizes without devices, for types and programs.
"""

from __future__ import annotations

import math
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from minijax.core.config import config
from minijax.core.dtypes import integers
from minijax.core.errors import api_boundary
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.processes import DEVICES_OF_A_PROCESS, current

# Devices.


class Device:
    """What arrays live on: a CPU, or one of several that are made of it."""

    platform = device_kind = "cpu"

    def __init__(self, number: int, process: int = 0) -> None:
        """The device of this number of a process, which is this one unless several are at work."""
        self.id = process * DEVICES_OF_A_PROCESS + number
        self.process_index = self.host_id = self.task_id = process
        self.local_hardware_id = number if process == current.world.index else None

    def memory_stats(self) -> None:
        """None: how full the memory is isn't counted."""

    def __repr__(self) -> str:
        return f"CpuDevice(id={self.id})"

    def __str__(self) -> str:
        return f"cpu:{self.id}"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} is this process's own, and can't be pickled. Keep its id.")


first_device = Device(0)  # where arrays are, unless another device is asked for


def wanted_devices() -> int:
    """How many devices the option asks for or, where it says nothing, XLA's flag; else one."""
    if config.jax_num_cpu_devices is not None and config.jax_num_cpu_devices >= 0:
        return config.jax_num_cpu_devices
    flag = r"--xla_force_host_platform_device_count=(\d+)"
    found = re.findall(flag, os.environ.get("XLA_FLAGS", ""))
    return max(int(found[-1]), 1) if found else 1


@cache
def all_devices() -> tuple[Device, ...]:
    """The devices, made when somebody asks first: this process's, and those of its world."""
    here, counts = current.world.index, current.world.device_counts or (wanted_devices(),)
    first_device.__init__(0, here)  # type: ignore[misc]  (made before the world was known)
    return tuple(
        first_device if (process, number) == (here, 0) else Device(number, process)
        for process, count in enumerate(counts)
        for number in range(count)
    )


def check_count(value: int | None) -> None:
    """RuntimeError for none, and for another number than that of devices that are made already."""
    if value == 0:
        raise RuntimeError("jax_num_cpu_devices = 0 leaves no device. Give 1 or more.")
    says_nothing = value is None or value < 0
    if all_devices.cache_info().currsize and not says_nothing and value != len(all_devices()):
        raise RuntimeError(
            f"jax_num_cpu_devices = {value} comes too late: there are "
            f"{len(all_devices())} devices already. Call config.update before anything "
            f"asks for them."
        )


# The kinds of axes.


class AxisType(Enum):
    """Who says how arrays lie along an axis of a mesh.

    Auto: the compiler finds out. Explicit: their types do. Manual: the program is written for one
    device, and says itself what the devices send each other.
    """

    Auto = auto()
    Explicit = auto()
    Manual = auto()

    def __repr__(self) -> str:
        return self.name


# Meshes. Equal ones are one object, so that they are quick to compare, and as keys.

_interned: WeakValueDictionary[tuple, Any] = WeakValueDictionary()
_interning = threading.RLock()


def interned(cls: type, **fields: Any) -> Any:
    """The object of a class that has these fields: the one that there is, or else a new one."""
    new: Any = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(new, name, value)
    with _interning:
        return _interned.setdefault((cls, *fields.values()), new)


class Unchanging:
    """Nobody sets an attribute: whoever has an equal object has this one."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        cls = type(self).__name__
        raise AttributeError(f"A {cls} never changes: {name} can't be set. Use its `update`.")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict) -> Any:
        return self


class BaseMesh(Unchanging):
    """What can be asked of a mesh without its devices."""

    axis_sizes: tuple[int, ...]
    axis_names: tuple[Any, ...]
    axis_types: tuple[AxisType, ...]

    @cached_property
    def shape_tuple(self) -> tuple[tuple[Any, int], ...]:
        """The name and the size of each axis."""
        return tuple(zip(self.axis_names, self.axis_sizes, strict=True))

    @cached_property
    def shape(self) -> OrderedDict[Any, int]:
        """The sizes of the axes, by name and in order."""
        return OrderedDict(self.shape_tuple)

    @cached_property
    def size(self) -> int:
        """How many devices there are; 0 of the mesh that has no axes and none."""
        return math.prod(self.axis_sizes) if self.axis_sizes else 0

    @property
    def empty(self) -> bool:
        return self.size == 0

    def _of_type(self, kind: AxisType) -> tuple[Any, ...]:
        return tuple(n for n, t in zip(self.axis_names, self.axis_types, strict=True) if t is kind)

    def _all_are(self, kind: AxisType) -> bool:
        return bool(self.axis_types) and set(self.axis_types) == {kind}

    auto_axes = property(lambda self: self._of_type(AxisType.Auto), doc="The names of such axes.")
    explicit_axes = property(lambda self: self._of_type(AxisType.Explicit), doc=auto_axes.__doc__)
    manual_axes = property(lambda self: self._of_type(AxisType.Manual), doc=auto_axes.__doc__)
    are_all_axes_auto = property(lambda self: self._all_are(AxisType.Auto))
    are_all_axes_explicit = property(lambda self: self._all_are(AxisType.Explicit))
    are_all_axes_manual = property(lambda self: self._all_are(AxisType.Manual))


class Mesh(BaseMesh):
    """Devices in a grid whose axes have names.

    `devices` is an array, or lists, of devices, with an axis for each of `axis_names`; `axis_types`
    says for each what it is, Auto unless said. ValueError where these don't match, where a name is
    None or stands twice, or a device does; TypeError for what is no device, or no type of axes.

    >>> Mesh([first_device], "x")
    Mesh(axis_sizes=(1,), axis_names=('x',), axis_types=(Auto,))
    """

    flat_devices: tuple[Any, ...]  # row by row

    @api_boundary
    def __new__(
        cls,
        devices: np.ndarray | Sequence[Device],
        axis_names: str | Sequence[Any],
        axis_types: AxisType | Sequence[AxisType] | None = None,
    ) -> Mesh:
        grid, names = np.asarray(devices, object), _known_names("Mesh", axis_names)
        if grid.ndim != len(names):
            raise ValueError(
                f"Mesh got {len(names)} axis_names, {shown(names)}, for devices of shape "
                f"{grid.shape}. Give a name for each axis."
            )
        flat = () if grid.ndim == 0 and grid[()] is None else tuple(grid.flat)
        _check_devices(flat)
        types = _known_types("Mesh", names, axis_types, AxisType.Auto)
        fields = {"axis_sizes": grid.shape, "axis_names": names, "axis_types": types}
        return interned(cls, flat_devices=flat, **fields)

    @cached_property
    def devices(self) -> np.ndarray:
        """The grid of devices, which can't be written to."""
        grid = np.empty(self.axis_sizes, object)
        grid.ravel()[:] = self.flat_devices or [None]  # of a new array, so this is a view
        grid.setflags(write=False)
        return grid

    @cached_property
    def size(self) -> int:
        """How many devices there are."""
        return len(self.flat_devices)

    @cached_property
    def device_ids(self) -> np.ndarray:
        """The grid of the devices' numbers."""
        return np.array([d.id for d in self.flat_devices], int).reshape(self.axis_sizes)

    @property
    def local_devices(self) -> list[Device]:
        """The devices of this process."""
        return [d for d in self.flat_devices if d.process_index == current.world.index]

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The process of each device, row by row."""
        return tuple(device.process_index for device in self.flat_devices)

    @cached_property
    def is_multi_process(self) -> bool:
        """Whether processes share it."""
        return len(set(self.owners)) > 1

    @property
    def local_mesh(self) -> Mesh:
        """The part of it that this process has. ValueError where that is no grid."""
        if not self.is_multi_process:
            return self
        here = np.reshape(self.owners, self.axis_sizes) == current.world.index
        lines = np.ix_(*[sorted(set(at.tolist())) for at in np.nonzero(here)])
        if not here[lines].all():
            raise ValueError(f"The devices of process {current.world.index} are no grid in {self}.")
        return Mesh(self.devices[lines], self.axis_names)
    is_scalar = property(lambda self: self.size == 1 and not self.axis_names)

    @cached_property
    def abstract_mesh(self) -> AbstractMesh:
        """The same without its devices."""
        if not self.axis_names:
            return empty_abstract_mesh
        kind = None if self.empty else AbstractDevice("cpu", None, "cpu")
        return AbstractMesh(
            self.axis_sizes, self.axis_names, self.axis_types, abstract_device=kind
        )  # fmt: skip

    def update(self, devices: Any = None, axis_names: Any = None, axis_types: Any = None) -> Mesh:
        """A mesh that differs in what is given."""
        return Mesh(
            self.devices if devices is None else devices,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
        )

    def __str__(self) -> str:
        if self.empty:
            return "Mesh()"
        axes = ", ".join(f"'{name}': {size}" for name, size in self.shape_tuple)
        return f"Mesh({axes}, axis_types={self.axis_types})"

    def __repr__(self) -> str:
        if self.empty:
            return "Mesh(axis_sizes=(), axis_names=())"
        return (
            f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names}, "
            f"axis_types={self.axis_types})"
        )

    def __reduce__(self) -> tuple:
        return Mesh, (self.devices, self.axis_names, self.axis_types)


@dataclass(frozen=True)
class AbstractDevice:
    """What kind of devices a mesh without devices is meant for."""

    device_kind: str
    num_cores: int | None
    platform: str

    def fields(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in vars(self).items())

    def __repr__(self) -> str:
        return f"AbstractDevice({self.fields()})"


def _no_devices(name: str) -> property:
    def refuse(self: AbstractMesh) -> NoReturn:
        raise ValueError(f"An AbstractMesh has no {name}: it has names and sizes. Use a Mesh.")

    return property(refuse)


class AbstractMesh(BaseMesh):
    """The names, sizes and types of a mesh's axes, without devices.

    ValueError where there are not as many of each, or a name is None or stands twice; TypeError
    for sizes that are no integers.

    >>> AbstractMesh((4, 2), ("x", "y"))
    AbstractMesh('x': 4, 'y': 2, axis_types=(Auto, Auto))
    """

    abstract_device: AbstractDevice | None

    @api_boundary
    def __new__(
        cls,
        axis_sizes: Sequence[int],
        axis_names: str | Sequence[Any],
        axis_types: AxisType | Sequence[AxisType] | None = None,
        *,
        abstract_device: AbstractDevice | None = None,
    ) -> AbstractMesh:
        sizes, names = integers(axis_sizes), _known_names("AbstractMesh", axis_names)
        if len(sizes) != len(names):
            raise ValueError(
                f"AbstractMesh got {len(sizes)} axis_sizes, {sizes}, and {len(names)} axis_names, "
                f"{shown(names)}. Give one each."
            )
        types = _known_types("AbstractMesh", names, axis_types, AxisType.Auto)
        fields = {"axis_sizes": sizes, "axis_names": names, "axis_types": types}
        return interned(cls, abstract_device=abstract_device, **fields)

    abstract_mesh = property(lambda self: self, doc="Itself.")
    devices, device_ids, local_devices, local_mesh, is_multi_process = map(
        _no_devices, ("devices", "device_ids", "local_devices", "local_mesh", "is_multi_process")
    )

    def update(
        self, axis_sizes: Any = None, axis_names: Any = None, axis_types: Any = None, **device: Any
    ) -> AbstractMesh:
        """A mesh that differs in what is given."""
        return AbstractMesh(
            self.axis_sizes if axis_sizes is None else axis_sizes,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
            **{"abstract_device": self.abstract_device, **device},
        )

    def update_axis_types(self, name_to_type: dict[Any, AxisType]) -> AbstractMesh:
        """A mesh in which these axes have other types."""
        old = zip(self.axis_names, self.axis_types, strict=True)
        return self.update(axis_types=tuple(name_to_type.get(name, kind) for name, kind in old))

    def __repr__(self) -> str:
        axes = ", ".join(f"'{name}': {size}" for name, size in self.shape_tuple) or "()"
        device = f", {self.abstract_device.fields()}" if self.abstract_device else ""
        return f"AbstractMesh({axes}, axis_types={self.axis_types}{device})"

    def __reduce__(self) -> tuple:
        return _abstract_mesh, (
            self.axis_sizes, self.axis_names, self.axis_types, self.abstract_device,
        )  # fmt: skip


def _abstract_mesh(sizes: Any, names: Any, types: Any, device: Any) -> AbstractMesh:
    return AbstractMesh(sizes, names, types, abstract_device=device)


def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: str | Sequence[Any],
    axis_types: AxisType | Sequence[AxisType] | None = None,
    *,
    devices: Sequence[Device] | None = None,
) -> Mesh:
    """A mesh of the first devices, as many as it takes. Its axes are Explicit unless said.

    TypeError for sizes that are no sequence, ValueError for others than positive integers, for
    more devices than there are, and for what `Mesh` refuses.

    >>> make_mesh((1, 1), ("x", "y"))
    Mesh(axis_sizes=(1, 1), axis_names=('x', 'y'), axis_types=(Explicit, Explicit))
    """
    sizes = known_mesh_sizes("make_mesh", axis_shapes)
    count = math.prod(sizes)
    found = all_devices() if devices is None else tuple(devices)
    if count > len(found):
        raise ValueError(
            f"make_mesh needs {count} devices for the sizes {sizes}, and there are {len(found)}.\n"
            f"Call jax.config.update('jax_num_cpu_devices', {count}) first of all, to have more."
        )
    grid, names = grid_of(sizes, found[:count]), _known_names("make_mesh", axis_names)
    return Mesh(grid, names, axis_types or (AxisType.Explicit,) * len(sizes))


def known_mesh_sizes(fun_name: str, given: Sequence[int]) -> tuple[int, ...]:
    """The sizes of a mesh's axes; ValueError for others than positive integers."""
    sizes = tuple(given)
    if not all(isinstance(n, int | np.integer) and n > 0 for n in sizes):
        raise ValueError(f"{fun_name} takes sizes, and got {shown(sizes)}. Give positive integers.")
    return integers(sizes)


def grid_of(sizes: Sequence[int], devices: Sequence[Device]) -> np.ndarray:
    """The devices in a grid, row by row."""
    grid = np.empty(len(devices), object)
    grid[:] = devices
    return grid.reshape(sizes)


# What is refused.


def _known_names(fun_name: str, names: Any) -> tuple[Any, ...]:
    found = (names,) if isinstance(names, str) else tuple(names)
    if None in found:
        raise ValueError(
            f"{fun_name} got axis_names {shown(found)}. An axis is not called None. Give names."
        )
    for name in _repeated(found):
        raise ValueError(f"{fun_name} got two axes called {shown(name)}. Give each its own name.")
    return found


def _known_types(
    fun_name: str, names: tuple[Any, ...], types: Any, default: AxisType
) -> tuple[AxisType, ...]:
    if types is None:
        return (default,) * len(names)
    found = tuple(types) if isinstance(types, tuple | list) else (types,)
    if not all(isinstance(t, AxisType) for t in found):
        raise TypeError(
            f"{fun_name} got axis_types {shown(types)}. Give an AxisType of "
            f"jax.sharding for each axis."
        )
    if len(found) != len(names):
        raise ValueError(
            f"{fun_name} got {len(found)} axis_types, {found}, for the axes {shown(names)}. Give "
            f"one for each."
        )
    return found


def _check_devices(devices: tuple[Any, ...]) -> None:
    for device in devices:
        if not isinstance(device, Device):
            got = shown(device)
            raise TypeError(f"Mesh takes devices, and got {got}. Give some of minijax.devices().")
    for device in _repeated(devices):
        raise ValueError(f"Mesh got {device} twice. Give each device one place.")


def _repeated(things: tuple[Any, ...]) -> Iterator[Any]:
    return (x for i, x in enumerate(things) if x in things[:i])


empty_abstract_mesh = AbstractMesh((), ())
empty_concrete_mesh = Mesh(np.empty((), dtype=object), ())
