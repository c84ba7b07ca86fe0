"""Identities of zeros: x + 0.0 is x, unless x is -0.0, of which it makes 0.0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minijax.compiler.passes.identities import Found
from minijax.compiler.passes.rewriting import Draft, number_of
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    add_any_p, add_p, convert_element_type_p, exp_p, integer_pow_p, sub_p,
)
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive


def _with_number(draft: Draft, eqn: JaxprEqn) -> bool:
    """A sum is -0.0 where both operands are zeros, and a number is none; a sum that is tiny is
    exact, so nothing is rounded to it."""
    numbers = [number_of(draft, x) for x in eqn.invars]
    return any(number is not None and number != 0 for number in numbers)


# A line for each primitive whose float results are never -0.0: of which equations that is so.
NEVER_NEGATIVE_ZERO: dict[Primitive, Callable[[Draft, JaxprEqn], bool]] = {
    add_p: _with_number,
    sub_p: _with_number,
    exp_p: lambda draft, eqn: not issubdtype(eqn.outvars[0].aval.dtype, np.complexfloating),
    integer_pow_p: lambda draft, eqn: eqn.params["y"] % 2 == 0,
    convert_element_type_p: lambda draft, eqn: issubdtype(
        eqn.invars[0].aval.dtype, np.integer, np.bool_
    ),
}


def without_zero(draft: Draft, eqn: JaxprEqn) -> Found:
    """x + 0.0 is x, where what makes x never gives -0.0."""
    if eqn.primitive is not add_p and eqn.primitive is not add_any_p:
        return None
    for x, y in (eqn.invars, eqn.invars[::-1]):
        maker = draft.made_by.get(x)
        if maker is not None and number_of(draft, y) == 0:
            is_sure = NEVER_NEGATIVE_ZERO.get(maker.primitive)
            return x if is_sure is not None and is_sure(draft, maker) else None
    return None
