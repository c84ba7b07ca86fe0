"""The machine: primitives and tracers, the transformations, and the tables of their rules.

This is also how the machine is extended: make a `Primitive`, and put its rules into the tables.
"""

from minijax.core.arrays import (
    Array,
    TypePromotionError,
    as_array,
    canonicalize_dtype,
    config,
    devices,
    enable_x64,
    numpy_dtype_promotion,
    raw_value,
    result_type,
)
from minijax.core.batching import (
    AxisData,
    BatchTrace,
    fancy_primitive_batchers,
    not_mapped,
    primitive_batchers,
    vmap,
)
from minijax.core.forward import (
    JVPTrace,
    Zero,
    defjvp,
    defjvp2,
    instantiate_zeros,
    jvp,
    primitive_jvps,
)
from minijax.core.jitting import Backend, disable_jit, jit, jit_p
from minijax.core.linearization import (
    LinearizeTrace,
    SplitTrace,
    linearize,
    primitive_linearizations,
)
from minijax.core.reverse import (
    UndefinedPrimal,
    deflinear,
    grad,
    hessian,
    is_undefined_primal,
    jacfwd,
    jacrev,
    primitive_transposes,
    value_and_grad,
    vjp,
)
from minijax.core.staging import (
    ClosedJaxpr,
    Jaxpr,
    JaxprEqn,
    JaxprTrace,
    JaxprTypeError,
    Literal,
    ShapeDtypeStruct,
    Var,
    check_jaxpr,
    closure_convert,
    custom_staging_rules,
    dce_jaxpr,
    dce_rules,
    eval_jaxpr,
    eval_shape,
    jaxpr_as_fun,
    make_jaxpr,
    pp_eqn_rules,
)
from minijax.core.tracing import (
    ConcretizationTypeError,
    EvalTrace,
    JAXIndexError,
    JAXTypeError,
    NonConcreteBooleanIndexError,
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    UnexpectedTracerError,
    eval_trace,
    float0,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
)

__all__ = [name for name in globals() if not name.startswith("_")]
