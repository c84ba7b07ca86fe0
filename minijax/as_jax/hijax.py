"""`jax.experimental.hijax`: types that lower to several of JAX's own.

A library may define some, and operations on them. These run outside of transformations, at once;
inside of one nothing here knows them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.core.errors import api_boundary
from minijax.core.tracing import AbstractValue, Tracer, eval_trace, trace_ctx

_REFUSAL = (
    "{} is of hijax, the real JAX's types of several values, which no transformation here knows. "
    "Use pytrees."
)


class HiPrimitive:
    """A primitive on such values. A library's class has its rules as methods."""

    multiple_results = False

    def __init__(self, name: str) -> None:
        self.name = name

    @api_boundary
    def bind(self, *args: Any, **params: Any) -> Any:
        """What `impl` makes of values. NotImplementedError where something is traced."""
        if trace_ctx.trace is not eval_trace or any(isinstance(x, Tracer) for x in args):
            raise NotImplementedError(_REFUSAL.format(self.name))
        return self.impl(*args, **params)  # type: ignore[attr-defined]


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
