"""Fuse: the equations of a program become steps, and each step is one loop nest or one call.

What works element by element joins the loops that make its operands. Broadcasts, slices and
transposes of what lies in memory are only another way to read it. A reduction ends its loops' rows,
and what follows along the same rows stays with it: softmax is one step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from minijax.compiler.kernels.elements import (
    START, Place, in_kernels, is_reduction, long_axes, reads_only, scalar_template, view_places,
)
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, Jaxpr, JaxprEqn, Var

MOST_EQUATIONS, MOST_ARRAYS = 100, 24  # of one kernel: larger ones are slow to compile

Axes = tuple  # for each dimension of a value, the axis of the loops that it follows; None: size 1


@dataclasses.dataclass(eq=False)
class Kernel:
    """Equations that are computed in one loop nest.

    `space` has the sizes of the loops. A value lies along the first one, the first two, ... of
    them, in order: a total of rows along the first `rows`. Other totals, over the axes `columns`,
    are whole only when the loops have ended.
    """

    space: tuple[int, ...]
    eqns: list[JaxprEqn] = dataclasses.field(default_factory=list)
    axes: dict[Var, Axes] = dataclasses.field(default_factory=dict)  # of what can be used in it
    reads: set[Var] = dataclasses.field(default_factory=set)  # from memory
    views: dict[Var, JaxprEqn] = dataclasses.field(default_factory=dict)  # through these
    rows: int | None = None
    columns: frozenset[int] | None = None
    start: tuple[int, ...] = ()  # of a box (pieces.py): where in the loops it begins

    @property
    def is_cut(self) -> bool:
        """Whether it reads what lies in pieces."""
        return any(piece_rule(eqn) for eqn in self.views.values())

    @property
    def block_sums(self) -> list[Var]:  # with a row for each block (appendix G)
        return [eqn.outvars[0] for eqn in self.eqns if "blocks" in eqn.params]

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
    """The operand's axes, for a result along `axes`. None: read in steps, or not from its start."""
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
    if not all(map(in_kernels, eqn.outvars)):
        return False
    if lowerings[eqn.primitive].index:
        return not eqn.invars
    if piece_rule(eqn):
        return True
    if not reads_only(eqn):
        return False
    return view_places(eqn, [Place(d) for d in range(eqn.outvars[0].aval.ndim)]) is not None


SMALL, MOST_PIECES = 256, 4  # numbers that are copied sooner than read in pieces; pieces of one


def piece_rule(eqn: JaxprEqn) -> tuple[int, list[tuple[Any, int]]] | None:
    """A dimension and the pieces along it, with their sizes, that can be read where they lie."""
    rule = lowerings[eqn.primitive].pieces
    if rule is None or eqn.outvars[0].aval.size < SMALL or len(eqn.invars) > MOST_PIECES:
        return None
    return rule(eqn) if all(map(in_kernels, (*eqn.invars, *eqn.outvars))) else None


# What may join a kernel.


def joined(kernel: Kernel, eqn: JaxprEqn) -> dict[str, Any] | None:
    """What changes in the kernel when it computes the equation too; None where it can't."""
    return _with_reduction(kernel, eqn) if is_reduction(eqn) else _with_map(kernel, eqn)


def is_reduced(kernel: Kernel) -> bool:
    return kernel.rows is not None or kernel.columns is not None


def _with_map(kernel: Kernel, eqn: JaxprEqn) -> dict[str, Any] | None:
    """Along all loops, or outer ones that rows keep. Before a reduction, loops may be added."""
    (result,) = eqn.outvars
    long, space, is_open = long_axes(result.aval.shape), kernel.space, not is_reduced(kernel)
    if is_open and space == long[: len(space)]:
        space = long
    axes = axes_of(result.aval.shape, space)
    if axes is None or (kernel.is_cut and not is_open):
        return None
    if not (is_open or len(long) in (len(space), *range((kernel.rows or 0) + 1))):
        return None
    for x in eqn.invars:
        if type(x) is Var and x in kernel.axes and kernel.axes[x] != operand_axes(eqn, x, axes):
            return None
    return {"space": space, "axes": {result: axes}}


