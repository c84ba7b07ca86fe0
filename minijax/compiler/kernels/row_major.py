"""Flat arrays: how far apart elements lie, and which results may be written over which operands."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, JaxprEqn, Var


def row_major(shape: Sequence[int]) -> list[int]:
    """How far a step along each axis goes in the flat array."""
    return [math.prod(shape[d + 1 :]) for d in range(len(shape))]


# A result may be written over an operand, if nobody needs that any more (reuse.py). The equation's
# `source` then finds the operand in the result's place, and changes what differs.


def overwrites(eqn: JaxprEqn) -> list[tuple[Var, Atom]]:
    """The results that an equation may write over an operand, with the operand."""
    rule = lowerings[eqn.primitive].overwrites
    return [(eqn.outvars[k], eqn.invars[j]) for k, j in rule(eqn)] if rule else []


def only_first(eqn: JaxprEqn) -> list[tuple[int, int]]:
    """The first result over the first operand."""
    return [(0, 0)]
