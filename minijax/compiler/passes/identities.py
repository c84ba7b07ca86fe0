"""Identities: what an equation may be replaced by without a change of any bit of its result.

Not all of algebra holds: x + 0.0 is not x where x is -0.0, x * 0.0 is not 0.0 where x is infinite,
and no sum may be taken in another order.
"""

from __future__ import annotations

import math

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.rewriting import Draft, changed, maker_of, number_of
from minijax.core.arrays import Array
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import add_any_p, add_p, div_p, integer_pow_p, mul_p, neg_p, sub_p
from minijax.core.staging import Atom, JaxprEqn, Literal

Found = Atom | JaxprEqn | None

# Arithmetic.


def is_float(x: Atom) -> bool:
    return issubdtype(x.aval.dtype, np.floating)


def _is_zero(draft: Draft, x: Atom, negative: bool) -> bool:
    """Whether an operand is 0; of floats, the one with this sign."""
    number = number_of(draft, x)
    return number == 0 and (not is_float(x) or (math.copysign(1, number) < 0) == negative)


def _add(draft: Draft, eqn: JaxprEqn) -> Found:
    """x + (-0.0) is x, and x + (-y) is x - y."""
    for x, y in (eqn.invars, eqn.invars[::-1]):
        if _is_zero(draft, y, negative=True):
            return x
        if negated := maker_of(draft, y, neg_p):
            return changed(eqn, sub_p, x, *negated.invars)
    return None


def _sub(draft: Draft, eqn: JaxprEqn) -> Found:
    """x - 0.0 is x, and x - (-y) is x + y."""
    x, y = eqn.invars
    if _is_zero(draft, y, negative=False):
        return x
    negated = maker_of(draft, y, neg_p)
    return changed(eqn, add_p, x, *negated.invars) if negated else None


def _mul(draft: Draft, eqn: JaxprEqn) -> Found:
    """x * 1 is x; of integers, x * 0 is 0."""
    for x, y in (eqn.invars, eqn.invars[::-1]):
        number = number_of(draft, y)
        if number == 1:
            return x
        if number == 0 and not is_float(y):
            return y
    return None


def _div(draft: Draft, eqn: JaxprEqn) -> Found:
    """x / 1 is x. The reciprocal of a power of two is exact, and multiplying is quicker."""
    x, y = eqn.invars
    number = number_of(draft, y)
    if number is None or number == 1:
        return None if number is None else x
    if not is_float(y) or y.aval.dtype.itemsize < 4 or abs(math.frexp(number)[0]) != 0.5:
        return None
    info = np.finfo(y.aval.dtype)
    if not float(info.tiny) <= abs(1 / number) <= float(info.max):
        return None
    return changed(eqn, mul_p, x, Literal(Array(np.array(1 / number, info.dtype), y.aval)))


def undone(draft: Draft, eqn: JaxprEqn) -> Found:
    """Of an operation that undoes itself: -(-x) is x."""
    first = maker_of(draft, eqn.invars[0], eqn.primitive)
    return first.invars[0] if first and first.params == eqn.params else None


def same(draft: Draft, eqn: JaxprEqn) -> Found:
    """Of an operation that gives back its operand, or here does."""
    x = eqn.invars[0]
    return x if x.aval.shape == eqn.outvars[0].aval.shape else None


for _primitive, _rule in {
    add_p: _add, add_any_p: _add, sub_p: _sub, neg_p: undone, mul_p: _mul, div_p: _div,
    integer_pow_p: lambda draft, eqn: eqn.invars[0] if eqn.params["y"] == 1 else None,
}.items():  # fmt: skip
    register_lowering(_primitive, identity=_rule)