def _with_reduction(kernel: Kernel, eqn: JaxprEqn) -> dict[str, Any] | None:
    """Of a value along all of the loops; one kernel sums rows of one length, or columns."""
    (x,), (result,), space = eqn.invars, eqn.outvars, kernel.space
    long = long_axes(x.aval.shape)
    if kernel.is_cut:
        return None
    if not is_reduced(kernel) and space == long[: len(space)]:
        space = long
    axes = axes_of(x.aval.shape, space)
    if long != space or (type(x) is Var and kernel.axes.get(x, axes) != axes):
        return None
    taken = frozenset(axes[d] for d in eqn.params["axes"]) - {None}
    rows = len(space) - len(taken)
    if taken != frozenset(range(rows, len(space))):
        fits_columns = len(space) - 1 not in taken and not lowerings[eqn.primitive].finish
        if kernel.rows is not None or kernel.columns not in (None, taken) or not fits_columns:
            return None
        return {"space": space, "axes": {}, "columns": taken}
    # So that a total can end its rows, other values lie along all loops or outside of the rows.
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
    """The steps so far, in an order that they can be run in, and which of them makes what."""

    def __init__(self, jaxpr: Jaxpr, in_loop: bool) -> None:
        self.in_loop = in_loop
        self.steps: list[Step | None] = []  # None: the kernel has moved into a later one
        self.made: dict[Var, int] = dict.fromkeys([*jaxpr.constvars, *jaxpr.invars], -1)
        self.views: dict[Var, JaxprEqn] = {}  # not computed: read where they are needed

    def append(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def sources(self, x: Atom) -> list[Var]:
        """What lies in memory where a value is read through views."""
        if type(x) is not Var:
            return []
        if x not in self.views:
            return [x]
        return [source for operand in self.views[x].invars for source in self.sources(operand)]

    def step_of(self, x: Atom) -> int:
        """The step that makes the value, or what it is a view of; -1: the caller."""
        return max((self.made[source] for source in self.sources(x)), default=-1)

    def is_in_pieces(self, x: Atom) -> bool:
        """Whether it is read out of pieces."""
        while type(x) is Var and x in self.views and self.views[x].invars:
            if piece_rule(self.views[x]):
                return True
            x = self.views[x].invars[0]
        return False

    def is_in(self, at: int, x: Atom) -> bool:
        """Whether step `at` has the value at hand in its loops."""
        step = self.steps[at] if at >= 0 else None
        return isinstance(step, Kernel) and x in step.axes

    def has_room(self, at: int, eqn: JaxprEqn) -> bool:
        """Whether the kernel may grow by the equation; a reduction's loops are never cut."""
        step = self.steps[at]
        if is_reduced(step) and any(map(self.is_in_pieces, eqn.invars)):
            return False
        return len(step.eqns) < MOST_EQUATIONS and len(step.reads) < MOST_ARRAYS


def add(grouping: Grouping, at: int, eqn: JaxprEqn, changes: dict[str, Any]) -> None:
    """The kernel at `at` computes the equation too."""
    kernel = grouping.steps[at]
    for x in eqn.invars:
        _read(grouping, kernel, x)
    enter(kernel, eqn, changes)
    grouping.made[eqn.outvars[0]] = at


def _read(grouping: Grouping, kernel: Kernel, x: Atom) -> None:
    """What a kernel doesn't make itself it reads, with the views on the way."""
    if type(x) is not Var or x in kernel.axes:
        return
    if x in grouping.views:
        eqn = grouping.views[x]
        for operand in eqn.invars:
            _read(grouping, kernel, operand)
        kernel.views[x] = eqn
    else:
        kernel.reads.add(x)


def loops_of(eqn: JaxprEqn) -> tuple[int, ...]:
    """The sizes of the loops that an equation needs."""
    return long_axes((eqn.invars[0] if is_reduction(eqn) else eqn.outvars[0]).aval.shape)


def begin(grouping: Grouping, eqn: JaxprEqn) -> bool:
    """Begins a kernel with the equation, if a kernel can compute it."""
    kernel = Kernel(loops_of(eqn))
    changes = joined(kernel, eqn)
    if changes is not None:
        add(grouping, grouping.append(kernel), eqn, changes)
    return changes is not None


# Where an equation goes.


def leave(grouping: Grouping, eqn: JaxprEqn) -> None:
    """A step of its own, for which everything that it is given is an array."""
    rules = lowerings[eqn.primitive]
    is_kernel = bool(rules.loop) or bool(rules.alone and rules.alone(eqn))
    for x in eqn.invars:
        materialize(grouping, x, is_kernel)
    at = grouping.append(Call(eqn, {x for x in eqn.invars if type(x) is Var}))
    grouping.made.update(dict.fromkeys(eqn.outvars, at))


def materialize(grouping: Grouping, x: Atom, for_kernel: bool = False) -> None:
    """A view that is asked for becomes an array: a step of NumPy's, or a copy, in a loop, where
    NumPy has no part, and for a kernel, which needs the numbers in a row."""
    if type(x) is Var and x in grouping.views:
        eqn = grouping.views.pop(x)
        is_copied = grouping.in_loop or (for_kernel and not lies_in_order(eqn))
        if piece_rule(eqn) or not (is_copied and begin(grouping, eqn)):
            leave(grouping, eqn)


def lies_in_order(eqn: JaxprEqn) -> bool:
    """Whether the result is the operand as it lies in memory, in another shape."""
    sizes = {x.aval.size for x in (*eqn.invars, *eqn.outvars)}
    return lowerings[eqn.primitive].same_order and len(sizes) == 1


def look_through(grouping: Grouping, eqn: JaxprEqn) -> None:
    """Inside the kernel that makes its operand, if it lies there as it is; else read later."""
    (result,) = eqn.outvars
    operand = eqn.invars[0] if eqn.invars else None
    at = grouping.step_of(operand)
    if not piece_rule(eqn) and operand not in grouping.views and grouping.is_in(at, operand):
        changes = joined(grouping.steps[at], eqn)
        if changes is not None and grouping.has_room(at, eqn):
            return add(grouping, at, eqn, changes)
    grouping.views[result] = eqn
    return None


def join(grouping: Grouping, eqn: JaxprEqn) -> bool:
    """Adds the equation to the last kernel that makes an operand of it, if that can be."""
    at = max(map(grouping.step_of, eqn.invars), default=-1)
    is_ready = all(grouping.is_in(at, x) for x in eqn.invars if grouping.step_of(x) == at)
    if at < 0 or not is_ready:
        return False
    changes = joined(grouping.steps[at], eqn)
    if changes is None or not grouping.has_room(at, eqn):
        return False
    add(grouping, at, eqn, changes)
    return True


# How an equation gets into a kernel: each says whether it did.
WAYS: list[Callable[[Grouping, JaxprEqn], bool]] = [join, begin]


def take(grouping: Grouping, eqn: JaxprEqn) -> None:
    """One more equation."""
    if eqn.effects:
        return leave(grouping, eqn)
    if is_view(eqn):
        return look_through(grouping, eqn)
    is_known = len(eqn.outvars) == 1 and scalar_template(eqn) is not None
    if is_reduction(eqn) and grouping.is_in_pieces(eqn.invars[0]):
        materialize(grouping, eqn.invars[0])
    if not is_known or not any(way(grouping, eqn) for way in WAYS):
        leave(grouping, eqn)
    return None


def fuse(jaxpr: Jaxpr, in_loop: bool = False) -> list[Step]:
    """The steps that compute a jaxpr, in order."""
    grouping = Grouping(jaxpr, in_loop)
    for eqn in jaxpr.eqns:
        take(grouping, eqn)
    for x in jaxpr.outvars:
        materialize(grouping, x)
    return [step for step in grouping.steps if step is not None]
