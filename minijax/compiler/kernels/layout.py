"""Loops: where each value of a fused step lies, and the loops that run through all of them.

An array is read at offset + strides . counters. Neighbouring axes that every array runs through in
one go are one loop. A value that no inner loop moves belongs outside of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minijax.compiler.kernels.elements import Place, is_reduction, literal_text, view_places
from minijax.compiler.kernels.fuse import Kernel, piece_rule
from minijax.compiler.kernels.pieces import next_view, operand_places, piece_at, places_in_box
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, JaxprEqn, Literal, Var


class Access(NamedTuple):
    """The flat array `name`, read or written at offset + strides . counters of the axes."""

    name: str
    offset: int
    strides: tuple[int, ...]

    @property
    def level(self) -> int:
        """The number of axes up to the last one along which it moves."""
        return max((k + 1 for k, stride in enumerate(self.strides) if stride), default=0)


class Index(NamedTuple):
    """An element that is nothing but its number in an array."""

    place: Access
    dtype: np.dtype


# A value of the kernel, of memory, made of indices, or a number's text.
Operand = Var | Access | Index | str


def access(name: str, shape: Sequence[int], places: Sequence[Place], ndim: int) -> Access:
    """The places in an array of this shape, in its flat, row-major form."""
    offset, strides = 0, [0] * ndim
    for d, place in enumerate(places):
        size = math.prod(shape[d + 1 :])
        offset += place.offset * size
        if place.axis is not None:
            strides[place.axis] += place.scale * size
    return Access(name, offset, tuple(strides))


def index(eqn: JaxprEqn, places: Sequence[Place], ndim: int) -> Index:
    """What an equation without operands has at these places."""
    [v] = eqn.outvars
    rule = lowerings[eqn.primitive].index
    places, shape = rule(places, **eqn.primitive.active(eqn.params))
    return Index(access("", shape, places, ndim), v.aval.dtype)


def merged_axes(
    space: Sequence[int], borders: set[int | None], accesses: Sequence[Access]
) -> list[tuple[int, ...]]:
    """The axes of each loop, outermost first; no loop runs across a border."""
    loops: list[tuple[int, ...]] = []
    for axis, size in enumerate(space):
        in_line = all(a.strides[axis - 1] == a.strides[axis] * size for a in accesses)
        if loops and axis not in borders and in_line:
            loops[-1] = (*loops[-1], axis)
        else:
            loops.append((axis,))
    return loops


class Operands:
    """What each equation of a kernel is given, and where what is asked for is written."""

    def __init__(self, kernel: Kernel, writes: Sequence[Var]) -> None:
        self.kernel, self.writes = kernel, tuple(writes)
        self.reads: list[Var] = []
        self.operands: dict[Var, list[Operand]] = {}
        self.equations = {eqn.outvars[0]: eqn for eqn in kernel.eqns}
        for v, eqn in self.equations.items():
            self.operands[v] = [self.operand(eqn, x) for x in eqn.invars]
            if lowerings[eqn.primitive].index:
                places = places_in_box(kernel, kernel.axes[v])
                self.operands[v] = [index(eqn, places, len(kernel.space))]
        self.stores = {v: stored(kernel, f"y{k}", v) for k, v in enumerate(self.writes)}

    def operand(self, eqn: JaxprEqn, x: Atom) -> Operand:
        kernel = self.kernel
        if type(x) is Var and x in kernel.axes:
            return x
        places = operand_places(kernel, eqn, x)
        while view := next_view(kernel, x):
            if lowerings[view.primitive].index:
                return index(view, places, len(kernel.space))
            if piece_rule(view):
                places, x = piece_at(view, places)
            else:
                places, x = view_places(view, places), view.invars[0]
        if type(x) is Literal:
            return literal_text(x.val)
        if x not in self.reads:
            self.reads.append(x)
        return access(f"x{self.reads.index(x)}", x.aval.shape, places, len(kernel.space))


def stored(kernel: Kernel, name: str, v: Var) -> Access:
    """A result's own place; a sum of columns lies along the axes that it keeps."""
    ndim = len(kernel.space)
    if v in kernel.axes:
        return access(name, v.aval.shape, places_in_box(kernel, kernel.axes[v]), ndim)
    kept = [d for d in range(ndim) if d not in kernel.columns]
    return access(name, [kernel.space[d] for d in kept], list(map(Place, kept)), ndim)


