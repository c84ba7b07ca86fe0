"""Running a shard_map: arguments are cut into pieces, each device runs the body, and the pieces of
its results are put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.arrays import Array, raw_value, to_numpy
from minijax.core.config import derived
from minijax.core.jitting import as_runtime_value, running
from minijax.core.staging import Atom, ClosedJaxpr, Var
from minijax.core.tracing import trace_ctx, typeof
from minijax.lax.sharding.device_threads import run_on_devices
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.partition_specs import P, names_in, names_of
from minijax.lax.sharding.placed_types import PlacedArray, manual, pvary_p, without_vma
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.lax.sharding.shardings import NamedSharding

# Pieces.


def piece(spec: P, shape: Sequence[int], sizes: dict, place: dict) -> tuple[slice, ...]:
    """Where a device has its piece of an array of this shape."""
    slices = []
    for size, names in zip(shape, map(names_in, spec.partitions), strict=False):
        number, count = 0, 1
        for name in names:  # the last varies fastest
            number, count = number * sizes[name] + place[name], count * sizes[name]
        slices.append(slice(number * size // count, (number + 1) * size // count))
    return tuple(slices)


def places(sizes: dict) -> Iterator[dict]:
    """The coordinates of each device, by the names of axes, in row-major order."""
    for at in product(*map(range, sizes.values())):
        yield dict(zip(sizes, at, strict=True))


def cut(x: Any, spec: P, sizes: dict, mesh: Mesh) -> list[Any]:
    """Each device's piece of an argument: what it has already, or a view of the whole."""
    if type(x) is ShardedArray:
        if lies_so(x, mesh, spec, sizes):
            aval = x.aval.update(shape=x.sharding.shard_shape(x.shape))
            return [shard if shard is None else Array(shard, aval) for shard in x.shards()]
        x = Array(to_numpy(x), x.aval)
    x = as_runtime_value(x)
    if not names_of(spec) or not isinstance(x, Array):
        shape = None if isinstance(x, Array) else x.shape
        return [
            x if shape is None else x[piece(spec, shape, sizes, place)] for place in places(sizes)
        ]
    value = raw_value(x)
    pieces = [value[piece(spec, x.shape, sizes, place)] for place in places(sizes)]
    inside = value.ndim - x.ndim  # axes of a key's words
    return [Array(p, x.aval.update(shape=p.shape[: p.ndim - inside])) for p in pieces]


def lies_so(x: ShardedArray, mesh: Mesh, spec: P, sizes: dict) -> bool:
    """Whether each device has its piece. ValueError for an array that is bound to other devices."""
    if x.committed and x.sharding.device_assignment != mesh.flat_devices:
        devices = ", ".join(map(str, x.sharding.device_assignment))
        raise ValueError(
            f"shard_map got {x.aval} on {devices}, and its mesh has other devices. Put it there: "
            f"jax.device_put(x, NamedSharding(mesh, {spec}))."
        )
    wanted = NamedSharding(mesh, spec)
    return tuple(sizes) == mesh.axis_names and x.sharding.is_equivalent_to(wanted, x.ndim)


def spread_out(
    pieces: Sequence[Any], spec: P, sizes: dict, mesh: Mesh, aval: Any
) -> ShardedArray | Any:
    """A result that stays where it is: each device keeps its piece."""
    if not any(isinstance(piece, Array) for piece in pieces):
        return put_together(pieces, spec, sizes, aval)
    of_place = dict(zip(map(tuple, map(dict.values, places(sizes))), pieces, strict=True))
    shards = [
        of_place[tuple(place[name] for name in sizes)] for place in places(mesh.shape)
    ]
    shards = [shard if shard is None else raw_value(shard) for shard in shards]
    return ShardedArray(shards, NamedSharding(mesh, spec), aval)


def put_together(pieces: Sequence[Any], spec: P, sizes: dict, aval: Any) -> Any:
    """A result, from each device's piece. Along axes that the spec does not name they have all
    the same, and the first device's counts."""
    if not names_of(spec):
        return pieces[0]
    values = [raw_value(p) if isinstance(p, Array) else p for p in pieces]
    inside = values[0].shape[typeof(pieces[0]).ndim :]
    whole = np.empty((*aval.shape, *inside), values[0].dtype)
    unnamed = [name for name in sizes if name not in names_of(spec)]
    for value, place in zip(values, places(sizes), strict=True):
        if not any(place[name] for name in unnamed):
            whole[piece(spec, aval.shape, sizes, place)] = value
    return Array(whole, aval) if isinstance(pieces[0], Array) else whole


def run_body(
    body: ClosedJaxpr, mesh: Mesh, sizes: dict, args: Sequence[Any], in_specs: Sequence[P],
    out_specs: Sequence[P], out_avals: Sequence[Any],
) -> list[Any]:  # fmt: skip
    """The results of a body on a mesh, along those axes that `sizes` has by name.

    Called for itself, its results stay on the devices; as part of a program, they are put together.
    """
    if mesh.is_multi_process and tuple(sizes) != mesh.axis_names:
        raise NotImplementedError(
            f"shard_map is over {', '.join(map(str, sizes))} alone of {mesh}, which several "
            f"processes share. Name all its axes."
        )
    cuts = [cut(x, spec, sizes, mesh) for x, spec in zip(args, in_specs, strict=True)]
    operands = list(zip(*cuts, strict=True)) if cuts else [()] * len(list(places(sizes)))
    program, axes = plain_program(body), {**trace_ctx.axis_sizes, **sizes}

    def on_device(*pieces: Any) -> list[Any]:
        with manual(None, axes):
            return running.run(program, pieces, "shard_map")

    stays = not running.inside_program and not mesh.empty
    found = run_on_devices(on_device, sizes, operands, mesh.owners)
    outs = zip(*(x or [None] * len(out_avals) for x in found), strict=True)
    return [
        spread_out(pieces, spec, sizes, mesh, aval) if stays
        else put_together(pieces, spec, sizes, aval)
        for pieces, spec, aval in zip(outs, out_specs, out_avals, strict=True)
    ]  # fmt: skip


def plain_params(params: dict) -> dict:
    """An equation's parameters, whose programs say nothing of variation, nor check it."""
    params = with_programs(params, plain_program)
    return {**params, "check_vma": False} if "check_vma" in params else params


# What the devices run: a body without what only types have of them.


@derived
def plain_program(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, whose types say nothing of variation, and that has nothing to vary."""
    taken: dict[Atom, Atom] = {}

    def var(v: Var) -> Var:
        if type(v.aval) is PlacedArray:
            taken[v] = Var(without_vma(v.aval))
        return taken.get(v, v)

    constvars, invars = list(map(var, closed.constvars)), list(map(var, closed.invars))
    eqns = []
    for eqn in closed.eqns:
        operands = [taken.get(x, x) for x in eqn.invars]
        if eqn.primitive is pvary_p:
            taken[eqn.outvars[0]] = operands[0]
            continue
        made = list(map(var, eqn.outvars))
        eqns.append(eqn._replace(invars=operands, outvars=made, params=plain_params(eqn.params)))
    outvars = [taken.get(x, x) for x in closed.outvars]
    jaxpr = closed.jaxpr.replace(constvars=constvars, invars=invars, outvars=outvars, eqns=eqns)
    return ClosedJaxpr(jaxpr, closed.consts)
