"""A program done twice: what a policy lets it keep of the first run is not computed again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from ml_dtypes import finfo

from minijax.core.config import derived
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import jit_p
from minijax.core.programs import Flags, choose, dce_closed_jaxpr
from minijax.core.staging import ClosedJaxpr, Jaxpr, JaxprEqn, Var, has_effect
from minijax.core.tracing import no_effects
from minijax.lax.checkpoint_policies import is_saved
from minijax.lax.floats import reduce_precision_p


class Halves(NamedTuple):
    """`known` returns a program's results, then what is saved. `again` takes what was saved, then
    the arguments, and returns the results. Those marked in `out_saved` it is given."""

    known: ClosedJaxpr
    again: ClosedJaxpr
    out_saved: Flags


@derived
def split_saved(closed: ClosedJaxpr, policy: Hashable) -> Halves:
    """What has an effect is never done again."""
    jaxpr, saved, known_eqns, again_eqns = closed.jaxpr, list[Var](), [], []
    for eqn in jaxpr.eqns:
        now, again, kept = eqn, eqn, []
        if eqn.primitive is jit_p and (policy is not None or has_effect(eqn)):
            now, again, kept = _split_jit(eqn, policy)
        elif has_effect(eqn) or is_saved(policy, eqn):
            again, kept = None, eqn.outvars
        known_eqns.append(now)
        again_eqns += [again] if again else []
        saved += kept
    known = jaxpr.replace(outvars=[*jaxpr.outvars, *saved], eqns=known_eqns)
    again = jaxpr.replace(invars=[*saved, *jaxpr.invars], eqns=again_eqns)
    out_saved = tuple(x in saved for x in jaxpr.outvars)
    return Halves(ClosedJaxpr(known, closed.consts), ClosedJaxpr(again, closed.consts), out_saved)


def _split_jit(eqn: JaxprEqn, policy: Hashable) -> tuple[JaxprEqn, JaxprEqn | None, list[Var]]:
    """The equation that runs now, the one that runs again, and the variables that are saved."""
    halves, num_out = split_saved(eqn.params["jaxpr"], policy), len(eqn.outvars)
    residuals = list(map(Var, halves.known.out_avals[num_out:]))
    recomputed = tuple(not saved for saved in halves.out_saved)
    again, used = dce_closed_jaxpr(halves.again, recomputed)
    kept = [*choose(eqn.outvars, halves.out_saved), *residuals]
    now = _call(eqn, halves.known, eqn.invars, [*eqn.outvars, *residuals])
    if not any(recomputed):
        return now, None, kept
    operands = choose([*residuals, *eqn.invars], used)
    return now, _call(eqn, again, operands, choose(eqn.outvars, recomputed)), kept


def _call(eqn: JaxprEqn, closed: ClosedJaxpr, invars: list, outvars: list[Var]) -> JaxprEqn:
    params = {**eqn.params, "jaxpr": closed, "donated_invars": (False,) * len(invars)}
    return eqn._replace(invars=invars, outvars=outvars, params=params, effects=closed.effects)


# How the two fit together.


def arranged(
    known: ClosedJaxpr, linear: ClosedJaxpr, num_out: int, num_dots: int
) -> tuple[ClosedJaxpr, ClosedJaxpr]:
    """A program that returns results and what is saved, and the linear one that takes the latter
    first and `num_dots` tangents last; what is saved is in the order of its use."""
    linear_jaxpr = _soonest(linear.jaxpr, num_dots)
    outvars, invars = known.outvars, linear_jaxpr.invars
    num_saved = len(outvars) - num_out
    first_use: dict = {}
    for i, eqn in enumerate(linear_jaxpr.eqns):
        for x in eqn.invars:
            first_use.setdefault(x, i)
    never = len(linear_jaxpr.eqns)
    order = sorted(range(num_saved), key=lambda i: first_use.get(invars[i], never))
    saved = [outvars[num_out + i] for i in order]
    known_jaxpr = known.jaxpr.replace(outvars=[*outvars[:num_out], *saved])
    linear_jaxpr = linear_jaxpr.replace(invars=[*(invars[i] for i in order), *invars[num_saved:]])
    return (
        ClosedJaxpr(_pin(known_jaxpr, saved), known.consts),
        ClosedJaxpr(linear_jaxpr, linear.consts),
    )


def _soonest(jaxpr: Jaxpr, num_dots: int) -> Jaxpr:
    """The linear equations as soon as what they need is computed: it can then be dropped early."""
    linear = set(jaxpr.invars[len(jaxpr.invars) - num_dots :])
    made: dict = {}
    places, last = [], 0
    for i, eqn in enumerate(jaxpr.eqns):
        if linear.isdisjoint(eqn.invars):
            places.append(i + 1)
        else:
            last = max([last, *(made.get(x, 0) for x in eqn.invars)])
            places.append(last)
            linear.update(eqn.outvars)
        made.update(dict.fromkeys(eqn.outvars, places[-1]))
    order = sorted(range(len(places)), key=places.__getitem__)
    return jaxpr.replace(eqns=[jaxpr.eqns[i] for i in order])


def _pin(jaxpr: Jaxpr, saved: list[Var]) -> Jaxpr:
    """What is saved, and used at once as well, is rounded to its dtype for both: a compiler might
    else go on with more digits than it saves."""
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}
    pinned = {
        v: Var(v.aval) for v in saved if v in used and issubdtype(v.aval.dtype, np.floating)
    }
    eqns = []
    for eqn in jaxpr.eqns:
        eqns.append(eqn._replace(outvars=[pinned.get(v, v) for v in eqn.outvars]))
        eqns += [_rounding(pinned[v], v, eqn) for v in eqn.outvars if v in pinned]
    return jaxpr.replace(eqns=eqns)


def _rounding(x: Var, rounded: Var, eqn: JaxprEqn) -> JaxprEqn:
    info = finfo(x.aval.dtype)
    params = {"exponent_bits": info.nexp, "mantissa_bits": info.nmant}
    return JaxprEqn([x], [rounded], reduce_precision_p, params, no_effects, eqn.source_info)
