"""Costs: what a program computes and moves, and how much memory it takes, read off its plan.

A plan is a list of tasks: a compiled program's steps, or the interpreter's equations one by one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from minijax.compiler.executable import Executable
from minijax.compiler.kernels.loop_nests import Source
from minijax.compiler.lowerings import lowerings
from minijax.compiler.special_cases.written_in_place import own_memory_p
from minijax.core.primitives import elementwise
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import ClosedJaxpr, Jaxpr, JaxprEqn, Var

# The plan.


class Task(NamedTuple):
    """What a step computes, reads and writes; and the bytes that it needs while it runs."""

    eqns: Sequence[JaxprEqn]
    reads: Sequence[Any]
    writes: Sequence[Var]
    kept: int = 0


@dataclasses.dataclass(eq=False)
class Plan:
    """The tasks of a program in order, whose memory is used again, and what is let go early."""

    jaxpr: Jaxpr
    tasks: list[Task]
    taken: dict[Var, Var]
    released: set[Var]
    text: str = ""


def plan_of(executable: Any, closed: ClosedJaxpr) -> Plan:
    """The plan of what a backend made of a program; of the interpreter, if it isn't compiled."""
    executable = of_values(executable)
    if isinstance(executable, Executable):
        program = executable.program
        tasks = list(map(step_task, executable.steps, executable.sources))
        jaxpr, text = executable.jaxpr.jaxpr, executable.as_text()
        return Plan(jaxpr, tasks, program.taken, program.released, text)
    tasks = [Task([eqn], eqn.invars, eqn.outvars) for eqn in closed.eqns]
    made = {v for eqn in closed.eqns for v in eqn.outvars}
    return Plan(closed.jaxpr, tasks, {}, made.difference(closed.outvars))


def of_values(executable: Any) -> Any:
    """Of what runs a program that takes references: what runs its program of values."""
    return getattr(executable, "of_values", executable)


def step_task(step: Any, source: Source | None) -> Task:
    eqns = [step.eqn] if hasattr(step, "eqn") else step.eqns
    if source is None:
        return Task(eqns, step.eqn.invars, step.eqn.outvars)
    kept = sum(size * dtype.itemsize for size, dtype in source.kept)
    return Task(eqns, source.reads, source.writes, kept)


# What is computed and moved.

_TRANSCENDENTAL = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh digamma erf erf_inv erfc exp exp2 expm1 "
    "lgamma log log1p logistic pow rsqrt sin sinh sqrt tan tanh".split()
)


def num_bytes(x: Any) -> int:
    """The memory of an array of a variable's, a number's or a constant's type."""
    aval = x.aval
    return aval.size * aval.dtype.itemsize if hasattr(aval, "size") else 0


def costs_of(eqns: Sequence[JaxprEqn]) -> tuple[float, float]:
    """The operations of some equations on single numbers: arithmetic, transcendental functions."""
    flops, transcendentals = 0.0, 0.0
    for eqn in eqns:
        inner, times = _inner_costs(eqn), eqn.params.get("length", 1)
        flops += times * inner[0] + _flops(eqn)
        transcendentals += times * inner[1]
        if eqn.primitive.name in _TRANSCENDENTAL:
            transcendentals += eqn.outvars[0].aval.size
    return flops, transcendentals


def _inner_costs(eqn: JaxprEqn) -> tuple[float, float]:
    """Of a loop, one turn, as nobody knows how many; of branches, those of the dearest."""
    costs = [costs_of(jaxpr.eqns) for jaxpr in jaxprs_in_params(eqn.params)]
    if "branches" in eqn.params:
        return max(costs, key=sum)
    return sum(flops for flops, _ in costs), sum(others for _, others in costs)


def _flops(eqn: JaxprEqn) -> float:
    name = eqn.primitive.name
    if not eqn.outvars or name in _TRANSCENDENTAL:
        return 0.0
    out = eqn.outvars[0].aval
    if name == "dot_general":
        axes = eqn.params["dimension_numbers"][0][0]
        return 2.0 * out.size * math.prod(eqn.invars[0].aval.shape[d] for d in axes)
    if name == "conv_general_dilated":
        rhs, numbers = eqn.invars[1].aval, eqn.params["dimension_numbers"]
        return 2.0 * out.size * rhs.size / max(rhs.shape[numbers.rhs_spec[0]], 1)
    if name.startswith("reduce_window"):
        return out.size * (math.prod(eqn.params["window_dimensions"]) - 1.0)
    if name == "sort":
        length = out.shape[eqn.params["dimension"]]
        return out.size * math.log2(max(length, 1))
    if lowerings[eqn.primitive].start:
        return float(max(eqn.invars[0].aval.size - out.size, 0))
    if eqn.primitive in elementwise or lowerings[eqn.primitive].template:
        return float(out.size)
    return 0.0


