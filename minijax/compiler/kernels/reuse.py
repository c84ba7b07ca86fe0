"""Places: which results within a compiled loop are written over what nobody needs any more.

An update of one number of an array need not copy the others. So the result takes the operand's
place, if no later step reads the operand. Then a loop of n updates takes n steps, and not n * n.
"""

from __future__ import annotations

from minijax.compiler.kernels.elements import reads_only
from minijax.compiler.kernels.fuse import Call, Step, is_reduced
from minijax.compiler.kernels.loop_nests import Source
from minijax.compiler.kernels.pieces import steps_of
from minijax.compiler.kernels.row_major import overwrites
from minijax.core.config import derived
from minijax.core.staging import Atom, ClosedJaxpr, Var


@derived
def body_steps(closed: ClosedJaxpr) -> list[Step]:
    """The steps of a body. One that overwrites comes behind those that read the old value, unless
    it has an effect."""
    steps = steps_of(closed.jaxpr, in_loop=True)
    for step in list(steps):
        if isinstance(step, Call) and not step.eqn.effects:
            for _, x in overwrites(step.eqn):
                steps = delayed(steps, step, x)
    return steps


def made_by(step: Step) -> set[Var]:
    eqns = [step.eqn] if isinstance(step, Call) else step.eqns
    return {v for eqn in eqns for v in eqn.outvars}


def delayed(steps: list[Step], step: Step, x: Atom) -> list[Step]:
    """A step behind the later readers of x, if none of them needs its results."""
    at, made = steps.index(step), made_by(step)
    if not any(x in other.reads for other in steps[at + 1 :]):
        return steps
    before, after = [], list[Step]()
    for other in steps[at + 1 :]:
        if made.isdisjoint(other.reads):
            before.append(other)
        else:
            after.append(other)
            made |= made_by(other)
    is_awaited = any(x in other.reads for other in after)
    return steps if is_awaited else [*steps[:at], *before, step, *after]


def written_over(step: Step, source: Source) -> set[Var]:
    """The operands that a kernel outside of loops may write its one result over: it reads each
    number of them where it writes one of the result, and before."""
    if isinstance(step, Call) or len(source.writes) != 1 or is_reduced(step) or step.start:
        return set()
    views = [*step.views.values(), *filter(reads_only, step.eqns)]
    elsewhere, [result] = {x for eqn in views for x in eqn.invars}, source.writes
    return {x for x in step.reads - elsewhere if x.aval.shape == result.aval.shape}


@derived
def successors(closed: ClosedJaxpr) -> dict[Var, Var]:
    """For each result that is written over an operand, the operand; the last steps' come first."""
    found: dict[Var, Var] = {}
    needed = set(closed.jaxpr.outvars)
    for step in reversed(body_steps(closed)):
        for v, x in overwrites(step.eqn) if isinstance(step, Call) else []:
            is_read_once = sum(y is x for y in step.eqn.invars) == 1
            if type(x) is Var and x not in needed and is_read_once:
                found[v] = x
                needed.add(x)
        needed |= step.reads
    return found


@derived
def kept_places(closed: ClosedJaxpr) -> dict[int, int]:
    """For each result that may be written over an argument, the argument: both by their numbers.

    That is an argument as it is, or what steps have made of it, each in the last one's place.
    """
    found, over, outvars = {}, successors(closed), closed.jaxpr.outvars
    for k, x in enumerate(outvars):
        first = x
        while first in over:
            first = over[first]
        if first in closed.invars and (first is x or outvars.index(x) == k):
            found[k] = closed.invars.index(first)
    return found
