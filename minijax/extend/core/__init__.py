"""Primitives and programs, under the names of `jax.extend.core`."""

from minijax.core.errors import InconclusiveDimensionOperation
from minijax.core.extend import (
    ClosedJaxpr,
    DebugInfo,
    Effect,
    Jaxpr,
    JaxprEqn,
    JaxprTypeError,
    Literal,
    Primitive,
    Var,
    check_jaxpr,
    jaxpr_as_fun,
    jaxprs_in_params,
    no_effects,
    set_current_trace,
)
from minijax.extend.core import primitives
from minijax.face.planned import missing_names, shown_names
from minijax.lax.tokens import AbstractToken, Token

__all__ = [
    "AbstractToken",
    "ClosedJaxpr",
    "DebugInfo",
    "Effect",
    "InconclusiveDimensionOperation",
    "Jaxpr",
    "JaxprEqn",
    "JaxprTypeError",
    "Literal",
    "Primitive",
    "Token",
    "Var",
    "check_jaxpr",
    "jaxpr_as_fun",
    "jaxprs_in_params",
    "no_effects",
    "primitives",
    "set_current_trace",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
