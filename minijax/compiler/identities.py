"""Identities: what an equation may be replaced by without a change of any bit of its result.

A rule sees the draft and an equation. It returns an atom, which may be a scalar that is to be
repeated; an equation for the same result; or None. Not all of algebra holds: x + 0.0 is not x
where x is -0.0, x * 0.0 is not 0.0 where x is infinite, and no sum may be taken in another order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.compiler.rewriting import Draft, calls, simplifications
from minijax.core.arrays import Array
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import jit_p
from minijax.core.primitives import (
    add_any_p, add_p, broadcast_in_dim_p, convert_element_type_p, div_p, elementwise,
    integer_pow_p, max_p, mul_p, neg_p, reduce_sum_p, reshape_p, select_n_p, sub_p, transpose_p,
)
from minijax.core.staging import Atom, JaxprEqn, Literal
from minijax.core.tracing import Primitive

Found = Atom | JaxprEqn | None

calls[jit_p] = lambda eqn: (eqn.params["jaxpr"], eqn.invars)


def changed(eqn: JaxprEqn, primitive: Primitive, *operands: Atom, **params: Any) -> JaxprEqn:
    """An equation of another primitive for the same result."""
    params = {**primitive.inert, **params}
    return eqn._replace(primitive=primitive, invars=list(operands), params=params)


# Arithmetic. `number` is None for an operand that is not known, and equal to nothing.


def is_float(x: Atom) -> bool:
    return issubdtype(x.aval.dtype, np.floating)


def _is_zero(draft: Draft, x: Atom, negative: bool) -> bool:
    """Whether an operand is 0; of floats, the one with this sign."""
    number = draft.number(x)
    return number == 0 and (not is_float(x) or np.signbit(number) == negative)


def _add(draft: Draft, eqn: JaxprEqn) -> Found:
    """x + (-0.0) is x, and x + (-y) is x - y."""
    for x, y in (eqn.invars, eqn.invars[::-1]):
        if _is_zero(draft, y, negative=True):
            return x
        if negated := draft.maker(y, neg_p):
            return changed(eqn, sub_p, x, negated.invars[0])
    return None


def _sub(draft: Draft, eqn: JaxprEqn) -> Found:
    """x - 0.0 is x, and x - (-y) is x + y."""
    x, y = eqn.invars
    if _is_zero(draft, y, negative=False):
        return x
    negated = draft.maker(y, neg_p)
    return changed(eqn, add_p, x, negated.invars[0]) if negated else None


def _neg(draft: Draft, eqn: JaxprEqn) -> Found:
    """-(-x) is x."""
    negated = draft.maker(eqn.invars[0], neg_p)
    return negated.invars[0] if negated else None


def _mul(draft: Draft, eqn: JaxprEqn) -> Found:
    """x * 1 is x; of integers, x * 0 is 0."""
    for x, y in (eqn.invars, eqn.invars[::-1]):
        number = draft.number(y)
        if number == 1:
            return x
        if number == 0 and not is_float(y):
            return y
    return None


def _div(draft: Draft, eqn: JaxprEqn) -> Found:
    """x / 1 is x. The reciprocal of a power of two is exact, and to multiply is quicker."""
    x, y = eqn.invars
    number = draft.number(y)
    if number is None or number == 1:
        return None if number is None else x
    if str(y.aval.dtype) not in ("float32", "float64") or abs(np.frexp(number)[0]) != 0.5:
        return None
    with np.errstate(all="ignore"):
        inverse = np.asarray(1 / number, y.aval.dtype)
    is_normal = np.finfo(inverse.dtype).tiny <= abs(inverse) < np.inf
    return changed(eqn, mul_p, x, Literal(Array(inverse, y.aval))) if is_normal else None


def _integer_pow(draft: Draft, eqn: JaxprEqn) -> Found:
    return eqn.invars[0] if eqn.params["y"] == 1 else None


simplifications[add_p] = simplifications[add_any_p] = _add
simplifications[sub_p], simplifications[neg_p] = _sub, _neg
simplifications[mul_p], simplifications[div_p] = _mul, _div
simplifications[integer_pow_p] = _integer_pow

# Choosing.


def lowest(dtype: Any) -> Any:
    """What is below every other number of a dtype."""
    return -np.inf if issubdtype(dtype, np.floating) else np.iinfo(dtype).min


def highest(dtype: Any) -> Any:
    return np.inf if issubdtype(dtype, np.floating) else np.iinfo(dtype).max


def extreme(draft: Draft, eqn: JaxprEqn, neutral: Any) -> Found:
    """max(x, x) is x, and so is max(x, -inf): NaN too, as NaN is what either gives."""
    x, y = eqn.invars
    if x is y:
        return x
    for x, y in (eqn.invars, eqn.invars[::-1]):
        if issubdtype(y.aval.dtype, np.bool_) or draft.number(y) is None:
            continue
        if draft.number(y) == neutral(y.aval.dtype):
            return x
    return None


def _select_n(draft: Draft, eqn: JaxprEqn) -> Found:
    """Where the choice is known, or makes no difference; and one choice for all elements."""
    which, *cases = eqn.invars
    number = draft.number(draft.unspread(which))
    if number is not None:
        return cases[min(max(int(number), 0), len(cases) - 1)]
    if all(case is cases[0] for case in cases):
        return cases[0]
    one = draft.unspread(which)
    return eqn._replace(invars=[one, *cases]) if one is not which else None


simplifications[max_p] = lambda draft, eqn: extreme(draft, eqn, lowest)
simplifications[select_n_p] = _select_n

# Other dtypes.


def is_lossless(old: Any, new: Any) -> bool:
    """Whether a dtype has every value of another."""
    if issubdtype(old, np.bool_) or old == new:
        return True
    if issubdtype(old, np.integer) and issubdtype(new, np.integer):
        return np.can_cast(old, new)
    if issubdtype(old, np.integer, np.floating) and issubdtype(new, np.floating):
        return old.itemsize < new.itemsize
    return False


def _convert(draft: Draft, eqn: JaxprEqn) -> Found:
    """A way there and back, or by a wider dtype, is a way at once."""
    [x], new = eqn.invars, eqn.params["new_dtype"]
    if x.aval.dtype == new:
        return x
    first = draft.maker(x, convert_element_type_p)
    if first is None or not is_lossless(first.invars[0].aval.dtype, x.aval.dtype):
        return None
    # An integer is cut off on its way to another, a float is brought into its bounds.
    [start] = first.invars
    by_float = issubdtype(start.aval.dtype, np.integer) and is_float(x)
    if by_float and issubdtype(new, np.integer) and not np.can_cast(start.aval.dtype, new):
        return None
    return eqn._replace(invars=[start])


simplifications[convert_element_type_p] = _convert
elementwise.add(convert_element_type_p)

# Other shapes.


def _broadcast(draft: Draft, eqn: JaxprEqn) -> Found:
    [x], dimensions = eqn.invars, eqn.params["broadcast_dimensions"]
    if x.aval.shape == eqn.params["shape"]:
        return x
    first = draft.maker(x, broadcast_in_dim_p)
    if first is None:
        return None
    places = tuple(dimensions[d] for d in first.params["broadcast_dimensions"])
    params = {**eqn.params, "broadcast_dimensions": places}
    return eqn._replace(invars=first.invars, params=params)


def _transpose(draft: Draft, eqn: JaxprEqn) -> Found:
    [x], permutation = eqn.invars, eqn.params["permutation"]
    if permutation == tuple(range(x.aval.ndim)):
        return x
    if draft.unspread(x) is not x:
        return draft.unspread(x)
    first = draft.maker(x, transpose_p)
    if first is None:
        return None
    both = tuple(first.params["permutation"][d] for d in permutation)
    return eqn._replace(invars=first.invars, params={**eqn.params, "permutation": both})


def reshaped(draft: Draft, eqn: JaxprEqn) -> Found:
    """For an equation that only counts the axes anew: what was counted anew before it."""
    [x], shape = eqn.invars, eqn.outvars[0].aval.shape
    if x.aval.shape == shape:
        return x
    if draft.unspread(x) is not x:
        return draft.unspread(x)
    first = draft.made_by.get(x)
    if first is None or first.primitive not in same_order or x.aval.size == 0:
        return None
    if first.invars[0].aval.size != x.aval.size:
        return None
    return changed(eqn, reshape_p, first.invars[0], new_sizes=shape)


# Those that keep the elements' order, where they keep their number.
same_order = {reshape_p, broadcast_in_dim_p}


def without_axes(draft: Draft, eqn: JaxprEqn) -> Found:
    """A reduction over no axes."""
    return None if eqn.params["axes"] else eqn.invars[0]


simplifications[broadcast_in_dim_p], simplifications[transpose_p] = _broadcast, _transpose
simplifications[reshape_p], simplifications[reduce_sum_p] = reshaped, without_axes
