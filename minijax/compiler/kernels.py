"""Kernels: a fused step becomes the source of one Python function, with its loops written out.

Arrays come in flat: x0, x1, ... are read, y0, y1, ... written, t0, t1, ... keep a row from one pass
to the next; lo and hi are the outer loop's turns, n1, n2, ... how often the others run. What no
inner loop changes is computed outside of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.fuse import Kernel
from minijax.compiler.loops import Access, Index, Layout, Operand
from minijax.compiler.lowering import (
    is_reduction, literal_text, reads_only, reducers, scalar_template, typed_template,
)
from minijax.core.staging import JaxprEqn, Var

SMALL = 64  # an inner loop up to this size is written with its size


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


def kernel_source(kernel: Kernel, writes: Sequence[Var]) -> Source:
    """The source of the kernel that computes a step's values and writes these."""
    return Writer(Layout(kernel, tuple(writes))).write()


class Writer:
    """Writes a kernel's lines. Names hold in the loop where they were given, and inside it."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.lines, self.count = layout, list[str](), 0
        self.scopes: list[dict[Any, str]] = [{}]
        self.kept = self.find_kept()

    def find_kept(self) -> list[Var]:
        """What costs more to compute again in a later pass than to keep."""
        layout, kept = self.layout, list[Var]()
        for k in range(1, layout.passes):
            for v in layout.inner_values(k):
                is_call = "_" in self.template(v).split("(")[0]
                if layout.depth[v] < k and v not in kept and is_call:
                    kept.append(v)
        return kept

    def template(self, v: Var) -> str:
        eqn = self.layout.equations[v]
        return "{0}" if reads_only(eqn) else scalar_template(eqn) or "{0}"

    # Texts.

    def size(self, loop: int) -> str:
        layout = self.layout
        if loop == 0 and layout.is_split:
            return "hi - lo" if len(layout.loops) == 1 else "hi"
        if loop and loop == len(layout.loops) - 1 and layout.sizes[loop] <= SMALL:
            return str(layout.sizes[loop])
        return f"n{loop}"

    def counter(self, loop: int) -> str:
        return "(lo + i0)" if self.layout.is_split and len(self.layout.loops) == 1 else f"i{loop}"

    def position(self, place: Access, loops: Sequence[int], offset: int = 0) -> str:
        """The position in a flat array, as far as these loops move it."""
        strides = self.layout.strides(place)
        terms = [str(offset)] if offset else []
        for k in loops:
            if strides[k]:
                stride = self.stride(strides, k)
                terms.append(self.counter(k) + (f" * {stride}" if stride != "1" else ""))
        return " + ".join(terms) or "0"

    def stride(self, strides: Sequence[int], loop: int) -> str:
        """By the sizes of the inner loops where it is their product: true of other sizes too."""
        within = [k for k in range(loop + 1, len(strides)) if strides[k]]
        if within and strides[loop] == math.prod(self.layout.sizes[k] for k in within):
            return " * ".join(map(self.size, within))
        return str(strides[loop])

    def element(self, place: Access) -> str:
        last = len(self.layout.loops) - 1
        if last >= 0 and self.layout.strides(place)[last] == 1:
            return f"{self.known(('row', place))}[i{last}]"
        return f"{place.name}[{self.position(place, range(last + 1), place.offset)}]"

    def text(self, operand: Operand) -> str:
        if isinstance(operand, str):
            return operand
        if isinstance(operand, Index):
            loops = range(len(self.layout.loops))
            place = self.position(operand.place, loops, operand.place.offset)
            # By int64, of which the lowest bits are kept: Python's own would be refused.
            return f"{operand.dtype}(int64({place}))"
        return self.known(operand)

    def known(self, key: Any) -> str:
        return next(scope[key] for scope in reversed(self.scopes) if key in scope)

    def is_known(self, key: Any) -> bool:
        return any(key in scope for scope in self.scopes)

    def name(self, key: Any, letter: str = "v") -> str:
        self.scopes[-1][key] = name = f"{letter}{self.count}"
        self.count += 1
        return name

    # Statements.

    def emit(self, text: str) -> None:
        self.lines.append("    " * len(self.scopes) + text)

    def open(self, loop: int, places: Sequence[Access]) -> None:
        """Opens a loop; before the innermost, the rows that it runs along are cut out."""
        if loop == len(self.layout.loops) - 1:
            for place in places:
                self.cut_row(loop, place)
        split = loop == 0 and self.layout.is_split and len(self.layout.loops) > 1
        self.emit(f"for i{loop} in range({'lo, hi' if split else self.size(loop)}):")
        self.scopes.append({})

    def cut_row(self, loop: int, place: Access) -> None:
        if self.layout.strides(place)[loop] != 1 or self.is_known(("row", place)):
            return
        is_chunk = loop == 0 and self.layout.is_split
        start = self.position(place, range(loop), place.offset)
        if is_chunk:
            start = f"lo + {place.offset}" if place.offset else "lo"
        row = self.name(("row", place), f"{place.name}_")
        if start == "0":
            return self.emit(f"{row} = {place.name}[:{self.size(loop)}]")
        stop = "hi" if is_chunk and not place.offset else f"{start} + {self.size(loop)}"
        return self.emit(f"{row} = {place.name}[{start}:{stop}]")

    def load(self, operand: Operand) -> None:
        if isinstance(operand, Access) and not self.is_known(operand):
            element = self.element(operand)
            self.emit(f"{self.name(operand)} = {element}")

    def compute(self, v: Var) -> None:
        """One value: its operands from memory, itself, and its place in the results."""
        operands = self.layout.operands[v]
        for x in operands:
            self.load(x)
        texts = list(map(self.text, operands))
        if self.template(v) == "{0}":
            self.scopes[-1][v] = texts[0]
        else:
            self.emit(f"{self.name(v)} = {self.template(v).format(*texts)}")
        self.store(v)

    def store(self, v: Var) -> None:
        if v in self.layout.stores:
            self.emit(f"{self.element(self.layout.stores[v])} = {self.known(v)}")

    # The nest.

    def write(self) -> Source:
        layout = self.layout
        if layout.kernel.columns is not None:
            self.clear_columns()
        for loop in range(layout.inner + 1):
            self.compute_outer(loop, 0)
            if loop < layout.inner:
                self.open(loop, ())
        for k in range(layout.passes):
            self.write_pass(k)
        return self.finished()

    def compute_outer(self, loop: int, k: int) -> None:
        """What stands outside of the loops from this one on, and is known after k passes."""
        layout = self.layout
        for v in layout.equations:
            if layout.is_inner(v) or layout.depth[v] != k or self.is_known(v):
                continue
            if (layout.opened(layout.level[v]) == loop) and not self.is_sum(v):
                self.compute(v)

    def is_sum(self, v: Var) -> bool:
        return is_reduction(self.layout.equations[v])

    def write_pass(self, k: int) -> None:
        """One run over the inner loops. Sums are begun before it, and known behind it."""
        layout = self.layout
        values, sums = layout.inner_values(k, self.kept), layout.reductions(k)
        if not values and not sums:
            return
        for v in sums:
            self.emit(f"{self.name(v)} = {self.start(v)}")
        depth = len(self.scopes)
        places = self.places(values, sums)
        for loop in range(layout.inner, len(layout.loops)):
            self.load_here(loop, places)
            self.open(loop, places)
        for v in values:
            self.compute_inner(k, v)
        for v in sums:
            self.take_in(v, self.known(v))
        del self.scopes[depth:]
        for v in sums:
            self.store(v)
        self.compute_outer(layout.inner, k + 1)

    def places(self, values: Sequence[Var], sums: Sequence[Var]) -> list[Access]:
        """The places in memory that a pass goes to."""
        layout = self.layout
        found = [x for v in (*values, *sums) for x in layout.operands[v] if type(x) is Access]
        return found + [layout.stores[v] for v in values if v in layout.stores] + [
            self.kept_place(v) for v in values if v in self.kept
        ]

    def load_here(self, loop: int, places: Sequence[Access]) -> None:
        for place in places:
            is_read = place.name.startswith("x")
            if is_read and self.layout.opened(place.level) <= loop:
                self.load(place)

    def kept_place(self, v: Var) -> Access:
        """A kept row, along the inner loops."""
        space, rows = self.layout.kernel.space, self.layout.kernel.rows
        strides = [0] * rows + [math.prod(space[k + 1 :]) for k in range(rows, len(space))]
        return Access(f"t{self.kept.index(v)}", 0, tuple(strides))

    def compute_inner(self, k: int, v: Var) -> None:
        if v in self.kept and self.layout.depth[v] < k:
            return self.emit(f"{self.name(v)} = {self.element(self.kept_place(v))}")
        if self.is_sum(v):  # of columns
            for x in self.layout.operands[v]:
                self.load(x)
            return self.take_in(v, self.element(self.layout.stores[v]))
        self.compute(v)
        if v in self.kept:
            self.emit(f"{self.element(self.kept_place(v))} = {self.known(v)}")
        return None

    # Reductions.

    def start(self, v: Var) -> str:
        eqn = self.layout.equations[v]
        dtype = eqn.outvars[0].aval.dtype
        return literal_text(np.array(reducers[eqn.primitive].start(dtype), dtype))

    def take_in(self, v: Var, total: str) -> None:
        """One more number for a reduction."""
        eqn, (x,) = self.layout.equations[v], self.layout.operands[v]
        self.load(x)
        self.emit(f"{total} = {combined(eqn, total, self.text(x))}")

    def clear_columns(self) -> None:
        for v in self.layout.writes:
            if self.is_sum(v):
                place = self.layout.stores[v]
                strides = self.layout.strides(place)
                size = " * ".join(self.size(k) for k, stride in enumerate(strides) if stride)
                self.emit(f"for i in range({size}):")
                self.emit(f"    {place.name}[i] = {self.start(v)}")

    def finished(self) -> Source:
        layout = self.layout
        rows = [(self.row_size(), v.aval.dtype) for v in self.kept]
        loops = [k for k in range(len(layout.loops)) if self.size(k) == f"n{k}"]
        names = [f"x{k}" for k in range(len(layout.reads))]
        names += [f"y{k}" for k in range(len(layout.writes))] + [f"t{k}" for k in range(len(rows))]
        names += [f"n{k}" for k in loops] + ["lo", "hi"] * layout.is_split
        text = "\n".join([f"def kernel({', '.join(names)}):", *self.lines, ""])
        cost = math.prod(layout.kernel.space) * len(layout.equations)
        return Source(
            text, tuple(layout.reads), layout.writes, tuple(rows),
            tuple(layout.sizes[k] for k in loops), layout.sizes[0] if layout.is_split else None,
            cost,
        )  # fmt: skip

    def row_size(self) -> int:
        return math.prod(self.layout.kernel.space[self.layout.kernel.rows :])


def combined(eqn: JaxprEqn, total: str, x: str) -> str:
    """The text of a reduction's total with one more number."""
    dtype, rule = eqn.outvars[0].aval.dtype, reducers[eqn.primitive].combine
    return typed_template(rule, [dtype], dtype).format(total, x)
