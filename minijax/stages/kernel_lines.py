"""Kernel lines: which equations each line of a kernel's text is for.

A kernel is written once more, by a writer that keeps what its names stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from minijax.compiler.kernels.fuse import Call, Kernel, Step
from minijax.compiler.kernels.layout import Access, Layout
from minijax.compiler.kernels.loop_nests import Source, Writer, source_by
from minijax.compiler.kernels.reuse import body_steps
from minijax.core.printing import jaxprs_in_params, programs_in_params, readable
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Var
from minijax.stages.printed_equations import all_equations


class KernelLine(NamedTuple):
    """A line, and the equations that it computes, or reads or writes a number for. A line of none
    is the frame around them: a loop, or the kernel's first line."""

    text: str
    eqns: tuple[JaxprEqn, ...]


class KnowingWriter(Writer):
    """Writes a kernel, and keeps what each of its names stands for."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.keys: dict[str, Any] = {}

    def keep(self, key: Any, expression: str, letters: str = "v") -> None:
        super().keep(key, expression, letters)
        self.keys[self.scopes[-1][key]] = key


_ASSIGNED = re.compile(r"\s*(\w+)(?:\[.*\])? = (.*)")
_ARRAY = re.compile(r"\b([xyt])(\d+)")


def equations_of(writer: KnowingWriter, line: str) -> tuple[JaxprEqn, ...]:
    """What a line of a kernel is for, by the name that it assigns to."""
    match = _ASSIGNED.match(line)
    if match is None:
        return ()
    layout, name = writer.layout, match[1]
    key = writer.keys.get(name)
    if type(key) is Var:
        return (layout.equations[key],)
    if isinstance(key, Access):
        return readers(writer, lambda x: x == key)
    array = _ARRAY.match(name) or _ARRAY.search(match[2])
    if array is None:
        return ()
    letter, number = array[1], int(array[2])
    if letter == "x":
        return readers(writer, lambda x: isinstance(x, Access) and x.name == array[0])
    values = layout.writes if letter == "y" else writer.kept
    return (layout.equations[values[number]],) if values[number] in layout.equations else ()


def readers(writer: KnowingWriter, is_read: Any) -> tuple[JaxprEqn, ...]:
    """The equations that read such an operand."""
    layout = writer.layout
    return tuple(layout.equations[v] for v, xs in layout.operands.items() if any(map(is_read, xs)))


def lines_of_step(step: Step, source: Source, needed: Iterable[Any]) -> list[KernelLine]:
    """The lines of a step's kernel. In one that calls parts, a loop's or of several steps, a part's
    lines are for the equations of the step inside; all others are the frame."""
    parts = {bare(part.text.split("\n")): part for part in parts_of(step, set(needed))}
    lines: list[KernelLine] = []
    for function in functions(source.text):
        part = parts.get(bare(function))
        known = [line.eqns for line in part.lines] if part else []
        shift = function[0].startswith("@part")
        for k, line in enumerate(function):
            is_known = part is not None and 0 <= k - shift < len(known)
            lines.append(KernelLine(line, known[k - shift] if is_known else by_comment(step, line)))
    return lines


class Part(NamedTuple):
    """A step's kernel, or that of a step inside."""

    text: str
    lines: list[KernelLine]


def parts_of(step: Step, needed: set[Any], in_loop: bool = False) -> Iterator[Part]:
    """The kernels that a step's text may be made of."""
    if isinstance(step, Kernel):
        yield known_kernel(step, needed, in_loop)
        return
    for inner in getattr(step, "steps", ()):  # of several steps in one kernel
        yield from parts_of(inner, needed | set().union(*(s.reads for s in step.steps)), in_loop)
    # (A scatter's program of two numbers is not closed: it is written where its lines are.)
    closed = (x for x in programs_in_params(step.eqn.params) if isinstance(x, ClosedJaxpr))
    for program in closed:
        steps = body_steps(program)
        asked = {x for inner in steps for x in inner.reads} | set(program.outvars)
        for inner in steps:
            yield from parts_of(inner, asked, in_loop=True)


def known_kernel(step: Kernel, needed: set[Any], in_loop: bool) -> Part:
    writes = [v for eqn in step.eqns for v in eqn.outvars if v in needed]
    layout = Layout(step, writes)
    layout.is_split = layout.is_split and not in_loop
    writer = KnowingWriter(layout)
    text = source_by(writer).text
    return Part(text, [KernelLine(line, equations_of(writer, line)) for line in text.split("\n")])


def functions(text: str) -> list[list[str]]:
    """The lines of each function of a kernel's text, with those up to the next."""
    found: list[list[str]] = []
    for line in text.split("\n"):
        is_marked = bool(found) and found[-1] == ["@part"]
        begins = line.startswith("@part") or (line.startswith("def ") and not is_marked)
        if begins or not found:
            found.append([])
        found[-1].append(line)
    return found


def bare(function: Sequence[str]) -> str:
    """A function's text, whatever it is called."""
    text = "\n".join(function).removeprefix("@part\n").strip("\n")
    return re.sub(r"^def \w+", "def kernel", text)


def by_comment(step: Step, line: str) -> tuple[JaxprEqn, ...]:
    """The step's equations of the primitive that a line's comment names; else those inside."""
    _, found, name = line.rpartition("# ")
    own = equations_in(step) if found else []
    inside = (x for eqn in own for j in jaxprs_in_params(eqn.params) for x in all_equations(j))
    named = [eqn for eqn in own if readable(eqn.primitive.name) == name]
    return tuple(named or [eqn for eqn in inside if readable(eqn.primitive.name) == name])


def equations_in(step: Step) -> Sequence[JaxprEqn]:
    """The equations that a step computes: of several steps in one kernel, those of each."""
    if hasattr(step, "steps"):
        return [eqn for inner in step.steps for eqn in equations_in(inner)]
    return [step.eqn] if isinstance(step, Call) else step.eqns