def cost_analysis(plan: Plan) -> dict[str, float]:
    """Totals by JAX's keys: flops, transcendentals, bytes accessed, and those of results alone.

    A step reads each operand from memory and writes each result once; what a kernel makes and uses
    up itself costs no bytes. Library routines count as free, but for products, windows and sort.
    """
    costs = [costs_of(task.eqns) for task in plan.tasks]
    read = sum(num_bytes(x) for task in plan.tasks for x in task.reads)
    written = sum(num_bytes(v) for task in plan.tasks for v in task.writes)
    return {
        "flops": sum((flops for flops, _ in costs), 0.0),
        "transcendentals": sum((others for _, others in costs), 0.0),
        "bytes accessed": float(read + written),
        "bytes accessedout{}": float(written),
    }


# Amounts, in words.


def count(n: int, thing: str) -> str:
    """A number of things.

    >>> count(1, "kernel"), count(2, "kernel")
    ('1 kernel', '2 kernels')
    """
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def size_text(num_bytes: int) -> str:
    """An amount of memory.

    >>> size_text(12), size_text(4_800_000)
    ('12 bytes', '4.8 MB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if num_bytes >= unit:
            return f"{num_bytes / unit:.3g} {name}"
    return count(num_bytes, "byte")


# Memory.


@dataclasses.dataclass(eq=False)
class Buffer:
    """Memory that a program allocates: the values that it holds, in turn, and from which task to
    which it is there. A result's stays; so does what is kept for a later value and never used."""

    holds: list[Var]
    size: int
    first: int
    last: int


def buffers(plan: Plan) -> list[Buffer]:
    """What a run allocates for the values that pass from task to task, in order."""
    end, last = len(plan.tasks), dict[Any, int]()
    for k, task in enumerate(plan.tasks):
        last |= dict.fromkeys([v for v in (*task.reads, *task.writes) if type(v) is Var], k)
    found: dict[Var, Buffer] = {}
    for k, task in enumerate(plan.tasks):
        for v in task.writes:
            found[v] = found[plan.taken[v]] if v in plan.taken else Buffer([], num_bytes(v), k, k)
            found[v].holds.append(v)
            found[v].last = last[v] if v in plan.released else end
    return list(dict.fromkeys(found.values()))


@dataclasses.dataclass(frozen=True)
class CompiledMemoryStats:
    """Bytes. The code is the program's text; temporary is what is allocated at most at one time,
    beside the results; alias is what results take of arguments' places: of what is in references.
    There is no other memory of a host's beside it."""

    generated_code_size_in_bytes: int
    argument_size_in_bytes: int
    output_size_in_bytes: int
    alias_size_in_bytes: int
    temp_size_in_bytes: int
    peak_memory_in_bytes: int
    host_generated_code_size_in_bytes: int = 0
    host_argument_size_in_bytes: int = 0
    host_output_size_in_bytes: int = 0
    host_alias_size_in_bytes: int = 0
    host_temp_size_in_bytes: int = 0


def memory_analysis(plan: Plan) -> CompiledMemoryStats:
    """The memory of arguments that are used, of results, and in between."""
    outs, tasks = {x for x in plan.jaxpr.outvars if type(x) is Var}, plan.tasks
    used = outs.union(*(task.reads for task in tasks))
    arguments = sum(num_bytes(v) for v in plan.jaxpr.invars if v in used)
    outputs = sum(map(num_bytes, plan.jaxpr.outvars))
    temporary = [b for b in buffers(plan) if outs.isdisjoint(b.holds)]
    own = {task.writes[0] for task in tasks if task.eqns[0].primitive is own_memory_p}
    alias = sum(b.size for b in buffers(plan) if b not in temporary and b.holds[0] in own)
    temp = max((
        sum(b.size for b in temporary if b.first <= k <= b.last) + task.kept
        for k, task in enumerate(tasks)
    ), default=0)  # fmt: skip
    code = len(plan.text.encode())
    peak = arguments + outputs - alias + temp
    return CompiledMemoryStats(code, arguments, outputs, alias, temp, peak)
