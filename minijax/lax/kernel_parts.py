"""Parts: the text of kernels that are more than a loop over single numbers, in whole loops.

A part (compiler/kernels/whole_loops.py) gets flat arrays: x0, x1, ... to read, y0, ... to write,
and t0, ... to work in. This file has what the parts of all families are written with: loops, and
positions in arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import literal_text
from minijax.core.arrays import raw_value
from minijax.core.staging import Atom, JaxprEqn, Literal

# Positions.


def position(start: str | int, terms: Sequence[tuple[str, int]]) -> str:
    """A place in a flat array: from the start on, so far for each turn of these counters.

    >>> position("s", [("i", 12), ("j", 1), ("k", 0)])
    's + i * 12 + j'
    """
    texts = [] if start in ("0", 0) else [str(start)]
    texts += [name if step == 1 else f"{name} * {step}" for name, step in terms if step]
    return " + ".join(texts) or "0"


def merged(sizes: Sequence[int], strides: Sequence[Sequence[int]]) -> list[tuple[int, tuple]]:
    """The axes that need a loop, with their strides in each array; one for those that all arrays
    run through in a line.

    >>> merged((4, 2, 3), [(6, 3, 1), (60, 3, 1)])
    [(4, (6, 60)), (6, (1, 1))]
    """
    axes: list[tuple[int, tuple]] = []
    for n, steps in zip(sizes, zip(*strides, strict=True), strict=True):
        if axes and axes[-1][1] == tuple(n * step for step in steps):
            axes[-1] = (axes[-1][0] * n, steps)
        elif n != 1:
            axes.append((n, steps))
    return axes


# Places that only the running program knows.


def clamped(number: str, dtype: np.dtype, last: int) -> str:
    """An index, moved inside of 0 to `last`."""
    if not last:
        return "0"
    if dtype == np.uint64:  # as an int64, it might be negative
        return f"int64(min({number}, uint64({last})))"
    return f"min(max(int64({number}), 0), {last})"


def always(eqn: JaxprEqn) -> bool:
    """For the field `alone`: the part of each equation is a kernel outside of loops too."""
    return True


# The part.


Place = tuple[str | int, Sequence[int]]  # in a flat array: the first one, and the axes' strides


class Part(TextWriter):
    """Writes the part for an equation; knows which operands its lines read."""

    def __init__(self, eqn: JaxprEqn) -> None:
        super().__init__()
        self.eqn, self.reads = eqn, list[Atom]()
        self.kept: list[tuple[int, np.dtype]] = []
        self.turns: int | None = None  # of an outer loop from lo to hi, which may be shared out

    # Operands.

    def array(self, x: Atom) -> str:
        """The name of an operand that is read."""
        for k, known in enumerate(self.reads):
            if known is x:
                return f"x{k}"
        self.reads.append(x)
        return f"x{len(self.reads) - 1}"

    def number(self, x: Atom) -> str:
        """A scalar operand."""
        return literal_text(raw_value(x.val)) if type(x) is Literal else f"{self.array(x)}[0]"

    def start(self, x: Atom, last: int) -> str:
        """A scalar operand that is an index, moved inside of 0 to `last`."""
        if type(x) is Literal:
            return str(min(max(int(x.val.number), 0), last))
        return clamped(f"{self.array(x)}[0]", x.aval.dtype, last) if last else "0"

    def scratch(self, size: int, dtype: Any) -> str:
        """An array of the part's own."""
        self.kept.append((max(size, 1), dtype))
        return f"t{len(self.kept) - 1}"

    # Lines.

    @contextmanager
    def loops(self, *counters: tuple[str, int], is_split: bool = False) -> Iterator[None]:
        """Loops around the lines inside; each has a counter and a size.

        The turns of the outer one can be shared out, where none reads what another writes.
        """
        with ExitStack() as opened:
            for k, (name, size) in enumerate(counters):
                is_shared = is_split and k == 0
                if is_shared:
                    self.turns = size
                turns = "lo, hi" if is_shared else size
                opened.enter_context(self.block(f"for {name} in range({turns}):"))
            yield

    @contextmanager
    def each(
        self, sizes: Sequence[int], *places: Place, letter: str = "i", is_split: bool = False
    ) -> Iterator[list[str]]:
        """Loops around the lines inside, which run for each index of these sizes; gives where each
        place is then."""
        axes = merged(sizes, [strides for _, strides in places])
        names = [f"{letter}{k}" for k in range(len(axes))]
        strides = zip(*[steps for _, steps in axes], strict=True) if axes else [()] * len(places)
        counters = [(name, n) for name, (n, _) in zip(names, axes, strict=True)]
        with self.loops(*counters, is_split=is_split):
            yield [
                position(start, list(zip(names, steps, strict=True)))
                for (start, _), steps in zip(places, strides, strict=True)
            ]

    def move(self, sizes: Sequence[int], array: str, source: Place, target: Place) -> None:
        """Copies a block of these sizes from an array into the result."""
        with self.each(sizes, target, source) as (p, q):
            self.emit(f"y0[{p}] = {array}[{q}]")

    def finished(self, cost: int | None = None) -> Any:
        """The kernel's source; its cost is one for each number of the results, if not given."""
        from minijax.compiler.kernels.loop_nests import Source  # heavy, and only a compiler asks

        names = [f"x{k}" for k in range(len(self.reads))]
        names += [f"y{k}" for k in range(len(self.eqn.outvars))]
        names += [f"t{k}" for k in range(len(self.kept))]
        names += [] if self.turns is None else ["lo", "hi"]
        if cost is None:
            cost = sum(v.aval.size for v in self.eqn.outvars)
        reads, writes, kept = map(tuple, (self.reads, self.eqn.outvars, self.kept))
        return Source(kernel_text(self, names), reads, writes, kept, (), self.turns, cost)
