"""Rewriting a program: equation by equation into a draft, which knows what it holds so far.

Here too are the tables by which families of primitives tell the passes what they need to know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array, to_numpy
from minijax.core.dtypes import extended, issubdtype
from minijax.core.errors import SourceInfo
from minijax.core.primitives import broadcast_in_dim_p, convert_element_type_p
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, Var
from minijax.core.tracing import Primitive, no_effects, typeof

# The tables. A call that may be written out: equation -> (program, its operands), or None.
calls: dict[Primitive, Callable] = {}
# A shorter way to the same bits: (draft, equation) -> an atom for its one result, an equation in
# its place, or None.
simplifications: dict[Primitive, Callable] = {}
# The parameters of a loop: pairs of a program and the number of constants that it takes. The
# loop's operands begin with the constants of each, and so do the inputs of each program.
loops: dict[Primitive, tuple[tuple[str, str], ...]] = {}
# What stays where it is, as often as it is written: nobody computes it early, or merges two.
opaque: set[Primitive] = set()

LIMIT = 1_000  # numbers in an array that is computed while compiling


class Draft:
    """A program while it is written anew.

    `stands_for` has the atom that took the place of a variable, `made_by` the equation that makes
    one, and `known` the values that do not wait for the program's arguments.
    """

    def __init__(self, closed: ClosedJaxpr) -> None:
        self.closed, self.eqns = closed, list[JaxprEqn]()
        self.consts: dict[Var, Any] = dict(zip(closed.constvars, closed.consts, strict=True))
        self.known = {v: x for v, x in self.consts.items() if _is_small(x)}
        self.stands_for: dict[Atom, Atom] = {}
        self.made_by: dict[Atom, JaxprEqn] = {}

    def read(self, eqn: JaxprEqn) -> JaxprEqn:
        """The equation, of operands as they now are."""
        if self.stands_for.keys().isdisjoint(eqn.invars):
            return eqn
        return JaxprEqn([self.stands_for.get(x, x) for x in eqn.invars], *eqn[1:])

    def write(self, eqn: JaxprEqn) -> list[Var]:
        """Puts the equation down; its results."""
        self.eqns.append(eqn)
        for v in eqn.outvars:
            self.made_by[v] = eqn
        return eqn.outvars

    def copy(self, closed: ClosedJaxpr, operands: Sequence[Atom]) -> list[Atom]:
        """Puts the equations of a program down, for these operands; its results.

        The variables are new: the same program may be copied twice.
        """
        atoms: dict[Atom, Atom] = dict(zip(closed.invars, operands, strict=True))
        for v, value in zip(closed.constvars, closed.consts, strict=True):
            atoms[v] = self.constant(value)
        for eqn in closed.eqns:
            invars = [atoms.get(x, x) for x in eqn.invars]
            outvars = [Var(v.aval) for v in eqn.outvars]
            atoms.update(zip(eqn.outvars, outvars, strict=True))
            self.write(JaxprEqn(invars, outvars, *eqn[2:]))
        return [atoms.get(x, x) for x in closed.outvars]

    def constant(self, value: Any) -> Var:
        """The variable of a constant, the same one for the same value."""
        for v, x in self.consts.items():
            if x is value:
                return v
        v = Var(typeof(value))
        self.consts[v] = value
        if _is_small(value):
            self.known[v] = value
        return v

    def computed(self, value: Array) -> Atom:
        """The atom of a value that is known now: a number stands in the program as a literal."""
        is_number = not value.ndim and not issubdtype(value.dtype, extended)
        return Literal(value) if is_number else self.constant(value)

    def close(self) -> ClosedJaxpr:
        """The program as it is now, with results of the types that they had."""
        outvars = [self.result(v) for v in self.closed.outvars]
        consts = self.consts
        jaxpr = self.closed.jaxpr.replace(
            constvars=list(consts), outvars=outvars, eqns=self.eqns
        )
        return ClosedJaxpr(jaxpr, list(consts.values()))

    def result(self, v: Atom) -> Atom:
        """What a result has become. Inside a program a type may lose or gain weakness; here not."""
        x = self.stands_for.get(v, v)
        if x.aval is v.aval:
            return x
        if type(x) is Literal:
            return Literal(Array(to_numpy(x.val), v.aval))
        source = self.made_by[x].source_info if x in self.made_by else SourceInfo(None, 0)
        params = {"new_dtype": v.aval.dtype, "weak_type": v.aval.weak_type}
        del self.stands_for[v]  # it may be a result twice
        return self.write(_equation(convert_element_type_p, x, v, params, source))[0]

    # What rules ask.

    def value(self, x: Atom) -> Array | None:
        """The operand's value, where it is known and small."""
        return x.val if type(x) is Literal else self.known.get(x)

    def number(self, x: Atom) -> Any:
        """The real number that the operand, a scalar, is known to be; None where it isn't."""
        value = None if x.aval.shape else self.value(x)
        if value is None or issubdtype(value.dtype, np.complexfloating, extended):
            return None
        return to_numpy(value)[()]

    def maker(self, x: Atom, primitive: Primitive) -> JaxprEqn | None:
        """The equation that makes the operand, where it is one of this primitive."""
        eqn = self.made_by.get(x)
        return eqn if eqn is not None and eqn.primitive is primitive else None

    def unspread(self, x: Atom) -> Atom:
        """The scalar that the operand repeats, where it does, and else the operand."""
        eqn = self.maker(x, broadcast_in_dim_p)
        return x if eqn is None or eqn.invars[0].aval.shape else eqn.invars[0]

    def fitted(self, x: Atom, eqn: JaxprEqn) -> Atom:
        """An atom for the equation's result: a scalar is repeated to its shape."""
        [v] = eqn.outvars
        if x.aval.shape == v.aval.shape:
            return x
        params = {"shape": v.aval.shape, "broadcast_dimensions": ()}
        return self.write(_equation(broadcast_in_dim_p, x, v, params, eqn.source_info))[0]


def _is_small(x: Any) -> bool:
    return type(x) is Array and x.size <= LIMIT


def _equation(primitive: Primitive, x: Atom, v: Var, params: dict, source: SourceInfo) -> JaxprEqn:
    return JaxprEqn([x], [v], primitive, {**primitive.inert, **params}, no_effects, source)


def forward(closed: ClosedJaxpr, visit: Callable[[Draft, JaxprEqn], Sequence[Atom]]) -> ClosedJaxpr:
    """The program in which `visit` has seen each equation in turn, its operands as they now are.

    It writes what is to be computed into the draft, and returns atoms for the results.
    """
    draft = Draft(closed)
    for old in closed.eqns:
        atoms = visit(draft, draft.read(old))
        if atoms is not old.outvars:
            pairs = zip(old.outvars, atoms, strict=True)
            draft.stands_for.update((v, x) for v, x in pairs if x is not v)
    return draft.close()
