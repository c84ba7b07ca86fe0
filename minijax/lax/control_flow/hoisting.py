"""Hoisting: equations of a step that read only the loop's constants run once, before the loop."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any

from minijax.core.config import derived
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Literal, has_effect


@derived
def hoist(
    closed: ClosedJaxpr, num_consts: int, num_out: int, made: tuple
) -> tuple[ClosedJaxpr, ClosedJaxpr, tuple[bool, ...]]:
    """Divides a step: a program of the constants, which runs before the loop, and the step that is
    left, which takes that program's first results in place of the constants.

    `made` names the residuals, as a SplitJaxpr's sources do. Each is among the last results of one
    of the two programs: the flags that are returned with them say which residuals come early.
    """
    jaxpr = closed.jaxpr
    variables = {"arg": jaxpr.invars, "out": jaxpr.outvars}
    residuals = [variables[kind][i] for kind, i in made]
    known = {*jaxpr.constvars, *jaxpr.invars[:num_consts]}
    before, inside = [], []
    for eqn in jaxpr.eqns:
        ready = not has_effect(eqn) and all(type(x) is Literal or x in known for x in eqn.invars)
        (before if ready else inside).append(eqn)
        known |= {*eqn.outvars} if ready else set()
    is_early = tuple(type(x) is Literal or x in known for x in residuals)
    late = choose(residuals, map(operator.not_, is_early))
    outvars = [*jaxpr.outvars[:num_out], *late]
    needed = _known_reads(outvars, inside, known)
    first = jaxpr.replace(
        invars=jaxpr.invars[:num_consts], eqns=before,
        outvars=[*needed, *choose(residuals, is_early)],
    )  # fmt: skip
    step = jaxpr.replace(
        constvars=[], invars=[*needed, *jaxpr.invars[num_consts:]], eqns=inside, outvars=outvars
    )
    return ClosedJaxpr(first, closed.consts), ClosedJaxpr(step, []), is_early


def _known_reads(outvars: Sequence[Any], eqns: Sequence[JaxprEqn], known: set) -> list[Any]:
    """The known variables that the equations and the results read.

    Their order changes no result. It is JAX's, so that programs print alike: on the way back from
    the results, the last operand comes first, and a value after all that read it; then reversed.
    """
    operands = {v: eqn.invars for eqn in eqns for v in eqn.outvars}
    ends = list(dict.fromkeys(outvars))
    counts, todo = Counter[Any](), list(ends)
    while todo:
        counts[x := todo.pop()] += 1
        todo += operands.get(x, ()) if counts[x] == 1 else ()
    counts.subtract(ends)
    ready, order = [x for x in ends if x in known or not counts[x]], []
    while ready:
        order.append(x := ready.pop())
        for operand in operands.get(x, ()):
            counts[operand] -= 1
            if operand in known or not counts[operand]:
                ready.append(operand)
    return [x for x in dict.fromkeys(reversed(order)) if x in known]
