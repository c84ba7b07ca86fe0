"""Dimensions as text, such as `b, 2*b + 1, floordiv(h, 2)`: a grammar with a method for each rule.

shape   dimension, dimension, ...     each may be `_`, and the last `...`: as in a known shape
sum     product + product - ...
product factor * factor^2 * ...
factor  3, b, or floordiv, mod, max or min (sum, sum)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from minijax.export.dimension_expressions import expression, is_symbolic_dim, terms_of
from minijax.export.dimension_terms import OPERATIONS, operation, variable
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.sizes import max_dim, min_dim

_TOKEN = re.compile(r"\s*(?:(\d+)|([^\W\d]\w*)|(\.\.\.|[-+*^(),]))\s*")
DEEPEST, LARGEST_EXPONENT, MOST_DIGITS, LONGEST = 40, 100, 18, 4000


class SpecReader:
    """Reads one text, from left to right, into dimensions of a scope."""

    def __init__(self, text: str, scope: Any, like: Sequence[Any] | None = None) -> None:
        self.text, self.scope, self.like = text, scope, like
        self.place, self.depth = 0, 0
        self.dimensions: list[Any] = []
        self.kind, self.token = "", ""
        self.next_place = len(text) - len(text.lstrip())
        if len(text) > LONGEST:
            raise ValueError(
                f"A symbolic shape has more than {LONGEST} characters. Give a shorter one."
            )
        self.advance()

    # Tokens.

    def advance(self) -> str:
        """Goes to the next token, and returns the one that was read."""
        read, self.place = self.token, self.next_place
        found = _TOKEN.match(self.text, self.place)
        if found is None:
            self.kind, self.token = "end", ""
            if self.place < len(self.text):
                raise self.fault("no such character stands in a dimension")
        else:
            number, name, symbol = found.groups()
            self.kind = "number" if number else "name" if name else "symbol"
            self.token, self.next_place = number or name or symbol, found.end()
        return read

    def fault(self, problem: str) -> ValueError:
        rest = self.text[self.place :]
        place = f"before {shown(rest)}" if rest else "at its end"
        return ValueError(
            f"A symbolic shape can't be read: in {shown(self.text)}, {place},\n{problem}.\n"
            f"Give dimensions with commas between, such as 'b, 2*b + 1, 3'."
        )

    def expect(self, symbol: str) -> None:
        if self.token != symbol:
            raise self.fault(f"{symbol!r} is missing")
        self.advance()

    # The grammar.

    def whole_shape(self) -> tuple[Any, ...]:
        opened = 0
        while self.token == "(":
            opened += 1
            self.advance()
        while self.kind != "end" and self.token != ")":
            if self.token == "...":
                self.fill_in(len(self.known()) - len(self.dimensions))
                break
            if self.token == "_":
                self.fill_in(1)
            else:
                self.add(self.sum())
            if self.kind != "end" and self.token != ")":
                self.expect(",")
        for _ in range(opened):
            self.expect(")")
        self.expect_end()
        return tuple(self.dimensions)

    def whole_sum(self) -> Any:
        size = self.sum()
        self.expect_end()
        return size

    def expect_end(self) -> None:
        if self.kind != "end":
            raise self.fault("nothing more may follow")

    def known(self) -> Sequence[Any]:
        if self.like is None:
            raise self.fault(f"{self.token!r} stands for known sizes, and there is no `like`")
        return self.like

    def fill_in(self, count: int) -> None:
        start, known = len(self.dimensions), self.known()
        if count < 0 or start + count > len(known):
            raise self.fault(f"{self.token!r} is one too many for the known shape {tuple(known)}")
        if None in known[start : start + count]:
            raise self.fault(f"{self.token!r} stands for a size that is None in {tuple(known)}")
        self.dimensions += known[start : start + count]
        self.advance()

    def add(self, size: Any) -> None:
        at = len(self.dimensions)
        if self.like is not None and not is_symbolic_dim(size):
            if at >= len(self.like) or size != self.like[at]:
                raise self.fault(f"{size} is no size of axis {at} of the shape {tuple(self.like)}")
        self.dimensions.append(size)

    def sum(self) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(f"operations stand in more than {DEEPEST} others")
        sign = self.advance() if self.token in ("+", "-") else "+"
        total = 0
        while True:
            part = self.product()
            total = total - part if sign == "-" else total + part
            if self.token not in ("+", "-"):
                self.depth -= 1
                return total
            sign = self.advance()

    def product(self) -> Any:
        out = self.power()
        while self.token == "*":
            self.advance()
            out = out * self.power()
        return out

    def power(self) -> Any:
        base = self.factor()
        if self.token != "^":
            return base
        self.advance()
        exponent = self.number()
        if exponent > LARGEST_EXPONENT:
            raise self.fault(f"the exponent {exponent} is above {LARGEST_EXPONENT}")
        return base**exponent

    def factor(self) -> Any:
        if self.token in OPERATIONS:
            return self.operation(self.advance())
        if self.kind == "name":
            return expression(((variable(self.advance()), 1),), self.scope)
        if self.token == "-":
            self.advance()
            return -self.number()
        return self.number()

    def number(self) -> int:
        if self.kind != "number":
            raise self.fault("a number or a variable is missing")
        if len(self.token) > MOST_DIGITS:
            raise self.fault(f"the number has more than {MOST_DIGITS} digits")
        return int(self.advance())

    def operation(self, name: str) -> Any:
        self.expect("(")
        x = self.sum()
        self.expect(",")
        y = self.sum()
        self.expect(")")
        if name in ("max", "min"):
            return (max_dim if name == "max" else min_dim)(x, y)
        xs, ys = (terms_of(side, self.scope) for side in (x, y))
        return expression(((operation(name, xs, ys), 1),), self.scope)
