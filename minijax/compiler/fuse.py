"""Fuse: the equations of a program become steps, and each step is one loop nest or one call.

What works element by element joins the loops that make its operands. Broadcasts, slices and
transposes of what lies in memory are only another way to read it. A reduction ends its loops' rows,
and what follows along the same rows stays with it: softmax is one step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from minijax.compiler.lowering import (
    KERNEL_DTYPES, START, Place, index_rules, is_reduction, long_axes, reads_only, scalar_template,
    view_places,
)
from minijax.core.staging import Atom, Jaxpr, JaxprEqn, Literal, Var

MOST_EQUATIONS, MOST_ARRAYS = 100, 24  # of one kernel: larger ones are slow to compile

Axes = tuple  # for each dimension of a value, the axis of the loops that it follows; None: size 1


@dataclasses.dataclass(eq=False)
class Kernel:
    """Equations that are computed in one loop nest.

    `space` has the sizes of the loops. A value lies along the first of them: along all, or, as a
    sum of rows, along some. Reductions take the axes from `rows` on, or, of `columns`, any others:
    their results are whole only when the loops have ended.
    """

    space: tuple[int, ...]
    eqns: list[JaxprEqn] = dataclasses.field(default_factory=list)
    axes: dict[Var, Axes] = dataclasses.field(default_factory=dict)  # of what can be used in it
    reads: set[Var] = dataclasses.field(default_factory=set)  # from memory
    views: dict[Var, JaxprEqn] = dataclasses.field(default_factory=dict)  # through these
    rows: int | None = None
    columns: frozenset[int] | None = None

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self.space)) or "scalar"
        return f"kernel {sizes}: {' '.join(str(eqn.primitive) for eqn in self.eqns)}"


@dataclasses.dataclass(eq=False)
class Call:
    """An equation that is left to NumPy, or that carries programs of its own."""

    eqn: JaxprEqn
    reads: set[Var]

    def __repr__(self) -> str:
        return f"call: {self.eqn.primitive}"


Step = Kernel | Call


# Where a value lies in a kernel's loops.


def axes_of(shape: Sequence[int], space: tuple[int, ...]) -> Axes | None:
    """The axes that a value of this shape follows, if it lies along the first of the loops."""
    long = long_axes(shape)
    if long != space[: len(long)]:
        return None
    counter = iter(range(len(long)))
    return tuple(None if n == 1 else next(counter) for n in shape)


def places_of(axes: Axes) -> list[Place]:
    return [START if axis is None else Place(axis) for axis in axes]


def operand_axes(eqn: JaxprEqn, operand: Atom, axes: Axes) -> Axes | None:
    """Where an equation reads its operand, for a result along `axes`; None: out of order."""
    shape = operand.aval.shape
    if reads_only(eqn):
        places = view_places(eqn, places_of(axes))
        if places is None or any((place.scale, place.offset) != (1, 0) for place in places
                                 if place.axis is not None):  # fmt: skip
            return None
        if any(place.axis is None and place.offset for place in places):
            return None
        return tuple(place.axis for place in places)
    return tuple(None if n == 1 else axis for n, axis in zip(shape, axes, strict=False))


def is_view(eqn: JaxprEqn) -> bool:
    """Whether a kernel can read the result out of the operand, or make it from its indices."""
    if any(v.aval.dtype not in KERNEL_DTYPES for v in eqn.outvars):
        return False
    if eqn.primitive in index_rules:
        return not eqn.invars
    if not reads_only(eqn):
        return False
    return view_places(eqn, [Place(d) for d in range(eqn.outvars[0].aval.ndim)]) is not None


# What may join a kernel.


def joined(kernel: Kernel, eqn: JaxprEqn) -> dict[str, Any] | None:
    """What changes in the kernel when it computes the equation too; None where it can't."""
    return _with_reduction(kernel, eqn) if is_reduction(eqn) else _with_map(kernel, eqn)


def _with_map(kernel: Kernel, eqn: JaxprEqn) -> dict[str, Any] | None:
    (result,) = eqn.outvars
    long, space, is_open = long_axes(result.aval.shape), kernel.space, not is_reduced(kernel)
    if is_open and space == long[: len(space)]:
        space = long
    axes = axes_of(result.aval.shape, space)
    if axes is None or not (is_open or len(long) in (len(space), *range((kernel.rows or 0) + 1))):
        return None
    for x in eqn.invars:
        if type(x) is Var and x in kernel.axes and kernel.axes[x] != operand_axes(eqn, x, axes):
            return None
    return {"space": space, "axes": {result: axes}}


def is_reduced(kernel: Kernel) -> bool:
    return kernel.rows is not None or kernel.columns is not None


