"""Hoisting: equations of a step that read only the loop's constants run once, before the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from minijax.core.config import derived
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Literal, has_effect

Names = tuple[tuple, ...]  # of residuals, as the sources of a SplitJaxpr: ("arg", 1), ("out", 0)


@derived
def hoist(
    closed: ClosedJaxpr, num_consts: int, num_out: int, made: Names
) -> tuple[ClosedJaxpr, ClosedJaxpr, Names, Names]:
    """Divides a step into a program of its constants, which runs once, and the step that is left.

    The program returns what the step reads of it, and then those of the residuals `made` that are
    known early. The step takes the former in place of the constants, and returns its first
    `num_out` results, and then the residuals that are made late. The names of the early residuals
    and of the late ones come with the two.
    """
    jaxpr = closed.jaxpr
    variables = {"arg": jaxpr.invars, "out": jaxpr.outvars}
    known = {*jaxpr.constvars, *jaxpr.invars[:num_consts]}
    before, inside = [], []
    for eqn in jaxpr.eqns:
        # A reference that a step makes is another one in each step.
        stays = has_effect(eqn) or any(v.aval.mutable for v in eqn.outvars)
        ready = not stays and all(type(x) is Literal or x in known for x in eqn.invars)
        (before if ready else inside).append(eqn)
        known |= {*eqn.outvars} if ready else set()
    residuals = {name: variables[name[0]][name[1]] for name in made}
    early = tuple(name for name, x in residuals.items() if type(x) is Literal or x in known)
    late = tuple(name for name in residuals if name not in early)
    outvars = [*jaxpr.outvars[:num_out], *(residuals[name] for name in late)]
    needed = _known_reads(outvars, inside, known)
    first = jaxpr.replace(
        invars=jaxpr.invars[:num_consts], eqns=before,
        outvars=[*needed, *(residuals[name] for name in early)],
    )  # fmt: skip
    step = jaxpr.replace(
        constvars=[], invars=[*needed, *jaxpr.invars[num_consts:]], eqns=inside, outvars=outvars
    )
    return ClosedJaxpr(first, closed.consts), ClosedJaxpr(step, []), early, late


def _known_reads(outvars: Sequence[Any], eqns: Sequence[JaxprEqn], known: set) -> list[Any]:
    """The known variables that the equations and the results read.

    Their order changes no result. It is JAX's, so that programs print alike: on the way back from
    the results, the last operand comes first, and a value after all that read it; then reversed.
    """
    operands: dict[Any, list] = {v: eqn.invars for eqn in eqns for v in eqn.outvars}
    effects = {id(eqn): eqn.invars for eqn in eqns if has_effect(eqn)}  # ends too, of their own
    operands |= effects
    ends = [*dict.fromkeys(outvars), *effects]
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
