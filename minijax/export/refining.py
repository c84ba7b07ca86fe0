"""A program with symbolic dimensions becomes an ordinary one, when the arguments' sizes are known.

First the variables are found: of a shape such as (b, 2*h), an argument of shape (3, 8) says that b
is 3 and h is 4. Then a walk puts these numbers in place of the expressions: in types, in parameters
of equations and the programs that they carry, and for `dim_as_value`, which reads a size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minijax.core.extend import (
    Array,
    ClosedJaxpr,
    Jaxpr,
    JaxprEqn,
    Literal,
    ShapedArray,
    Var,
    check_jaxpr,
    derived,
)
from minijax.core.printing import programs_in_params
from minijax.export.allowed_names import is_known
from minijax.export.dimension_expressions import (
    DimensionExpr,
    dim_as_value_p,
    is_symbolic_dim,
    terms_of,
)
from minijax.export.dimension_terms import Term, evaluate, single_factor, variables_of
from minijax.export.parameter_kinds import check_parameters
from minijax.lax.shapes.sizes import is_certain

NameOf = Callable[[int], str]

# The sizes of variables.


def refined(
    closed: ClosedJaxpr, in_avals: Sequence[ShapedArray], name_of: NameOf | None = None
) -> ClosedJaxpr:  # fmt: skip
    """The program for arguments of these types, whose sizes fit those of its own.

    One program is made for the same sizes of its variables. ValueError for sizes that don't fit,
    naming the argument, for which `name_of` has a name by its place, and its axis.
    """
    sizes = solved(closed, list(map(_shape_of, in_avals)), name_of)
    return _refined(closed, tuple(sorted(sizes.items())))


def solved(
    closed: ClosedJaxpr, shapes: Sequence[Sequence[Any]], name_of: NameOf | None = None
) -> dict[str, Any]:  # fmt: skip
    """The size of each variable in the types of a program's arguments, by the arguments' shapes.

    Each is found from an axis that has it as its only unknown, and not in a power or an operation.
    ValueError where the shapes don't fit, or such an axis is missing.
    """
    axes = list(_axes(closed, shapes, name_of))
    sizes = _solve(axes)
    for axis in axes:
        axis.check(sizes)
    for scope in {axis.expected.scope for axis in axes if is_symbolic_dim(axis.expected)}:
        _check_constraints(scope, sizes)
    return sizes


def check_solvable(closed: ClosedJaxpr, name_of: NameOf | None = None) -> None:
    """ValueError where the variables of a program can't be found from the shapes of arguments of
    its types, or are of several scopes; UnexpectedDimVar where the program has one that is in none
    of these."""
    axes = list(_axes(closed, map(_shape_of, closed.in_avals), name_of))
    scopes = [axis.expected.scope for axis in axes if is_symbolic_dim(axis.expected)]
    found = _solve(axes, with_size=False)
    for dim in _dimensions_in(closed, set()):
        terms = terms_of(dim, scopes[0]) if scopes else dim.terms  # ValueError for another scope
        evaluate(terms, _with_equalities(dim.scope, found))


def _solve(axes: Sequence[Axis], with_size: bool = True) -> dict[str, Any]:
    """The variables of the axes, each from the first that says what it is."""
    sizes: dict[str, Any] = {}
    waiting = [axis for axis in axes if is_symbolic_dim(axis.expected)]
    while waiting:
        later = [axis for axis in waiting if not axis.solve(sizes, with_size)]
        if len(later) == len(waiting):
            raise _unsolvable(later, sizes)
        waiting = later
    return sizes


class Axis:
    """An axis of an argument: which size the program expects, and which one it got."""

    def __init__(self, name: str, expected: Any, size: Any) -> None:
        self.name, self.expected, self.size = name, expected, size

    def unknown(self, sizes: Mapping[str, Any]) -> tuple[Term, int] | None:
        """The term that is a variable to be found; None where there are several, or others."""
        terms = [
            (term, n) for term, n in self.expected.terms
            if not variables_of(((term, n),)) <= sizes.keys()
        ]  # fmt: skip
        if len(terms) != 1:
            return None
        factor = single_factor(terms[0][0])
        return terms[0] if factor is not None and not factor.operands else None

    def solve(self, sizes: dict[str, Any], with_size: bool) -> bool:
        """Puts the variable that it says into `sizes`; False where it says none yet."""
        if variables_of(self.expected.terms) <= sizes.keys():
            return True
        if (unknown := self.unknown(sizes)) is None:
            return False
        term, n = unknown
        name = term.factors[0][0].name
        if not with_size:
            sizes[name] = DimensionExpr(((term, 1),), self.expected.scope)
            return True
        rest = self.size - _value([pair for pair in self.expected.terms if pair[0] != term], sizes)
        size, left_over = divmod(rest, n)
        if not is_certain(lambda: left_over == 0):
            raise self.misfit(f"then {n}*{name} would be {rest}, which {n} does not divide")
        if not is_certain(lambda: size >= 1):
            raise self.misfit(f"then {name} would be {size}, and a dimension is 1 at least")
        sizes[name] = size
        return True

    def check(self, sizes: Mapping[str, Any]) -> None:
        expected = self.expected
        value = _value(expected.terms, sizes) if is_symbolic_dim(expected) else expected
        if not is_certain(lambda: value == self.size):
            known = ", ".join(f"{name} = {size}" for name, size in sizes.items())
            raise self.misfit(f"that is {value}" + (f", with {known}" if known else ""))

    def misfit(self, why: str) -> ValueError:
        return ValueError(
            f"{self.name} has the size {self.size}, and '{self.expected}' is expected:\n{why}.\n"
            f"Give arguments whose shapes fit those that the function was exported for."
        )


def _shape_of(aval: Any) -> tuple[Any, ...]:
    """The shape of a type; a token's has no axes."""
    return getattr(aval, "shape", ())


