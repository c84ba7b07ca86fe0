"""Explain, of a program on many devices: what each has and gets, and then what one does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from minijax.compiler.passes.cuts import Cut
from minijax.compiler.passes.partition import Move, Partitioned
from minijax.core.jitting import Traced
from minijax.lax.sharding.constraints import mesh_of
from minijax.lax.sharding.partitioned_calls import cannot_be_cut, cut_on, partitioned, spec_of
from minijax.lax.sharding.placed_types import manual
from minijax.lax.sharding.sharded_arrays import ShardedArray
from minijax.stages.costs import count, size_text
from minijax.stages.explaining import Explanation
from minijax.stages.kin import ShownStage, as_lines


def explanation(traced: Traced, leaves: Sequence[Any]) -> Explanation:
    """That of a traced function, for arguments that lie as these do."""
    program = traced.staged.program
    placed = (x.sharding for x in leaves if type(x) is ShardedArray and x.committed)
    mesh = mesh_of(program) or getattr(next(placed, None), "mesh", None)
    if mesh is None:
        return Explanation(traced)
    if (reason := cannot_be_cut(program, mesh)) is not None:
        return NotCut(traced, reason)
    operands = [*program.consts, *leaves]
    part = partitioned(program, mesh, tuple(cut_on(mesh, x) for x in operands))
    return OnDevices(traced, part, mesh)


class NotCut(Explanation):
    """Of a program that is run once, with whole values."""

    def __init__(self, traced: Traced, reason: str) -> None:
        super().__init__(traced)
        self.reason = reason

    def headline(self) -> str:
        return f"Not cut for devices, but run once: {self.reason}.\n{super().headline()}"


class OnDevices(Explanation):
    """Of a program of which each device does its part."""

    names_of_stages = ("user", "jaxpr", "devices", *Explanation.names_of_stages[2:])

    def __init__(self, traced: Traced, part: Partitioned, mesh: Any) -> None:
        with manual(None, dict(mesh.shape)):  # its collectives name the mesh's axes
            super().__init__(traced, part.program)
        self.part, self.mesh = part, mesh

    def headline(self) -> str:
        axes = ", ".join(f"{name}={size}" for name, size in self.mesh.shape.items())
        moved = size_text(sum(move.step.bytes for move in self.part.moves))
        collectives = count(len(self.part.moves), "collective")
        return (
            f"On {count(self.mesh.size, 'device')} ({axes}). Each gets {moved} by {collectives}. "
            f"What follows is the program of one.\n{super().headline()}"
        )

    def devices(self) -> str:
        """How arguments and results are cut, and what moves."""
        program, whole = self.part.program, self.traced.staged.program
        ins = zip([*whole.constvars, *whole.invars], self.part.in_cuts, strict=True)
        outs = zip(whole.outvars, self.part.out_cuts, strict=True)
        lines = [f"argument {cut_text(v, cut)}" for v, cut in ins]
        lines += [f"result {cut_text(v, cut)}" for v, cut in outs]
        lines += map(move_text, self.part.moves)
        return "\n".join([*lines, "", str(program)])

    @cached_property
    def of_devices(self) -> ShownStage:
        return ShownStage("d", "On each device", as_lines(self.devices()))


def cut_text(v: Any, cut: Cut) -> str:
    return f"{v.aval.str_short(short_dtypes=True)}: {spec_of(cut)}"


def move_text(move: Move) -> str:
    """A collective: what it is for, and what it costs."""
    kind, names, _, num_bytes = move.step
    where = f", in each step of {' in '.join(move.loops)}" if move.loops else ""
    whose = f" for {move.eqn.primitive} at {move.eqn.source_info}" if move.eqn else ""
    return (
        f"{kind} over {', '.join(names)}{whose}: {size_text(num_bytes)} to each device{where}; "
        f"{move.why}"
    )
