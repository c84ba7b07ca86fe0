"""Known carries: the part of a linear scan's carry that depends on nothing linear.

Linearizing leaves no such carry, but a function given to `linear_transpose` may count its steps,
say. The count can't be transposed, and needn't be: a scan of the known carries alone runs forwards
first, and stacks them as each step takes them. The scan that is left takes slices of these stacks.
"""

from __future__ import annotations

import operator

from minijax.core.config import derived
from minijax.core.programs import Flags, choose
from minijax.core.staging import ClosedJaxpr, dce_jaxpr
from minijax.lax.control_flow.bodies import split3


@derived
def dependent(closed: ClosedJaxpr, marks: Flags) -> Flags:
    """Which results depend on an operand that is marked, or on what a reference holds."""
    seen = set(choose(closed.invars, marks))
    for eqn in closed.eqns:
        if not seen.isdisjoint(eqn.invars) or any(v.aval.mutable for v in eqn.outvars):
            seen.update(eqn.outvars)
    return tuple(x in seen for x in closed.outvars)


@derived
def split_known(
    closed: ClosedJaxpr, is_linear: Flags, num_consts: int, num_carry: int
) -> tuple[ClosedJaxpr, Flags, ClosedJaxpr]:
    """Divides a step by its carries: the step of the known ones, whose ys are these carries as it
    takes them; flags for the operands that it needs; and the step of the linear ones, whose last
    operands are slices of those ys."""
    consts, carry, xs = split3(closed.invars, num_consts, num_carry)
    results, ys = closed.outvars[:num_carry], closed.outvars[num_carry:]
    is_known = tuple(map(operator.not_, is_linear))
    known = choose(carry, is_known)
    keep = (*(False,) * num_consts, *is_known, *(False,) * len(xs))
    # What a reference holds is linear, and so is all that is done to it.
    eqns = [eqn for eqn in closed.eqns if not any(x.aval.mutable for x in eqn.invars)]
    whole = closed.jaxpr.replace(outvars=[*choose(results, is_known), *known], eqns=eqns)
    forward, used = dce_jaxpr(whole, (True,) * len(whole.outvars), instantiate=keep)
    rest = closed.jaxpr.replace(
        invars=[*consts, *choose(carry, is_linear), *xs, *known],
        outvars=[*choose(results, is_linear), *ys],
    )
    return ClosedJaxpr(forward, closed.consts), tuple(used), ClosedJaxpr(rest, closed.consts)
