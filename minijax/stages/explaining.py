"""Explain: one function's stages beside each other, as plain data, as a text and as HTML.

The stages are the plain values that the compiler makes, printed; nothing is run. kin.py says what a
stage is, and which lines belong together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from minijax.core.errors import api_boundary
from minijax.core.printing import is_literal
from minijax.core.staging import JaxprEqn
from minijax.stages.costs import count
from minijax.stages.explained_program import ExplainedProgram
from minijax.stages.instructions import CompiledKernel
from minijax.stages.kernel_stages import (
    compiled_kernels,
    instructions_stage,
    kernels_stage,
    loops_stage,
)
from minijax.stages.kin import Line, ShownStage, as_lines
from minijax.stages.passed_functions import name_passed
from minijax.stages.program_stages import jaxpr_stage, lines_for, simplified_stage, users_stage
from minijax.stages.step_stages import buffers_stage, numpy_stage, steps_stage


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


class Shown:
    """Some stages of an explanation: print it, or display it."""

    def __init__(self, title: str, headline: str, stages: Sequence[ShownStage]) -> None:
        self.title, self.headline, self.stages = title, headline, list(stages)

    def __repr__(self) -> str:
        parts = [f"{x.title}\n{'-' * len(x.title)}\n{x.text}\n" for x in self.stages]
        return "\n".join([self.title, self.headline, "", *parts])

    def _repr_html_(self) -> str:
        """The stages beside each other; what is long is folded."""
        from minijax.stages.explaining_page import page

        return page(self.title, self.headline, self.stages)


class Explanation(ExplainedProgram):
    """What the compiler made of a function for some types of arguments: print it, or display it."""

    names_of_stages: tuple[str, ...] = (
        "user", "jaxpr", "simplified", "steps", "kernels", "loops", "numpy", "program", "buffers",
        "instructions",
    )  # fmt: skip

    # The stages. Each is made when it is asked for, of those before it.

    @cached_property
    def of_user(self) -> ShownStage:
        return users_stage(self)

    @cached_property
    def of_jaxpr(self) -> ShownStage:
        return jaxpr_stage(self, self.of_user)

    @cached_property
    def of_simplified(self) -> ShownStage:
        return simplified_stage(self, self.of_user, self.of_jaxpr)

    def lines_for(self, eqns: Sequence[JaxprEqn]) -> list[Line]:
        return lines_for(self, eqns, self.of_simplified, self.of_jaxpr)

    @cached_property
    def of_steps(self) -> ShownStage:
        return steps_stage(self, self.lines_for)

    @cached_property
    def compiled(self) -> dict[str, CompiledKernel]:
        return compiled_kernels(self)

    @cached_property
    def of_kernels(self) -> ShownStage:
        return kernels_stage(self, self.lines_for, self.of_steps)

    @cached_property
    def of_loops(self) -> ShownStage:
        return loops_stage(self.compiled, self.of_kernels)

    @cached_property
    def of_instructions(self) -> ShownStage:
        return instructions_stage(self.compiled, self.of_kernels)

    @cached_property
    def of_numpy(self) -> ShownStage:
        return numpy_stage(self, self.lines_for)

    @cached_property
    def of_program(self) -> ShownStage:
        return ShownStage("p", "The program", as_lines(self.executable.run.source), is_long=True)

    @cached_property
    def of_buffers(self) -> ShownStage:
        return buffers_stage(self)

    # What they say.

    def stages(self, names: Sequence[str] = ()) -> list[ShownStage]:
        """Those with these names, or all of them, in order."""
        return [getattr(self, f"of_{name}") for name in names or self.names_of_stages]

    @api_boundary
    def show(self, *names: str) -> Shown:
        """Only some stages, to be printed or displayed: of "user", "jaxpr", "simplified", "steps",
        "kernels", "loops", "numpy", "program", "buffers", "instructions"; on many devices, of
        "devices" too. ValueError for another name."""
        for name in names:
            if name not in self.names_of_stages:
                known = ", ".join(map(repr, self.names_of_stages))
                raise ValueError(f"show has no stage {name!r}. Give some of {known}.")
        return Shown(self.title, self.headline(), self.stages(names))

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Titles and texts."""
        return [(stage.title, stage.text) for stage in self.stages()]

    def jaxpr(self) -> str:
        return self.of_jaxpr.text

    def simplified(self) -> str:
        return self.of_simplified.text

    def steps(self) -> str:
        """The groups: where each is computed, of what, from what to what."""
        return self.of_steps.text

    def kernels(self) -> str:
        return self.of_kernels.text

    def instructions(self) -> str:
        """The instructions of each kernel's busiest loop, one by one."""
        return self.of_instructions.text

    def buffers(self) -> str:
        return self.of_buffers.text

    def on_numpy(self) -> str:
        """What NumPy does, and why."""
        return self.of_numpy.text

    @cached_property
    def title(self) -> str:
        return f"What jit makes of {name_passed(self.traced.fun)}"

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
                f'{", ".join(sorted(names))}. The section "Left to NumPy" says why.')  # fmt: skip

    def __repr__(self) -> str:
        """A text for a terminal. The instructions one by one are left out: `instructions()`."""
        return repr(self.show(*self.names_of_stages[:-1]))

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

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
