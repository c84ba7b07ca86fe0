"""Kernels: a fused step becomes the source of one Python function, with its loops written out.

Arrays come in flat: x0, x1, ... are read, y0, y1, ... written, t0, t1, ... keep a row from one pass
to the next; lo and hi are the outer loop's turns, n1, n2, ... how often the others run. What no
inner loop changes is computed outside of it. A comment names the primitive that a line computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import (
    is_reduction, literal_text, reads_only, scalar_template, typed_template,
)
from minijax.compiler.kernels.fuse import Kernel
from minijax.compiler.kernels.layout import (
    Access, Index, Layout, Operand, inner_values, is_inner, reductions,
)
from minijax.compiler.lowerings import lowerings
from minijax.core.printing import readable
from minijax.core.staging import JaxprEqn, Var

SMALL = 8  # an inner loop up to this size is written with its size


class Source(NamedTuple):
    """A kernel's text, and what it is called with, in this order: arrays to read, to write, rows
    to keep, sizes."""

    text: str
    reads: tuple[Any, ...]  # variables; of loops, numbers and constants too
    writes: tuple[Var, ...]
    kept: tuple[tuple[int, np.dtype], ...]  # size and dtype of each row
    sizes: tuple[int, ...]
    turns: int | None  # of the outer loop, which may be shared out: lo and hi, behind the sizes
    cost: int  # numbers computed

    @property
    def signature(self) -> tuple[str, ...]:
        arrays = [v.aval.dtype for v in (*self.reads, *self.writes)] + [d for _, d in self.kept]
        numbers = len(self.sizes) + (0 if self.turns is None else 2)
        return (*(f"{dtype}[::1]" for dtype in arrays), *["int64"] * numbers)


# Texts: how often a loop runs, and where its turn is in an array.


def size(layout: Layout, loop: int) -> str:
    if loop == 0 and layout.is_split:
        return "hi - lo" if len(layout.loops) == 1 else "hi"
    if loop == len(layout.loops) - 1 and layout.sizes[loop] <= SMALL:
        return str(layout.sizes[loop])
    return f"n{loop}"


def stride(layout: Layout, strides: Sequence[int], loop: int) -> str:
    """By the sizes of the inner loops where it is their product: true of other sizes too."""
    within = [k for k in range(loop + 1, len(strides)) if strides[k]]
    if within and strides[loop] == math.prod(layout.sizes[k] for k in within):
        return " * ".join(size(layout, k) for k in within)
    return str(strides[loop])


def offset(layout: Layout, place: Access) -> list[str]:
    """Where a place begins, if not at 0: a name in a box, so that boxes have one text."""
    if layout.kernel.start:
        return [layout.offsets.setdefault(place, f"o{len(layout.offsets)}")]
    return [str(place.offset)] if place.offset else []


def position(layout: Layout, place: Access, loops: Sequence[int]) -> str:
    """The position in a flat array, as far as these loops move it."""
    strides, is_chunk = layout.strides(place), layout.is_split and len(layout.loops) == 1
    terms = offset(layout, place)
    for k in loops:
        if strides[k]:
            times = stride(layout, strides, k)
            counter = "(lo + i0)" if is_chunk else f"i{k}"
            terms.append(f"{counter} * {times}" if times != "1" else counter)
    return " + ".join(terms) or "0"


class Lines(TextWriter):
    """A kernel's lines so far. What is known in a loop has its name there, and inside it."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout, self.scopes = layout, [dict[Any, str]()]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        with super().block(head):
            self.scopes.append({})
            yield
            self.scopes.pop()

    def keep(self, key: Any, expression: str, letters: str = "v") -> None:
        """Writes a line that makes something known."""
        self.scopes[-1][key] = self.assign(expression, letters)

    def is_known(self, key: Any) -> bool:
        return any(key in scope for scope in self.scopes)

    def known(self, key: Any) -> str:
        return next(scope[key] for scope in reversed(self.scopes) if key in scope)

    def element(self, place: Access) -> str:
        last = len(self.layout.loops) - 1
        if last >= 0 and self.layout.strides(place)[last] == 1:
            return f"{self.known(('row', place))}[i{last}]"
        return f"{place.name}[{position(self.layout, place, range(last + 1))}]"

    def text(self, operand: Operand) -> str:
        if isinstance(operand, str):
            return operand
        if isinstance(operand, Index):
            number = position(self.layout, operand.place, range(len(self.layout.loops)))
            # By int64, of which the lowest bits are kept: Python's own would be refused.
            return f"{operand.dtype}(int64({number}))"
        return self.known(operand)


