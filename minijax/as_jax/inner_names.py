"""Which name of ours answers to which of JAX's inner ones: the table.

For each module of JAX's: the modules that its names are imported from here, and the names, as one
text; `theirs=ours` where they differ.
"""

INNER_NAMES: dict[str, dict[str, str]] = {
    "jax._src": {},
    "jax._src.ad_util": {
        "minijax.lax": "stop_gradient_p",
        "minijax.interpreters.ad": "Zero add_jaxvals add_jaxvals_p zeros_like_aval",
        "minijax.custom_derivatives": "SymbolicZero",
    },
    "jax._src.checkify": {
        "minijax.experimental.checkify": "Error checkify user_checks",
        "minijax.lax.outside.findings": "JaxException",
        "typing": "Out=Any",
    },
    "jax._src.compiler": {},
    "jax._src.core": {
        "minijax.as_jax.trace_states": "trace_state_clean",
        "minijax.as_jax.traces": "Trace",
        "minijax.core.extend": """
            AbstractValue ClosedJaxpr Effect Jaxpr JaxprEqn Literal Primitive ShapedArray
            Tracer Var eval_jaxpr jaxpr_as_fun jaxprs_in_params no_effects set_current_trace
            trace_ctx get_aval=typeof typeof""",
        "minijax.extend.core": """
            TraceTag check_jaxpr find_top_trace get_opaque_trace_state mapped_aval
            primal_dtype_to_tangent_dtype subjaxprs take_current_trace unmapped_aval valid_jaxtype
            nonempty_axis_env=nonempty_axis_env_DO_NOT_USE
            unsafe_am_i_under_a_jit=unsafe_am_i_under_a_jit_DO_NOT_USE
            unsafe_am_i_under_a_vmap=unsafe_am_i_under_a_vmap_DO_NOT_USE
            unsafe_get_axis_names=unsafe_get_axis_names_DO_NOT_USE""",
    },
    "jax._src.dispatch": {"minijax.placement": "wait_for_tokens=effects_barrier"},
    "jax._src.dtypes": {
        "minijax.as_jax.number_kinds": "to_complex_dtype",
        "minijax.core.extend": "ExtendedDType",
        "minijax.dtypes": "TypePromotionError canonicalize_dtype extended finfo issubdtype",
        "numpy": "DType=dtype",
    },
    "jax._src.flatten_util": {"minijax.flatten_util": "ravel_pytree"},
    "jax._src.interpreters": {},
    "jax._src.interpreters.ad": {"minijax.lax.custom.rule_calls": "CustomVJPException"},
    "jax._src.literals": {
        "minijax.as_jax.literals": "TypedComplex TypedFloat TypedInt TypedNdArray",
    },
    "jax._src.numpy": {},
    "jax._src.numpy.util": {"minijax.numpy.promotion": "promote_dtypes promote_dtypes_inexact"},
    "jax._src.pjit": {"minijax.core.jitting": "jit_p"},
    "jax._src.public_test_util": {
        "minijax.test_util": "check_close=_check_close check_grads check_jvp check_vjp",
    },
    "jax._src.random": {},
    "jax._src.random.threefry2x32": {
        "minijax.as_jax.threefry": "threefry_random_bits threefry_seed threefry_split",
    },
    "jax._src.state.types": {"minijax.lax.references.types": "AbstractRef"},
    "jax._src.state": {},
    "jax._src.traceback_util": {
        "minijax.as_jax.tracebacks": "include_frame register_exclusion",
        "minijax.core.errors": "api_boundary",
    },
    "jax._src.tree_util": {
        "minijax.as_jax.tree_errors": "prefix_errors",
        "minijax.core.pytrees": "_registry",
    },
    "jax._src.typing": {"minijax.typing": "ArrayLike", "minijax": "Array"},
    "jax._src.util": {"minijax.api_util": "safe_map"},
    "jax._src.xla_bridge": {
        "minijax.as_jax.backends": "_backends",
        "minijax.placement": "default_backend device_count devices",
    },
    "jax.experimental.hijax": {
        "minijax.as_jax.hijax": """
            AvalMutableQDD AvalQDD HiPrimitive MutableHiType aval_method aval_property
            control_flow_allowed_effects register_hitype""",
        "minijax.core.extend": """
            AbstractValue ShapedArray Zero instantiate_zeros is_undefined_primal""",
        "minijax.lax.references.types": "AbstractRef",
    },
    "jax.experimental.sparse": {"minijax.as_jax.sparse": "BCOO"},
    "jax.extend.linear_util": {
        "minijax.as_jax.linear_util": """
            Store StoreException WrappedFun merge_linear_aux transformation
            transformation_with_aux wrap_init""",
    },
    "jax.extend.source_info_util": {"minijax.as_jax.tracebacks": "register_exclusion"},
    "jax.interpreters.mlir": {"minijax.as_jax.mlir": "lower_fun register_lowering"},
    "jax.lib": {"minijax.as_jax.versions": "__version__=JAX_VERSION"},
    "jax.version": {
        "minijax.as_jax.versions": "__version__=JAX_VERSION __version_info__=JAX_VERSION_INFO",
    },
}  # fmt: skip
