"""Exported programs for several devices: they know how many, and by names how arrays lie on them.

What is exported names meshes without devices. A call brings the devices: those on which its
arguments lie, which it takes in their order, for a mesh of whatever shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.printing import programs_in_params
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, eval_jaxpr, trace_to_jaxpr
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.sharding.constraints import constrained
from minijax.lax.sharding.meshes import AbstractMesh, Mesh
from minijax.lax.sharding.placed_functions import PlacedFunction
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding

Places = Sequence[NamedSharding | None]


def without_devices(x: Any) -> Any:
    """A sharding or a mesh by its names and sizes alone; anything else as it is."""
    if isinstance(x, NamedSharding):
        return NamedSharding(without_devices(x.mesh), x.spec)
    if isinstance(x, Mesh | AbstractMesh):
        return AbstractMesh(x.axis_sizes, x.axis_names, x.axis_types)
    return x


def logical(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, in which equations name meshes without devices."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        params = {name: without_devices(x) for name, x in eqn.params.items()}
        return draft.write(eqn._replace(params=with_programs(params, logical)))

    return forward(closed, visit) if any(_meshes(closed)) else closed


def _meshes(closed: Any) -> Iterator[Mesh | AbstractMesh]:
    """The meshes that equations name."""
    for eqn in closed.eqns:
        for x in eqn.params.values():
            mesh = getattr(x, "mesh", x)
            if isinstance(mesh, Mesh | AbstractMesh):
                yield mesh
        for program in programs_in_params(eqn.params):
            yield from _meshes(program)


def places_of(fun_jit: Any, traced: Any, leaves: Sequence[Any]) -> tuple[Places, Places]:
    """How the arguments and the results of a jitted function are to lie: as jit was told, or as
    arrays that somebody placed lie, and what stands for arrays."""
    number = len(traced.jaxpr.in_avals)
    ins, outs = [None] * number, [None] * len(traced.jaxpr.out_avals)
    if isinstance(fun_jit, PlacedFunction):
        ins, outs = fun_jit.places(traced.in_tree, traced.out_tree)
    given = leaves if len(leaves) == number else [None] * number
    ins = [place or _place_of(x) for place, x in zip(ins, given, strict=True)]
    return tuple(map(without_devices, ins)), tuple(map(without_devices, outs))


def _place_of(x: Any) -> NamedSharding | None:
    is_placed = isinstance(x, ShapeDtypeStruct) or type(x) is ShardedArray and x.committed
    return x.sharding if is_placed and isinstance(x.sharding, NamedSharding) else None


def count(closed: ClosedJaxpr, places: Places) -> int:
    """How many devices a program is for. ValueError where it names meshes of different sizes."""
    sizes = {mesh.size for mesh in _meshes(closed)} | {s.mesh.size for s in places if s is not None}
    sizes = sizes - {0} or {1}
    if len(sizes) > 1:
        raise ValueError(
            f"jax.export.export got a function that speaks of {' and of '.join(map(str, sorted(sizes)))} "
            f"devices. Give it meshes of one size."
        )
    return sizes.pop()


def with_places(closed: ClosedJaxpr, ins: Places, outs: Places) -> ClosedJaxpr:
    """The program, which says of its arguments and its results how they lie."""
    if not any((*ins, *outs)):
        return closed

    def placed(xs: Sequence[Any], places: Places) -> list[Any]:
        return [x if s is None else constrained(x, s) for x, s in zip(xs, places, strict=True)]

    def program(*args: Any) -> list[Any]:
        return placed(eval_jaxpr(closed.jaxpr, closed.consts, *placed(args, ins)), outs)

    return trace_to_jaxpr(program, closed.in_avals)


def check_count(exported: Any, number: int) -> None:
    """ValueError where a program for several devices is called on another number of them."""
    if exported.nr_devices not in (1, number):
        raise ValueError(
            f"Exported.call: {exported.fun_name} was exported for {exported.nr_devices} devices, "
            f"and its arguments lie on {number}.\nUse jax.device_put(x, s), with s of "
            f"Exported.in_shardings_jax(mesh)."
        )


def on_mesh(places: Places, mesh: Any, method: str) -> tuple:
    """The shardings, on a mesh of the same axes. ValueError for one of others."""
    found = []
    for place in places:
        if place is not None and mesh is not None:
            _check_alike(place.mesh, mesh, method)
            place = NamedSharding(mesh, place.spec)
        found.append(place)
    return tuple(found)


def _check_alike(own: AbstractMesh, mesh: Any, method: str) -> None:
    if not isinstance(mesh, Mesh | AbstractMesh):
        raise TypeError(f"Exported.{method} takes a mesh, and got {shown(mesh)}. Give a Mesh.")
    if without_devices(mesh) is not own:
        raise ValueError(
            f"Exported.{method} got {without_devices(mesh)}, and the function was exported for "
            f"{own}.\nGive a mesh with the same axes."
        )
