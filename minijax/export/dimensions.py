"""Symbolic shapes: dimensions from text, and what is known of them, their scope.

>>> b, twice = symbolic_shape("b, 2*b")
>>> twice // b, b + 3, b >= 1
(2, b + 3, True)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from minijax.core.arguments import ShapeDtypeStruct, abstractify, flatten_axes
from minijax.core.errors import safe_repr, user_source
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.export.dimension_bounds import Bounds, Knowledge, unsatisfiable
from minijax.export.dimension_expressions import is_symbolic_dim, terms_of
from minijax.export.dimension_specs import SpecReader
from minijax.export.dimension_terms import (
    ONE,
    Term,
    Terms,
    combined,
    operation,
    single_factor,
    text_of,
)


class Constraint(NamedTuple):
    """That a sum is 0 at least, or that it is 0, and the text that says so."""

    text: str
    terms: Terms
    is_equality: bool


class SymbolicScope:
    """What is known of the dimensions of one function: constraints `e1 >= e2`, `e1 <= e2`,
    `e1 == e2`.

    Dimensions calculate with others of the same scope. An equality replaces its left side, which
    is a term such as `4*floordiv(a, 4)`, by its right one. ValueError where a constraint can't be
    read, or holds for no sizes.
    """

    def __init__(self, constraints_str: Sequence[str] = ()) -> None:
        if isinstance(constraints_str, str) or not all(isinstance(c, str) for c in constraints_str):
            raise ValueError(
                f"SymbolicScope takes constraints as a sequence of strings, and got "
                f"{safe_repr(constraints_str)}.\nGive a tuple such as ('a >= b', 'b <= 8')."
            )
        self.source, self.texts = user_source(), tuple(constraints_str)
        self.constraints: list[Constraint] = []
        self.equalities: dict[Term, tuple[Terms, int]] = {}
        self._forget()
        for text in constraints_str:
            self._take_in(text)

    def __repr__(self) -> str:
        texts = ", ".join(self.texts)
        return f"the scope made at {self.source}" + (f", with {texts}" if texts else "")

    def reasons(self) -> str:
        """The constraints, as part of a sentence."""
        texts = ", ".join(constraint.text for constraint in self.constraints)
        return f",\nwith the constraints {texts}" if texts else ""

    def bounds(self, size: Any) -> Bounds:
        """How small and how large a size of this scope can be, as far as is known."""
        if not is_symbolic_dim(size):
            return size, size
        if size.terms not in self._bounds:
            if self._knowledge is None:
                self._knowledge = self._of_constraints()
            knowledge = self._knowledge.copy()
            knowledge.learn_of_terms(size.terms)
            self._bounds[size.terms] = knowledge.bounds_of(size.terms)
        return self._bounds[size.terms]

    def _forget(self) -> None:
        self._bounds: dict[Terms, Bounds] = {}
        self._knowledge: Knowledge | None = None

    def _of_constraints(self) -> Knowledge:
        knowledge = Knowledge(self)
        for constraint in self.constraints:
            knowledge.learn_of_terms(constraint.terms)
            knowledge.learn(constraint.terms, constraint.is_equality, constraint.text)
        return knowledge

    def _take_in(self, text: str) -> None:
        sides = re.split("==|>=|<=", text)
        if len(sides) != 2:
            raise ValueError(
                f"The constraint {text!r} can't be read.\n"
                f"Give two sides with one of ==, >= and <= between, such as 'a >= b'."
            )
        left, right = (terms_of(SpecReader(s, self).whole_sum(), self) for s in sides)
        if "<=" in text:
            left, right = right, left
        self._add(text, left, right, "==" in text)
        self._forget()

    def _add(self, text: str, left: Terms, right: Terms, is_equality: bool) -> None:
        terms = combined(left, 1, right, -1)
        if not terms or terms[0][0] == ONE:
            number = terms[0][1] if terms else 0
            if number < 0 or is_equality and number:
                raise unsatisfiable(text)
            return
        if is_equality:
            self._replace(text, left, right)
        self.constraints.append(Constraint(text, terms, is_equality))

    def _replace(self, text: str, left: Terms, right: Terms) -> None:
        if len(left) != 1 or left[0][0] == ONE:
            raise ValueError(
                f"The constraint {text!r} has no single term on its left, which its right could\n"
                f"replace. Give one such as 'a*b == c + d'."
            )
        [(term, k)] = left
        if term in self.equalities:
            raise NotImplementedError(
                f"The constraint {text!r} is the second equality with this left.\nGive one."
            )
        self.equalities[term] = right, k
        factor = single_factor(term)
        if factor is not None and factor.name == "mod" and factor.operands and k == 1 and not right:
            # Of what divides without a rest, the quotient times the divisor is the whole.
            whole, divisor = (operand.terms for operand in factor.operands)
            if divisor[0][0] == ONE:
                floor = ((operation("floordiv", whole, divisor), divisor[0][1]),)
                self._add(f"{text_of(floor)} == {text_of(whole)}", floor, whole, True)


def symbolic_shape(
    shape_spec: str | None, *, constraints: Sequence[str] = (), scope: SymbolicScope | None = None,
    like: Sequence[int | None] | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """A shape from text, whose dimensions may be expressions of variables.

    A dimension is a sum of products of numbers, variables, powers `b^2`, and floordiv, mod, max and
    min of two sums. `_` stands for the size at this place of the shape `like`, `...` for all that
    follow. The variables are in `scope`, or else in a new one that holds the `constraints`.
    ValueError where the text can't be read.

    >>> symbolic_shape("b, 2*b + 1, 4")
    (b, 2*b + 1, 4)
    >>> symbolic_shape("b, ...", like=(8, 28, 28))
    (b, 28, 28)
    """
    if shape_spec is not None and not isinstance(shape_spec, str):
        raise ValueError(
            f"symbolic_shape takes text or None, and got {safe_repr(shape_spec)}. Give text such "
            f"as 'b, 3'."
        )
    scope = _scope("symbolic_shape", scope, constraints)
    return SpecReader("..." if shape_spec is None else shape_spec, scope, like).whole_shape()


def _scope(fun_name: str, scope: Any, constraints: Sequence[str]) -> SymbolicScope:
    if scope is None:
        return SymbolicScope(constraints)
    if not isinstance(scope, SymbolicScope):
        raise TypeError(
            f"{fun_name} takes a SymbolicScope as scope, and got {safe_repr(scope)}. Give a "
            f"dimension's: b.scope."
        )
    if constraints:
        raise ValueError(
            f"{fun_name} got a scope and constraints, and a scope keeps those it was made with.\n"
            f"Give one of the two."
        )
    return scope


def symbolic_args_specs(
    args: Any, shapes_specs: Any, constraints: Sequence[str] = (),
    scope: SymbolicScope | None = None,
) -> Any:  # fmt: skip
    """A tree of ShapeDtypeStructs like `args`, with symbolic shapes.

    `shapes_specs` is text as for `symbolic_shape`, None for the shapes as they are, or a tree of
    both that is a prefix of `args`; `_` and `...` stand for sizes of the argument.

    >>> symbolic_args_specs({"x": ShapeDtypeStruct((8, 3), "float32")}, "b, ...")
    {'x': ShapeDtypeStruct(shape=(b, 3), dtype=float32)}
    """
    leaves, tree = tree_flatten(args)
    if isinstance(args, tuple) and isinstance(shapes_specs, list):
        shapes_specs = tuple(shapes_specs)
    scope = _scope("symbolic_args_specs", scope, constraints)
    specs = flatten_axes("symbolic_args_specs's shapes_specs", tree, shapes_specs)
    avals = [abstractify(leaf) for leaf in leaves]
    shapes = [
        symbolic_shape(spec, scope=scope, like=aval.shape)
        for spec, aval in zip(specs, avals, strict=True)
    ]
    structs = [ShapeDtypeStruct(s, aval.dtype) for s, aval in zip(shapes, avals, strict=True)]
    return tree_unflatten(tree, structs)


def parse(text: str, scope: SymbolicScope) -> Any:
    """The dimension that a text is of, as `str` gives it: an int or an expression.

    ValueError where it can't be read.

    >>> parse("2*b + 1", SymbolicScope())
    2*b + 1
    """
    return SpecReader(text, scope).whole_sum()


def is_symbolic(aval: Any) -> bool:
    """Whether a type has a dimension that is an expression."""
    return any(map(is_symbolic_dim, getattr(aval, "shape", ())))
