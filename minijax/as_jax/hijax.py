"""`jax.experimental.hijax`: types that lower to several of JAX's own.

A library may define some, as long as it makes no value of them: nothing here runs one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from minijax.core.errors import api_boundary
from minijax.core.tracing import AbstractValue

_REFUSAL = "{} is of hijax, the real JAX's types of several values, and not here. Use pytrees."


class HiPrimitive:
    """A primitive on such values: it has a name and can't be bound."""

    def __init__(self, name: str) -> None:
        self.name = name

    @api_boundary
    def bind(self, *args: Any, **params: Any) -> NoReturn:
        raise NotImplementedError(_REFUSAL.format(self.name))


class MutableHiType(AbstractValue):
    """The type of a value that changes."""


class AvalQDD:
    """A type, and what of its value may change from one operation to the next."""


class AvalMutableQDD:
    """Likewise, for a type whose value is changed in its place."""


class aval_property(property):
    """A tracer's property that is read off its type."""


class aval_method:
    """A tracer's method that its type defines."""

    def __init__(self, fun: Callable) -> None:
        self.fun = fun


class AllowedEffects:
    """Which effects may be had inside of loops and branches: none that such primitives have."""

    def add_type(self, effect_type: type) -> None:
        """Every effect has been judged already, by the operation that has it."""


control_flow_allowed_effects = AllowedEffects()


def register_hitype(val_cls: type, typeof: Callable) -> None:
    """Says which class has values of such a type: none is made, so that nothing is kept."""
