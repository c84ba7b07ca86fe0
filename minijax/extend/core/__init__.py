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
from minijax.extend.core.types_and_traces import (
    TraceTag,
    find_top_trace,
    get_opaque_trace_state,
    mapped_aval,
    nonempty_axis_env_DO_NOT_USE,
    primal_dtype_to_tangent_dtype,
    subjaxprs,
    take_current_trace,
    unmapped_aval,
    unsafe_am_i_under_a_jit_DO_NOT_USE,
    unsafe_am_i_under_a_vmap_DO_NOT_USE,
    unsafe_get_axis_names_DO_NOT_USE,
    valid_jaxtype,
)
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
    "TraceTag",
    "Var",
    "check_jaxpr",
    "find_top_trace",
    "get_opaque_trace_state",
    "jaxpr_as_fun",
    "jaxprs_in_params",
    "mapped_aval",
    "no_effects",
    "nonempty_axis_env_DO_NOT_USE",
    "primal_dtype_to_tangent_dtype",
    "primitives",
    "set_current_trace",
    "subjaxprs",
    "take_current_trace",
    "unmapped_aval",
    "unsafe_am_i_under_a_jit_DO_NOT_USE",
    "unsafe_am_i_under_a_vmap_DO_NOT_USE",
    "unsafe_get_axis_names_DO_NOT_USE",
    "valid_jaxtype",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
