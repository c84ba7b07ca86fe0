"""A program that runs twice: the second run takes the values that a policy saved from the first."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import finfo

from minijax.core.config import derived
from minijax.core.dtypes import issubdtype
from minijax.core.forward import is_nonzero
from minijax.core.jitting import jit_p
from minijax.core.linearization import LinearizeTrace, put_zeros
from minijax.core.programs import Flags, SplitJaxpr, choose, dce_closed_jaxpr, trace_with_aux
from minijax.core.staging import (
    ClosedJaxpr,
    DynamicJaxprTracer,
    Jaxpr,
    JaxprEqn,
    JaxprTrace,
    Var,
    has_effect,
    jaxpr_as_fun,
)
from minijax.core.tracing import Primitive, new_trace, no_effects, unzip2
from minijax.lax.control_flow.conditionals import cond_p, effects_of
from minijax.lax.control_flow.residual_slots import with_same_residuals
from minijax.lax.control_flow.scan import reordered, scan_p, stacked
from minijax.lax.custom.checkpoint_policies import is_saved
from minijax.lax.elementwise.floats import reduce_precision_p

# Linearized into one program, in which each linear equation stands where jvp would put it.


class TangentTrace(JaxprTrace):
    """A trace that records into the program of another trace, `main`."""

    def __init__(self, main: JaxprTrace) -> None:
        super().__init__(main.debug_info)
        self.main, self.frame = main, main.frame

    def to_atom(self, x: Any) -> Any:
        is_mains = isinstance(x, DynamicJaxprTracer) and x._trace is self.main
        return x.val if is_mains else super().to_atom(x)


def move(x: Any, source: JaxprTrace, target: JaxprTrace) -> Any:
    """A tracer of one of two traces that write the same program, as one of the other."""
    is_sources = isinstance(x, DynamicJaxprTracer) and x._trace is source
    return DynamicJaxprTracer(target, x.val) if is_sources else x


def linearized_jaxpr(closed: ClosedJaxpr, nonzeros: Flags) -> tuple[ClosedJaxpr, Flags]:
    """Like `jvp_jaxpr`, but each equation computes either primals, or tangents linearly."""
    avals, info = closed.in_avals, closed.jaxpr.debug_info

    def jvp_fun(*args: Any) -> tuple[list[Any], Flags]:
        main = args[0]._trace
        later = TangentTrace(main)
        dots = [move(x, main, later) for x in args[len(avals) :]]
        with new_trace(LinearizeTrace(main, later, info)) as trace:
            boxed = list(map(trace.box, args[: len(avals)], put_zeros(dots, nonzeros, avals)))
            pairs = map(trace.to_primal_tangent_pair, jaxpr_as_fun(closed)(*boxed))
            out, out_dot = unzip2(pairs)
        later.end()
        given = [move(x, later, main) for x in filter(is_nonzero, out_dot)]
        return [*out, *given], tuple(map(is_nonzero, out_dot))

    in_avals = [*avals, *(aval.to_tangent_aval() for aval in choose(avals, nonzeros))]
    return trace_with_aux(jvp_fun, in_avals, info)


# Divided: equations that run now, and equations that run again.


class Halves(NamedTuple):
    """`known` returns a program's results, then the saved values. `again` takes the saved values,
    then the arguments, and returns all results, of which those in `out_saved` are saved values."""

    known: ClosedJaxpr
    again: ClosedJaxpr
    out_saved: Flags


once_only: list[type] = []  # effects of what runs neither twice nor later


def _refuse_once_only(effects: frozenset) -> None:
    found = [effect for effect in effects if isinstance(effect, tuple(once_only))]
    if found:
        raise NotImplementedError(
            f"jax.checkpoint got a function with the effect {found[0]}, and its derivative would "
            f"run that again. Call it outside of the checkpointed function."
        )


@derived
def split_saved(closed: ClosedJaxpr, policy: Hashable, num_later: int = 0) -> Halves:
    """Splits a program by its equations. One that depends on the last `num_later` arguments, which
    only the second run has, is in `again` alone; one with an effect, or whose results the policy
    saves, is in `known` alone. Every other equation is in both, and runs twice.

    NotImplementedError for an effect that is to come once."""
    _refuse_once_only(closed.effects)
    jaxpr, num_known = closed.jaxpr, len(closed.in_avals) - num_later
    later, saved = set(jaxpr.invars[num_known:]), dict[Var, None]()
    known_eqns, again_eqns = [], []
    for eqn in jaxpr.eqns:
        now, again, kept = eqn, eqn, []
        if not later.isdisjoint(eqn.invars):
            now = None
            later.update(eqn.outvars)
        elif eqn.primitive in split_rules and (policy is not None or has_effect(eqn)):
            now, again, kept = split_rules[eqn.primitive](eqn, policy)
        elif has_effect(eqn) or is_saved(policy, eqn):
            again, kept = None, eqn.outvars
        known_eqns += [now] if now else []
        again_eqns += [again] if again else []
        saved.update(dict.fromkeys(kept))
    outvars = [x for x in jaxpr.outvars if x not in later]
    known = jaxpr.replace(
        invars=jaxpr.invars[:num_known], outvars=[*outvars, *saved], eqns=known_eqns
    )
    again = jaxpr.replace(invars=[*saved, *jaxpr.invars], eqns=again_eqns)
    out_saved = tuple(x in saved for x in jaxpr.outvars)
    return Halves(ClosedJaxpr(known, closed.consts), ClosedJaxpr(again, closed.consts), out_saved)


# Of an equation: the one that runs now, the one that runs again, and the variables to save.
Split = tuple[JaxprEqn, JaxprEqn | None, list[Var]]


def _split_jit(eqn: JaxprEqn, policy: Hashable) -> Split:
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
    effects = eqn.effects & closed.effects
    return eqn._replace(invars=invars, outvars=outvars, params=params, effects=effects)


def _split_cond(eqn: JaxprEqn, policy: Hashable) -> Split:
    """Splits each branch. A result is saved where every branch saves it."""
    halves, size = [split_saved(b, policy) for b in eqn.params["branches"]], len(eqn.outvars)
    saved = tuple(map(all, zip(*(h.out_saved for h in halves), strict=True)))
    recomputed = tuple(not s for s in saved)
    splits = []
    for half in halves:
        again, _ = dce_closed_jaxpr(half.again, recomputed, instantiate=True)
        places = range(size, len(half.known.out_avals))
        splits.append(SplitJaxpr(half.known, again, tuple(("out", i) for i in places), ()))
    known, again, avals = with_same_residuals(splits, size)
    residuals = list(map(Var, avals))
    index, *operands = eqn.invars
    now = eqn._replace(
        outvars=[*eqn.outvars, *residuals], params={**eqn.params, "branches": known},
        effects=eqn.effects & effects_of(known),
    )  # fmt: skip
    later = eqn._replace(
        invars=[index, *residuals, *operands], outvars=choose(eqn.outvars, recomputed),
        params={**eqn.params, "branches": again}, effects=eqn.effects & effects_of(again),
    )  # fmt: skip
    return now, later if any(recomputed) else None, [*choose(eqn.outvars, saved), *residuals]


def _split_scan(eqn: JaxprEqn, policy: Hashable) -> Split:
    """Splits the step. Its saved values are stacked, and the steps that run again take slices."""
    halves, size = split_saved(eqn.params["jaxpr"], policy), len(eqn.outvars)
    avals, num_args = halves.known.out_avals[size:], len(eqn.invars)
    residuals = [Var(stacked(eqn.params["length"], aval)) for aval in avals]
    order = (*range(len(avals), len(avals) + num_args), *range(len(avals)))
    again = reordered(halves.again, order)
    outvars = list(eqn.outvars)
    for i in range(size):
        if halves.out_saved[i]:
            outvars[i] = Var(outvars[i].aval)
    now = eqn._replace(
        outvars=[*eqn.outvars, *residuals], params={**eqn.params, "jaxpr": halves.known},
        effects=eqn.effects & halves.known.effects,
    )  # fmt: skip
    later = eqn._replace(
        invars=[*eqn.invars, *residuals], outvars=outvars,
        params={**eqn.params, "jaxpr": again}, effects=eqn.effects & again.effects,
    )  # fmt: skip
    kept = [*choose(eqn.outvars, halves.out_saved), *residuals]
    return now, None if all(halves.out_saved) else later, kept


# How equations that carry programs are split.
split_rules: dict[Primitive, Callable[[JaxprEqn, Hashable], Split]] = {
    jit_p: _split_jit, cond_p: _split_cond, scan_p: _split_scan,
}  # fmt: skip

# The two programs, adapted to each other.


def arranged(known: ClosedJaxpr, again: ClosedJaxpr, num_out: int) -> tuple:
    """Both programs, with the saved values, which follow the first one's `num_out` results, in the
    order in which the second one uses them."""
    outvars, invars = known.outvars, again.invars
    num_saved, first_use = len(outvars) - num_out, dict[Any, int]()
    for i, eqn in enumerate(again.eqns):
        for x in eqn.invars:
            first_use.setdefault(x, i)
    never = len(again.eqns)
    order = sorted(range(num_saved), key=lambda i: first_use.get(invars[i], never))
    saved = [outvars[num_out + i] for i in order]
    first = known.jaxpr.replace(outvars=[*outvars[:num_out], *saved])
    second = again.jaxpr.replace(invars=[*(invars[i] for i in order), *invars[num_saved:]])
    return ClosedJaxpr(_pin(first, saved), known.consts), ClosedJaxpr(second, again.consts)


def _pin(jaxpr: Jaxpr, saved: list[Var]) -> Jaxpr:
    """Rounds a saved value to its dtype where the first run uses it as well: a compiler might
    otherwise go on with more digits than it saves."""
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
