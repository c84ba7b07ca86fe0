"""Computation follows data: a program of sharded arrays runs where they lie, each device with its
own parts. The partitioner makes the devices' program, their threads run it.

Programs that can't be cut (`uncut.refusal`), and those of arrays on one device, run once with
whole values, as `sharded_arrays.compute_whole` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.passes.cuts import Cut, whole
from minijax.compiler.passes.partition import Partitioned, partition
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.passes.simplify import copy
from minijax.compiler.passes.uncut import refusal
from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.arguments import check_donated, delete_donated
from minijax.core.arrays import as_array
from minijax.core.config import bounded_cache, derived
from minijax.core.jitting import as_runtime_value, jit_p
from minijax.core.printing import programs_in_params
from minijax.core.staging import ClosedJaxpr, JaxprEqn, convert_constvars_jaxpr, trace_to_jaxpr
from minijax.core.tracing import Primitive, typeof
from minijax.face.donations import Calls
from minijax.lax.references.operations import new_ref_p
from minijax.lax.sharding.axes_alike import cut_of  # and fills the partitioner's tables
from minijax.lax.sharding.constraints import check_one_place, mesh_of
from minijax.lax.sharding.cutting import kept
from minijax.lax.sharding.device_programs import run_everywhere
from minijax.lax.sharding.explicit_typing import deriving
from minijax.lax.sharding.mesh_refinements import on_grid, refinements
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.resharding import with_all_axes
from minijax.lax.sharding.sharded_arrays import ShardedArray, committed_place, compute_whole
from minijax.lax.sharding.shardings import NamedSharding
from minijax.lax.sharding.terms import sum_of, terms_of, with_terms

# Between a spec and a cut.


@bounded_cache
def spec_of(cut: Cut) -> P:
    """The shortest spec of a cut.

    >>> spec_of((("x",), ("y", "z"), ()))
    P('x', ('y', 'z'))
    """
    last = max((d for d, names in enumerate(cut) if names), default=-1)
    return P(*cut[: last + 1])


# Programs.


def compute(primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
    """The results of a primitive, of which some operand is a sharded array.

    ValueError where operands are committed to different devices. What takes references runs as on
    one device: its program of values comes here again, and a reference holds what it is given.
    """
    if primitive is new_ref_p or any(typeof(x).mutable for x in args):
        return primitive.impl(*args, **primitive.active(params))
    donated = ()
    if primitive is jit_p:
        donated, name = params["donated_invars"], params["name"]
        args = Calls(params["jaxpr"], donated, name, params["keep_unused"]).begin(args)
    if any(donated):
        check_donated(args, donated, name)
        params = {**params, "donated_invars": (False,) * len(donated)}
    beside = committed_place(primitive, args, params)
    closed = program_of(primitive, args, params)
    check_one_place(params.get("name", primitive.name), closed, beside)
    own = getattr(beside, "mesh", None)
    mesh = mesh_of(closed) or own
    if own is not None and own.size == mesh.size:  # a type names a mesh, and no devices
        mesh = mesh.update(devices=np.reshape(own.devices, mesh.axis_sizes))
    if mesh is None or cannot_be_cut(closed, mesh):
        out = compute_whole(primitive, args, params)
    else:
        outs = run_program(closed, mesh, args)
        out = outs if primitive.multiple_results else outs[0]
    if any(donated):
        delete_donated(list(map(as_array, args)), donated, closed)
    return out


def run_program(closed: ClosedJaxpr, mesh: Mesh, args: Sequence[Any]) -> list[Any]:
    """The results of a program, whose arguments lie on a mesh or can be brought there."""
    types = [x.aval for x in closed.jaxpr.outvars]
    closed, grid, bring = on_one_mesh(closed, mesh)
    operands = [bring(terms_of(as_runtime_value(x))) for x in (*closed.consts, *args)]
    out_cuts = cuts_in_types(closed) if mesh.are_all_axes_explicit else None
    part = partitioned(closed, grid, tuple(cut_on(grid, x) for x in operands), out_cuts)
    outs = run(part, grid, operands, closed.out_avals)
    return [sum_of(x, aval, mesh) for x, aval in zip(outs, types, strict=True)]


@derived
def on_one_mesh(closed: ClosedJaxpr, mesh: Mesh) -> tuple[ClosedJaxpr, Mesh, Callable]:
    """The program without unreduced sums, on one mesh; and what brings its operands there."""
    closed = without_said(with_terms(with_calls(closed, mesh.size)))
    for found in refinements(closed, mesh):
        return on_grid(closed, found), found.mesh, found.array
    return closed, mesh, lambda x: x


# Of primitives that call a program which asks for so many devices: an equation, and how many there
# are -> the program, of its operands.
calls_on_devices: dict[Primitive, Callable[[JaxprEqn, int], ClosedJaxpr]] = {}


@derived
def with_calls(closed: ClosedJaxpr, number: int) -> ClosedJaxpr:
    """The program, in which the programs of such calls are written out."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Any]:
        if eqn.primitive in calls_on_devices:
            return copy(draft, calls_on_devices[eqn.primitive](eqn, number), eqn.invars)
        return draft.write(eqn._replace(
            params=with_programs(eqn.params, lambda program: with_calls(program, number))
        ))  # fmt: skip

    return forward(closed, visit) if _calls_on_devices(closed) else closed


