"""The errors of tracing, under JAX's names."""

from typing import Any

from minijax.core.arrays import TypePromotionError
from minijax.core.tracing import (
    ConcretizationTypeError,
    JAXTypeError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    UnexpectedTracerError,
    describe,
)

__all__ = [
    "ConcretizationTypeError",
    "JAXIndexError",
    "JAXTypeError",
    "NonConcreteBooleanIndexError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TypePromotionError",
    "UnexpectedTracerError",
]


class JAXIndexError(IndexError):
    """A traced value was used as an index that needs to be known."""


class NonConcreteBooleanIndexError(JAXIndexError):
    """An array was indexed with a traced mask: the result's shape would depend on values."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(
            f"The mask is {describe(tracer)}, so the result's shape is not known. "
            f"Use jnp.where(mask, x, other) instead.{tracer._origin()}"
        )

