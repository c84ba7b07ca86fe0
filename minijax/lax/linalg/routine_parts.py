"""LAPACK's routines in compiled loops: a part for each, of matrices of float32 and float64.

A routine's matrices lie column by column, so each is copied across, to an array of the part's own
and back. (Complex numbers, and primitives that register none, are left to SciPy, between kernels.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import FLOATS
from minijax.compiler.lowerings import register_lowering
from minijax.core.staging import Atom, JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.kernel_parts import Part, always

INT64 = np.dtype(np.int64)
SMALL = 64  # rows or columns of matrices for which the library starts no threads of its own
LINE = 16  # numbers of float32 that a line of the cache holds
FOUND = None  # as an argument: where a routine says whether it found something


class RoutinePart(Part):
    """Writes what is done with each matrix of a stack, that with the number `s`."""

    def __init__(self, eqn: JaxprEqn) -> None:
        super().__init__(eqn)
        self.dtype = eqn.invars[0].aval.dtype
        # Routines are given addresses of numbers and letters.
        self.numbers, self.letters = self.scratch(16, INT64), self.scratch(4, np.dtype(np.int8))
        self.found = f"{self.numbers}[0]"  # 0, if so

    def own(self, *sizes: int) -> str:
        """An array of the part's own, for so many numbers of the matrices' dtype."""
        return self.scratch(math.prod(sizes), self.dtype)

    def matrix(self, x: Atom | int, rank: int = 2) -> tuple[str, str]:
        """The array of an operand, or of a result by its number, and where its matrix begins."""
        aval = (self.eqn.outvars[x] if isinstance(x, int) else x).aval
        size = math.prod(aval.shape[aval.ndim - rank :])
        return f"y{x}" if isinstance(x, int) else self.array(x), f"s * {size}"

    @contextmanager
    def each_matrix(self, rank: int = 2) -> Iterator[None]:
        """The loop over the first operand's stack; in threads, where the matrices are small."""
        aval = self.eqn.invars[0].aval
        stack, sizes = aval.shape[: aval.ndim - rank], aval.shape[aval.ndim - rank :]
        with self.loops(("s", math.prod(stack)), is_split=max(sizes) <= SMALL):
            yield

    def call(self, name: str, *args: int | str | tuple[str, str] | None) -> None:
        """Calls a routine with numbers, letters, and arrays or places in them; FOUND is `found`."""
        from minijax.compiler.maths.lapack import ARGUMENTS  # only a compiler asks

        given, used, letters = [], 1, 0
        for x in args:
            if isinstance(x, int):
                self.emit(f"{self.numbers}[{used}] = {x}")
                given.append(f"{self.numbers}[{used}:].ctypes")
                used += 1
            elif x is FOUND:
                self.emit(f"{self.found} = 0")
                given.append(f"{self.numbers}.ctypes")
            elif isinstance(x, str) and x.isupper():
                self.emit(f"{self.letters}[{letters}] = {ord(x)}  # {x}")
                given.append(f"{self.letters}[{letters}:].ctypes")
                letters += 1
            else:
                given.append(f"{x}.ctypes" if isinstance(x, str) else f"{x[0]}[{x[1]}:].ctypes")
        given += ["1"] * ARGUMENTS[name][1]
        self.emit(f"{name}_{FLOATS[self.dtype]}({', '.join(given)})")

    def across(self, source: Any, target: Any, rows: int, columns: int) -> None:
        """Copies a matrix of these rows and columns so that its columns become rows.

        Some rows at a time: of a whole column, each number is in another line of the cache.
        """
        (x, p), (y, q) = source, target
        rows_of_band = f"range(k * {LINE}, min(k * {LINE} + {LINE}, {rows}))"
        bands = self.loops(("k", math.ceil(rows / LINE)), ("j", columns))
        with bands, self.block(f"for i in {rows_of_band}:"):
            self.emit(f"{y}[{q} + j * {rows} + i] = {x}[{p} + i * {columns} + j]")

    def row(self, source: Any, target: Any, size: int, number: str = "{}") -> None:
        """Copies so many numbers."""
        (x, p), (y, q) = source, target
        with self.loops(("i", size)):
            self.emit(f"{y}[{q} + i] = {number.format(f'{x}[{p} + i]')}")

    def nan_unless_found(self, *results: tuple[int, int]) -> None:
        """NaN in place of the matrices of these results, each given by its number and its rank."""
        with self.block(f"if {self.found} != 0:"):
            for k, rank in results:
                y, q = self.matrix(k, rank)
                shape = self.eqn.outvars[k].aval.shape
                with self.loops(("i", math.prod(shape[len(shape) - rank :]))):
                    self.emit(f"{y}[{q} + i] = nan")


# Registering them.


def register_routine(
    primitive: Primitive, write: Callable[..., int | None], *routines: str, rank: int = 2,
    on_halves: str | None = None,
) -> None:  # fmt: skip
    """Gives a primitive a part, where the library has these routines.

    `write` takes the part and the sizes of the first operand's matrix, or of its row (`rank` 1). It
    returns how many steps a matrix takes, or None for parameters that it has no lines for.
    """

    def source(eqn: JaxprEqn) -> Any:
        from minijax.compiler.maths.lapack import routine  # only a compiler asks

        avals = [x.aval for x in eqn.invars]
        if not all(aval.size for aval in avals):
            return None
        if routines and not all(aval.dtype in FLOATS for aval in avals):
            return None
        if not all(routine(name, avals[0].dtype) for name in routines):
            return None
        part, shape = RoutinePart(eqn), avals[0].shape
        steps = write(part, *shape[len(shape) - rank :])
        stack = math.prod(shape[: len(shape) - rank])
        return None if steps is None else part.finished(stack * steps)

    register_lowering(primitive, source=source, alone=always, on_halves=on_halves)
