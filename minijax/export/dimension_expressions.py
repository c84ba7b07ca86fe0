"""Sizes that are not known yet: polynomials with whole coefficients, which calculate as ints do.

An expression is a sum of terms, a term a product of factors, and a factor a variable or an
operation on expressions. All of these are tuples that begin with how large they are: so Python's
order of tuples is the order in which terms are written, the largest first and the constant last.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minijax.core.config import config
from minijax.core.errors import InconclusiveDimensionOperation, safe_repr
from minijax.core.extend import (
    JaxprTrace,
    Primitive,
    ShapedArray,
    SymbolicDimension,
    Tracer,
    pytype_aval_mappings,
)
from minijax.lax.shapes.sizes import max_dim, min_dim

# The parts of an expression.


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
    """k times one sum plus m times another; or the product of two terms' factors, to such powers.

    What cancels out is gone.
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
    """What is left of one sum divided by another, and a whole remainder: None where the result is
    no polynomial. By a sum that is no number, nothing may remain."""
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


class UnexpectedDimVar(Exception):
    """A dimension variable has no value, since no argument's shape has it."""


# The expression.


def expression(terms: Terms, scope: Any) -> Any:
    """The DimensionExpr of a sum, with the scope's equalities put in; an int, where it is one."""
    if scope.equalities:
        terms = _with_equality(terms, scope.equalities)
    if not terms or terms[0][0] == ONE:
        return terms[0][1] if terms else 0
    return DimensionExpr(terms, scope)


def _with_equality(terms: Terms, equalities: Mapping[Term, tuple[Terms, int]]) -> Terms:
    """The sum with the first of its terms that an equality is about replaced. Equality (t, (e, k))
    says that k*t is e; t may be a part of the term, with what multiplies it."""
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


def terms_of(size: Any, scope: Any, why: str) -> Terms | None:
    """The terms of a size; None for what is none. ValueError for one of another scope."""
    if isinstance(size, DimensionExpr):
        if size.scope is not scope:
            raise ValueError(
                f"{why}: two scopes meet,\n{scope}, and\n{size.scope}, of '{size}'.\n"
                f"Make all dimensions by one call of symbolic_shape, or give later calls `scope=`."
            )
        return size.terms
    if isinstance(size, Tracer):
        return None
    try:
        return constant(operator.index(size))
    except TypeError:
        return None


def _operator(symbol: str, fun: Callable, on_sizes: Callable) -> tuple[Callable, Callable]:
    """Methods for one of Python's operators, straight and reflected: with sizes it gives sizes,
    with all else arrays, for which the dimension becomes a value."""

    def method(self: DimensionExpr, other: Any) -> Any:
        terms = terms_of(other, self.scope, f"'{self}' {symbol} '{safe_repr(other)}'")
        if terms is None:
            return fun(self.dimension_as_value(), other)
        return on_sizes(self.terms, terms, self.scope)

    def reflected(self: DimensionExpr, other: Any) -> Any:
        terms = terms_of(other, self.scope, f"'{safe_repr(other)}' {symbol} '{self}'")
        if terms is None:
            return fun(other, self.dimension_as_value())
        return on_sizes(terms, self.terms, self.scope)

    return method, reflected


def _divmod(xs: Terms, ys: Terms, scope: Any) -> tuple[Any, Any]:
    if not ys:
        raise ZeroDivisionError(f"'{text_of(xs)}' is divided by 0. Give another divisor.")
    found = quotient(xs, ys)
    if found is not None:
        return expression(found[0], scope), found[1]
    both = [((operation(name, xs, ys), 1),) for name in ("floordiv", "mod")]
    return expression(both[0], scope), expression(both[1], scope)


