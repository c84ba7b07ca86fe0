"""The one import for whoever writes a primitive, a trace, a dtype or a backend outside the core."""

from minijax.core.arrays import Array, ArrayImpl, as_array, raw_value
from minijax.core.batching import (
    AxisData, BatchTrace, batch_flat, batched_aval, bdim_at_front, defbroadcasting, defreducer,
    defvectorized, example_aval, extend_axis_env, fancy_primitive_batchers, matchaxis, moveaxis,
    not_mapped, primitive_batchers, shift_axes,
)
from minijax.core.calls import check_args, check_callable, debug_info, flatten_fun
from minijax.core.config import (
    BoundedDict, FunctionCache, bounded_cache, clear_caches, config, derived, register_cache,
)
from minijax.core.dtypes import (
    ExtendedDType, SymbolicDimension, extended, integers, issubdtype, register_dtype,
)
from minijax.core.errors import (
    DebugInfo, JaxprTypeError, SourceInfo, UnexpectedTracerError, api_boundary, check_types,
    register_exclusion, typematch,
)
from minijax.core.forward import (
    JVPTrace, Zero, add_tangents, constant, defjvp, defjvp2, find_rule, instantiate_zeros,
    is_nonzero, jvp_flat, linear_jvp, primitive_jvps, spread, zero_jvp,
)
from minijax.core.jitting import Backend, CompileOptions, jit_p, running
from minijax.core.linearization import (
    force_nonzero, linearize_flat, primitive_linearizations, put_zeros,
)
from minijax.core.primitives import (
    add, binary, broadcasting_shape, canonicalize_axis, canonicalize_shape, cast, check_kind, fill,
    mul, naryop, numpy_primitive, reduce_sum, reduced_type, remaining, through_float32, unary,
    zeros,
)
from minijax.core.printing import hide_none, jaxprs_in_params, pp_aliased, pp_eqn_rules
from minijax.core.prng import key_fry, prng_key, random_bits, random_split
from minijax.core.programs import (
    SplitJaxpr, as_flags, batch_jaxpr, choose, dce_closed_jaxpr, jvp_jaxpr, linearize_jaxpr,
    transpose_jaxpr,
)
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import (
    UndefinedPrimal, backward_pass, deflinear, deflinear2, inverse, is_undefined_primal,
    primitive_transposes, unbroadcast,
)
from minijax.core.staging import (
    ClosedJaxpr, Jaxpr, JaxprEqn, JaxprTrace, Literal, Var, check_jaxpr, convert_constvars_jaxpr,
    custom_staging_rules, custom_typechecks, dce_jaxpr, dce_rules, eval_jaxpr, has_effect,
    jaxpr_as_fun, stage, trace_to_jaxpr,
)
from minijax.core.tracing import (
    AbstractValue, Effect, NamedAxisEffect, Primitive, ShapedArray, Trace, Tracer, Typed,
    current_source, eval_trace, named_scope, new_trace, no_effects, pytype_aval_mappings,
    set_current_trace, trace_ctx, typeof, unzip2,
)
