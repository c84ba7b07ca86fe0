"""Rewriting a program: equation by equation into a draft, which knows what it holds so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array, ArrayImpl, as_number, to_numpy
from minijax.core.dtypes import extended, issubdtype
from minijax.core.primitives import convert_element_type_p
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, Var
from minijax.core.tracing import Primitive, no_effects, typeof

# The draft.

LIMIT = 1_000  # numbers in an array whose value is looked at while compiling


def is_small(x: Any) -> bool:
    return type(x) is ArrayImpl and x.size <= LIMIT


def identity(x: Any) -> Any:
    """A key by which equal constants are one: of a small one its type and bits."""
    return (x.aval, to_numpy(x).tobytes()) if is_small(x) else id(x)


class Draft:
    """A program while it is written anew.

    `stands_for` has the atom that took the place of a variable, `made_by` the equation that makes
    one, and `known` the values that do not wait for the program's arguments.
    """

    def __init__(self, closed: ClosedJaxpr) -> None:
        self.eqns: list[JaxprEqn] = []
        self.stands_for: dict[Atom, Atom] = {}
        self.made_by: dict[Atom, JaxprEqn] = {}
        self.consts: dict[Var, Any] = dict(zip(closed.constvars, closed.consts, strict=True))
        self.constvars = {identity(x): v for v, x in self.consts.items()}
        self.known: dict[Atom, Array] = {v: x for v, x in self.consts.items() if is_small(x)}

    def read(self, eqn: JaxprEqn) -> JaxprEqn:
        """The equation, of operands as they now are."""
        if self.stands_for.keys().isdisjoint(eqn.invars):
            return eqn
        return JaxprEqn([self.stands_for.get(x, x) for x in eqn.invars], *eqn[1:])

    def write(self, eqn: JaxprEqn) -> list[Var]:
        """Puts the equation down; its results."""
        self.eqns.append(eqn)
        self.made_by.update((v, eqn) for v in eqn.outvars)
        return eqn.outvars

    def constant(self, value: Any) -> Var:
        """The variable of a constant, the same one for the same value."""
        v = self.constvars.setdefault(identity(value), Var(typeof(value)))
        self.consts[v] = value
        if is_small(value):
            self.known[v] = value
        return v


def forward(closed: ClosedJaxpr, visit: Callable[[Draft, JaxprEqn], Sequence[Atom]]) -> ClosedJaxpr:
    """The program in which `visit` has seen each equation in turn, its operands as they now are.

    It writes what is to be computed into the draft, and returns atoms for the results. Inside the
    program their types may be weak or not; what the program returns keeps its type.
    """
    draft, results = Draft(closed), {*closed.outvars}
    for old in closed.eqns:
        atoms = visit(draft, draft.read(old))
        if atoms is old.outvars:
            continue
        for v, x in zip(old.outvars, atoms, strict=True):
            if x is not v and x.aval is not v.aval and v in results:
                draft.write(retyped(old, x, v))
            elif x is not v:
                draft.stands_for[v] = x
    jaxpr = closed.jaxpr.replace(
        constvars=list(draft.consts), eqns=draft.eqns,
        outvars=[draft.stands_for.get(x, x) for x in closed.outvars],
    )  # fmt: skip
    return ClosedJaxpr(jaxpr, list(draft.consts.values()))


def changed(eqn: JaxprEqn, primitive: Primitive, *operands: Atom, **params: Any) -> JaxprEqn:
    """An equation of another primitive for the same result."""
    params = {**primitive.inert, **params}
    return JaxprEqn(list(operands), eqn.outvars, primitive, params, no_effects, eqn.source_info)


def retyped(eqn: JaxprEqn, x: Atom, v: Var) -> JaxprEqn:
    """An equation by which x becomes v, one of the equation's results: it is weak, or no more."""
    params = {"new_dtype": v.aval.dtype, "weak_type": v.aval.weak_type}
    return changed(eqn._replace(outvars=[v]), convert_element_type_p, x, **params)


# What one wants to know of an operand.


def value_of(draft: Draft, x: Atom) -> Array | None:
    """Its value, where it is known and small."""
    return x.val if type(x) is Literal else draft.known.get(x)


def number_of(draft: Draft, x: Atom) -> Any:
    """The real number, as Python's, that a scalar is known to be. Else None, equal to no number."""
    value = None if x.aval.shape else value_of(draft, x)
    if value is None or issubdtype(value.dtype, np.complexfloating, extended):
        return None
    return as_number(value).number


def maker_of(draft: Draft, x: Atom, primitive: Primitive) -> JaxprEqn | None:
    """The equation that makes it, where that is one of this primitive."""
    eqn = draft.made_by.get(x)
    return eqn if eqn is not None and eqn.primitive is primitive else None
