"""Explain: one function's stages side by side, as a text and as HTML.

The stages are the plain values that the compiler makes, printed; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from html import escape
from typing import Any

from minijax.compiler.backend import backend_named
from minijax.compiler.executable import Executable, kernel_id, named
from minijax.compiler.kernel_functions import unknown_functions
from minijax.compiler.kernels.elements import in_kernels, templates
from minijax.compiler.kernels.fuse import Call, Kernel
from minijax.compiler.kernels.whole_loops import NotCompiled, written
from minijax.compiler.lowerings import lowerings
from minijax.compiler.special_cases.calling_loops import CallingLoop, programs_of, python_calls_in
from minijax.compiler.special_cases.other_types import is_viewing
from minijax.compiler.special_cases.python_calls import why_python
from minijax.compiler.special_cases.written_in_place import makes_own
from minijax.core.jitting import Traced, compile_once
from minijax.core.printing import Names, format_jaxpr, is_literal
from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.stages.costs import Buffer, buffers, of_values, plan_of
from minijax.stages.instructions import instructions_text

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


# Of an equation that moves nothing, unless a kernel needs its numbers in a row.
VIEWED = "another way to read its operand, and here an array is asked for"


def why_numpy(eqn: JaxprEqn) -> str:
    """Why no kernel computes an equation."""
    lowering = lowerings[eqn.primitive]
    if eqn.primitive in why_python:
        return why_python[eqn.primitive]
    if eqn.effects and not lowering.steps:
        return "it has an effect, which is kept in its place"
    if lowering.loop:
        reason = why_step_by_step(eqn)
        return f"it is run step by step: {reason}" if isinstance(reason, NotCompiled) else ""
    atoms = [x for x in (*eqn.invars, *eqn.outvars) if not in_kernels(x)]
    others = {str(getattr(x.aval, "dtype", x.aval)) for x in atoms}
    if others:
        return f"kernels don't compute with {', '.join(sorted(others))}"
    if lowering.view:
        return VIEWED
    if lowering.index:
        return "numbers that are made where they are read, and here an array is asked for"
    if lowering.template:
        missing = " and no ".join(missing_functions(eqn))
        return (f"kernels have no {missing}, which its lowering calls" if missing
                else "its lowering has no form for these types or parameters")  # fmt: skip
    return "it has no lowering: a library routine does it"


def why_step_by_step(eqn: JaxprEqn) -> Any:
    """What kept a loop, or a choice, from being one kernel."""
    if not any(map(python_calls_in, programs_of(eqn))):
        return written(eqn)
    try:
        return CallingLoop(eqn)
    except NotCompiled as reason:
        return reason


def missing_functions(eqn: JaxprEqn) -> list[str]:
    """The functions that an equation's templates call, and that kernels don't have."""
    return unknown_functions(" ".join(templates(eqn)))


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
        self.traced, self.name = traced, traced.fun_name
        self.whole = program or traced.jaxpr  # of many devices, one's
        program = program or traced.staged.program
        made = compile_once(program, backend_named("numba"), self.name, ())()
        self.executable: Executable = of_values(made)
        self.program = self.executable.program
        self.names = KnownNames(self.program.variables)
        self.order = {v: k for k, v in enumerate(self.program.variables)}
        loops = [x for x in self.program.meanings.values() if isinstance(x, CallingLoop)]
        self.calling = {id(loop.eqn): loop for loop in loops}  # kernels that call Python

    # Stages, each a text.

    def jaxpr(self) -> str:
        return str(self.traced.jaxpr)

    def simplified(self) -> str:
        return format_jaxpr(self.executable.jaxpr.jaxpr, self.names)

    def steps(self) -> str:
        """The groups: where each is computed, of what, from what to what."""
        return "\n".join(map(self.step_text, range(len(self.executable.steps)))) or "none"

    def kernels(self) -> str:
        pairs = zip(self.program.distinct(), self.program.kernels.values(), strict=True)
        texts = [named(source, name) + instructions_text(source) for source, name in pairs]
        texts += [loop.source.text for loop in self.calling.values()]
        return "\n\n".join(texts) or "none"

    def buffers(self) -> str:
        plan = plan_of(self.executable, self.whole)
        outs = set(plan.jaxpr.outvars)
        lines = [self.buffer_text(buffer, outs, len(plan.tasks)) for buffer in buffers(plan)]
        return "\n".join(lines) or "none"

    def left(self) -> list[int]:
        """The steps that are no kernels. (What only looks at memory in another way is no work.)"""
        steps = zip(self.executable.steps, self.executable.sources, strict=True)
        return [k for k, (step, source) in enumerate(steps)
                if source is None and not is_viewing(step.eqn.primitive)
                and id(step.eqn) not in self.calling]  # fmt: skip

    def on_numpy(self) -> str:
        """What NumPy does, and why."""
        eqns = {k: self.executable.steps[k].eqn for k in self.left()}
        lines = [f"step {k}, {eqn.primitive}: {why_numpy(eqn)}." for k, eqn in eqns.items()]
        lines += [f"in a {loop.eqn.primitive}'s kernel, {name}: it calls Python."
                  for loop in self.calling.values() for name in loop.called()]  # fmt: skip
        return "\n".join(lines) or "nothing"

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
                f"{', '.join(sorted(names))}. The last section says why.")  # fmt: skip

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

    def step_text(self, k: int) -> str:
        step, (reads, writes) = self.executable.steps[k], self.step_ends(k)
        lines = [f"{k}: {self.step_name(k)}"]
        if isinstance(step, Kernel):
            name, sizes = self.step_name(k).split(":")[0], " x ".join(map(str, step.space))
            if any(step.start):
                return f"{k}: {name}, the same over {sizes}, from {step.start} on"
            lines = [f"{k}: {name}, {'a loop over ' + sizes if sizes else 'no loop: one number'}"]
            eqns = [*step.views.values(), *step.eqns]
            eqns.sort(key=lambda eqn: self.order[eqn.outvars[0]])
            lines += [f"  {self.equation(eqn)}" for eqn in eqns]
        lines.append(f"reads {self.variables(reads)}, writes {self.variables(writes)}")
        over = [self.program.taken[v] for v in writes if v in self.program.taken]
        if over and isinstance(step, Call):
            lines[-1] += f" in the place of {self.variables(over)}"
        return "\n     ".join(lines)

    def equation(self, eqn: JaxprEqn) -> str:
        return f"{self.variables(eqn.outvars)} = {eqn.primitive} {self.variables(eqn.invars)}"

    def buffer_text(self, buffer: Buffer, outs: set, end: int) -> str:
        names = ", then ".join(map(self.names, buffer.holds))
        until = f"to step {buffer.last}" if buffer.last < end else "to the end"
        kind = "a result" if not outs.isdisjoint(buffer.holds) else "temporary"
        given = [step.eqn.invars[0] for step in filter(makes_own, self.executable.steps)
                 if step.eqn.outvars[0] is buffer.holds[0]]  # fmt: skip
        if given:
            place = self.names(given[0])
            kind += f" in the place of {place}, or a copy if somebody else holds that"
        return f"{names}: {size_text(buffer.size)}, {kind}, from step {buffer.first} {until}"

    # All of them.

    @cached_property
    def sections(self) -> list[tuple[str, str]]:
        """Titles and texts."""
        before, after = len(self.traced.jaxpr.eqns), len(self.executable.jaxpr.eqns)
        stages: list[tuple[str, Callable[[], str]]] = [
            (f"The jaxpr: {count(before, 'equation')}", self.jaxpr),
            (f"Simplified: {count(after, 'equation')}", self.simplified),
            (f"In {count(len(self.executable.steps), 'step')}", self.steps),
            ("The program", lambda: self.executable.run.source),
            (f"Kernels: {len(self.program.kernels) + len(self.calling)}", self.kernels),
            ("Buffers", self.buffers),
            ("Left to NumPy", self.on_numpy),
        ]
        return [(title, text()) for title, text in stages]

    def __repr__(self) -> str:
        parts = [f"{title}\n{'-' * len(title)}\n{text}\n" for title, text in self.sections]
        return "\n".join([f"What jit makes of {self.name}", self.headline(), "", *parts])

    def _repr_html_(self) -> str:
        """The jaxprs beside each other, all else below, to be unfolded."""
        pres = [f"<pre>{escape(text)}</pre>" for _, text in self.sections]
        titles = [escape(title) for title, _ in self.sections]
        parts = [f"<div><b>{title}</b>{pre}</div>" for title, pre in zip(titles, pres, strict=True)]
        folded = [f"<details><summary>{title}</summary>{pre}</details>"
                  for title, pre in zip(titles[2:], pres[2:], strict=True)]  # fmt: skip
        beside = f'<div style="display: flex; gap: 2em; overflow: auto">{"".join(parts[:2])}</div>'
        head = f"What jit makes of <code>{escape(self.name)}</code>. {escape(self.headline())}"
        return f"<p>{head}</p>{beside}{''.join(folded)}"

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
