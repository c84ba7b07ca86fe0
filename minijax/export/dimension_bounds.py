"""How small and how large an expression of sizes can be, by what is known of its terms.

Known is `c >= 0` or `c == 0` for sums c: that each variable is 1 at least, what operations are, and
what the user says. To bound a sum, its largest term is taken out by adding a multiple of such a c;
what is left has smaller terms only, and is bounded in the same way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from minijax.core.errors import InconclusiveDimensionOperation
from minijax.export.dimension_expressions import expression, terms_of
from minijax.export.dimension_terms import (
    ONE,
    Factor,
    Term,
    Terms,
    as_term,
    combined,
    constant,
    operation,
    product,
    single_factor,
    text_of,
)

Bounds = tuple[float, float]  # ints, or infinite
EVERYTHING: Bounds = (-math.inf, math.inf)
# After so many terms taken out, and with so many relations, what is known by then has to do.
MOST_STEPS, MOST_RELATIONS = 5_000, 500


class Knowledge:
    """What is known of the sums of one scope: bounds of terms, and relations between several."""

    def __init__(self, scope: Any) -> None:
        self.scope, self.steps, self.count = scope, 0, 0
        self.bounds: dict[Term, Bounds] = {}
        # By the largest term. Of each: whether it is 0, rather than 0 at least.
        self.relations: dict[Term, dict[Terms, bool]] = {}
        self.seen: set[Term] = set()

    def copy(self) -> Knowledge:
        other = Knowledge(self.scope)
        other.bounds, other.seen, other.count = dict(self.bounds), set(self.seen), self.count
        other.relations = {term: dict(relations) for term, relations in self.relations.items()}
        return other

    # The bounds of a sum.

    def bounds_of(self, terms: Terms) -> Bounds:
        """How small and how large the sum can be, as far as what is known says."""
        if not terms or terms[0][0] == ONE:
            return (terms[0][1],) * 2 if terms else (0, 0)
        self.steps += 1
        low, high = EVERYTHING
        term, n = terms[0]
        for is_zero, known, k, m in self._ways_out(term, n, [self.relations.get(term, {})]):
            if self.steps > MOST_STEPS:
                return low, high
            # m * terms + k * known = rest, and known >= 0: so m * terms <= rest.
            rest_low, rest_high = self.bounds_of(combined(terms, m, known, k))
            low, high = _tighter((low, high), _divided(-math.inf, rest_high, m))
            if is_zero:
                low, high = _tighter((low, high), _divided(rest_low, math.inf, m))
        factor = single_factor(term)
        if factor is not None and factor.name in ("max", "min") and factor.operands:
            sides = [combined(terms[1:], 1, x.terms, n) for x in factor.operands]
            lows, highs = zip(*map(self.bounds_of, sides), strict=True)
            pick = max if (factor.name == "max") == (n > 0) else min
            low, high = _tighter((low, high), (pick(lows), pick(highs)))
        return low, high

    def _ways_out(self, term: Term, n: int, among: Any) -> Iterator[tuple[bool, Terms, int, int]]:
        """What n*term cancels with: (is_zero, known, k, m), k > 0, where m * n*term + k * known
        is without the term."""
        sign = 1 if n > 0 else -1
        low, high = self.bounds.get(term, EVERYTHING)
        if low > -math.inf:
            yield low == high, combined(((term, 1),), 1, constant(low), -1), abs(n), -sign
        if low < high < math.inf:
            yield False, combined(constant(high), 1, ((term, 1),), -1), abs(n), sign
        for relations in among:
            for known, is_zero in list(relations.items()):
                if factor := dict(known).get(term):
                    yield is_zero, known, abs(n), -factor * sign

    # What is known.

    def learn(self, terms: Terms, is_zero: bool, text: str) -> None:
        """Takes in that the sum is 0 at least, or 0, and what follows at once with what is known.

        ValueError where that can't be.
        """
        self._keep(terms, is_zero, text)
        for term, n in terms:
            if term != ONE:
                for zero, known, k, m in [*self._ways_out(term, n, self.relations.values())]:
                    if m > 0 or is_zero:
                        self._keep(combined(terms, m, known, k), is_zero and zero, text)

    def _keep(self, terms: Terms, is_zero: bool, text: str) -> None:
        rest = terms[-1][1] if terms and terms[-1][0] == ONE else 0
        if not terms or terms[0][0] == ONE:
            if rest < 0 or is_zero and rest:
                raise unsatisfiable(text)
        elif len(terms) == 1 + bool(rest):
            term, n = terms[0]
            if is_zero and rest % n:
                raise unsatisfiable(text)
            bounds = _divided(-rest, -rest if is_zero else math.inf, n)
            low, high = _tighter(self.bounds.get(term, EVERYTHING), bounds)
            if low > high:
                raise unsatisfiable(text)
            self.bounds[term] = low, high
        elif self.count < MOST_RELATIONS:
            relations = self.relations.setdefault(terms[0][0], {})
            self.count += terms not in relations
            relations[terms] = relations.get(terms, False) or is_zero

    def _learn(self, terms: Terms, is_zero: bool = False) -> None:
        """`learn`, of what is so whatever the sizes, with the equalities of the scope put in."""
        terms = self._rewritten(terms)
        self.learn(terms, is_zero, f"{text_of(terms)} >= 0")

    def _rewritten(self, terms: Terms) -> Terms:
        return terms_of(expression(terms, self.scope), self.scope)

    def _learn_bounds(self, term: Term, low: float, high: float) -> None:
        one = ((term, 1),)
        if low > -math.inf:
            self._learn(combined(one, 1, constant(low), -1))
        if high < math.inf:
            self._learn(combined(constant(high), 1, one, -1))

    def learn_of_terms(self, terms: Terms) -> None:
        """Takes in what is true of the terms whatever the sizes."""
        for term, _ in terms:
            if term != ONE and term not in self.seen:
                self.seen.add(term)
                factor = single_factor(term)
                if factor is None:
                    self._learn_of_product(term)
                elif not factor.operands:
                    self._learn_bounds(term, 1, math.inf)
                else:
                    self._learn_of_operation(term, factor)

    def _learn_of_product(self, term: Term) -> None:
        low, high = 1, 1
        for factor, exponent in term.factors:
            one = ((as_term(((factor, 1),)), 1),)
            self.learn_of_terms(one)
            low, high = _product((low, high), _power(self.bounds_of(one), exponent))
        self._learn_bounds(term, low, high)

    def _learn_of_operation(self, term: Term, factor: Factor) -> None:
        (x, y), one = (operand.terms for operand in factor.operands), ((term, 1),)
        x, y = self._rewritten(x), self._rewritten(y)
        for side in (x, y):
            self.learn_of_terms(side)
        (x_low, x_high), (y_low, y_high) = self.bounds_of(x), self.bounds_of(y)
        if factor.name == "mod":
            if y_low > 0:
                self._learn_bounds(term, 0, math.inf)
                self._learn(combined(combined(y, 1, constant(1), -1), 1, one, -1))
                self._learn_bounds(term, -math.inf, y_high - 1)
            elif y_high < 0:
                self._learn(combined(one, 1, combined(y, 1, constant(1), 1), -1))
                self._learn_bounds(term, y_low + 1, 0)
        elif factor.name == "floordiv":
            if y_low <= 0 <= y_high:
                raise InconclusiveDimensionOperation(
                    f"'{text_of(x)}' is divided by '{text_of(y)}', which may be 0.\n"
                    f"Give symbolic_shape a constraint that it is 1 at least."
                )
            ends = [_floor(a, b) for a in (x_low, x_high) for b in (y_low, y_high)]
            self._learn_bounds(term, min(ends), max(ends))
            if y_low > 0:
                rest = self._rewritten(((operation("mod", x, y), 1),))
                self.learn_of_terms(rest)
                whole = combined(product(y, one), 1, rest, 1)
                self._learn(combined(x, 1, whole, -1), is_zero=True)
        else:
            pick, sign = (max, 1) if factor.name == "max" else (min, -1)
            self._learn_bounds(term, pick(x_low, y_low), pick(x_high, y_high))
            for side in (x, y):
                self._learn(combined(one, sign, side, -sign))


def unsatisfiable(text: str) -> ValueError:
    return ValueError(
        f"No sizes satisfy the constraint {text!r}, with the others, and each variable\n"
        f"1 at least. Give constraints that some sizes satisfy."
    )


# Intervals.


def _tighter(one: Bounds, other: Bounds) -> Bounds:
    return max(one[0], other[0]), min(one[1], other[1])


def _divided(low: float, high: float, m: int) -> Bounds:
    """The bounds of a whole number x where low <= m * x <= high."""
    if m < 0:
        low, high, m = -high, -low, -m
    return (
        low if math.isinf(low) else -(-low // m),
        high if math.isinf(high) else high // m,
    )


def _product(one: Bounds, other: Bounds) -> Bounds:
    ends = [a * b if a and b else 0 for a, b in itertools.product(one, other)]
    return min(ends), max(ends)


def _power(bounds: Bounds, exponent: int) -> Bounds:
    low, high = bounds
    ends = [end**exponent for end in bounds]
    if exponent % 2 == 0:
        return (0 if low <= 0 <= high else min(ends)), max(ends)
    return ends[0], ends[1]


def _floor(a: float, b: float) -> float:
    """a // b, where either may be infinite: what it tends to."""
    if math.isinf(b) and not math.isinf(a):
        return 0 if (a >= 0) == (b >= 0) else -1
    if math.isinf(a):
        return math.inf if (a >= 0) == (b >= 0) else -math.inf
    return a // b
