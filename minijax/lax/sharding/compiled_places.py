"""How the arguments and results of a compiled program lie: what `input_shardings` answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.lax.sharding.axes_alike import cut_of
from minijax.lax.sharding.constraints import mesh_of, sharding_constraint_p
from minijax.lax.sharding.current_mesh import with_devices
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.partitioned_calls import (
    cannot_be_cut,
    cuts_in_types,
    on_one_mesh,
    partitioned,
    spec_of,
)
from minijax.lax.sharding.shardings import NamedSharding, Sharding


def places(
    closed: ClosedJaxpr, given: Sequence[Sharding | None]
) -> tuple[list[Any], list[Any]] | None:
    """How arguments and results lie, from what is known of the arguments; None where nothing says
    that it is on a mesh."""
    shardings = [
        known if isinstance(known, NamedSharding) else _said_of(closed, v)
        for known, v in zip(given, closed.invars, strict=True)
    ]
    mesh = next((s.mesh for s in shardings if s is not None), None) or mesh_of(closed)
    if mesh is None:
        return None
    ins = [NamedSharding(mesh, P()) if s is None else s for s in shardings]
    if cannot_be_cut(closed, mesh):
        return ins, [NamedSharding(mesh, P()) for _ in closed.outvars]
    program, grid, _ = on_one_mesh(closed, mesh)
    cuts = tuple(
        None if s is None or grid is not mesh else cut_of(s.spec, len(getattr(v.aval, "shape", ())))
        for s, v in zip(shardings, program.invars, strict=True)
    )
    of_types = cuts_in_types(program) if mesh.are_all_axes_explicit else None
    part = partitioned(program, grid, ((None,) * len(program.consts)) + cuts, of_types)
    return ins, [
        _result(v.aval, cut, mesh) for v, cut in zip(closed.outvars, part.out_cuts, strict=True)
    ]


def _said_of(closed: ClosedJaxpr, v: Any) -> NamedSharding | None:
    """How an argument lies, by its type, or by jit's in_shardings."""
    if type(v.aval) is ExplicitArray:
        spec = v.aval.spec.update(partitions=spec_of(v.aval.cut).partitions)
        return NamedSharding(with_devices(v.aval.mesh), spec)
    first: JaxprEqn | None = next((eqn for eqn in closed.eqns if v in eqn.invars), None)
    if first is None or first.primitive is not sharding_constraint_p:
        return None
    sharding = first.params["sharding"]
    return sharding if isinstance(sharding, NamedSharding) else None


def _result(aval: Any, cut: tuple, mesh: Any) -> NamedSharding:
    if type(aval) is ExplicitArray:
        return NamedSharding(with_devices(aval.mesh), aval.spec)
    if mesh.are_all_axes_explicit:
        return NamedSharding(mesh, P(*[None] * len(cut)))
    return NamedSharding(mesh, spec_of(cut))
