"""Identities of dtypes: a way there and back, or by a wider dtype, is a way at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.compiler.passes.identities import Found, is_float
from minijax.compiler.passes.rewriting import Draft, maker_of
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import convert_element_type_p
from minijax.core.staging import JaxprEqn


def is_lossless(old: Any, new: Any) -> bool:
    """Whether a dtype has every value of another."""
    if issubdtype(old, np.bool_) or old == new:
        return True
    if issubdtype(old, np.integer) and issubdtype(new, np.integer):
        return np.can_cast(old, new)
    to_float = issubdtype(old, np.integer, np.floating) and issubdtype(new, np.floating)
    return to_float and old.itemsize < new.itemsize


def direct_conversion(draft: Draft, eqn: JaxprEqn) -> Found:
    """The conversion without the one before it, where that one lost nothing."""
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