def _with_reduction(kernel: Kernel, eqn: JaxprEqn) -> dict[str, Any] | None:
    (x,), (result,) = eqn.invars, eqn.outvars
    if x.aval.dtype not in KERNEL_DTYPES or result.aval.dtype not in KERNEL_DTYPES:
        return None
    space = kernel.space
    if not is_reduced(kernel) and space == long_axes(x.aval.shape)[: len(space)]:
        space = long_axes(x.aval.shape)
    axes = axes_of(x.aval.shape, space)
    if axes is None or long_axes(x.aval.shape) != space:
        return None
    if type(x) is Var and kernel.axes.get(x, axes) != axes:
        return None
    taken = frozenset(axes[d] for d in eqn.params["axes"]) - {None}
    rows = len(space) - len(taken)
    if taken != frozenset(range(rows, len(space))):
        is_last_kept = len(space) - 1 not in taken
        if kernel.rows is not None or kernel.columns not in (None, taken) or not is_last_kept:
            return None
        return {"space": space, "axes": {}, "columns": taken}
    levels = [len(set(found) - {None}) for found in kernel.axes.values()]
    fits = all(level <= rows or level == len(space) for level in levels)
    if kernel.columns is not None or kernel.rows not in (None, rows) or not fits:
        return None
    kept = tuple(axis for d, axis in enumerate(axes) if d not in eqn.params["axes"])
    return {"space": space, "axes": {result: kept}, "rows": rows}


def enter(kernel: Kernel, eqn: JaxprEqn, changes: dict[str, Any]) -> None:
    """The equation becomes one of the kernel's."""
    kernel.axes |= changes.pop("axes")
    for name, value in changes.items():
        setattr(kernel, name, value)
    kernel.eqns.append(eqn)


# The grouping.


