"""What a program inside another need not compute or hold by itself moves out of it.

A loop's step is cut in two: what depends on the loop's constants alone goes before the loop. And
the constants that branches have come to become operands, so that no branch has any of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from minijax.compiler.lowerings import lowerings
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.passes.simplify import copy, grows, prune
from minijax.core.config import derived
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Var, dce_jaxpr

# Out of loops. A loop's operands begin with the constants of each of its `steps`, and so do the
# inputs of each program.


def hoist(closed: ClosedJaxpr) -> ClosedJaxpr:
    """What every step of a loop would compute alike, before the loop."""
    if not any(lowerings[eqn.primitive].steps for eqn in closed.eqns):
        return closed

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        steps = lowerings[eqn.primitive].steps
        if not steps:
            return draft.write(eqn)
        params, operands, needed = dict(eqn.params), eqn.invars, list[Atom]()
        for program, size in steps:
            consts, operands = operands[: params[size]], operands[params[size] :]
            before, step = split_step(params[program], params[size])
            found = copy(draft, before, consts)
            params |= {program: step, size: len(found)}
            needed += found
        return draft.write(eqn._replace(invars=[*needed, *operands], params=params))

    return forward(closed, visit)


@derived
def split_step(closed: ClosedJaxpr, num_consts: int) -> tuple[ClosedJaxpr, ClosedJaxpr]:
    """A step in two: from its constants to what the rest needs of them, and the rest.

    What makes more numbers than it takes is cheap to make and long to read: it stays in the step.
    """
    consts, args = closed.invars[:num_consts], closed.invars[num_consts:]
    known, cheap = {*closed.constvars, *consts}, set[Var]()
    early, late = list[JaxprEqn](), list[JaxprEqn]()
    for eqn in closed.eqns:
        is_known = known.issuperset(x for x in eqn.invars if type(x) is Var)
        if not is_known or eqn.effects or lowerings[eqn.primitive].opaque:
            late.append(eqn)
            continue
        early.append(eqn)
        known.update(eqn.outvars)
        if grows(eqn):
            late.append(eqn)
            cheap.update(eqn.outvars)
    known -= cheap
    rest = closed.jaxpr.replace(constvars=[], invars=[*known, *args], eqns=late)
    rest, _ = dce_jaxpr(rest, [True] * len(closed.outvars), True)
    reads = [*(x for eqn in rest.eqns for x in eqn.invars), *rest.outvars]
    needed = [x for x in dict.fromkeys(reads) if x in known]
    before = closed.jaxpr.replace(invars=consts, outvars=needed, eqns=early)
    rest = rest.replace(invars=[*needed, *args])
    return prune(ClosedJaxpr(before, closed.consts)), ClosedJaxpr(rest, [])


# Out of branches. The operands of a choice are an index, then the branches'.


def lift(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The constants of branches as operands, which all branches take."""
    if not any(lowerings[eqn.primitive].branches for eqn in closed.eqns):
        return closed
    return forward(closed, _lift_from)


def _lift_from(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
    name = lowerings[eqn.primitive].branches
    if not name:
        return draft.write(eqn)
    branches, (index, *operands) = eqn.params[name], eqn.invars
    values = [draft.constant(x) for branch in branches for x in branch.consts]
    if not values:
        return draft.write(eqn)
    lifted = []
    for i, branch in enumerate(branches):
        all_constvars = [(j, v) for j, other in enumerate(branches) for v in other.constvars]
        invars = [v if i == j else Var(v.aval) for j, v in all_constvars]
        jaxpr = branch.jaxpr.replace(constvars=[], invars=[*invars, *branch.invars])
        lifted.append(ClosedJaxpr(jaxpr, []))
    params = {**eqn.params, name: tuple(lifted)}
    return draft.write(eqn._replace(invars=[index, *values, *operands], params=params))
