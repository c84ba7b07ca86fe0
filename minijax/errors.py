"""The errors of tracing, under JAX's names."""

from minijax.core.arrays import TypePromotionError
from minijax.core.tracing import (
    ConcretizationTypeError,
    JAXIndexError,
    JAXTypeError,
    NonConcreteBooleanIndexError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    UnexpectedTracerError,
)
