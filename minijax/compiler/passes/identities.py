"""Identities: what an equation may be replaced by without a change of any bit of its result.

Not all of algebra holds: x + 0.0 is not x where x is -0.0, x * 0.0 is not 0.0 where x is infinite,
and no sum may be taken in another order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.passes.rewriting import (
    Draft, changed, maker_of, number_of, simplifications, unspread,
)
from minijax.core.arrays import Array
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    add_any_p, add_p, broadcast_in_dim_p, convert_element_type_p, div_p, elementwise, integer_pow_p,
    max_p, mul_p, neg_p, reduce_sum_p, reshape_p, select_n_p, sub_p, transpose_p,
)
from minijax.core.staging import Atom, JaxprEqn, Literal, Var

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


simplifications[add_p] = simplifications[add_any_p] = _add
simplifications[sub_p], simplifications[neg_p] = _sub, undone
simplifications[mul_p], simplifications[div_p] = _mul, _div
simplifications[integer_pow_p] = lambda _, eqn: eqn.invars[0] if eqn.params["y"] == 1 else None

# Choosing.


def chosen(
    draft: Draft, eqn: JaxprEqn, neutral: Callable, absorbing: Callable | None = None
) -> Found:
    """max(x, x) is x, and so is max(x, -inf): NaN too, as NaN is what either gives.

    The functions give, for a dtype, the number that changes nothing, and the one that wins.
    """
    if eqn.invars[0] is eqn.invars[1]:
        return eqn.invars[0]
    for x, y in (eqn.invars, eqn.invars[::-1]):
        number = number_of(draft, y)
        if number is not None and number == neutral(y.aval.dtype):
            return x
        if number is not None and absorbing and number == absorbing(y.aval.dtype):
            return y
    return None


def lowest(dtype: Any) -> Any:
    """The number of a dtype that is below all others."""
    if issubdtype(dtype, np.bool_):
        return False
    return -np.inf if issubdtype(dtype, np.floating) else np.iinfo(dtype).min


def highest(dtype: Any) -> Any:
    return -lowest(dtype) if issubdtype(dtype, np.floating) else ~dtype.type(lowest(dtype))


def _select_n(draft: Draft, eqn: JaxprEqn) -> Found:
    """Where the choice is known, or makes no difference; and one choice for all elements."""
    which, *cases = eqn.invars
    one = unspread(draft, which)
    number = number_of(draft, one)
    if number is not None:
        return cases[min(max(int(number), 0), len(cases) - 1)]
    if all(case is cases[0] for case in cases):
        return cases[0]
    return eqn._replace(invars=[one, *cases]) if one is not which else None


simplifications[max_p] = partial(chosen, neutral=lowest)
simplifications[select_n_p] = _select_n

# Other dtypes.


def is_lossless(old: Any, new: Any) -> bool:
    """Whether a dtype has every value of another."""
    if issubdtype(old, np.bool_) or old == new:
        return True
    if issubdtype(old, np.integer) and issubdtype(new, np.integer):
        return np.can_cast(old, new)
    to_float = issubdtype(old, np.integer, np.floating) and issubdtype(new, np.floating)
    return to_float and old.itemsize < new.itemsize


def _convert(draft: Draft, eqn: JaxprEqn) -> Found:
    """A way there and back, or by a wider dtype, is a way at once."""
    [x], new = eqn.invars, eqn.params["new_dtype"]
    if x.aval.dtype == new:
        return x
    first = maker_of(draft, x, convert_element_type_p)
    old = first and first.invars[0].aval.dtype
    if first is None or not is_lossless(old, x.aval.dtype):
        return None
    # From integer to integer, the upper bits are cut off; on the way by floats they are not.
    between_integers = issubdtype(old, np.integer) and issubdtype(new, np.integer)
    if between_integers and is_float(x) and not is_lossless(old, new):
        return None
    return eqn._replace(invars=first.invars)


simplifications[convert_element_type_p] = _convert
elementwise.add(convert_element_type_p)

# Other shapes.


def same(draft: Draft, eqn: JaxprEqn) -> Found:
    """Of an operation that gives back its operand, or here does."""
    x = eqn.invars[0]
    return x if x.aval.shape == eqn.outvars[0].aval.shape else None


def _broadcast(draft: Draft, eqn: JaxprEqn) -> Found:
    first = maker_of(draft, eqn.invars[0], broadcast_in_dim_p)
    if first is None:
        return same(draft, eqn)
    dimensions = eqn.params["broadcast_dimensions"]
    places = tuple(dimensions[d] for d in first.params["broadcast_dimensions"])
    params = {**eqn.params, "broadcast_dimensions": places}
    return eqn._replace(invars=first.invars, params=params)


def _transpose(draft: Draft, eqn: JaxprEqn) -> Found:
    [x], permutation = eqn.invars, eqn.params["permutation"]
    if permutation == tuple(range(x.aval.ndim)):
        return x
    first = maker_of(draft, x, transpose_p)
    if first is None:
        return None
    both = tuple(first.params["permutation"][d] for d in permutation)
    return eqn._replace(invars=first.invars, params={**eqn.params, "permutation": both})


def reshaped(draft: Draft, eqn: JaxprEqn) -> Found:
    """Of an operation that only counts the axes anew: what did so before it is not needed."""
    [x], v = eqn.invars, eqn.outvars[0]
    if x.aval.shape == v.aval.shape or unspread(draft, x) is not x:
        return unspread(draft, x)
    first = draft.made_by.get(x)
    if first is None or first.primitive not in same_order or not x.aval.size:
        return None
    [start] = first.invars
    same_size = start.aval.size == x.aval.size
    return changed(eqn, reshape_p, start, new_sizes=v.aval.shape) if same_size else None


# Where these keep the number of elements, they keep their order.
same_order = {reshape_p, broadcast_in_dim_p}



def _reduce_sum(draft: Draft, eqn: JaxprEqn) -> Found:
    """Over axes of size 1: such a sum starts at 0.0, which makes 0.0 of -0.0."""
    [x], [v] = eqn.invars, eqn.outvars
    if v.aval.size != x.aval.size or issubdtype(x.aval.dtype, np.complexfloating):
        return None
    if is_float(x):
        zero = Literal(Array(np.zeros((), x.aval.dtype)))
        [x] = draft.write(changed(eqn._replace(outvars=[Var(x.aval)]), add_p, x, zero))
    return changed(eqn, reshape_p, x, new_sizes=v.aval.shape)


simplifications[broadcast_in_dim_p], simplifications[transpose_p] = _broadcast, _transpose
simplifications[reshape_p], simplifications[reduce_sum_p] = reshaped, _reduce_sum