@contextmanager
def open_loop(lines: Lines, loop: int, places: Sequence[Access]) -> Iterator[None]:
    """A loop; before the innermost, the rows that it runs along are cut out."""
    layout, last = lines.layout, len(lines.layout.loops) - 1
    if loop == last:
        for place in places:
            cut_row(lines, loop, place)
    turns = "lo, hi" if loop == 0 != last and layout.is_split else size(layout, loop)
    with lines.block(f"for i{loop} in range({turns}):"):
        yield


def cut_row(lines: Lines, loop: int, place: Access) -> None:
    layout = lines.layout
    if layout.strides(place)[loop] != 1 or lines.is_known(("row", place)):
        return
    begin, length = position(layout, place, range(loop)), size(layout, loop)
    end = f"{begin} + {length}"
    if loop == 0 and layout.is_split:
        begin, end = ("lo", "hi") if begin == "0" else (f"lo + {begin}", f"hi + {begin}")
    elif begin == "0":
        begin, end = "", length
    lines.keep(("row", place), f"{place.name}[{begin}:{end}]", f"{place.name}_")


def load(lines: Lines, operand: Operand) -> None:
    if isinstance(operand, Access) and not lines.is_known(operand):
        lines.keep(operand, lines.element(operand))


def template(layout: Layout, v: Var) -> str:
    eqn = layout.equations[v]
    return "{0}" if reads_only(eqn) else scalar_template(eqn) or "{0}"


def compute(lines: Lines, v: Var) -> None:
    """One value: its operands from memory, itself, and its place in the results."""
    for x in lines.layout.operands[v]:
        load(lines, x)
    texts = list(map(lines.text, lines.layout.operands[v]))
    rule = template(lines.layout, v)
    if rule == "{0}":
        lines.scopes[-1][v] = texts[0]
    else:
        of = readable(lines.layout.equations[v].primitive.name)
        lines.keep(v, f"{rule.format(*texts)}  # {of}")
    store(lines, v)


def store(lines: Lines, v: Var) -> None:
    if v in lines.layout.stores:
        lines.emit(f"{lines.element(lines.layout.stores[v])} = {lines.known(v)}")


def start(eqn: JaxprEqn) -> str:
    """What a reduction of nothing gives: a number, or a tuple of numbers."""
    dtype, lowering = eqn.outvars[0].aval.dtype, lowerings[eqn.primitive]
    if lowering.finish:
        return f"({', '.join(map(literal_text, lowering.start(dtype)))})"
    return literal_text(np.array(lowering.start(dtype), dtype))


def take_in(lines: Lines, v: Var, total: str) -> None:
    """One more number for a reduction."""
    eqn, (x,) = lines.layout.equations[v], lines.layout.operands[v]
    load(lines, x)
    added = scalar_template(eqn).format(total, lines.text(x))
    lines.emit(f"{total} = {added}  # {readable(eqn.primitive.name)}")


def finish(lines: Lines, v: Var) -> None:
    """The result of a reduction whose total is a tuple."""
    eqn = lines.layout.equations[v]
    *in_dtypes, dtype = [x.aval.dtype for x in (*eqn.invars, v)]
    rule = typed_template(lowerings[eqn.primitive].finish, in_dtypes, dtype)
    if rule is not None:
        lines.keep(v, rule.format(lines.known(v)))


def clear_columns(lines: Lines) -> None:
    """Sums of columns are begun where they are written."""
    for v, place in lines.layout.stores.items():
        if is_reduction(lines.layout.equations[v]):
            strides, row = lines.layout.strides(place), place.name
            sizes = [size(lines.layout, k) for k, moves in enumerate(strides) if moves]
            if lines.layout.is_split and strides[0]:  # turns from lo to hi have rows of their own
                sizes[0], step = "(hi - lo)", stride(lines.layout, strides, 0)
                row = lines.assign(f"{row}[lo * {step}:hi * {step}]", "r")
            with lines.block(f"for i in range({' * '.join(sizes)}):"):
                lines.emit(f"{row}[i] = {start(lines.layout.equations[v])}")


