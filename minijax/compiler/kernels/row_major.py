"""Flat arrays: how far apart elements lie, and which results may be written over which operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minijax.core.staging import Atom, JaxprEqn, Var
from minijax.core.tracing import Primitive


def row_major(shape: Sequence[int]) -> list[int]:
    """How far a step along each axis goes in the flat array."""
    return [math.prod(shape[d + 1 :]) for d in range(len(shape))]


# For an equation, pairs of a result's number and an operand's: this may be written over that, if
# nobody needs it any more (reuse.py). The equation's part (`part_rules`) finds the operand in the
# result's place, and changes what differs.
overwrite_rules: dict[Primitive, Callable[[JaxprEqn], Sequence[tuple[int, int]]]] = {}


def overwrites(eqn: JaxprEqn) -> list[tuple[Var, Atom]]:
    """The results that an equation may write over an operand, with the operand."""
    rule = overwrite_rules.get(eqn.primitive)
    return [(eqn.outvars[k], eqn.invars[j]) for k, j in rule(eqn)] if rule else []


def only_first(eqn: JaxprEqn) -> list[tuple[int, int]]:
    """The first result over the first operand."""
    return [(0, 0)]