def _calls_on_devices(closed: Any) -> bool:
    return any(eqn.primitive in calls_on_devices for eqn in closed.eqns) or any(
        _calls_on_devices(program) for eqn in closed.eqns
        for program in programs_in_params(eqn.params)
    )  # fmt: skip


@derived
def without_said(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, whose types alone say how results lie: of its part no device need say it."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Any]:
        params = with_programs(eqn.params, without_said)
        if eqn.primitive.laid is not None:
            params = {**params, eqn.primitive.laid: None}
        return draft.write(eqn._replace(params=params))

    return forward(closed, visit) if _says(closed) else closed


def _says(closed: Any) -> bool:
    laid = ((eqn.primitive.laid, eqn.params) for eqn in closed.eqns)
    return any(name is not None and params.get(name) is not None for name, params in laid) or any(
        _says(program) for eqn in closed.eqns for program in programs_in_params(eqn.params)
    )


def cuts_in_types(closed: ClosedJaxpr) -> tuple[Cut, ...]:
    """How the results are cut, of which types say all."""
    return tuple(getattr(x.aval, "cut", None) or whole(x) for x in closed.jaxpr.outvars)


def program_of(primitive: Primitive, args: Sequence[Any], params: dict) -> ClosedJaxpr:
    """jit's own program, or one with this equation alone."""
    if primitive is jit_p:
        return params["jaxpr"]
    avals = tuple(map(typeof, args))
    given = tuple(params.items())
    try:
        hash(given)
    except TypeError:  # a parameter that no dictionary takes
        return _program_of_one(primitive, avals, given)
    if deriving.cotangents is not None:  # its type is not what it is elsewhere
        return _program_of_one(primitive, avals, given)
    return _remembered(primitive, avals, given)


def _program_of_one(primitive: Primitive, avals: tuple, params: tuple) -> ClosedJaxpr:
    def bound(*args: Any) -> list[Any]:
        out = primitive.bind(*args, **dict(params))
        return list(out) if primitive.multiple_results else [out]

    return trace_to_jaxpr(bound, avals)


_remembered = bounded_cache(_program_of_one)


@derived
def cannot_be_cut(closed: ClosedJaxpr, mesh: Mesh) -> str | None:
    """Why not, if it can't."""
    closed, grid, _ = on_one_mesh(closed, mesh)
    return refusal(closed, grid.shape)


@derived
def partitioned(
    closed: ClosedJaxpr, mesh: Mesh, in_cuts: tuple, out_cuts: tuple | None = None
) -> Partitioned:
    """The program of one device; the constants are its first arguments."""
    opened = ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), [])
    return partition(opened, mesh.shape, in_cuts, out_cuts)


def cut_on(mesh: Mesh, x: Any) -> Cut | None:
    """How an operand is cut on a mesh; None of one that lies elsewhere, and can be cut at will."""
    if type(x) is not ShardedArray or getattr(x.sharding, "mesh", None) is not mesh:
        return None
    return cut_of(x.sharding.spec, x.ndim)


# Running.


def run(
    part: Partitioned, mesh: Mesh, operands: Sequence[Any], avals: Sequence[Any]
) -> list[Any]:
    """The results of a program of devices, from whole operands; `avals` are their types."""
    specs = list(map(spec_of, part.in_cuts))
    found = run_everywhere(part.program, mesh.shape, mesh, operands, specs, "partitioned")
    return [
        kept(parts, sharding_of(mesh, names), aval)
        for parts, names, aval in zip(found, part.out_cuts, avals, strict=True)
    ]


@bounded_cache
def sharding_of(mesh: Mesh, cut: Cut) -> NamedSharding:
    """The sharding of a result. On Explicit axes it says something of each of its axes."""
    sharding = NamedSharding(mesh, spec_of(cut))
    return with_all_axes(sharding, len(cut)) if mesh.are_all_axes_explicit else sharding
