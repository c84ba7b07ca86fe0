"""Explain: one function's stages side by side, as plain data, as a text and as HTML.

The stages are the plain values that the compiler makes, printed; nothing is run. kin.py has what
stages and lines are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from minijax.compiler.backend import backend_named
from minijax.compiler.executable import Executable, kernel_id, named
from minijax.compiler.kernels.fuse import Kernel
from minijax.compiler.special_cases.calling_loops import CallingLoop
from minijax.compiler.special_cases.other_types import is_viewing
from minijax.core.jitting import Traced, compile_once
from minijax.core.printing import Names, is_literal
from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.stages.costs import Buffer, buffers, plan_of
from minijax.stages.followed_passes import Followed
from minijax.stages.instructions import Compiled, instructions_of
from minijax.stages.kernel_lines import KernelLine, equations_in, lines_of_step
from minijax.stages.kin import Line, Stage, as_lines
from minijax.stages.passed_functions import name_passed
from minijax.stages.printed_equations import all_equations, printed_equations, short_equation
from minijax.stages.reasons import why_it_stays, why_numpy
from minijax.stages.users_lines import users_source

MOST_INSTRUCTIONS = 60  # of a loop, that are shown

# Words.


class KnownNames(Names):
    """Variables are called as they are in the program that was made."""

    def __init__(self, known: dict[Any, str]) -> None:
        super().__init__()
        self.known, self.taken = known, set(known.values())

    def fresh(self) -> str:
        return next(name for name in iter(super().fresh, None) if name not in self.taken)

    def __call__(self, x: Any) -> str:
        return self.known[x] if x in self.known else super().__call__(x)


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


# What is shown.


class Drawing:
    """The steps as a Mermaid diagram, which a notebook draws."""

    def __init__(self, mermaid: str) -> None:
        self.mermaid = mermaid

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.mermaid, "text/vnd.mermaid": self.mermaid}

    def __repr__(self) -> str:
        return self.mermaid


def mermaid_label(text: str) -> str:
    """A label for Mermaid, which takes `<lambda>` for HTML."""
    return '"' + re.sub('[<>"&#]', lambda match: f"#{ord(match[0])};", text) + '"'


class Explanation:
    """What the compiler made of a function for some types of arguments: print it, or display it."""

    def __init__(self, traced: Traced, program: ClosedJaxpr | None = None) -> None:
        self.traced, self.name = traced, name_passed(traced.fun)
        self.whole = program or traced.jaxpr  # of many devices, one's
        self.given = program or traced.staged.program
        name = traced.fun_name
        self.executable: Executable = compile_once(self.given, backend_named("numba"), name, ())()
        self.program = self.executable.program
        self.names = KnownNames(self.program.variables)
        self.order = {v: k for k, v in enumerate(self.program.variables)}
        loops = [x for x in self.program.meanings.values() if isinstance(x, CallingLoop)]
        self.calling = {id(loop.eqn): loop for loop in loops}  # kernels that call Python

    # What stands in each stage, as a text.

    def jaxpr(self) -> str:
        return self.of_jaxpr.text

    def simplified(self) -> str:
        return self.of_simplified.text

    def steps(self) -> str:
        """The groups: where each is computed, of what, from what to what."""
        return self.of_steps.text

    def kernels(self) -> str:
        return self.of_kernels.text

    def buffers(self) -> str:
        return self.of_buffers.text

    def on_numpy(self) -> str:
        """What NumPy does, and why."""
        return self.of_numpy.text

    # The stages.

    @cached_property
    def followed(self) -> Followed:
        return Followed(self.traced.jaxpr, self.given, self.executable.jaxpr)

    @cached_property
    def of_user(self) -> Stage:
        sources = [eqn.source_info for eqn in all_equations(self.traced.jaxpr.jaxpr)]
        lines, self.found = users_source(sources)
        return Stage("u", "Your lines", lines or as_lines("No equation comes from a line of yours."))

    def users_line(self, eqn: JaxprEqn) -> list[Line]:
        self.of_user  # noqa: B018
        code = eqn.source_info.code
        found = self.found.get((code.co_filename, eqn.source_info.line)) if code else None
        return [found] if found else []

    @cached_property
    def of_jaxpr(self) -> Stage:
        """Each equation comes from a line of the user's."""
        changes, lines = self.followed.changes, list[Line]()
        self.line_of: dict[int, Line] = {}
        for text, eqns in printed_equations(self.traced.jaxpr.jaxpr):
            gone = [x for x in map(changes.get, map(id, eqns)) if x and x.what == "gone"]
            is_gone = bool(gone) and len(gone) == len(eqns) and id(eqns[0]) not in self.line_of
            come_from = [line for eqn in eqns for line in self.users_line(eqn)]
            note, mark = (str(gone[0]), "gone") if is_gone else ("", "")
            lines.append(Line(text, come_from, note, mark))
            for eqn in eqns:
                self.line_of.setdefault(id(eqn), lines[-1])
        number = len(self.traced.jaxpr.eqns)
        return Stage("j", f"The jaxpr: {count(number, 'equation')}", lines)

    @cached_property
    def of_simplified(self) -> Stage:
        """Each equation comes from those of the jaxpr, or else from a line of the user's."""
        self.of_jaxpr  # noqa: B018
        lines, printed = list[Line](), printed_equations(self.executable.jaxpr.jaxpr, self.names)
        self.simple_line: dict[int, Line] = {}
        for text, eqns in printed:
            new = [eqn for eqn in eqns if id(eqn) not in self.simple_line]
            change = next(filter(None, (self.followed.changes.get(id(eqn)) for eqn in new)), None)
            stays = next(filter(None, map(why_it_stays, new)), "")
            come_from = [line for eqn in eqns for line in self.sources_of(eqn)]
            line = Line(text, come_from, str(change or stays), change.what if change else "")
            lines.append(line)
            for eqn in new:
                self.simple_line[id(eqn)] = line
        texts = [line.text for line in self.of_jaxpr.lines]
        if texts == [line.text for line in lines] and not any(line.note for line in lines):
            return Stage("s", "Simplified: nothing to simplify", [
                Line("Every equation of the jaxpr is needed, and none has a shorter way."),
            ], is_prose=True)  # fmt: skip
        number = len(self.executable.jaxpr.eqns)
        return Stage("s", f"Simplified: {count(number, 'equation')}", lines)

    def sources_of(self, eqn: JaxprEqn) -> list[Line]:
        origins = self.followed.origins.get(id(eqn)) or self.followed.known.of(eqn)
        found = [self.line_of[id(x)] for x in origins if id(x) in self.line_of]
        return list(dict.fromkeys(found)) or self.users_line(eqn)

    def simple_lines(self, eqns: Sequence[JaxprEqn]) -> list[Line]:
        """The lines of simplified equations; of those in programs that they carry, too."""
        self.of_simplified  # noqa: B018
        found = [line for eqn in eqns for line in self.simple_lines_of(eqn)]
        return list(dict.fromkeys(found))

    def simple_lines_of(self, eqn: JaxprEqn) -> list[Line]:
        line = self.simple_line.get(id(eqn)) if not self.of_simplified.is_prose else None
        return [line] if line else self.sources_of(eqn)

    @cached_property
    def of_steps(self) -> Stage:
        lines: list[Line] = []
        self.step_lines: list[Line] = []
        for k in range(len(self.executable.steps)):
            lines += self.lines_of_one_step(k)
        title = f"In {count(len(self.executable.steps), 'step')}"
        return Stage("g", title, lines or as_lines("none"))

    def lines_of_one_step(self, k: int) -> list[Line]:
        """A step's first line holds the others, which come from its equations."""
        step, (reads, writes) = self.executable.steps[k], self.step_ends(k)
        own = self.simple_lines(equations_in(step))
        head = Line(f"{k}: {self.step_name(k)}", own, holds=True)
        self.step_lines.append(head)
        lines = [head]
        if isinstance(step, Kernel):
            name, sizes = self.step_name(k).split(":")[0], " x ".join(map(str, step.space))
            if any(step.start):
                head.text = f"{k}: {name}, the same over {sizes}, from {step.start} on"
                return lines
            head.text = f"{k}: {name}, {'a loop over ' + sizes if sizes else 'no loop: one number'}"
            eqns = [*step.views.values(), *step.eqns]
            eqns.sort(key=lambda eqn: self.order[eqn.outvars[0]])
            lines += [Line(f"       {short_equation(eqn, self.names)}", self.simple_lines([eqn]))
                      for eqn in eqns]  # fmt: skip
        ends = f"     reads {self.variables(reads)}, writes {self.variables(writes)}"
        return [*lines, Line(ends, [head], holds=True)]

    @cached_property
    def compiled(self) -> list[Compiled]:
        return [instructions_of(source) for source in self.program.distinct()]

    @cached_property
    def of_kernels(self) -> Stage:
        lines: list[Line] = []
        self.kernel_lines: list[list[Line]] = []
        pairs = zip(self.program.distinct(), self.program.kernels.values(), strict=True)
        for (source, name), compiled in zip(pairs, self.compiled, strict=True):
            lines += [Line("")] if lines else []
            known = self.lines_of_kernel(kernel_id(source))
            texts = named(source, name).split("\n")
            own = [Line(text, *come_from) for text, come_from in zip(texts, known, strict=True)]
            self.kernel_lines.append(own)
            lines += [*own[:-1], *as_lines(own[-1].text + compiled.comment)]
        for loop in self.calling.values():
            lines += [Line("")] if lines else []
            own = self.simple_lines([loop.eqn])
            lines += [Line(text, own, holds=True) for text in loop.source.text.split("\n")]
        title = f"Kernels: {len(self.program.kernels) + len(self.calling)}"
        return Stage("k", title, lines or as_lines("none"))

    def lines_of_kernel(self, key: tuple) -> list[tuple]:
        """For each line of a kernel: what it comes from, of all steps that call it; and that it
        holds others, where it is the frame."""
        self.of_steps  # noqa: B018
        steps, found = self.executable.steps, list[list[KernelLine]]()
        callers = [k for k, source in enumerate(self.executable.sources)
                   if source and kernel_id(source) == key]  # fmt: skip
        for k in callers:
            found.append(lines_of_step(steps[k], self.executable.sources[k], self.needed))
        heads = [self.step_lines[k] for k in callers]
        together = [[eqn for line in lines for eqn in line.eqns] for lines in zip(*found, strict=True)]
        return [(self.simple_lines(eqns), "", "", False) if eqns else (heads, "", "", True)
                for eqns in together]  # fmt: skip

    @cached_property
    def needed(self) -> set[Any]:
        read = set[Any]().union(*(step.reads for step in self.executable.steps))
        return read | set(self.executable.jaxpr.outvars)

    @cached_property
    def of_instructions(self) -> Stage:
        """Of each kernel the busiest inner loop, and the kernel's line that an instruction is
        for."""
        self.of_kernels  # noqa: B018
        lines: list[Line] = []
        names = self.program.kernels.values()
        for name, own, compiled in zip(names, self.kernel_lines, self.compiled, strict=True):
            if not compiled.loop:
                continue
            packed = sum(x.is_packed for x in compiled.loop)
            lines.append(Line(f"# {name}: {count(len(compiled.loop), 'instruction')}, "
                              f"{packed} of them on several numbers at once"))  # fmt: skip
            for text, number in compiled.loop[:MOST_INSTRUCTIONS]:
                known = number is not None and number <= len(own)
                words = "  ".join(text.split(None, 1))
                lines.append(Line(f"    {words}", [own[number - 1]] if known else []))
            left_out = len(compiled.loop) - MOST_INSTRUCTIONS
            lines += [Line(f"    ... and {left_out} more")] if left_out > 0 else []
        return Stage("i", "Instructions of the busiest loop", lines or as_lines("none"))

    @cached_property
    def of_buffers(self) -> Stage:
        plan = plan_of(self.executable, self.whole)
        outs = set(plan.jaxpr.outvars)
        texts = [self.buffer_text(buffer, outs, len(plan.tasks)) for buffer in buffers(plan)]
        return Stage("b", "Buffers", [Line(text) for text in texts] or as_lines("none"), True, True)

    @cached_property
    def of_program(self) -> Stage:
        return Stage("p", "The program", as_lines(self.executable.run.source), is_long=True)

    @cached_property
    def of_numpy(self) -> Stage:
        lines = [Line(f"step {k}, {eqn.primitive}: {why_numpy(eqn)}.", self.simple_lines([eqn]))
                 for k, eqn in ((k, self.executable.steps[k].eqn) for k in self.left())]
        lines += [
            Line(f"in a {loop.eqn.primitive}'s kernel, {name}: it calls Python.",
                 self.simple_lines([loop.eqn]))
            for loop in self.calling.values() for name in loop.called()
        ]  # fmt: skip
        return Stage("n", "Left to NumPy", lines or as_lines("nothing"), is_prose=True)

    @cached_property
    def stages(self) -> list[Stage]:
        """All of them, in order."""
        return [self.of_user, self.of_jaxpr, self.of_simplified, self.of_steps, self.of_kernels,
                self.of_instructions, self.of_numpy, self.of_program, self.of_buffers]  # fmt: skip

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Titles and texts."""
        return [(stage.title, stage.text) for stage in self.stages]

    # In words.

    def left(self) -> list[int]:
        """The steps that are no kernels. (What only looks at memory in another way is no work.)"""
        steps = zip(self.executable.steps, self.executable.sources, strict=True)
        return [k for k, (step, source) in enumerate(steps)
                if source is None and not is_viewing(step.eqn.primitive)
                and id(step.eqn) not in self.calling]  # fmt: skip

    def headline(self) -> str:
        """How many steps are kernels, and which primitives are left to NumPy."""
        total, left = len(self.executable.steps), self.left()
        if not left:
            calls = sorted({name for loop in self.calling.values() for name in loop.called()})
            python = f" A loop calls Python: {', '.join(calls)}." if calls else ""
            return f"Compiled whole: {count(total, 'step')}, and nothing is left to NumPy.{python}"
        names = {str(self.executable.steps[k].eqn.primitive) for k in left}
        are_left = "is left" if len(left) == 1 else "are left"
        return (f"{len(left)} of {count(total, 'step')} {are_left} to NumPy: "
                f"{', '.join(sorted(names))}. The section \"Left to NumPy\" says why.")  # fmt: skip

    # Their parts.

    def variables(self, atoms: Sequence[Any]) -> str:
        return " ".join(map(self.names, atoms)) or "nothing"

    def step_name(self, k: int) -> str:
        """Its kernel, if it has one, and its primitives."""
        step, source = self.executable.steps[k], self.executable.sources[k]
        eqns = step.eqns if isinstance(step, Kernel) else [step.eqn]
        where = self.program.kernels[kernel_id(source)] if source else "NumPy"
        where = where if id(eqns[0]) not in self.calling else "a kernel that calls Python"
        return f"{where}: {' '.join(str(eqn.primitive) for eqn in eqns)}"

    def step_ends(self, k: int) -> tuple[Sequence[Any], Sequence[Any]]:
        """The variables and numbers that a step reads, and what it writes."""
        step, source = self.executable.steps[k], self.executable.sources[k]
        is_kernel = isinstance(step, Kernel)
        reads = sorted(step.reads, key=self.order.__getitem__) if is_kernel else step.eqn.invars
        return reads, source.writes if source else step.eqn.outvars

    def buffer_text(self, buffer: Buffer, outs: set, end: int) -> str:
        names = ", then ".join(map(self.names, buffer.holds))
        until = f"to step {buffer.last}" if buffer.last < end else "to the end"
        kind = "a result" if not outs.isdisjoint(buffer.holds) else "temporary"
        return f"{names}: {size_text(buffer.size)}, {kind}, from step {buffer.first} {until}"

    # All of them.

    def __repr__(self) -> str:
        parts = [f"{title}\n{'-' * len(title)}\n{text}\n" for title, text in self.sections]
        return "\n".join([f"What jit makes of {self.name}", self.headline(), "", *parts])

    def _repr_html_(self) -> str:
        """The stages beside each other; what is long is folded."""
        from minijax.stages.explaining_page import page

        return page(f"What jit makes of {self.name}", self.headline(), self.stages)

    def drawing(self) -> Drawing:
        """The steps and what passes between them, for a notebook."""
        jaxpr = self.executable.jaxpr.jaxpr
        made = dict.fromkeys([*jaxpr.constvars, *jaxpr.invars], "args")
        lines = ["flowchart TD", '  args["arguments"]']

        def arrows(box: str, atoms: Sequence[Any]) -> None:
            for x in dict.fromkeys(x for x in atoms if not is_literal(x)):
                lines.append(f"  {made[x]} -- {self.names(x)} --> {box}")

        for k, source in enumerate(self.executable.sources):
            (reads, writes), label = self.step_ends(k), mermaid_label(self.step_name(k))
            lines.append(f"  s{k}[{label}]" if source else f"  s{k}({label})")
            arrows(f"s{k}", reads)
            made |= dict.fromkeys(writes, f"s{k}")
        lines.append('  out["results"]')
        arrows("out", jaxpr.outvars)
        return Drawing("\n".join(lines))
