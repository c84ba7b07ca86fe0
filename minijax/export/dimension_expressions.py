"""Sizes that are not known yet: they calculate as ints do, and meet arrays as values.

A `DimensionExpr` is a polynomial (dimension_terms.py) and the scope that its variables are in. What
is asked of it is answered where the answer is the same for all sizes, and refused elsewhere.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

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
from minijax.export.dimension_terms import (
    ONE,
    Terms,
    combined,
    constant,
    operation,
    product,
    quotient,
    text_of,
    with_equality,
)

# The expression.


def expression(terms: Terms, scope: Any) -> Any:
    """The DimensionExpr of a sum, with the scope's equalities put in; an int, where it is one."""
    if scope.equalities:
        terms = with_equality(terms, scope.equalities)
    if not terms or terms[0][0] == ONE:
        return terms[0][1] if terms else 0
    return DimensionExpr(terms, scope)


def terms_of(size: Any, scope: Any) -> Terms | None:
    """The terms of a size; None for what is none. ValueError for one of another scope."""
    if isinstance(size, DimensionExpr):
        if size.scope is not scope:
            raise ValueError(
                f"The dimension '{size}' has another scope than what it meets,\n{size.scope}, and "
                f"not\n{scope}.\n"
                f"Make all dimensions by one call of symbolic_shape, or give later calls `scope=`."
            )
        return size.terms
    if isinstance(size, Tracer):
        return None
    try:
        return constant(operator.index(size))
    except TypeError:
        return None


def _operator(fun: Callable, on_sizes: Callable) -> tuple[Callable, Callable]:
    """Methods for one of Python's operators, straight and reflected: with sizes it gives sizes,
    with all else arrays, for which the dimension becomes a value."""

    def method(self: DimensionExpr, other: Any) -> Any:
        terms = terms_of(other, self.scope)
        if terms is None:
            return fun(self.dimension_as_value(), other)
        return on_sizes(self.terms, terms, self.scope)

    def reflected(self: DimensionExpr, other: Any) -> Any:
        terms = terms_of(other, self.scope)
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
        operator.add, lambda xs, ys, scope: expression(combined(xs, 1, ys, 1), scope)
    )
    __sub__, __rsub__ = _operator(
        operator.sub, lambda xs, ys, scope: expression(combined(xs, 1, ys, -1), scope)
    )
    __mul__, __rmul__ = _operator(
        operator.mul, lambda xs, ys, scope: expression(product(xs, ys), scope)
    )
    __divmod__, __rdivmod__ = _operator(divmod, _divmod)
    __floordiv__, __rfloordiv__ = _operator(
        operator.floordiv, lambda xs, ys, scope: _divmod(xs, ys, scope)[0]
    )
    __mod__, __rmod__ = _operator(operator.mod, lambda xs, ys, scope: _divmod(xs, ys, scope)[1])

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
        terms = terms_of(other, self.scope) if self.scope.equalities else None
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
        xs, ys = (terms_of(side, self.scope) for side in (x, y))
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
    sides = [terms_of(side, scope) for side in (x, y)]
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
