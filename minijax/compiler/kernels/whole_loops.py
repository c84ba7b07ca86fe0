"""Loop kernels: a loop with its body, or a choice with its branches, is one kernel.

The steps of a body are kernels as ever, called by the loop, within one function that is compiled
whole. What a loop carries lies in two places: one step goes there, the next one back; or in one,
where a step only changes some of it (reuse.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.fallbacks import fall_back
from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import in_kernels
from minijax.compiler.kernels.fuse import Call, Kernel, Step
from minijax.compiler.kernels.loop_nests import SMALL, Source, kernel_source
from minijax.compiler.kernels.reuse import body_steps, successors
from minijax.compiler.kernels.row_major import overwrites
from minijax.compiler.lowerings import lowerings
from minijax.core.printing import readable
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, Var


class NotCompiled(Exception):
    """Something in a loop's body that no kernel does: the loop is run step by step."""


def check_dtype(x: Any) -> None:
    if not in_kernels(x):
        raise NotCompiled(f"kernels don't hold {x.aval}")


COPY = """def kernel(x0, y0, n0):
    for i0 in range(n0):
        y0[i0] = x0[i0]
"""
# Whether the result of a step lies in memory already, and needs no lines: functions of the writer,
# the body, the step and the names so far, to which they add its name.
NAMED: list[Callable[..., bool]] = []
SMALL_ARRAY, ALL_SMALL = 1 << 8, 1 << 14  # bytes, of one array and of all, that a kernel makes


class LoopLines(TextWriter):
    """The lines so far: calls of parts, which stand before the kernel, and arrays for them."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, str] = {}  # text -> name
        self.reads: list[Any] = []
        self.kept: list[tuple[int, np.dtype]] = []
        self.own: list[str] = []  # the kernel's first lines, which make small arrays
        self.own_bytes = 0
        self.turns: int | None = None  # of the kernel's one loop, if they may be shared out
        self.cost = 0

    def part(self, text: str) -> str:
        """The name of a part."""
        return self.parts.setdefault(text, f"part{len(self.parts)}")

    def read(self, x: Any) -> str:
        """The name of an operand, of a number or of a constant of a body."""
        check_dtype(x)
        for k, known in enumerate(self.reads):
            if known is x:
                return f"x{k}"
        self.reads.append(x)
        return f"x{len(self.reads) - 1}"

    def independent(self, turns: int) -> str:
        """The range of a loop whose turns know nothing of each other."""
        if self.depth > 1:
            return f"0, {turns}"
        self.turns = turns
        return "lo, hi"

    def scratch(self, size: int, dtype: np.dtype) -> str:
        """An array to work in: a small one the kernel makes, another one it is given."""
        size = max(size, 1)
        if size * dtype.itemsize > SMALL_ARRAY or self.own_bytes > ALL_SMALL:
            self.kept.append((size, dtype))
            return f"t{len(self.kept) - 1}"
        self.own_bytes += size * dtype.itemsize
        name = self.new("t_")
        self.own.append(f"{name} = np.empty({size}, np.{dtype.type.__name__})")
        return name


class LoopWriter(LoopLines):
    """Writes equations that carry programs, and the programs."""

    is_inline = staticmethod(lambda eqn: lowerings[eqn.primitive].loop and not eqn.effects)

    def run(self, eqn: JaxprEqn, args: Sequence[str], outs: Sequence[str]) -> None:
        """The lines of an equation that carries programs."""
        for x in (*eqn.invars, *eqn.outvars):
            check_dtype(x)
        self.emit(f"# {readable(eqn.primitive.name)}")
        before = len(self.lines)
        lowerings[eqn.primitive].loop(self, eqn, args, outs)
        if len(self.lines) == before:
            self.lines.pop()

    def slice(self, array: str, counter: str, size: int) -> str:
        """The name of the part of an array that belongs to a step."""
        at = f"({counter}) * {size}"
        return self.assign(f"{array}[{at}:{at} + {size}]", "r_")

    def copy(self, source: str, target: str, size: int) -> None:
        if source != target and size <= SMALL:
            with self.block(f"for k in range({size}):"):
                self.emit(f"{target}[k] = {source}[k]")
        elif source != target:
            self.emit(f"{self.part(COPY)}({source}, {target}, {size})")

    def program(self, closed: ClosedJaxpr, args: Sequence[str], outs: Sequence[str]) -> None:
        """The lines that compute a program's results, into `outs`; one may be an argument's place,
        where `kept_places` says so."""
        jaxpr = closed.jaxpr
        names: dict[Any, str] = dict(zip(jaxpr.invars, args, strict=True))
        names.update(zip(jaxpr.constvars, map(self.read, closed.consts), strict=True))
        for x, out in zip(jaxpr.outvars, outs, strict=True):
            if type(x) is Var:
                names.setdefault(x, out)
        for v, x in successors(closed).items():
            names.setdefault(x, place(self, names, v))
        write_steps(self, closed, names)
        for x, out in zip(jaxpr.outvars, outs, strict=True):
            self.copy(text(self, names, x), out, x.aval.size)


def text(writer: LoopLines, names: dict[Any, str], x: Atom) -> str:
    return writer.read(x) if type(x) is Literal else names[x]


def place(writer: LoopLines, names: dict[Any, str], v: Var) -> str:
    """Where a step writes: into a result, or an array of the kernel's own."""
    check_dtype(v)
    if v not in names:
        names[v] = writer.scratch(v.aval.size, v.aval.dtype)
    return names[v]


