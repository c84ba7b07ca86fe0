"""Residual slots: one list of residuals for all branches of a choice.

The branches leave different residuals, and a choice has one list of results. So there are slots,
enough for the residuals of any one branch. A branch fills the slots that it needs, and returns an
`empty2`, of which nobody uses the value, for each of the others.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.core.primitives import broadcast_in_dim, numpy_primitive
from minijax.core.programs import SplitJaxpr
from minijax.core.staging import ClosedJaxpr, Var, jaxpr_as_fun, trace_to_jaxpr
from minijax.core.tracing import ShapedArray

Branches = tuple[ClosedJaxpr, ...]


class MemorySpace(enum.Enum):
    """Where a value is: there is one place."""

    Device = 0


empty2_p = numpy_primitive(
    "empty2", lambda *, dtype: ShapedArray((), dtype), lambda dtype: np.zeros((), dtype),
    inert={"memory_space": MemorySpace.Device},
)  # fmt: skip


def with_same_residuals(splits: list[SplitJaxpr], size: int) -> tuple[Branches, Branches, tuple]:
    """The forward programs, which return the `size` results and then a value for each slot; the
    linear programs, which take a value for each slot and then their other operands; and the types
    of the slots."""
    avals, places = merge_slots([split.linear.in_avals[: len(split.sources)] for split in splits])
    forward = map(partial(_with_residuals, avals, size), splits, places)
    front = list(map(Var, avals))
    linear = [with_operands(s.linear, p, front) for s, p in zip(splits, places, strict=True)]
    return tuple(forward), tuple(linear), avals


def merge_slots(avals_of_branches: list[list[Any]]) -> tuple[tuple, list[tuple[int, ...]]]:
    """The types of the slots, and for each branch the slots that its residuals take."""
    merged: list[Any] = []
    places = []
    for avals in avals_of_branches:
        taken: list[int] = []
        for aval in avals:
            free = (i for i, other in enumerate(merged) if other == aval and i not in taken)
            taken.append(next(free, len(merged)))
            if taken[-1] == len(merged):  # none is free
                merged.append(aval)
        places.append(tuple(taken))
    return tuple(merged), places


def _with_residuals(avals: tuple, size: int, split: SplitJaxpr, places: tuple) -> ClosedJaxpr:
    """The forward program, which returns its `size` results and then a value for each slot."""

    def forward(*args: Any) -> list[Any]:
        out = jaxpr_as_fun(split.forward)(*args)
        empty = [broadcast_in_dim(empty2_p.bind(dtype=a.dtype), a.shape, ()) for a in avals]
        found = zip(places, split.residuals(args, out), strict=True)
        residuals = dict(enumerate(empty)) | dict(found)
        return [*out[:size], *residuals.values()]

    return trace_to_jaxpr(forward, split.forward.in_avals, split.forward.jaxpr.debug_info)


def with_operands(
    closed: ClosedJaxpr, places: tuple[int, ...], front: Sequence[Var]
) -> ClosedJaxpr:
    """The program with the operands `front` before its own. The first of its own operands are not
    added: they are those of `front` at `places`."""
    own = dict(zip(places, closed.invars, strict=False))
    invars = [own.get(i, v) for i, v in enumerate(front)]
    invars += closed.invars[len(places) :]
    return ClosedJaxpr(closed.jaxpr.replace(invars=invars), closed.consts)
