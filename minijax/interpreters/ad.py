"""Derivatives: the rules of primitives, and what they are written with.

A JVP rule maps (primals, tangents, **params) to a result and its tangent, a transpose rule maps
(cotangent, *operands, **params) to the cotangents of the operands.
"""

from minijax.core.forward import (
    JVPTrace,
    JVPTracer,
    Zero,
    add_jaxvals,
    add_tangents,
    defjvp,
    defjvp2,
    instantiate_zeros,
    primitive_jvps,
)
from minijax.core.forward import add_any_p as add_jaxvals_p
from minijax.core.primitives import zeros as zeros_like_aval
from minijax.core.reverse import (
    UndefinedPrimal,
    deflinear,
    deflinear2,
    is_undefined_primal,
    primitive_transposes,
)
from minijax.face.planned import missing_names, shown_names

__all__ = [
    "JVPTrace",
    "JVPTracer",
    "UndefinedPrimal",
    "Zero",
    "add_jaxvals",
    "add_jaxvals_p",
    "add_tangents",
    "defjvp",
    "defjvp2",
    "deflinear",
    "deflinear2",
    "instantiate_zeros",
    "is_undefined_primal",
    "primitive_jvps",
    "primitive_transposes",
    "zeros_like_aval",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
