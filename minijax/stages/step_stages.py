"""The stages of steps: the groups that the compiler makes, what NumPy does, and memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minijax.compiler.kernels.fuse import Call, Kernel
from minijax.compiler.special_cases.written_in_place import makes_own
from minijax.core.staging import JaxprEqn
from minijax.stages.costs import Buffer, buffers, count, plan_of, size_text
from minijax.stages.explained_program import ExplainedProgram
from minijax.stages.kernel_lines import equations_in
from minijax.stages.kin import Line, ShownStage, as_lines
from minijax.stages.printed_equations import short_equation
from minijax.stages.reasons import why_numpy

LinesFor = Callable[[Sequence[JaxprEqn]], list[Line]]  # the lines of some equations
READ_ONLY = "nothing to compute: another way to read what it is made of"


def steps_stage(explained: ExplainedProgram, lines_for: LinesFor) -> ShownStage:
    """Where each step is computed, of what, from what to what."""
    lines, line_of = list[Line](), dict[int, Line]()
    for k in range(len(explained.executable.steps)):
        head, *inside = step_lines(explained, k, lines_for)
        line_of[k] = head
        lines += [head, *inside]
    title = f"In {count(len(explained.executable.steps), 'step')}"
    return ShownStage("g", title, lines or as_lines("none"), line_of)


def step_lines(explained: ExplainedProgram, k: int, lines_for: LinesFor) -> list[Line]:
    """A step's first line holds the others, which come from its equations."""
    step, (reads, writes) = explained.executable.steps[k], explained.step_ends(k)
    head = Line(f"{k}: {explained.step_name(k)}", lines_for(equations_in(step)), holds=True)
    lines = [head]
    if isinstance(step, Kernel):
        name, sizes = explained.step_name(k).split(":")[0], " x ".join(map(str, step.space))
        if any(step.start):
            head.text = f"{k}: {name}, the same over {sizes}, from {step.start} on"
            return lines
        head.text = f"{k}: {name}, {'a loop over ' + sizes if sizes else 'no loop: one number'}"
        views = {id(eqn) for eqn in step.views.values()}
        eqns = [*step.views.values(), *step.eqns]
        for eqn in sorted(eqns, key=lambda eqn: explained.order[eqn.outvars[0]]):
            text = f"       {short_equation(eqn, explained.names)}"
            lines.append(Line(text, lines_for([eqn]), READ_ONLY if id(eqn) in views else ""))
    ends = f"     reads {explained.variables(reads)}, writes {explained.variables(writes)}"
    over = [explained.program.taken[v] for v in writes if v in explained.program.taken]
    if over and isinstance(step, Call):
        ends += f" in the place of {explained.variables(over)}"
    return [*lines, Line(ends, [head], holds=True)]


def numpy_stage(explained: ExplainedProgram, lines_for: LinesFor) -> ShownStage:
    """What NumPy does, and why."""
    eqns = {k: explained.executable.steps[k].eqn for k in explained.left()}
    lines = [Line(f"step {k}, {eqn.primitive}: {why_numpy(eqn)}.", lines_for([eqn]))
             for k, eqn in eqns.items()]  # fmt: skip
    lines += [
        Line(f"in a {loop.eqn.primitive}'s kernel, {name}: it calls Python.", lines_for([loop.eqn]))
        for loop in explained.calling.values() for name in loop.called()
    ]  # fmt: skip
    return ShownStage("n", "Left to NumPy", lines or as_lines("nothing"), is_prose=True)


def buffers_stage(explained: ExplainedProgram) -> ShownStage:
    plan = plan_of(explained.executable, explained.whole)
    outs, end = set(plan.jaxpr.outvars), len(plan.tasks)
    texts = [buffer_text(explained, buffer, outs, end) for buffer in buffers(plan)]
    return ShownStage("b", "Buffers", as_lines("\n".join(texts) or "none"), is_long=True)


def buffer_text(explained: ExplainedProgram, buffer: Buffer, outs: set, end: int) -> str:
    names = ", then ".join(map(explained.names, buffer.holds))
    until = f"to step {buffer.last}" if buffer.last < end else "to the end"
    kind = "a result" if not outs.isdisjoint(buffer.holds) else "temporary"
    given = [step.eqn.invars[0] for step in filter(makes_own, explained.executable.steps)
             if step.eqn.outvars[0] is buffer.holds[0]]  # fmt: skip
    if given:
        place = explained.names(given[0])
        kind += f" in the place of {place}, or a copy if somebody else holds that"
    return f"{names}: {size_text(buffer.size)}, {kind}, from step {buffer.first} {until}"
