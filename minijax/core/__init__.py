"""The machine: primitives and tracers, the transformations, and the tables of their rules.

This is also how the machine is extended: make a `Primitive`, and put its rules into the tables.
"""

from minijax.core.batching import fancy_primitive_batchers, primitive_batchers
from minijax.core.forward import Zero, defjvp, defjvp2, instantiate_zeros, primitive_jvps
from minijax.core.jitting import Backend, jit_p
from minijax.core.linearization import primitive_linearizations
from minijax.core.reverse import (
    UndefinedPrimal,
    deflinear,
    is_undefined_primal,
    primitive_transposes,
)
from minijax.core.staging import (
    ClosedJaxpr,
    Jaxpr,
    JaxprEqn,
    JaxprTypeError,
    Literal,
    Var,
    check_jaxpr,
    custom_staging_rules,
    dce_jaxpr,
    dce_rules,
    eval_jaxpr,
    jaxpr_as_fun,
    pp_eqn_rules,
)
from minijax.core.tracing import (
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    eval_trace,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
)
