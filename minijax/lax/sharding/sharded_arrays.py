"""Arrays of many shards: each device has a NumPy array of its own, its part of the whole.

An `ArrayImpl` lies on the first device, and nobody asked for that. Any other array is a
`ShardedArray`: of parts on several devices, or of one part on a device that somebody chose. Who
asks for all of it, as `np.asarray` does, has it put together. Arrays that are committed, as those
are that somebody placed, meet only on the same devices; others go where these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from minijax.core.arrays import Array, ArrayImpl, to_numpy
from minijax.core.dtypes import storage_dtype
from minijax.core.primitives import convert_element_type_p, elementwise, select_n_p
from minijax.core.printing import programs_in_params
from minijax.core.tracing import (
    EvalTrace,
    Primitive,
    ShapedArray,
    eval_trace,
    pytype_aval_mappings,
    typeof,
)
from minijax.face.lazily import call_lazily
from minijax.lax.sharding.meshes import Device
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.shardings import (
    NamedSharding,
    Sharding,
    SingleDeviceSharding,
    has_first_term,
    unreduced,
    without_sums,
)

# The class.


class _EqualToArrays(type(ArrayImpl)):
    """Who compares the types of two arrays finds one, as in JAX, wherever they lie. `is` and
    tables by type tell them apart."""

    def __eq__(cls, other: Any) -> bool:
        return other is ArrayImpl or other is cls

    __hash__ = type.__hash__
    __instancecheck__ = type.__instancecheck__


class ShardedArray(ArrayImpl, metaclass=_EqualToArrays):
    """An array whose parts lie on devices, as its sharding says.

    `shards` has a NumPy array for each device, in the order of `sharding.device_assignment`; equal
    parts may be one array. Nobody writes to them. A device of another process has None here.
    """

    __slots__ = ("_committed", "_sharding", "_shards", "_whole")

    def __init__(
        self,
        shards: Sequence[np.ndarray | None],
        sharding: Sharding,
        aval: ShapedArray,
        committed: bool = True,
    ) -> None:
        for shard in shards:
            if shard is not None:
                shard.setflags(write=False)
        self._shards: Any = tuple(shards)  # None when it was deleted
        self._whole: Any = None  # the NumPy array of all, once somebody has asked for it
        if type(aval) is not ShapedArray:  # which says how another array lies
            aval = ShapedArray(aval.shape, aval.dtype, aval.weak_type)
        self._sharding, self._committed, self.aval = sharding, committed, aval

    sharding = property(lambda self: self._sharding, doc="How it lies on devices.")
    committed = property(lambda self: self._committed, doc="Whether somebody chose the devices.")

    @property
    def _value(self) -> Any:
        if self._whole is None and self._shards is not None:
            self._whole = _put_together(self)
        return self._whole

    @_value.setter
    def _value(self, value: None) -> None:
        self._shards = self._whole = None

    def is_deleted(self) -> bool:
        return self._shards is None

    def block_until_ready(self) -> ShardedArray:
        self.shards()
        return self

    def shards(self) -> tuple[np.ndarray, ...]:
        """The parts, in the order of the devices; RuntimeError when the array was deleted."""
        return (to_numpy(self),) if self._shards is None else self._shards

    def __repr__(self) -> str:
        if unreduced(self.sharding):
            return f"Array(shape={self.shape}, dtype={self.dtype}, sharding={self.sharding})"
        if self.is_deleted() or self.is_fully_addressable or self.is_fully_replicated:
            return super().__repr__()
        return f"Array(shape={self.shape}, dtype={self.dtype})"

    def __str__(self) -> str:
        return repr(self) if repr(self).startswith("Array(shape=") else super().__str__()

    def __format__(self, how: str) -> str:
        return str(self) if unreduced(self.sharding) else super().__format__(how)

    def __copy__(self) -> ShardedArray:
        return ShardedArray(self.shards(), self.sharding, self.aval, self.committed)

    def __deepcopy__(self, memo: dict) -> ShardedArray:
        shards = [shard if shard is None else shard.copy() for shard in self.shards()]
        return ShardedArray(shards, self.sharding, self.aval, self.committed)


_explicit_type = call_lazily("minijax.lax.sharding.explicit_typing.type_of")


def _type_of(x: ShardedArray) -> ShapedArray:
    """The type; of an array on a mesh with Explicit axes it says how it is cut."""
    mesh = getattr(x._sharding, "mesh", None)
    return _explicit_type(x) if mesh is not None and mesh.explicit_axes else x.aval


pytype_aval_mappings[ShardedArray] = _type_of


def _put_together(x: ShardedArray) -> np.ndarray:
    shards = x._shards
    if unreduced(x.sharding):
        raise NotImplementedError(
            f"The values of {typeof(x)} are sums, of which devices have the terms. Use "
            f"jax.reshard(x, P()), which adds them up."
        )
    if x.sharding.is_fully_replicated:
        return next(shard for shard in shards if shard is not None)
    if not x.sharding.is_fully_addressable:
        raise RuntimeError(
            f"The values of {x.aval} are on devices of other processes too. Ask for the parts that "
            f"are here: x.addressable_shards."
        )
    beyond = shards[0].shape[x.ndim :]  # of a key, the words that it is stored as
    whole = np.empty((*x.shape, *beyond), storage_dtype(x.dtype))
    indices = x.sharding.devices_indices_map(x.shape).values()
    for index, shard in zip(indices, shards, strict=True):
        whole[index] = shard
    whole.setflags(write=False)
    return whole


def place(
    whole: np.ndarray, sharding: Sharding, aval: ShapedArray, committed: bool = True
) -> ShardedArray:
    """The array of these values, divided among devices. Devices with the same part share it.

    It raises what `sharding.shard_shape` does.
    """
    slices = without_sums(sharding)
    here = slices.addressable_devices_indices_map(aval.shape).values()
    distinct = {_key(index): index for index in here}
    parts = {key: np.asarray(whole[index], order="C") for key, index in distinct.items()}
    indices = slices.devices_indices_map(aval.shape).values()
    shards = [parts.get(_key(i)) for i in indices]
    if unreduced(sharding):
        shards = [
            x if x is None or is_first else np.zeros_like(x)
            for x, is_first in zip(shards, has_first_term(sharding), strict=True)
        ]
    return ShardedArray(shards, sharding, aval, committed)


def beside(x: ShardedArray, other: Any) -> Any:
    """Another array, of x's shape, on x's devices."""
    if not x.committed or not isinstance(other, ArrayImpl):
        return other
    return place(to_numpy(other), x.sharding, other.aval)


def _key(index: tuple[slice, ...]) -> tuple:
    return tuple((part.start, part.stop) for part in index)


# The parts, as a user sees them.


@dataclass(frozen=True, eq=False)
class Shard:
    """A device's part of an array: which part it is, its values, and how many devices before it
    have the same one."""

    device: Device
    index: tuple[slice, ...]
    replica_id: int
    data: Array | None

    def __repr__(self) -> str:
        return (
            f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, "
            f"data={self.data})"
        )


def addressable_data(self: Array, index: int) -> Array:
    """The part of the device of this number. IndexError where the array has none there.

    Of an array that all devices have, it is the first one's.
    """
    if self.is_fully_replicated:
        index = 0
    shards = parts_of(self)
    if not -len(shards) <= index < len(shards):
        raise IndexError(
            f"x.addressable_data({index}): the array is on {len(shards)} devices. Give a number "
            f"from 0 to {len(shards) - 1}."
        )
    return shards[index]


def parts_of(x: Array) -> list[Array]:
    """The parts, each an array on its device; RuntimeError when the array was deleted."""
    if not isinstance(x, ShardedArray):
        to_numpy(x)
        return [x]
    shards = x.shards()
    aval = x.aval.update(shape=x.sharding.shard_shape(x.shape))
    devices = x.sharding.device_assignment
    return [
        ShardedArray([shard], SingleDeviceSharding(device), aval, x.committed)
        for shard, device in zip(shards, devices, strict=True)
        if shard is not None
    ]


def addressable_shards(self: Array) -> list[Shard]:
    """The parts of the devices of this process. RuntimeError when it was deleted."""
    return [shard for shard in global_shards(self) if shard.data is not None]


def global_shards(self: Array) -> list[Shard]:
    """The parts of all devices; those of other processes without their data. RuntimeError when it
    was deleted."""
    seen: dict[tuple, int] = {}
    shards = []
    here = {device: data for data in parts_of(self) for device in data.devices()}
    for device, index in without_sums(self.sharding).devices_indices_map(self.shape).items():
        seen[_key(index)] = count = seen.get(_key(index), -1) + 1
        shards.append(Shard(device, index, count, here.get(device)))
    return shards


# Computing. On several devices, `partitioned_calls` has each do its part. Where that can't be, an
# operation runs on whole values, and its results are divided.

compute = call_lazily("minijax.lax.sharding.partitioned_calls.compute")

# Primitives that take and give sharded arrays themselves.
takes_shards: set[Primitive] = set()
# Beside those of `elementwise`, those with an element for each of the operand's, in its place.
_same_places = {convert_element_type_p, select_n_p}


def committed_place(primitive: Primitive, args: Sequence[Any], params: dict) -> Sharding | None:
    """How one of the committed operands lies; None where there is none.

    ValueError where two are committed to different devices, and where an operation that carries no
    program gets one on Explicit axes and one on another mesh.
    """
    committed = [x for x in args if type(x) is ShardedArray and x.committed]
    for x in committed[1:]:
        name, first = params.get("name", primitive.name), committed[0]
        if x.sharding.device_assignment != first.sharding.device_assignment:
            raise ValueError(
                f"{name} got arrays on different devices: {_where(first)}, and {_where(x)}. "
                f"Use jax.device_put(x, y.sharding)."
            )
        if not _axes_agree(first.sharding, x.sharding) and not any(programs_in_params(params)):
            raise ValueError(
                f"{name} got {first.aval} on {first.sharding.mesh} and {x.aval} on "
                f"{x.sharding.mesh}. Beside Explicit axes all is on one mesh: use "
                f"jax.device_put(x, y.sharding)."
            )
    return committed[0].sharding if committed else None


def _axes_agree(a: Sharding, b: Sharding) -> bool:
    """Whether arrays that lie so can be operands of one operation."""
    if not (isinstance(a, NamedSharding) and isinstance(b, NamedSharding)):
        return True
    has_explicit = a.mesh.explicit_axes or b.mesh.explicit_axes
    return not has_explicit or a.mesh.abstract_mesh == b.mesh.abstract_mesh


def _where(x: ShardedArray) -> str:
    ids = [device.id for device in x.sharding.device_assignment]
    return f"{x.aval} on device{'s' * (len(ids) > 1)} {', '.join(map(str, ids))}"


def compute_whole(primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
    """The results of a primitive on values that are put together. They lie as an operand of their
    shape does, of an operation element by element; of any other, each device has them all."""
    beside = committed_place(primitive, args, params)
    whole = [Array(to_numpy(x), x.aval) if type(x) is ShardedArray else x for x in args]
    out = eval_trace.process_primitive(primitive, whole, params)
    if beside is None:
        return out
    keeps_places = primitive in elementwise or primitive in _same_places
    models = [x for x in args if type(x) is ShardedArray and x.committed and keeps_places]
    if primitive.multiple_results:
        return [_divided(x, beside, models) for x in out]
    return _divided(out, beside, models)


def _divided(x: Any, beside: Sharding, models: Sequence[ShardedArray]) -> Any:
    if not isinstance(x, Array):
        return x  # a token, or nothing
    if isinstance(beside, NamedSharding):
        like = [model.sharding for model in models if model.shape == x.shape]
        smallest = min(like, key=lambda s: s.shard_shape(x.shape), default=None)
        beside = smallest or NamedSharding(beside.mesh, P())
    return place(to_numpy(x), beside, x.aval)


def _on_devices(process: Callable) -> Callable:
    """The ground floor's operations: those of sharded arrays go another way."""

    @wraps(process)
    def process_primitive(
        self: EvalTrace, primitive: Primitive, args: Sequence[Any], params: dict
    ) -> Any:
        for x in args:
            if type(x) is ShardedArray and primitive not in takes_shards:
                return compute(primitive, args, params)
        return process(self, primitive, args, params)

    return process_primitive


EvalTrace.process_primitive = _on_devices(EvalTrace.process_primitive)