class DimensionExpr(SymbolicDimension):
    """A size as an expression of variables, each of which is 1 at least.

    It calculates with ints and others of its scope, and becomes a value where it meets an array.
    Comparisons are decided for all sizes at once: InconclusiveDimensionOperation where they can't
    be. As in JAX, `==` is true only of what is equal for all sizes, and false otherwise.
    """

    __slots__ = ("_hash", "scope", "terms")
    __array_priority__ = 1000  # np.ndarray + DimensionExpr asks the DimensionExpr

    def __init__(self, terms: Terms, scope: Any) -> None:
        self.terms, self.scope, self._hash = terms, scope, None

    __add__, __radd__ = _operator(
        "+", operator.add, lambda xs, ys, scope: expression(combined(xs, 1, ys, 1), scope)
    )
    __sub__, __rsub__ = _operator(
        "-", operator.sub, lambda xs, ys, scope: expression(combined(xs, 1, ys, -1), scope)
    )
    __mul__, __rmul__ = _operator(
        "*", operator.mul, lambda xs, ys, scope: expression(product(xs, ys), scope)
    )
    __divmod__, __rdivmod__ = _operator("divmod", divmod, _divmod)
    __floordiv__, __rfloordiv__ = _operator(
        "//", operator.floordiv, lambda xs, ys, scope: _divmod(xs, ys, scope)[0]
    )
    __mod__, __rmod__ = _operator(
        "%", operator.mod, lambda xs, ys, scope: _divmod(xs, ys, scope)[1]
    )

    def __neg__(self) -> Any:
        return expression(combined((), 1, self.terms, -1), self.scope)

    def __pos__(self) -> DimensionExpr:
        return self

    def __truediv__(self, other: Any) -> Any:
        return self.dimension_as_value() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.dimension_as_value()

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, Tracer | SymbolicDimension):
            return self.dimension_as_value() ** as_value(power)
        if power != int(power) or power < 0:
            raise ValueError(f"'{self}' ** {power} is no size. Give a whole exponent from 0.")
        terms = constant(1)
        for _ in range(int(power)):
            terms = product(terms, self.terms)
        return expression(terms, self.scope)

    def __rpow__(self, other: Any) -> Any:
        return other ** self.dimension_as_value()

    # Questions.

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.terms, id(self.scope)))
        return self._hash

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, DimensionExpr):
            if self.scope is not other.scope or not self.scope.equalities:
                return self.scope is other.scope and self.terms == other.terms
            return isinstance(difference := self - other, int) and difference == 0
        terms = terms_of(other, self.scope, "==") if self.scope.equalities else None
        return terms is not None and isinstance(d := self - other, int) and d == 0

    def __ge__(self, other: Any) -> Any:
        return is_at_least(self, other, self, ">=", other)

    def __le__(self, other: Any) -> Any:
        return is_at_least(other, self, self, "<=", other)

    def __lt__(self, other: Any) -> Any:
        at_least = is_at_least(self, other, self, "<", other)
        return at_least if at_least is NotImplemented else not at_least

    def __gt__(self, other: Any) -> Any:
        at_least = is_at_least(other, self, self, ">", other)
        return at_least if at_least is NotImplemented else not at_least

    def __bool__(self) -> bool:
        low, high = self.scope.bounds(self)
        if low <= 0 <= high:
            raise InconclusiveDimensionOperation(
                f"Whether '{self}' is 0 depends on the sizes{self.scope.reasons()}.\n"
                f"Give symbolic_shape a constraint that decides it."
            )
        return True

    def __int__(self) -> int:
        raise InconclusiveDimensionOperation(
            f"int() needs a number, and got the dimension '{self}'.\n"
            f"Leave int() out, since dimensions calculate as ints do, or give a fixed size."
        )

    def __index__(self) -> int:
        raise TypeError(
            f"An integer is needed here, and '{self}' is a symbolic dimension.\n"
            f"Give a fixed size, or write what depends on it with jnp and lax."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return _no_value(dim=self)

    def __str__(self) -> str:
        return text_of(self.terms)

    __repr__ = __str__

    def extreme(self, name: str, x: Any, y: Any) -> Any:
        """The larger of two sizes for "max", the smaller for "min"; self is one of them."""
        xs, ys = (terms_of(side, self.scope, f"{name}_dim({x}, {y})") for side in (x, y))
        if xs is None or ys is None:
            got = safe_repr(x if xs is None else y)
            raise TypeError(f"jax.core.{name}_dim takes sizes, and got {got}. Give ints too.")
        low, high = self.scope.bounds(expression(combined(xs, 1, ys, -1), self.scope))
        if low >= 0:
            return x if name == "max" else y
        if high <= 0:
            return y if name == "max" else x
        return expression(((operation(name, xs, ys), 1),), self.scope)

    def __deepcopy__(self, memo: dict) -> DimensionExpr:
        return self

    def dimension_as_value(self) -> Any:
        """The size as a weak integer of the program that is traced."""
        return dim_as_value_p.bind(dim=self)

    def staged(self, trace: JaxprTrace) -> Any:
        """The size as a weak integer of a program that is being written."""
        return trace.record(dim_as_value_p, (), {"dim": self})


def is_at_least(x: Any, y: Any, left: Any, symbol: str, right: Any) -> Any:
    """Whether x >= y for all sizes: False where it is for none. One is a DimensionExpr; `left`,
    `symbol` and `right` are the question as it was asked."""
    scope = left.scope
    asked = f"'{left}' {symbol} '{safe_repr(right)}'"
    sides = [terms_of(side, scope, asked) for side in (x, y)]
    if None in sides:
        if isinstance(right, int | float | complex | str):
            raise TypeError(f"{asked} compares a dimension with no whole number. Give an int.")
        return NotImplemented
    low, high = scope.bounds(expression(combined(sides[0], 1, sides[1], -1), scope))
    if low < 0 <= high:
        raise InconclusiveDimensionOperation(
            f"{asked} depends on the sizes{scope.reasons()}.\n"
            f"Give symbolic_shape a constraint that decides it, or use max_dim and min_dim of\n"
            f"jax.core, which wait for the sizes."
        )
    return low >= 0


def is_symbolic_dim(d: Any) -> bool:
    """Whether a size is an expression of sizes that are not known yet."""
    return isinstance(d, SymbolicDimension)


# Expressions with values for their variables.

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


# A dimension as a value of the program.


def _value_type(*, dim: Any) -> ShapedArray:
    return ShapedArray((), "int64" if config.jax_enable_x64 else "int32", weak_type=True)


def _no_value(*, dim: Any) -> Any:
    raise NotImplementedError(
        f"The symbolic dimension '{dim}' has no value here:\n"
        f"it gets one when an exported function is called. Give a fixed size."
    )


dim_as_value_p = Primitive("dim_as_value")
dim_as_value_p.def_abstract_eval(_value_type)
dim_as_value_p.def_impl(_no_value)
pytype_aval_mappings[DimensionExpr] = lambda dim: _value_type(dim=dim)


def as_value(d: Any) -> Any:
    """A size as a value: an int as it is."""
    return d.dimension_as_value() if is_symbolic_dim(d) else d
