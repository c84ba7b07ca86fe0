"""Identities of choices: the larger of x and minus infinity is x, and of x and x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ml_dtypes import iinfo

from minijax.compiler.passes.identities import Found
from minijax.compiler.passes.rewriting import Draft, number_of
from minijax.compiler.special_cases.shape_identities import unspread
from minijax.core.dtypes import issubdtype
from minijax.core.staging import JaxprEqn


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
    return -np.inf if issubdtype(dtype, np.floating) else iinfo(dtype).min


def highest(dtype: Any) -> Any:
    return -lowest(dtype) if issubdtype(dtype, np.floating) else ~dtype.type(lowest(dtype))


def known_choice(draft: Draft, eqn: JaxprEqn) -> Found:
    """Where the choice is known, or makes no difference; and one choice for all elements."""
    which, *cases = eqn.invars
    one = unspread(draft, which)
    number = number_of(draft, one)
    if number is not None:
        return cases[min(max(int(number), 0), len(cases) - 1)]
    if all(case is cases[0] for case in cases):
        return cases[0]
    return eqn._replace(invars=[one, *cases]) if one is not which else None
