"""Simplify: the program without what it need not compute. Its results are the same to the bit.

Each pass takes a program and gives another, which can be printed, checked and run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minijax.compiler.fallbacks import fall_back
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.passes.identities import Found
from minijax.compiler.passes.rewriting import LIMIT, Draft, changed, forward, value_of
from minijax.core.arrays import Array, to_numpy
from minijax.core.config import config, derived
from minijax.core.dtypes import extended, issubdtype
from minijax.core.jitting import jit_p
from minijax.core.primitives import broadcast_in_dim_p
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, Var, check_jaxpr, dce_jaxpr

# Calls are written out.

register_lowering(jit_p, call=lambda eqn: (eqn.params["jaxpr"], eqn.invars))


def copy(
    draft: Draft, closed: ClosedJaxpr, operands: Sequence[Atom], write: Callable = Draft.write
) -> list[Atom]:
    """Writes the equations of a program down, for these operands; its results.

    The variables are new: the same program may be copied twice.
    """
    atoms: dict[Atom, Atom] = dict(zip(closed.invars, operands, strict=True))
    atoms |= {v: draft.constant(x) for v, x in zip(closed.constvars, closed.consts, strict=True)}
    for eqn in closed.eqns:
        invars, outvars = [atoms.get(x, x) for x in eqn.invars], [Var(v.aval) for v in eqn.outvars]
        results = write(draft, JaxprEqn(invars, outvars, *eqn[2:]))
        atoms.update(zip(eqn.outvars, results, strict=True))
    return [atoms.get(x, x) for x in closed.outvars]


@derived
def inline(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The equations of called programs in the place of the calls, at any depth."""
    if not any(lowerings[eqn.primitive].call for eqn in closed.eqns):
        return closed

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        call = lowerings[eqn.primitive].call
        called = call(eqn) if call else None
        if called is None:
            return draft.write(eqn)
        program, operands = called
        return copy(draft, inline(program), operands)

    return forward(closed, visit)


# Each equation by itself: what is known is computed now, and identities are shorter ways.