class Grouping:
    """Takes the equations in order, and keeps the steps in an order that they can be run in."""

    def __init__(self, jaxpr: Jaxpr, in_loop: bool) -> None:
        self.in_loop = in_loop
        self.steps: list[Step | None] = []
        self.made: dict[Var, int] = dict.fromkeys([*jaxpr.constvars, *jaxpr.invars], -1)
        self.views: dict[Var, JaxprEqn] = {}  # not computed: read where they are needed
        self.readers: dict[int, set[int]] = {-1: set()}  # the steps that read a step's results
        self.moved: dict[int, int] = {}  # of kernels that were merged into later ones

    def source(self, x: Atom) -> Atom:
        """What lies in memory where a value is read through views."""
        while type(x) is Var and x in self.views:
            eqn = self.views[x]
            if not eqn.invars:
                return Literal(0)
            x = eqn.invars[0]
        return x

    def now(self, at: int) -> int:
        """Where a step is now, after merging."""
        while at in self.moved:
            at = self.moved[at]
        return at

    def step_of(self, x: Atom) -> int:
        return self.now(self.made[x]) if type(x) is Var else -1

    def take(self, eqn: JaxprEqn) -> None:
        if eqn.effects:
            return self.call(eqn)
        if is_view(eqn):
            return self.view(eqn)
        reduces = is_reduction(eqn)
        if len(eqn.outvars) != 1 or (not reduces and scalar_template(eqn) is None):
            return self.call(eqn)
        if not self.join(eqn):
            space = long_axes((eqn.invars[0] if reduces else eqn.outvars[0]).aval.shape)
            kernel = Kernel(space)
            changes = joined(kernel, eqn)
            if changes is None:
                return self.call(eqn)
            self.append(kernel)
            self.add(len(self.steps) - 1, eqn, changes)

    def view(self, eqn: JaxprEqn) -> None:
        """Inside the kernel that makes its operand, if it lies there as it is; else read later."""
        operand = eqn.invars[0] if eqn.invars else None
        at = self.step_of(operand) if operand is not None else -1
        if type(operand) is Var and operand not in self.views and self.is_in(at, operand):
            changes = joined(self.steps[at], eqn)
            if changes is not None and self.has_room(at):
                return self.add(at, eqn, changes)
        self.views[eqn.outvars[0]] = eqn
        self.made[eqn.outvars[0]] = self.step_of(self.source(eqn.outvars[0]))

    def call(self, eqn: JaxprEqn) -> None:
        for x in eqn.invars:
            self.materialize(x)
        self.append(Call(eqn, {x for x in eqn.invars if type(x) is Var}))
        for x in self.steps[-1].reads:
            self.readers[self.step_of(x)].add(len(self.steps) - 1)
        self.made.update(dict.fromkeys(eqn.outvars, len(self.steps) - 1))

    def materialize(self, x: Atom) -> None:
        """A view that NumPy or the caller asks for becomes an array: a step of NumPy's, or, in a
        loop, where NumPy has no part, a copy."""
        if type(x) is Var and x in self.views:
            eqn = self.views.pop(x)
            kernel = Kernel(long_axes(x.aval.shape))
            changes = joined(kernel, eqn) if self.in_loop else None
            if changes is None:
                return self.call(eqn)
            self.append(kernel)
            self.add(len(self.steps) - 1, eqn, changes)
        return None

    def append(self, step: Step) -> None:
        self.readers[len(self.steps)] = set()
        self.steps.append(step)

    def is_in(self, at: int, x: Atom) -> bool:
        """Whether step `at` has the value at hand in its loops."""
        step = self.steps[at] if at >= 0 else None
        return isinstance(step, Kernel) and x in step.axes

    def has_room(self, at: int) -> bool:
        step = self.steps[at]
        return len(step.eqns) < MOST_EQUATIONS and len(step.reads) < MOST_ARRAYS

    def join(self, eqn: JaxprEqn) -> bool:
        """Adds the equation to the last kernel that makes an operand of it, if that can be."""
        at = max((self.step_of(x) for x in eqn.invars), default=-1)
        if at < 0 or not isinstance(self.steps[at], Kernel):
            return self.join_beside(eqn, at)
        if any(self.step_of(x) == at and not self.is_in(at, x) for x in eqn.invars):
            return self.join_beside(eqn, at)
        changes = joined(self.steps[at], eqn)
        if changes is None or not self.has_room(at):
            return self.join_beside(eqn, at)
        self.add(at, eqn, changes)
        for other in sorted({self.step_of(x) for x in eqn.invars} - {at, -1}, reverse=True):
            self.merge(other, at)
        return True

    def join_beside(self, eqn: JaxprEqn, after: int) -> bool:
        """Adds it to a recent kernel over the same loops that reads one of the same arrays."""
        sources = {x for x in map(self.source, eqn.invars) if type(x) is Var}
        shape = (eqn.invars[0] if is_reduction(eqn) else eqn.outvars[0]).aval.shape
        for at in range(len(self.steps) - 1, max(after, len(self.steps) - 5), -1):
            kernel = self.steps[at]
            if isinstance(kernel, Kernel) and kernel.space == long_axes(shape):
                changes = joined(kernel, eqn) if sources & kernel.reads else None
                if changes is not None and self.has_room(at):
                    self.add(at, eqn, changes)
                    return True
        return False

    def add(self, at: int, eqn: JaxprEqn, changes: dict[str, Any]) -> None:
        kernel = self.steps[at]
        for x in eqn.invars:
            self.read(at, kernel, x)
        enter(kernel, eqn, changes)
        self.made[eqn.outvars[0]] = at

    def read(self, at: int, kernel: Kernel, x: Atom) -> None:
        """What a kernel doesn't make itself it reads, with the views on the way."""
        if type(x) is not Var or x in kernel.axes:
            return
        if x in self.views:
            eqn = self.views[x]
            for operand in eqn.invars:
                self.read(at, kernel, operand)
            kernel.views[x] = eqn
        else:
            kernel.reads.add(x)
            self.readers[self.step_of(x)].add(at)

    def merge(self, early: int, late: int) -> None:
        """Two kernels become one, in the place of the later, unless a step between reads one."""
        first, second = self.steps[early], self.steps[late]
        if not isinstance(first, Kernel) or any(self.now(k) < late for k in self.readers[early]):
            return
        if len(first.eqns) + len(second.eqns) > MOST_EQUATIONS:
            return
        merged = Kernel(first.space, views=first.views | second.views)
        for eqn in [*first.eqns, *second.eqns]:
            changes = joined(merged, eqn)
            if changes is None or any(
                self.step_of(self.source(x)) in (early, late) and x not in merged.axes
                for x in eqn.invars if type(x) is Var
            ):  # fmt: skip
                return
            enter(merged, eqn, changes)
        made = {v for eqn in merged.eqns for v in eqn.outvars}
        merged.reads = (first.reads | second.reads) - made
        self.steps[early], self.steps[late] = None, merged
        self.moved[early] = late
        self.readers[late] |= self.readers[early]


def fuse(jaxpr: Jaxpr, in_loop: bool = False) -> list[Step]:
    """The steps that compute a jaxpr, in order."""
    grouping = Grouping(jaxpr, in_loop)
    for eqn in jaxpr.eqns:
        grouping.take(eqn)
    for x in jaxpr.outvars:
        grouping.materialize(x)
    return [step for step in grouping.steps if step is not None]
