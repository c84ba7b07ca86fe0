"""Device programs: what each device runs, and running it on all of them.

A shard_map's body is one: its arguments are cut, each device runs it, and the parts of its results
are put together. The partitioner makes others (`partitioned_calls`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minijax.compiler.special_cases.other_types import with_programs, with_types
from minijax.core.arrays import Array, raw_value
from minijax.core.config import bounded_cache, derived
from minijax.core.jitting import compile_once, running
from minijax.core.printing import programs_in_params
from minijax.core.staging import ClosedJaxpr
from minijax.core.tracing import trace_ctx
from minijax.lax.sharding.abreast import Pattern, abreast, distinct, numbered, spread
from minijax.lax.sharding.cutting import cut, kept, places, put_together
from minijax.lax.sharding.device_threads import here, run_on_devices
from minijax.lax.sharding.meshes import Mesh
from minijax.lax.sharding.partition_specs import P, names_of
from minijax.lax.sharding.placed_types import PlacedArray, casts, manual, without_vma
from minijax.lax.sharding.sharded_arrays import ShardedArray, place
from minijax.lax.sharding.shardings import NamedSharding

# On all devices.


def run_everywhere(
    program: ClosedJaxpr, sizes: dict, mesh: Mesh, operands: Sequence[Any], specs: Sequence[P],
    name: str,
) -> list[Sequence[Any]]:  # fmt: skip
    """The parts of each result of a program, from operands that are cut as specs say.

    `sizes` are those of the devices' grid: the mesh, or some of its axes. A part that another
    process has is None.
    """
    parts = [cut(x, spec, sizes, mesh) for x, spec in zip(operands, specs, strict=True)]
    is_alone = not mesh.is_multi_process and here.place is None
    if is_alone and not is_quick(program):
        grid = tuple(sizes.items())
        patterns = tuple(pattern_on(grid, spec) for spec in specs)
        if (one := abreast(program, grid, patterns)) is not None:
            given = [x for values, pattern in zip(parts, patterns, strict=True)
                     for x in distinct(values, pattern)]  # fmt: skip
            return spread(running.run(one.program, given, name), one.out_patterns)
    axes = {**trace_ctx.axis_sizes, **sizes}
    with manual(None, axes):  # compiled here, by all processors, before any device waits
        executable = compile_once(program, running.backend, name, ())()

    def on_device(*parts: Any) -> list[Any]:
        with manual(None, axes):
            return running.run(program, parts, name, executable=executable)

    of_devices = list(zip(*parts, strict=True)) or [()] * math.prod(sizes.values())
    if is_alone and is_quick(program):
        found = [on_device(*of_device) for of_device in of_devices]
    else:
        found = run_on_devices(on_device, sizes, of_devices, mesh.owners)
    return list(zip(*(x or [None] * len(program.outvars) for x in found), strict=True))


@bounded_cache
def pattern_on(grid: tuple, spec: P) -> Pattern:
    """Which devices of a grid have the same part of what is cut by a spec."""
    names = names_of(spec)
    return numbered(tuple(at[name] for name in names) for at in places(dict(grid)))


QUICK = 1 << 14  # numbers that a device computes, up to which threads cost more than they save


@derived
def is_quick(program: ClosedJaxpr) -> bool:
    """Whether devices need not meet, and have so little to do that one thread does it in turn."""
    carries = any(True for eqn in program.eqns for _ in programs_in_params(eqn.params))
    made = [*program.invars, *(v for eqn in program.eqns for v in eqn.outvars)]
    size = sum(getattr(v.aval, "size", 0) for v in made)
    return size <= QUICK and not carries and not program.effects


# A shard_map's body.


def run_body(
    body: ClosedJaxpr, mesh: Mesh, sizes: dict, args: Sequence[Any], in_specs: Sequence[P],
    out_specs: Sequence[P], out_avals: Sequence[Any],
) -> list[Any]:  # fmt: skip
    """The results of a body on a mesh, along those axes that `sizes` has by name.

    Called for itself, it is run by all devices, those along the other axes alike, and its results
    stay there. As part of a program that has whole arrays, it gives such; and where another
    shard_map in it divides it further, each runs along axes of its own.
    """
    for x, spec in zip(args, in_specs, strict=True):
        check_devices(x, mesh, spec)
    stays = not running.inside_program and not mesh.empty
    grid = sizes if not stays or has_body(body) else mesh.shape
    if mesh.is_multi_process and len(grid) < len(mesh.axis_names):
        raise NotImplementedError(
            f"shard_map is over {', '.join(map(str, sizes))} alone of {mesh}, which several "
            f"processes share, and others are divided in it, or around it arrays are whole. Name "
            f"all its axes."
        )
    found = run_everywhere(plain_program(body), grid, mesh, args, in_specs, "shard_map")
    outs = zip(found, out_specs, out_avals, strict=True)
    if stays and len(grid) == len(mesh.axis_names):
        return [kept(parts, NamedSharding(mesh, spec), aval) for parts, spec, aval in outs]
    wholes = [put_together(parts, spec, grid, aval) for parts, spec, aval in outs]
    if not stays:
        return wholes
    return [
        place(raw_value(x), NamedSharding(mesh, spec), x.aval) if isinstance(x, Array) else x
        for x, spec in zip(wholes, out_specs, strict=True)
    ]


def has_body(program: Any) -> bool:
    """Whether a shard_map is in a program, or in one that it carries."""
    carried = (inner for eqn in program.eqns for inner in programs_in_params(eqn.params))
    here = any("newly_manual_axes" in eqn.params for eqn in program.eqns)
    return here or any(map(has_body, carried))


def check_devices(x: Any, mesh: Mesh, spec: P) -> None:
    """ValueError for an argument that is bound to other devices."""
    if type(x) is not ShardedArray or not x.committed:
        return
    if x.sharding.device_assignment != mesh.flat_devices:
        devices = ", ".join(map(str, x.sharding.device_assignment))
        raise ValueError(
            f"shard_map got {x.aval} on {devices}, and its mesh has other devices. Put it there: "
            f"jax.device_put(x, NamedSharding(mesh, {spec}))."
        )


def plain_params(params: dict) -> dict:
    """An equation's parameters, whose programs say nothing of variation, nor check it."""
    params = with_programs(params, plain_program)
    return {**params, "check_vma": False} if "check_vma" in params else params


@derived
def plain_program(closed: ClosedJaxpr) -> ClosedJaxpr:
    """A body without what only types have of it: these say nothing of the mesh's axes, and nothing
    is cast."""
    return with_types(closed, _plain_type, lambda eqn: (
        None if eqn.primitive in casts else plain_params(eqn.params)
    ))  # fmt: skip


def _plain_type(aval: Any) -> Any:
    return without_vma(aval) if type(aval) is PlacedArray else aval
