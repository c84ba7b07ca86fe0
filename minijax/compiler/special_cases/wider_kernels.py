"""Kernels that meet become one, and an equation joins a kernel that only reads the same array.

Both save a reading of memory. A value that lies between two steps is never waited for, and single
numbers, which many kernels may need, are made before all of them.
"""

from __future__ import annotations

from minijax.compiler.kernels.fuse import (
    MOST_EQUATIONS, Grouping, Kernel, add, enter, join, joined, loops_of,
)
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Var

# Before equations are fused.


def numbers_first(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program with single numbers, as far as they come from numbers that it is given, at its
    beginning. Else a kernel that needs one, such as a step size, could not stand before it."""
    known, early, late = {*closed.constvars, *closed.invars}, list[JaxprEqn](), list[JaxprEqn]()
    for eqn in closed.eqns:
        is_free = not eqn.effects and not lowerings[eqn.primitive].opaque
        is_known = all(type(x) is not Var or x in known for x in eqn.invars)
        is_early = is_free and is_known and all(map(is_number, (*eqn.invars, *eqn.outvars)))
        (early if is_early else late).append(eqn)
        known.update(eqn.outvars if is_early else ())
    return ClosedJaxpr(closed.jaxpr.replace(eqns=early + late), closed.consts)


def is_number(x: Atom) -> bool:
    return getattr(x.aval, "size", 0) == 1


# How an equation gets into a kernel.


def join_and_merge(grouping: Grouping, eqn: JaxprEqn) -> bool:
    """Joins a kernel; the other kernels that make operands then move there, the latest first."""
    if not join(grouping, eqn):
        return False
    at = grouping.made[eqn.outvars[0]]
    for other in sorted(set(map(grouping.step_of, eqn.invars)) - {at, -1}, reverse=True):
        merge(grouping, other, at)
    return True


def join_beside(grouping: Grouping, eqn: JaxprEqn) -> bool:
    """Adds it to a recent kernel over the same loops that reads one of the same arrays."""
    sources = {source for x in eqn.invars for source in grouping.sources(x)}
    after, last = max(map(grouping.step_of, eqn.invars), default=-1), len(grouping.steps) - 1
    for at in range(last, max(after, last - 4), -1):
        kernel = grouping.steps[at]
        if isinstance(kernel, Kernel) and kernel.space == loops_of(eqn) and sources & kernel.reads:
            changes = joined(kernel, eqn)
            if changes is not None and grouping.has_room(at, eqn):
                add(grouping, at, eqn, changes)
                return True
    return False


def merge(grouping: Grouping, early: int, late: int) -> None:
    """Two kernels become one, in the place of the later, unless a step between reads one."""
    first, second = grouping.steps[early], grouping.steps[late]
    if not isinstance(first, Kernel) or (not first.space and second.space):
        return  # (numbers are read by whoever needs them)
    moved = {v for eqn in first.eqns for v in eqn.outvars}
    between = grouping.steps[early + 1 : late]
    if any(step is not None and not moved.isdisjoint(step.reads) for step in between):
        return
    if len(first.eqns) + len(second.eqns) > MOST_EQUATIONS:
        return
    merged = Kernel(first.space, views=first.views | second.views)
    for eqn in [*first.eqns, *second.eqns]:
        changes = joined(merged, eqn)
        if changes is None or any(
            grouping.step_of(x) in (early, late) and x not in merged.axes
            for x in eqn.invars if type(x) is Var
        ):  # fmt: skip
            return
        enter(merged, eqn, changes)
    made = {v for eqn in merged.eqns for v in eqn.outvars}
    merged.reads = (first.reads | second.reads) - made
    grouping.steps[early], grouping.steps[late] = None, merged
    grouping.made |= dict.fromkeys(moved, late)
