"""The errors of tracing, under JAX's names."""

from minijax.core.errors import (
    ConcretizationTypeError,
    InconclusiveDimensionOperation,
    JAXIndexError,
    JaxprTypeError,
    JaxRuntimeError,
    JAXTypeError,
    NonConcreteBooleanIndexError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    TypePromotionError,
    UnexpectedTracerError,
)
from minijax.face.explained import where_explained
from minijax.face.planned import missing_names, shown_names
from minijax.random.keys import KeyReuseError

__all__ = [
    "ConcretizationTypeError",
    "InconclusiveDimensionOperation",
    "JAXIndexError",
    "JAXTypeError",
    "JaxRuntimeError",
    "JaxprTypeError",
    "KeyReuseError",
    "NonConcreteBooleanIndexError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TypePromotionError",
    "UnexpectedTracerError",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

for _name in __all__:
    _class = globals()[_name]
    _class.__module__ = __name__
    _class.__doc__ = f"{_class.__doc__}\n\n{where_explained(_class)}"
