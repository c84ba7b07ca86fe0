"""Exported programs for several devices: they know how many, and by names how arrays lie on them.

What is exported names meshes without devices. A call brings the devices: those on which its
arguments lie, which it takes in their order, for a mesh of whatever shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.jitting import jit_p
from minijax.core.printing import programs_in_params
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, eval_jaxpr, trace_to_jaxpr
from minijax.export.dimensions import is_symbolic
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.constraints import check_divides, constrained
from minijax.lax.sharding.device_programs import plain_program
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.meshes import AbstractMesh, Mesh, empty_abstract_mesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.placed_functions import PlacedFunction
from minijax.lax.sharding.shard_map import shard_map_p
from minijax.lax.sharding.sharded_arrays import ShardedArray, committed_place
from minijax.lax.sharding.shardings import NamedSharding, Sharding, SingleDeviceSharding


class Places(NamedTuple):
    """How each argument, and each result, is to lie: a sharding, or None, as it likes."""

    ins: Sequence[NamedSharding | None]
    outs: Sequence[NamedSharding | None]


def without_devices(x: Any) -> Any:
    """A mesh, or the mesh of a sharding, by its names and sizes alone; anything else as it is."""
    if isinstance(x, NamedSharding):
        return x.update(mesh=x.mesh.abstract_mesh)
    return x.abstract_mesh if isinstance(x, Mesh) else x


def _by_names(place: Any, aval: Any) -> NamedSharding | None:
    """Where somebody put it on one device, as JAX says it: by a mesh without axes."""
    if isinstance(place, SingleDeviceSharding):
        spec = P(*[None] * aval.ndim)
        return NamedSharding(empty_abstract_mesh, spec, memory_kind=place.memory_kind)
    return without_devices(place)


def logical(
    closed: ClosedJaxpr, places: Places, kept: Sequence[bool]
) -> tuple[ClosedJaxpr, dict[str, Any]]:
    """The program for devices that are known by number alone, and what an Exported knows of them.

    ValueError where it speaks of different numbers of devices.
    """
    ins, outs = places
    ins = tuple(s if is_kept else None for s, is_kept in zip(ins, kept, strict=True))
    program = _with_places(_without_devices(closed), ins, outs)
    number = count(program, (*ins, *outs))
    meshes = [s.mesh for s in (*ins, *outs) if s is not None and not s.mesh.empty]
    if number > 1 and meshes:  # each device has what has no axes
        whole = NamedSharding(meshes[0], P())
        ins = tuple(whole if s is None and is_kept and not aval.ndim else s
                    for s, is_kept, aval in zip(ins, kept, closed.in_avals, strict=True))
    return program, {
        "nr_devices": number, "_in_named_shardings": ins, "_out_named_shardings": outs,
    }  # fmt: skip


def _without_devices(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, in which equations name meshes without devices."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        params = {name: without_devices(x) for name, x in eqn.params.items()}
        if eqn.primitive is shard_map_p:  # what types say of the mesh's axes was checked here
            params |= {"jaxpr": plain_program(params["jaxpr"]), "check_vma": False}
        return draft.write(eqn._replace(params=with_programs(params, _without_devices)))

    return forward(closed, visit) if any(_meshes(closed)) else closed


def _meshes(closed: Any) -> Iterator[Mesh | AbstractMesh]:
    """The meshes on which values lie by what equations say."""
    for eqn in closed.eqns:
        yield from (x.mesh for x in eqn.params.values() if isinstance(x, NamedSharding))
        yield from (x for x in eqn.params.values() if isinstance(x, Mesh | AbstractMesh))
        for program in programs_in_params(eqn.params):
            yield from _meshes(program)


def places_of(fun_jit: Any, traced: Any, leaves: Sequence[Any]) -> Places:
    """How the arguments and the results of a jitted function are to lie: as jit was told, or as
    arrays that somebody placed lie, and what stands for arrays. ValueError where two of these lie
    on different devices."""
    committed_place(jit_p, leaves, {"name": traced.fun_name})
    number = len(traced.jaxpr.in_avals)
    ins: list[Any] = [None] * number
    outs: list[Any] = [None] * len(traced.jaxpr.out_avals)
    if isinstance(fun_jit, PlacedFunction):
        ins, outs = fun_jit.places(traced.in_tree, traced.out_tree)
    given = leaves if len(leaves) == number else [None] * number
    ins = [place or _place_of(x) for place, x in zip(ins, given, strict=True)]
    outs = [place or _said_by(aval)
            for place, aval in zip(outs, traced.jaxpr.out_avals, strict=True)]  # fmt: skip
    for place, aval in zip(ins, traced.jaxpr.in_avals, strict=True):
        if place is not None and not is_symbolic(aval):
            check_divides("jax.export.export", place, aval.shape)
    return Places(
        tuple(map(_by_names, ins, traced.jaxpr.in_avals)),
        tuple(map(_by_names, outs, traced.jaxpr.out_avals)),
    )


def _place_of(x: Any) -> Sharding | None:
    is_placed = isinstance(x, ShapeDtypeStruct) or type(x) is ShardedArray and x.committed
    return x.sharding if is_placed else None


def _said_by(aval: Any) -> NamedSharding | None:
    """How a result lies by its type, which says so along Explicit axes."""
    return NamedSharding(aval.mesh, aval.spec) if type(aval) is ExplicitArray else None


def count(closed: ClosedJaxpr, places: Sequence[NamedSharding | None]) -> int:
    """How many devices a program is for. ValueError where it names meshes of different sizes."""
    sizes = {mesh.size for mesh in _meshes(closed)} | {s.mesh.size for s in places if s is not None}
    sizes = sizes - {0} or {1}
    if len(sizes) > 1:
        named = " and of ".join(map(str, sorted(sizes)))
        raise ValueError(
            f"jax.export.export got a function that speaks of meshes of {named} devices. Give it "
            f"meshes of one size."
        )
    return sizes.pop()


def _with_places(closed: ClosedJaxpr, ins: Sequence, outs: Sequence) -> ClosedJaxpr:
    """The program, which says of its arguments and its results how they lie."""
    if not any((*ins, *outs)):
        return closed

    def placed(xs: Sequence[Any], places: Sequence) -> list[Any]:
        said = [s is None or s.mesh.empty or s.mesh.explicit_axes for s in places]  # a type does
        return [x if known else constrained(x, s)
                for x, s, known in zip(xs, places, said, strict=True)]  # fmt: skip

    def program(*args: Any) -> list[Any]:
        return placed(eval_jaxpr(closed.jaxpr, closed.consts, *placed(args, ins)), outs)

    return trace_to_jaxpr(program, closed.in_avals)


def check_count(exported: Any, number: int) -> None:
    """ValueError where a program for several devices is called on another number of them."""
    if exported.nr_devices not in (1, number):
        raise ValueError(
            f"Exported.call: {exported.fun_name} was exported for {exported.nr_devices} devices, "
            f"and is called on {number}.\nUse jax.device_put(x, s), with s of "
            f"Exported.in_shardings_jax(mesh)."
        )


def of_pullback(exported: Any, traced: Any) -> Places:
    """How a pullback's arguments and results lie: the function's arguments and cotangents of its
    results, and cotangents of its arguments. Where nothing was said, each device has all."""
    outs = exported._in_named_shardings
    ins = (*outs, *exported._out_named_shardings)
    mesh = next((s.mesh for s in ins if s is not None), None)
    if mesh is not None:
        ins = tuple(
            NamedSharding(mesh, P(*[None] * aval.ndim)) if s is None else s
            for s, aval in zip(ins, traced.jaxpr.in_avals, strict=True)
        )
    return Places(ins, outs)


def on_mesh(places: Sequence[NamedSharding | None], mesh: Any, method: str) -> tuple:
    """The shardings, on a mesh of the same axes. ValueError for one of others."""
    found = []
    for place in places:
        if place is not None and mesh is not None:
            _check_alike(place.mesh, mesh, method)
            place = place.update(mesh=mesh)
        found.append(place)
    return tuple(found)


def _check_alike(own: Mesh | AbstractMesh, mesh: Any, method: str) -> None:
    if not isinstance(mesh, Mesh | AbstractMesh):
        raise TypeError(f"Exported.{method} takes a mesh, and got {shown(mesh)}. Give a Mesh.")
    if (mesh.shape_tuple, mesh.axis_types) != (own.shape_tuple, own.axis_types):
        raise ValueError(
            f"Exported.{method} got a mesh with the axes {dict(mesh.shape)}, {mesh.axis_types}, "
            f"and the function was exported for {dict(own.shape)}, {own.axis_types}.\nGive a mesh "
            f"with the same axes."
        )
