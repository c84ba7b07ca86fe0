"""Polynomials with whole coefficients, of variables and of operations on polynomials.

A sum has terms, a term is a product of factors, and a factor is a variable or an operation on sums.
All of these are tuples that begin with how large they are: so Python's order of tuples is the order
in which terms are written, the largest first and the constant last.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, NamedTuple

from minijax.lax.shapes.sizes import max_dim, min_dim


class Factor(NamedTuple):
    """A variable, or one of the operations floordiv, mod, max and min on sums."""

    size: int
    name: str
    operands: tuple[Sum, ...] = ()


class Term(NamedTuple):
    """A product of factors, each with its exponent, the largest first. Of none it is 1."""

    size: int
    factors: tuple[tuple[Factor, int], ...]


class Sum(NamedTuple):
    """Terms, each with its coefficient, the largest first."""

    size: int
    terms: Terms


Terms = tuple[tuple[Term, int], ...]
OPERATIONS = ("floordiv", "mod", "max", "min")
ONE = Term(0, ())


def as_term(factors: tuple[tuple[Factor, int], ...]) -> Term:
    return Term(sum(1 + exponent * factor.size for factor, exponent in factors), factors)


def variable(name: str) -> Term:
    return as_term(((Factor(1, name), 1),))


def operation(name: str, *operands: Terms) -> Term:
    sums = [terms or ((ONE, 0),) for terms in operands]
    sized = tuple(Sum(sum(1 + abs(n) * t.size for t, n in terms), terms) for terms in sums)
    return as_term(((Factor(1 + sum(one.size for one in sized), name, sized), 1),))


def constant(number: int) -> Terms:
    return ((ONE, number),) if number else ()


def single_factor(term: Term) -> Factor | None:
    """The factor that the term is, where it is one and no power of it."""
    return term.factors[0][0] if len(term.factors) == 1 and term.factors[0][1] == 1 else None


def combined(xs: tuple, k: int, ys: tuple, m: int) -> tuple:
    """k times one sum plus m times another, without what cancels out.

    Of the factors of two terms: the one term to the power of k, times the other to that of m.
    """
    total = {part: n * k for part, n in xs}
    for part, n in ys:
        total[part] = total.get(part, 0) + n * m
    return tuple(sorted(((part, n) for part, n in total.items() if n), reverse=True))


def product(xs: Terms, ys: Terms) -> Terms:
    total: dict[Term, int] = {}
    for x, n in xs:
        for y, m in ys:
            term = as_term(combined(x.factors, 1, y.factors, 1))
            total[term] = total.get(term, 0) + n * m
    return tuple(sorted(((term, n) for term, n in total.items() if n), reverse=True))


def quotient(xs: Terms, ys: Terms) -> tuple[Terms, int] | None:
    """One sum divided by another, and the remainder, which is a number: None where the quotient is
    no polynomial. After a division by a sum that is no number, nothing may remain."""
    (lead, m), out = ys[0], ()
    while xs and xs[0][0] != ONE:
        term, n = xs[0]
        factors = combined(term.factors, 1, lead.factors, -1)
        if n % m or any(exponent < 0 for _, exponent in factors):
            return None
        part = ((as_term(factors), n // m),)
        out, xs = combined(out, 1, part, 1), combined(xs, 1, product(part, ys), -1)
        if xs and xs[0][0] >= term:  # it would not end
            return None
    number = xs[0][1] if xs else 0
    if lead != ONE:
        return None if number else (out, 0)
    return combined(out, 1, constant(number // m), 1), number % m


def text_of(terms: Terms) -> str:
    """A sum as it is written: `2*b + floordiv(a, 2) - 1`."""

    def one(factor: Factor, exponent: int) -> str:
        operands = ", ".join(text_of(part.terms) for part in factor.operands)
        text = f"{factor.name}({operands})" if factor.operands else factor.name
        return text if exponent == 1 else f"{text}^{exponent}"

    out = ""
    for term, n in terms:
        factors = "*".join(one(*pair) for pair in sorted(term.factors))
        number = [] if factors and abs(n) == 1 else [str(abs(n))]
        sign = "- " if n < 0 else "+ " if out else ""
        out += (" " if out else "") + sign + "*".join([*number, *filter(None, [factors])])
    return out or "0"


def with_equality(terms: Terms, equalities: Mapping[Term, tuple[Terms, int]]) -> Terms:
    """The sum, where a first term that an equality is about is replaced. `equalities[t] = (e, k)`
    says that k*t is e; t may be one of several factors of a term."""
    for term, n in terms:
        whole = ((term, ONE),)
        parts = ((as_term((pair,)), as_term(tuple(p for p in term.factors if p != pair)))
                 for pair in term.factors) if len(term.factors) > 1 else ()  # fmt: skip
        for part, rest in (*whole, *parts):
            after, k = equalities.get(part, ((), 0))
            if k and not n % k:
                without = combined(terms, 1, ((term, n),), -1)
                return combined(without, 1, product(after, ((rest, 1),)), n // k)
    return terms


# Sums with values for their variables.


class UnexpectedDimVar(Exception):
    """A dimension variable has no value, since no argument's shape has it."""


_OPERATORS = {"floordiv": operator.floordiv, "mod": operator.mod, "max": max_dim, "min": min_dim}


def evaluate(terms: Terms, sizes: Mapping[str, Any]) -> Any:
    """The sum with a size for each variable. UnexpectedDimVar where one has none."""
    total = 0
    for term, n in terms:
        for factor, exponent in term.factors:
            n = n * _evaluate_factor(factor, sizes) ** exponent
        total = total + n
    return total


def _evaluate_factor(factor: Factor, sizes: Mapping[str, Any]) -> Any:
    if factor.operands:
        return _OPERATORS[factor.name](*(evaluate(x.terms, sizes) for x in factor.operands))
    if factor.name not in sizes:
        raise UnexpectedDimVar(
            f"The dimension variable '{factor.name}' is in no shape of the function's arguments, "
            f"which have {', '.join(sizes) or 'none'}.\nGive an argument it: an array of shape "
            f"(0, {factor.name}) is enough."
        )
    return sizes[factor.name]


def variables_of(terms: Terms) -> set[str]:
    """The names of the variables in a sum."""
    names = set()
    for term, _ in terms:
        for factor, _ in term.factors:
            if factor.operands:
                names |= set().union(*(variables_of(x.terms) for x in factor.operands))
            else:
                names.add(factor.name)
    return names