class Layout(Operands):
    """A kernel's loops, and when each value in them is known.

    `depth` says how many passes over the inner loops, those from `inner` on, come before a value is
    known; `level` along how many of the axes it lies.
    """

    def __init__(self, kernel: Kernel, writes: Sequence[Var]) -> None:
        super().__init__(kernel, writes)
        self.offsets: dict[Access, str] = {}
        self.find_depths()
        self.find_loops()

    def find_depths(self) -> None:
        self.depth: dict[Var, int] = {}
        self.level: dict[Var, int] = {}
        for v in self.equations:
            before = max((self.depth[x] for x in self.operands[v] if type(x) is Var), default=0)
            self.depth[v] = before + self.is_row_sum(v)
            axes = self.kernel.axes.get(v, range(len(self.kernel.space)))
            self.level[v] = len(set(axes) - {None})
        self.passes = max(self.depth.values(), default=0) + 1

    def is_row_sum(self, v: Var) -> bool:
        return is_reduction(self.equations[v]) and self.kernel.rows is not None

    def find_loops(self) -> None:
        kernel, accesses = self.kernel, list(self.stores.values())
        for x in (x for row in self.operands.values() for x in row):
            accesses += [x] if type(x) is Access else [x.place] if type(x) is Index else []
        borders = {a.level for a in accesses} | {*self.level.values(), kernel.rows}
        self.loops = merged_axes(kernel.space, borders, accesses)
        self.sizes = [math.prod(kernel.space[axis] for axis in axes) for axes in self.loops]
        sums_rows = kernel.rows is not None
        self.inner = self.opened(kernel.rows) if sums_rows else max(len(self.loops) - 1, 0)
        sums = 0 in (kernel.columns or ()) or (sums_rows and not self.inner)
        self.is_split = bool(self.loops) and (not sums or bool(kernel.block_sums))

    def opened(self, level: int) -> int:
        """How many loops are open when as many axes are."""
        return sum(axes[0] < level for axes in self.loops)

    def strides(self, place: Access) -> list[int]:
        """The stride of each loop."""
        return [place.strides[axes[-1]] for axes in self.loops]


# What a pass computes in its innermost loop.


def is_inner(layout: Layout, v: Var) -> bool:
    """Whether a value is one of the innermost loop's; the results of reductions aren't."""
    return layout.level[v] == len(layout.kernel.space) and not layout.is_row_sum(v)


def reductions(layout: Layout, k: int) -> list[Var]:
    """What pass k sums up, along rows."""
    return [v for v in layout.equations if layout.is_row_sum(v) and layout.depth[v] == k + 1]


def inner_values(layout: Layout, k: int, kept: Sequence[Var] = ()) -> list[Var]:
    """What pass k computes element by element, in order; `kept` is at hand after its pass."""
    wanted = [x for v in reductions(layout, k) for x in layout.operands[v] if type(x) is Var]
    wanted += [v for v in layout.equations if is_inner(layout, v) and layout.depth[v] == k
               and (v in layout.stores or v in kept)]  # fmt: skip
    needed: set[Var] = set()
    while wanted:
        v = wanted.pop()
        if v in needed or not is_inner(layout, v):
            continue
        needed.add(v)
        if not (v in kept and layout.depth[v] < k):
            wanted += [x for x in layout.operands[v] if type(x) is Var]
    return [v for v in layout.equations if v in needed]
