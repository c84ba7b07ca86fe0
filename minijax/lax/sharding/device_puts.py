"""device_put: what puts an array on a device now, and the equation that a program has of it.

Of a program's values the equation says only that somebody asked: the program runs where its
arguments are, and compiled programs are without it. One along a mesh's axes is `resharding`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import Array, raw_value
from minijax.core.batching import primitive_batchers
from minijax.core.config import config
from minijax.core.dtypes import float0
from minijax.core.forward import Zero, instantiate_zeros, is_nonzero, primitive_jvps
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import ClosedJaxpr, Jaxpr, JaxprEqn, Var
from minijax.core.tracing import Primitive, Tracer, trace_ctx, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.elementwise.arithmetic import cast_for_user, shown
from minijax.lax.sharding.current_mesh import on_the_mesh_set
from minijax.lax.sharding.default_device import is_ground, on_default_device
from minijax.lax.sharding.meshes import AbstractMesh, Device, all_devices
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.sharded_arrays import place
from minijax.lax.sharding.shardings import Sharding, SingleDeviceSharding, unreduced

_brought, _put_inside = (
    call_lazily(f"minijax.lax.sharding.resharding.{name}") for name in ("brought", "put_inside")
)
_place_of_format = call_lazily("minijax.lax.sharding.layouts.place_of_format")

# The primitive: any number of operands, each with a place, and where it is said to come from.


class ArrayCopySemantics(Enum):
    """What may be done to the array that is put somewhere."""

    REUSE_INPUT = "reuse"
    DONATE_INPUT = "donate"
    ALWAYS_COPY = "copy"

    __repr__ = __str__ = lambda self: f"ArrayCopySemantics.{self.name}"


device_put_p = Primitive("device_put")
device_put_p.multiple_results = True
device_put_p.def_abstract_eval(lambda *avals, devices, srcs, copy_semantics: list(avals))


@device_put_p.def_impl
def _put_impl(*xs: Any, devices: Sequence, srcs: Sequence, copy_semantics: Sequence) -> list[Any]:
    return [put(x, known_place(device, x)) for x, device in zip(xs, devices, strict=True)]


def _put_some(xs: Sequence[Any], marks: Sequence[bool], params: dict) -> list[Any]:
    """Those that are marked, put where the parameters say; the others as they are."""
    kept = {
        name: tuple(x for x, mark in zip(values, marks, strict=True) if mark)
        for name, values in params.items()
    }
    found = iter(device_put_p.bind(*[x for x, m in zip(xs, marks, strict=True) if m], **kept))
    return [next(found) if mark else x for x, mark in zip(xs, marks, strict=True)]


def _put_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
    """Tangents are put where the numbers are."""
    outs = device_put_p.bind(*primals, **params)
    if not any(map(is_nonzero, tangents)):
        return outs, tangents
    moves = [x.aval.dtype != float0 if type(x) is Zero else True for x in tangents]
    tangents = [instantiate_zeros(x) if m else x for x, m in zip(tangents, moves, strict=True)]
    return outs, _put_some(tangents, moves, params)


def _put_transpose(
    cts: Sequence[Any], *xs: Any, devices: Sequence, srcs: Sequence, copy_semantics: Sequence
) -> list[Any]:
    """Cotangents go back."""
    if ArrayCopySemantics.DONATE_INPUT in copy_semantics:
        raise ValueError(
            "device_put(..., donate=True) has no derivative: what comes back needs what was given "
            "away. Leave donate out."
        )
    back = {"devices": srcs, "srcs": devices,
            "copy_semantics": [ArrayCopySemantics.ALWAYS_COPY] * len(cts)}  # fmt: skip
    return _put_some(cts, [is_nonzero(ct) for ct in cts], back)


primitive_jvps[device_put_p] = _put_jvp
primitive_transposes[device_put_p] = _put_transpose
primitive_batchers[device_put_p] = lambda args, dims, **params: (
    device_put_p.bind(*args, **params), dims
)  # fmt: skip


def _left_out(eqn: JaxprEqn) -> tuple:
    """A program of nothing: its results are its operands."""
    variables = [Var(x.aval) for x in eqn.invars]
    return ClosedJaxpr(Jaxpr([], variables, variables, []), []), eqn.invars


register_lowering(device_put_p, call=_left_out)

# What a user's call does.


def put_all(
    leaves: Sequence[Any], places: Sequence[Any], srcs: Sequence[Any], ways: Sequence[tuple]
) -> list[Any]:
    """The arrays, each in its place; `ways` says of each whether it is donated, or may be shared.
    """
    shardings = list(map(known_place, places, leaves))
    is_traced = any(isinstance(x, Tracer) for x in leaves) and not is_ground(trace_ctx.trace)
    if not is_traced or any(hasattr(sharding, "spec") for sharding in shardings):
        return list(map(put, leaves, shardings))
    semantics = tuple(
        ArrayCopySemantics.DONATE_INPUT if donate
        else ArrayCopySemantics.ALWAYS_COPY if may_alias is False
        else ArrayCopySemantics.REUSE_INPUT
        for donate, may_alias in ways
    )  # fmt: skip
    return device_put_p.bind(
        *leaves, devices=tuple(places), srcs=tuple(srcs), copy_semantics=semantics
    )


def known_place(place: Any, leaf: Any) -> Sharding | None:
    """The sharding that a user means by a place. ValueError for what is none."""
    if hasattr(place, "layout"):
        place = _place_of_format("device_put", place, leaf)
    if isinstance(place, Device):
        return SingleDeviceSharding(place)
    if isinstance(place, P):
        return on_the_mesh_set("device_put", place)
    if isinstance(getattr(place, "mesh", None), AbstractMesh):
        spec = place.spec
        raise ValueError(f"device_put got {spec} for an abstract mesh. Give a Mesh of devices.")
    if not (place is None or isinstance(place, Sharding)):
        raise ValueError(
            f"device_put takes a device or a sharding, and got {shown(place)}. Give one of "
            f"minijax.devices(), or a NamedSharding."
        )
    return place


def put(leaf: Any, sharding: Sharding | None) -> Any:
    """One array, in its place."""
    aval = typeof(leaf)
    is_here = len(all_devices()) == 1 and isinstance(sharding, SingleDeviceSharding)
    if isinstance(leaf, Tracer) and hasattr(sharding, "spec"):
        return _put_inside(leaf, sharding)
    if unreduced(sharding) and getattr(aval, "cut", None):
        return _brought(leaf, sharding.mesh, sharding.spec)  # devices keep what they have
    if sharding is None or is_here or isinstance(leaf, Tracer):
        x = cast_for_user(leaf, aval.dtype, aval.weak_type)
        return x if config.jax_default_device is None else on_default_device(x)
    if isinstance(leaf, Array) and leaf.committed and leaf.sharding == sharding:
        return leaf
    return place(raw_value(leaf), sharding, aval)


def put_without_equation(x: Any, place: Any) -> Any:
    """An array that is made in its place: a program has no equation of it."""
    return put(x, known_place(place, x))