def _axes(
    closed: ClosedJaxpr, shapes: Iterable[Sequence[Any]], name_of: NameOf | None
) -> Iterator[Axis]:  # fmt: skip
    info = closed.jaxpr.debug_info
    for i, (aval, shape) in enumerate(zip(closed.in_avals, shapes, strict=True)):
        name = name_of(i) if name_of else (info and info.arg_name(i)) or f"argument {i}"
        wanted = _shape_of(aval)
        if len(shape) != len(wanted):
            raise ValueError(
                f"{name} has the shape {tuple(shape)}, and {wanted} is expected.\n"
                f"Give an array with as many axes."
            )
        for d, (expected, size) in enumerate(zip(wanted, shape, strict=True)):
            yield Axis(f"Axis {d} of {name}", expected, size)


def _unsolvable(axes: Sequence[Axis], sizes: Mapping[str, Any]) -> ValueError:
    unknown = set().union(*(variables_of(axis.expected.terms) for axis in axes)) - sizes.keys()
    names = " and ".join(sorted(unknown)) + (" is" if len(unknown) == 1 else " are")
    places = ", ".join(f"'{axis.expected}', {axis.name[0].lower()}{axis.name[1:]}" for axis in axes)
    return ValueError(
        f"The shapes of the arguments do not say what {names}.\nA variable is found from an axis "
        f"such as 'b' or '2*b + 1', and there is {places}.\n"
        f"Give an argument that has the variable so: an array of shape (0, b) is enough."
    )


def _value(terms: Any, sizes: Mapping[str, Any]) -> Any:
    try:
        return evaluate(terms, sizes)
    except ZeroDivisionError as error:
        known = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        raise ValueError(
            f"A dimension is divided by 0, with {known}. Give arguments of other sizes."
        ) from error


def _with_equalities(scope: Any, sizes: Mapping[str, Any]) -> dict[str, Any]:
    """The sizes, and those of variables that a constraint has replaced."""
    known = dict(sizes)
    for term, (after, k) in scope.equalities.items():
        factor = single_factor(term)
        if factor is not None and not factor.operands and k == 1:
            if factor.name not in known and variables_of(after) <= known.keys():
                known[factor.name] = _value(after, known)
    return known


def _check_constraints(scope: Any, sizes: Mapping[str, Any]) -> None:
    known = _with_equalities(scope, sizes)
    for text, terms, is_equality in scope.constraints:
        value = _value(terms, known)
        if not is_certain(lambda: value == 0 if is_equality else value >= 0):  # noqa: B023
            sizes_text = ", ".join(f"{name} = {size}" for name, size in sizes.items())
            raise ValueError(
                f"The shapes of the arguments do not satisfy the constraint {text!r}, with "
                f"{sizes_text}.\nGive arguments whose shapes do."
            )


