"""Batching: the rules of primitives, and what they are written with.

A rule maps (operands, batch dimensions, **params) to a result and its batch dimension.
"""

from __future__ import annotations

from collections.abc import Callable

from minijax.core.batching import (
    AxisData,
    bdim_at_front,
    defbroadcasting,
    defreducer,
    defvectorized,
    fancy_primitive_batchers,
    primitive_batchers,
)
from minijax.core.tracing import Primitive
from minijax.face.planned import missing_names, shown_names

__all__ = [
    "axis_primitive_batchers",
    "bdim_at_front",
    "defbroadcasting",
    "defreducer",
    "defvectorized",
    "fancy_primitive_batchers",
    "primitive_batchers",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


class AxisBatchers:
    """An older way to write a fancy rule, kept by JAX: `axis_primitive_batchers[p] = rule`.

    The rule maps (the axis's size, its name, None, operands, dimensions, **params) to results and
    their dimensions.
    """

    def __setitem__(self, primitive: Primitive, rule: Callable) -> None:
        def fancy(axis: AxisData, vals: tuple, dims: tuple, **params: object) -> tuple:
            return rule(axis.size, axis.name, None, vals, dims, **params)

        fancy_primitive_batchers[primitive] = fancy


axis_primitive_batchers = AxisBatchers()