class Writer(Lines):
    """Writes a kernel, of which it keeps some rows from one pass to the next."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.kept: list[Var] = []
        for k in range(1, layout.passes):
            for v in inner_values(layout, k):
                is_call = "_" in template(layout, v).split("(")[0]
                if layout.depth[v] < k and v not in self.kept and is_call:
                    self.kept.append(v)

    def kept_place(self, v: Var) -> Access:
        """A kept row, along the inner loops."""
        space, rows = self.layout.kernel.space, self.layout.kernel.rows
        strides = [0] * rows + [math.prod(space[k + 1 :]) for k in range(rows, len(space))]
        return Access(f"t{self.kept.index(v)}", 0, tuple(strides))

    def places(self, values: Sequence[Var], sums: Sequence[Var]) -> list[Access]:
        """The places in memory that a pass goes to."""
        operands, stores = self.layout.operands, self.layout.stores
        found = [x for v in (*values, *sums) for x in operands[v] if type(x) is Access]
        found += [stores[v] for v in values if v in stores]
        return found + [self.kept_place(v) for v in values if v in self.kept]


def compute_inner(writer: Writer, k: int, v: Var) -> None:
    layout = writer.layout
    if v in writer.kept and layout.depth[v] < k:
        writer.keep(v, writer.element(writer.kept_place(v)))
    elif is_reduction(layout.equations[v]):  # of columns
        for x in layout.operands[v]:
            load(writer, x)
        take_in(writer, v, writer.element(layout.stores[v]))
    else:
        compute(writer, v)
        if v in writer.kept:
            writer.emit(f"{writer.element(writer.kept_place(v))} = {writer.known(v)}")


def compute_outer(writer: Writer, loop: int, k: int) -> None:
    """What stands outside of the loops from this one on, and is known after k passes."""
    layout = writer.layout
    for v, eqn in layout.equations.items():
        if is_inner(layout, v) or layout.depth[v] != k or writer.is_known(v):
            continue
        if layout.opened(layout.level[v]) == loop and not is_reduction(eqn):
            compute(writer, v)


def write_pass(writer: Writer, k: int) -> None:
    """One run over the inner loops. Sums are begun before it, and known behind it."""
    layout = writer.layout
    values, sums = inner_values(layout, k, writer.kept), reductions(layout, k)
    if not values and not sums:
        return
    for v in sums:
        writer.keep(v, start(layout.equations[v]))
    places = writer.places(values, sums)
    with ExitStack() as loops:
        for loop in range(layout.inner, len(layout.loops)):
            for place in places:
                if place.name.startswith("x") and layout.opened(place.level) <= loop:
                    load(writer, place)
            loops.enter_context(open_loop(writer, loop, places))
        for v in values:
            compute_inner(writer, k, v)
        for v in sums:
            take_in(writer, v, writer.known(v))
    for v in sums:
        finish(writer, v)
        store(writer, v)
    compute_outer(writer, layout.inner, k + 1)


def write_nest(writer: Writer, loop: int = 0) -> None:
    """The loops from this one on, around the passes over the inner ones."""
    compute_outer(writer, loop, 0)
    if loop < writer.layout.inner:
        with open_loop(writer, loop, ()):
            return write_nest(writer, loop + 1)
    for k in range(writer.layout.passes):
        write_pass(writer, k)


def source_by(writer: Writer) -> Source:
    """Has the kernel written: its text, and what it is called with."""
    layout, kernel = writer.layout, writer.layout.kernel
    if kernel.columns is not None:
        clear_columns(writer)
    write_nest(writer)
    rows = [(math.prod(kernel.space[kernel.rows :]), v.aval.dtype) for v in writer.kept]
    loops = [k for k in range(len(layout.loops)) if size(layout, k) == f"n{k}"]
    names = [f"x{k}" for k in range(len(layout.reads))]
    names += [f"y{k}" for k in range(len(layout.writes))] + [f"t{k}" for k in range(len(rows))]
    names += [f"n{k}" for k in loops] + [*layout.offsets.values()]
    names += ["lo", "hi"] * layout.is_split
    return Source(
        kernel_text(writer, names), tuple(layout.reads), layout.writes, tuple(rows),
        (*(layout.sizes[k] for k in loops), *(place.offset for place in layout.offsets)),
        layout.sizes[0] if layout.is_split else None,
        math.prod(kernel.space) * len(layout.equations),
    )  # fmt: skip


def kernel_source(kernel: Kernel, writes: Sequence[Var], in_loop: bool = False) -> Source:
    """A step's kernel, which writes these values. In a whole loop's, no turns are shared out."""
    layout = Layout(kernel, writes)
    layout.is_split = layout.is_split and not in_loop
    return source_by(Writer(layout))