# The walk.


@derived
def _refined(closed: ClosedJaxpr, sizes: tuple) -> ClosedJaxpr:
    out = _Refining(dict(sizes)).closed(closed)
    check_jaxpr(out)
    return out


class _Refining:
    """Puts sizes in place of dimensions. A program that stands in several places is done once."""

    def __init__(self, sizes: Mapping[str, Any]) -> None:
        self.sizes = sizes
        self.done: dict[int, tuple[Any, Any]] = {}  # by id; what the id is of is kept alive

    def once(self, x: Any, make: Callable) -> Any:
        if id(x) not in self.done:
            self.done[id(x)] = x, make(x)
        return self.done[id(x)][1]

    def size(self, d: Any) -> Any:
        if not is_symbolic_dim(d):
            return d
        return _value(d.terms, _with_equalities(d.scope, self.sizes))

    def aval(self, aval: Any) -> Any:
        shape = _shape_of(aval)
        if not any(map(is_symbolic_dim, shape)):
            return aval
        return aval.update(shape=tuple(map(self.size, shape)))

    def param(self, x: Any) -> Any:
        """A parameter of an equation, in which sizes stand anywhere."""
        if is_symbolic_dim(x):
            return self.size(x)
        if isinstance(x, ShapedArray):
            return self.aval(x)
        if isinstance(x, ClosedJaxpr):
            return self.once(x, self.closed)
        if isinstance(x, Jaxpr):
            return self.once(x, self.jaxpr)
        if isinstance(x, tuple | list):
            items = [self.param(item) for item in x]
            if all(new is old for new, old in zip(items, x, strict=True)):
                return x
            return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
        if isinstance(x, dict):
            return {key: self.param(value) for key, value in x.items()}
        return x

    def closed(self, closed: ClosedJaxpr) -> ClosedJaxpr:
        return ClosedJaxpr(self.once(closed.jaxpr, self.jaxpr), closed.consts)

    def jaxpr(self, jaxpr: Jaxpr) -> Jaxpr:
        atoms: dict[Any, Any] = {}

        def variable(v: Var) -> Var:
            atoms[v] = Var(self.aval(v.aval))
            return atoms[v]

        constvars, invars = [*map(variable, jaxpr.constvars)], [*map(variable, jaxpr.invars)]
        eqns = []
        for eqn in jaxpr.eqns:
            if (number := self.number(eqn)) is not None:
                atoms[eqn.outvars[0]] = number
            else:
                operands = [atoms.get(x, x) if isinstance(x, Var) else x for x in eqn.invars]
                params = {name: self.param(value) for name, value in eqn.params.items()}
                outvars = [*map(variable, eqn.outvars)]
                eqns.append(eqn._replace(invars=operands, outvars=outvars, params=params))
                if is_known(eqn.primitive) and params != eqn.params:
                    check_parameters(eqns[-1])
        outvars = [atoms.get(x, x) if isinstance(x, Var) else x for x in jaxpr.outvars]
        return Jaxpr(constvars, invars, outvars, eqns, jaxpr.debug_info)

    def number(self, eqn: JaxprEqn) -> Literal | None:
        """What the equation gives, where it is a size that is known now."""
        size = self.size(eqn.params["dim"]) if eqn.primitive is dim_as_value_p else None
        if size is None or is_symbolic_dim(size):
            return None
        aval = eqn.outvars[0].aval
        return Literal(Array(np.asarray(size, aval.dtype), aval))


def _dimensions_in(closed: Any, seen: set[int]) -> Iterator[DimensionExpr]:
    """The dimensions in a program's types and parameters."""
    jaxpr = getattr(closed, "jaxpr", closed)
    if id(jaxpr) in seen:
        return
    seen.add(id(jaxpr))
    for v in (*jaxpr.constvars, *jaxpr.invars):
        yield from filter(is_symbolic_dim, _shape_of(v.aval))
    for eqn in jaxpr.eqns:
        for v in eqn.outvars:
            yield from filter(is_symbolic_dim, _shape_of(v.aval))
        if eqn.primitive is dim_as_value_p and is_symbolic_dim(eqn.params["dim"]):
            yield eqn.params["dim"]
        for program in programs_in_params(eqn.params):
            yield from _dimensions_in(program, seen)
