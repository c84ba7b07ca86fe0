"""Rules for a part of what a scan carries: the part that it is linear in, and the part in use.

A derivative that a user writes may count its steps, say, while it carries a tangent. The part that
is known runs forwards first. What it carries is stacked, and the linear part then takes slices.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from minijax.compiler.kernels.row_major import overwrite_rules
from minijax.compiler.lowerings import loop_rules
from minijax.compiler.special_cases.lifted_constants import loops
from minijax.core.config import derived
from minijax.core.programs import choose, dce_closed_jaxpr
from minijax.core.reverse import is_undefined_primal, primitive_transposes
from minijax.core.staging import ClosedJaxpr, JaxprEqn, dce_jaxpr, dce_rules, has_effect
from minijax.lax.control_flow.loop_texts import scan_lines, scan_overwrites
from minijax.lax.control_flow.scan import fixed_point, scan_p, scan_transpose, split3


def _mixed_transpose(
    cts: Sequence[Any], *args: Any, jaxpr: ClosedJaxpr, num_consts: int, num_carry: int, **how: Any
) -> list[Any]:
    linear = tuple(map(is_undefined_primal, args))
    is_known = _known_carries(jaxpr, linear, num_consts, num_carry)
    if not any(is_known):
        sizes = {"num_consts": num_consts, "num_carry": num_carry}
        return scan_transpose(cts, *args, jaxpr=jaxpr, **sizes, **how)
    forward, used, rest = _parts(jaxpr, is_known, num_consts, num_carry)
    out = scan_p.bind(
        *choose(args, used), jaxpr=forward, num_consts=sum(used[:num_consts]),
        num_carry=sum(is_known), **how,
    )  # fmt: skip
    consts, carry, xs = split3(args, num_consts, num_carry)
    is_rest = tuple(map(operator.not_, is_known))
    found = scan_transpose(
        [*choose(cts[:num_carry], is_rest), *cts[num_carry:]], *consts, *choose(carry, is_rest),
        *xs, *out[sum(is_known) :], jaxpr=rest, num_consts=num_consts, num_carry=sum(is_rest),
        **how,
    )  # fmt: skip
    cts_consts, cts_carry, cts_xs = split3(found, num_consts, sum(is_rest))
    given = iter(cts_carry)
    cts_carry = [next(given) if is_linear else None for is_linear in is_rest]
    return [*cts_consts, *cts_carry, *cts_xs[: len(xs)]]


primitive_transposes[scan_p] = _mixed_transpose


@derived
def _known_carries(
    closed: ClosedJaxpr, linear: tuple, num_consts: int, num_carry: int
) -> tuple[bool, ...]:
    """Which carries depend on nothing that the step is linear in."""

    def dependent(marks: tuple, carry: tuple) -> tuple:
        seen = set(choose(closed.invars, marks))
        for eqn in closed.eqns:
            if not seen.isdisjoint(eqn.invars):
                seen.update(eqn.outvars)
        return (tuple(x in seen for x in closed.outvars),)

    marks, _ = fixed_point(dependent, linear, num_consts, num_carry)
    return tuple(map(operator.not_, marks[num_consts : num_consts + num_carry]))


@derived
def _parts(
    closed: ClosedJaxpr, is_known: tuple, num_consts: int, num_carry: int
) -> tuple[ClosedJaxpr, tuple[bool, ...], ClosedJaxpr]:
    """The step of the known carries, which returns what it takes of them too; which operands it
    needs; and the step of the others, whose last operands are slices of the known ones."""
    consts, carry, xs = split3(closed.invars, num_consts, num_carry)
    results, ys = closed.outvars[:num_carry], closed.outvars[num_carry:]
    known, is_rest = choose(carry, is_known), list(map(operator.not_, is_known))
    keep = (*(False,) * num_consts, *is_known, *(False,) * len(xs))
    whole = closed.jaxpr.replace(outvars=[*choose(results, is_known), *known])
    forward, used = dce_jaxpr(whole, (True,) * len(whole.outvars), instantiate=keep)
    rest = closed.jaxpr.replace(
        invars=[*consts, *choose(carry, is_rest), *xs, *known],
        outvars=[*choose(results, is_rest), *ys],
    )
    return ClosedJaxpr(forward, closed.consts), tuple(used), ClosedJaxpr(rest, closed.consts)


# What a step needs of its carry is used by the step before.


def _scan_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple:
    num_consts, num_carry = eqn.params["num_consts"], eqn.params["num_carry"]
    used, needed = tuple(used_outputs), ()
    carry = None
    while carry != used[:num_carry]:
        carry = used[:num_carry]
        keep = (*(False,) * num_consts, *carry, *(False,) * len(eqn.invars))[: len(eqn.invars)]
        jaxpr, needed = dce_closed_jaxpr(eqn.params["jaxpr"], used, instantiate=keep)
        used = (*split3(needed, num_consts, num_carry)[1], *used[num_carry:])
    sizes = {"num_consts": sum(needed[:num_consts]), "num_carry": sum(carry)}
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, needed), outvars=choose(eqn.outvars, used),
        params={**eqn.params, "jaxpr": jaxpr, **sizes}, effects=jaxpr.effects,
    )  # fmt: skip
    return list(needed), new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[scan_p] = _scan_dce

# Compiled: the loop is lines of a kernel, and what each step would compute alike comes before it.

loop_rules[scan_p] = scan_lines
overwrite_rules[scan_p] = scan_overwrites
loops[scan_p] = (("jaxpr", "num_consts"),)
