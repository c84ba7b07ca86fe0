"""Several meshes of the same devices in one program, as `use_abstract_mesh` makes them.

A mesh of (4, 2) devices and one of (8,) are the same grid, whose axes the one tells apart and the
other doesn't. So a program is brought to the coarsest grid that tells apart what any of its meshes
does, and what they say of arrays is said in its names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.special_cases.other_types import with_programs, with_types
from minijax.core.config import derived
from minijax.core.printing import programs_in_params
from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.lax.sharding.constraints import sharding_constraint_p
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.meshes import AbstractMesh, AxisType, Mesh
from minijax.lax.sharding.partition_specs import UNCONSTRAINED, P, names_in
from minijax.lax.sharding.resharding import reshard_p
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding


@dataclass(frozen=True, eq=False)
class Refinement:
    """The grid, and for each mesh, by its names and sizes, what its axes are called there."""

    mesh: Mesh
    names: dict[tuple, dict[Any, tuple]]

    def named(self, mesh: Any, names: Any) -> tuple:
        """What some axes of a mesh are called on the grid."""
        own = self.names[mesh.shape_tuple]
        return tuple(n for name in names for n in own[name])

    def sharding(self, sharding: NamedSharding) -> NamedSharding:
        """How an array lies, said in the grid's names."""
        named, spec = partial(self.named, sharding.mesh), sharding.spec
        cut = (
            each if each is UNCONSTRAINED else named(names_in(each)) for each in spec.partitions
        )  # fmt: skip
        sums = {"unreduced": {*named(spec.unreduced)}, "reduced": {*named(spec.reduced)}}
        return NamedSharding(self.mesh, P(*cut, **sums))

    def aval(self, aval: Any) -> Any:
        if type(aval) is not ExplicitArray:
            return aval
        named = partial(self.named, aval.mesh)
        return aval.update(
            cut=tuple(map(named, aval.cut)), mesh=self.mesh.abstract_mesh,
            unreduced={*named(aval.unreduced)}, reduced={*named(aval.reduced)},
        )  # fmt: skip

    def array(self, x: Any) -> Any:
        """An array as one on the grid, where it lies on one of the meshes."""
        if type(x) is not ShardedArray or not isinstance(x.sharding, NamedSharding):
            return x
        if x.sharding.mesh.shape_tuple not in self.names:
            return x
        return ShardedArray(x.shards(), self.sharding(x.sharding), x.aval, x.committed)


@derived
def refinements(closed: ClosedJaxpr, mesh: Mesh) -> tuple[Refinement, ...]:
    """The one of the mesh on which a program runs and those that it speaks of; none where these are
    one. ValueError for meshes that are no grids of one another."""
    meshes = {m.shape_tuple: m for m in _meshes(closed) if m.shape_tuple != mesh.shape_tuple}
    if not meshes:
        return ()
    meshes[mesh.shape_tuple] = mesh
    strides = sorted({stride for m in meshes.values() for stride in _strides(m)}, reverse=True)
    sizes = [a // b for a, b in zip(strides, strides[1:], strict=False)]
    if any(a % b for a, b in zip(strides, strides[1:], strict=False)) or strides[0] != mesh.size:
        shapes = " and ".join(str(dict(m.shape)) for m in meshes.values())
        raise ValueError(f"A program speaks of the meshes {shapes}. Give sizes that fit together.")
    names = [f"axis{i}" for i in range(len(sizes))]
    are_auto = all(m.are_all_axes_auto for m in meshes.values())
    kind = AxisType.Auto if are_auto else AxisType.Explicit
    grid = Mesh(np.array(mesh.flat_devices).reshape(sizes), names, (kind,) * len(sizes))
    return (Refinement(grid, {shape: _named(m, strides, names) for shape, m in meshes.items()}),)


def _strides(mesh: Any) -> list[int]:
    """How far apart neighbours along each axis are, and how many devices there are."""
    sizes = mesh.axis_sizes
    return [math.prod(sizes[i:]) for i in range(len(sizes) + 1)]


def _named(mesh: Any, strides: list[int], names: list[str]) -> dict[Any, tuple]:
    own = _strides(mesh)
    return {
        name: tuple(names[strides.index(outer) : strides.index(inner)])
        for name, outer, inner in zip(mesh.axis_names, own, own[1:], strict=False)
    }


def _meshes(closed: Any) -> Iterator[AbstractMesh]:
    for x in (*closed.invars, *(v for eqn in closed.eqns for v in eqn.outvars)):
        if type(x.aval) is ExplicitArray:
            yield x.aval.mesh
    for eqn in closed.eqns:
        if (said := _said(eqn)) is not None:
            yield said[1].mesh
        for program in programs_in_params(eqn.params):
            yield from _meshes(program)


def _said(eqn: JaxprEqn) -> tuple[str, NamedSharding] | None:
    """The parameter that says how a value lies on a mesh, and what it says. (A constraint may also
    name devices; those of another program are none of this one's.)"""
    name = {reshard_p: "dst_sharding", sharding_constraint_p: "sharding"}.get(eqn.primitive)
    sharding = eqn.params[name] if name else None
    is_of_names = name == "dst_sharding" or isinstance(
        getattr(sharding, "mesh", None), AbstractMesh
    )
    return (name, sharding) if name and is_of_names else None


@derived
def on_grid(closed: ClosedJaxpr, found: Refinement) -> ClosedJaxpr:
    """The program, in the grid's names."""
    def new_params(eqn: JaxprEqn) -> dict:
        params = with_programs(eqn.params, lambda program: on_grid(program, found))
        if (said := _said(eqn)) is not None:
            params = {**params, said[0]: found.sharding(said[1])}
        return params

    return with_types(closed, found.aval, new_params)