def write_steps(writer: LoopWriter, closed: ClosedJaxpr, names: dict[Any, str]) -> None:
    steps = body_steps(closed)
    needed = {x for step in steps for x in step.reads} | set(closed.outvars)
    for step in steps:
        if not any(is_named(writer, closed, step, names) for is_named in NAMED):
            made = step.eqns if isinstance(step, Kernel) else [step.eqn]
            write_step(writer, step, [v for e in made for v in e.outvars if v in needed], names)


def write_step(writer: LoopWriter, step: Step, writes: Sequence[Var], names: dict) -> None:
    if isinstance(step, Kernel):
        return writer.emit(part_call(writer, kernel_source(step, writes, in_loop=True), names))
    eqn, lowering = step.eqn, lowerings[step.eqn.primitive]
    if writer.is_inline(eqn):
        outs = [place(writer, names, v) for v in eqn.outvars]
        return writer.run(eqn, [text(writer, names, x) for x in eqn.invars], outs)
    source = lowering.source(eqn) if lowering.source else None
    if source is None:
        raise NotCompiled(f"{eqn.primitive} in its body is no kernel's")
    for v, x in overwrites(eqn):
        writer.copy(text(writer, names, x), place(writer, names, v), v.aval.size)
    of = readable(eqn.primitive.name)
    return writer.emit(f"{part_call(writer, source, names)}  # {of}")


def part_call(writer: LoopLines, source: Source, names: dict[Any, str]) -> str:
    """The call of a kernel, from inside another."""
    arrays = [text(writer, names, x) for x in source.reads]
    arrays += [place(writer, names, v) for v in source.writes]
    rows = [writer.scratch(size, dtype) for size, dtype in source.kept]
    turns = [] if source.turns is None else [0, source.turns]
    name = writer.part(source.text)
    writer.cost += source.cost
    return f"{name}({', '.join(map(str, [*arrays, *rows, *source.sizes, *turns]))})"


def part_text(text: str, name: str) -> str:
    return "@part\n" + text.replace("def kernel(", f"def {name}(", 1)


def kernel_of(eqn: JaxprEqn, writer: LoopWriter) -> Source:
    """The kernel of an equation that carries programs."""
    outs = [f"y{k}" for k in range(len(eqn.outvars))]
    places: dict[Any, str] = dict(zip(eqn.outvars, outs, strict=True))
    places |= {x: writer.read(x) for x in eqn.invars if type(x) is Var}
    write_step(writer, Call(eqn, set()), eqn.outvars, places)
    writer.lines[:0] = [f"    {line}" for line in writer.own]
    names = [f"x{k}" for k in range(len(writer.reads))] + outs
    names += [f"t{k}" for k in range(len(writer.kept))] + ["lo", "hi"] * (writer.turns is not None)
    parts = [part_text(text, name) for text, name in writer.parts.items()]
    return Source(
        "\n\n".join([*parts, kernel_text(writer, names)]), tuple(writer.reads), tuple(eqn.outvars),
        tuple(writer.kept), (), writer.turns, writer.cost * (writer.turns or 1),
    )  # fmt: skip


def written(eqn: JaxprEqn) -> Source | NotCompiled:
    """The kernel of a loop, or what prevents it."""
    try:
        return kernel_of(eqn, LoopWriter())
    except NotCompiled as reason:
        fall_back("loop", reason)
        return reason


def loop_source(eqn: JaxprEqn) -> Source | None:
    """The kernel of an equation that carries programs, where one can be made."""
    rules = lowerings[eqn.primitive]
    if eqn.effects or not (rules.loop or (rules.alone and rules.alone(eqn))):
        return None
    if rules.alone and not overwrites(eqn) and all(map(in_kernels, (*eqn.invars, *eqn.outvars))):
        return rules.source(eqn)
    source = written(eqn)
    return source if isinstance(source, Source) else None
