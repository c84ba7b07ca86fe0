"""Batching: the rules of primitives, and what they are written with.

A rule maps (operands, batch dimensions, **params) to a result and its batch dimension.
"""

from minijax.core.batching import (
    bdim_at_front,
    defbroadcasting,
    defreducer,
    defvectorized,
    fancy_primitive_batchers,
    primitive_batchers,
)
from minijax.face.planned import missing_names, shown_names

__all__ = [
    "bdim_at_front",
    "defbroadcasting",
    "defreducer",
    "defvectorized",
    "fancy_primitive_batchers",
    "primitive_batchers",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