def rewrite(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Constants are computed, and algebra is done that changes no bit of any result."""
    return forward(closed, rewrite_eqn)


def rewrite_eqn(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
    """Writes an equation down, or what takes its place; its results."""
    if eqn.effects or lowerings[eqn.primitive].opaque:
        return draft.write(eqn)
    for rule in RULES:
        found = rule(draft, eqn)
        if isinstance(found, list):
            return found
        if isinstance(found, JaxprEqn):
            return rewrite_eqn(draft, found)
        if found is not None:
            return _fitted(draft, found, eqn)
    return draft.write(eqn)


def _fitted(draft: Draft, x: Atom, eqn: JaxprEqn) -> Sequence[Atom]:
    """The atom for an equation's result. A scalar, or an axis of size 1, is repeated."""
    shape = eqn.outvars[0].aval.shape
    if x.aval.shape == shape:
        return [x]
    axes = tuple(range(x.aval.ndim))
    spread = changed(eqn, broadcast_in_dim_p, x, shape=shape, broadcast_dimensions=axes)
    return draft.write(spread)


def by_primitive(draft: Draft, eqn: JaxprEqn) -> Found:
    """What the identity of its primitive says."""
    identity = lowerings[eqn.primitive].identity
    return identity(draft, eqn) if identity else None


def fold(draft: Draft, eqn: JaxprEqn) -> list[Atom] | None:
    """The results of an equation of known operands, or None. Broadcasts stay in the program, and
    others that make more numbers than they take; but what follows from them is computed, too."""
    values = [value_of(draft, x) for x in eqn.invars]
    is_large = sum(getattr(v.aval, "size", LIMIT + 1) for v in eqn.outvars) > LIMIT
    if any(x is None for x in values) or is_large or any(jaxprs_in_params(eqn.params)):
        return None
    try:
        out = eqn.primitive.impl(*values, **eqn.primitive.active(eqn.params))
    except Exception as error:  # perhaps it never runs: the error is for then
        fall_back("known operands", error)
        return None
    outs = out if eqn.primitive.multiple_results else [out]
    if eqn.primitive is broadcast_in_dim_p or grows(eqn):
        draft.known.update(zip(eqn.outvars, outs, strict=True))
        return None
    return [_computed(draft, x) for x in outs]


def _computed(draft: Draft, value: Array) -> Atom:
    """A number stands in the program as a literal."""
    is_number = not value.ndim and not issubdtype(value.dtype, extended)
    return Literal(value) if is_number else draft.constant(value)


def grows(eqn: JaxprEqn) -> bool:
    """Whether it makes more numbers than it takes."""
    size = sum(v.aval.size for v in eqn.outvars)
    return size > max(1, sum(x.aval.size for x in eqn.invars))


# Each rule is asked in turn about an equation. The first that answers decides: with a list of atoms
# for its results, or with what an identity may return.
RULES: list[Callable[[Draft, JaxprEqn], Found | list[Atom]]] = [fold, by_primitive]


# The same thing once.


def share(closed: ClosedJaxpr) -> ClosedJaxpr:
    """One equation for all that compute the same: common subexpressions."""
    seen: dict[Any, list[Var]] = {}

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.effects or lowerings[eqn.primitive].opaque:
            return draft.write(eqn)
        key = _key(eqn)
        try:
            outvars = seen.setdefault(key, eqn.outvars)
        except TypeError as error:  # a parameter that no dictionary takes
            fall_back("common subexpression", error)
            return draft.write(eqn)
        return draft.write(eqn) if outvars is eqn.outvars else outvars

    return forward(closed, visit)


def _key(eqn: JaxprEqn) -> tuple:
    """What two equations have in common that compute the same. 0.0 is not -0.0."""
    operands = [
        (x.aval.dtype, to_numpy(x.val).tobytes()) if type(x) is Literal else x for x in eqn.invars
    ]
    params = [repr(x) if type(x) is float else x for x in eqn.params.values()]
    return eqn.primitive, *operands, *eqn.params, *params


# What nobody uses.


def prune(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Without equations and constants on which no result and no effect depends."""
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars), instantiate=True)
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    consts = {v: x for v, x in zip(closed.constvars, closed.consts, strict=True) if v in used}
    return ClosedJaxpr(jaxpr.replace(constvars=list(consts)), list(consts.values()))


# Loops and branches keep their programs, simplified.


def simplify_inside(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Each program that an equation carries, simplified by itself."""
    carried = (x for eqn in closed.eqns for x in eqn.params.values())
    return forward(closed, _visit_inside) if any(map(_holds_programs, carried)) else closed


def _visit_inside(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
    programs = {
        name: simplify(x) if type(x) is ClosedJaxpr else tuple(map(simplify, x))
        for name, x in eqn.params.items() if _holds_programs(x)
    }
    return draft.write(eqn._replace(params={**eqn.params, **programs}) if programs else eqn)


def _holds_programs(x: Any) -> bool:
    return type(x) is ClosedJaxpr or (
        type(x) is tuple and bool(x) and all(type(item) is ClosedJaxpr for item in x)
    )


# All of them.

MOST_ROUNDS = 50
# The passes of a round. One of your own joins them here: `prune` removes what it leaves unread.
ROUND: list[Callable[[ClosedJaxpr], ClosedJaxpr]] = [rewrite, share, prune, inline]


@derived
def simplify(closed: ClosedJaxpr) -> ClosedJaxpr:
    """A program of the same arguments, results and effects that computes less."""
    *_, (_, closed) = rounds(simplify_inside(inline(prune(closed))))
    if config.jax_enable_checks:
        check_jaxpr(closed)
    return closed


def rounds(closed: ClosedJaxpr) -> Iterator[tuple[Callable, ClosedJaxpr]]:
    """Each pass and its program in turn, until a round changes nothing, or `MOST_ROUNDS` times."""
    for _ in range(MOST_ROUNDS):
        before = closed
        for run_pass in ROUND:
            closed = run_pass(closed)
            yield run_pass, closed
        if _is_same(before, closed):
            return


def _is_same(before: ClosedJaxpr, after: ClosedJaxpr) -> bool:
    """Whether equation for equation the operands, the results and the primitive are the same."""
    pairs = zip(before.eqns, after.eqns, strict=False)
    return len(before.eqns) == len(after.eqns) and all(x[:3] == y[:3] for x, y in pairs)
