"""The last stages: the kernels' texts, and the instructions of their busiest loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from minijax.compiler.executable import kernel_id, named
from minijax.compiler.kernels.loop_nests import Source
from minijax.stages.explained_program import ExplainedProgram
from minijax.stages.instructions import CompiledKernel, Instruction, instructions_of
from minijax.stages.kernel_lines import KernelLine, lines_of_step
from minijax.stages.kin import Line, ShownStage, as_lines
from minijax.stages.step_stages import LinesFor

COMMONEST = 6  # kinds of instructions that are named


def compiled_kernels(explained: ExplainedProgram) -> dict[str, CompiledKernel]:
    """By each kernel's name, what it became."""
    names = explained.program.kernels.values()
    sources = explained.program.distinct()
    return {name: instructions_of(x) for name, x in zip(names, sources, strict=True)}


def kernels_stage(
    explained: ExplainedProgram, lines_for: LinesFor, steps: ShownStage
) -> ShownStage:
    """A kernel's line comes from the equations that it is for; a loop, and what else stands around
    these, from the steps that call the kernel. `line_of` finds a line by kernel and number."""
    lines, line_of = list[Line](), dict[tuple, Line]()
    pairs = zip(explained.program.kernels.values(), explained.program.distinct(), strict=True)
    for name, source in pairs:
        own = kernel_lines(explained, source, name, lines_for, steps)
        line_of |= {(name, k): line for k, line in enumerate(own, 1)}
        lines += [*as_lines("") * bool(lines), *own[:-1]]  # the text's end is empty
    by_equation = {id(getattr(x, "eqn", x)): k for k, x in enumerate(explained.executable.steps)}
    for loop in explained.calling.values():
        k = by_equation[id(loop.eqn)]
        of_step = [lines_of_step(explained.executable.steps[k], loop.source, explained.needed)]
        lines += as_lines("") * bool(lines)
        lines += joined_lines(loop.source.text, of_step, lines_for, [steps.line_of[k]])
    title = f"Kernels: {len(explained.program.kernels) + len(explained.calling)}"
    return ShownStage("k", title, lines or as_lines("none"), line_of)


def kernel_lines(
    explained: ExplainedProgram, source: Source, name: str, lines_for: LinesFor, steps: ShownStage
) -> list[Line]:
    """The lines of a kernel, which are for the equations of all steps that call it."""
    callers = explained.callers(kernel_id(source))
    heads = [steps.line_of[k] for k in callers]
    of_steps = [lines_of_step(explained.executable.steps[k], explained.executable.sources[k],
                              explained.needed) for k in callers]  # fmt: skip
    return joined_lines(named(source, name), of_steps, lines_for, heads)


def joined_lines(
    text: str, of_steps: Sequence[Sequence[KernelLine]], lines_for: LinesFor, heads: Sequence[Line]
) -> list[Line]:
    """A kernel's lines, each for what it is for in all of these steps."""
    lines: list[Line] = []
    for line, *here in zip(text.split("\n"), *of_steps, strict=True):
        eqns = [eqn for known in here for eqn in known.eqns]
        lines.append(Line(line, lines_for(eqns) if eqns else heads, holds=not eqns))
    return lines


def loops_stage(compiled: dict[str, CompiledKernel], kernels: ShownStage) -> ShownStage:
    """What the instructions of each kernel's busiest inner loop are for, line by line."""
    lines: list[Line] = []
    for name, found in compiled.items():
        lines += as_lines(f"# {name}\n# {found.told}")
        by_line: dict[int | None, list[Instruction]] = {}
        for x in found.loop:
            by_line.setdefault(x.line, []).append(x)
        for number in sorted(by_line, key=lambda n: (n is None, n or 0)):
            known = kernels.line_of.get((name, number))
            of = known.text.strip() if known else "for no line in particular"
            texts = f"  {of}", f"      {kinds(by_line[number])}"
            lines += [Line(text, [known] if known else []) for text in texts]
    return ShownStage("i", "The busiest loop's instructions", lines or as_lines("none"))


def kinds(loop: Sequence[Instruction]) -> str:
    """The names of instructions, and how often each stands there.

    >>> kinds([Instruction("\\tvmulps %xmm0"), Instruction("\\tret"), Instruction("\\tret")])
    '2 ret, 1 vmulps'
    """
    found = Counter(x.text.split()[0] for x in loop).most_common()
    shown = ", ".join(f"{n} {name}" for name, n in found[:COMMONEST])
    others = sum(n for _, n in found[COMMONEST:])
    return f"{shown} and {others} others" if others else shown


def instructions_stage(compiled: dict[str, CompiledKernel], kernels: ShownStage) -> ShownStage:
    """The same instructions one by one, in the order in which they run."""
    lines: list[Line] = []
    for name, found in compiled.items():
        lines += [Line(f"# {name}")] if found.loop else []
        for text, number in found.loop:
            known = kernels.line_of.get((name, number))
            lines.append(Line(f"    {'  '.join(text.split(None, 1))}", [known] if known else []))
    title = "These instructions, one by one"
    return ShownStage("o", title, lines or as_lines("none"), is_long=True)
