"""What a file may name: the primitives that compute, and the classes of their parameters."""

from __future__ import annotations

from importlib import import_module

from minijax.core.tracing import Primitive

# By the modules that have them, the names of the primitives.
HOMES = {
    "minijax.export.dimension_expressions": "dim_as_value",
    "minijax.core.jitting": "jit",
    "minijax.core.primitives": """
        add add_any broadcast_in_dim convert_element_type cos div dot_general eq exp gt
        integer_pow log max mul neg reduce_sum reshape select_n sin sub transpose""",
    "minijax.core.prng": """
        random_bits random_clone random_fold_in random_seed random_split random_unwrap random_wrap
        threefry2x32""",
    "minijax.lax.approximate_top_k": "approx_top_k",
    "minijax.lax.collectives.moving": "all_gather all_to_all ppermute reduce_scatter",
    "minijax.lax.collectives.reducing": "axis_index pmax pmin psum psum_invariant",
    "minijax.lax.collectives.shuffling": "pbroadcast",
    "minijax.lax.collectives.type_changes": "all_gather_invariant",
    "minijax.lax.control_flow.conditionals": "cond",
    "minijax.lax.control_flow.residual_slots": "empty2",
    "minijax.lax.control_flow.scan": "scan",
    "minijax.lax.control_flow.solves": "custom_linear_solve",
    "minijax.lax.control_flow.switches": "platform_index",
    "minijax.lax.control_flow.while_loop": "while",
    "minijax.lax.custom.barriers": "optimization_barrier",
    "minijax.lax.custom.checkpoint": "remat2",
    "minijax.lax.custom.checkpoint_policies": "name",
    "minijax.lax.custom.optimize_remat": "closed_call",
    "minijax.lax.elementwise.arithmetic": """
        abs copy floor ge le logistic lt min ne pow rem round rsqrt sign sqrt square stop_gradient
        tanh""",
    "minijax.lax.elementwise.bitcasts": "bitcast_convert_type",
    "minijax.lax.elementwise.bits": """
        and clz mulhi not or population_count shift_left shift_right_arithmetic
        shift_right_logical xor""",
    "minijax.lax.elementwise.clamping": "clamp",
    "minijax.lax.elementwise.complex_numbers": "complex conj imag real",
    "minijax.lax.elementwise.floats": "ceil eq_to is_finite le_to lt_to nextafter reduce_precision",
    "minijax.lax.elementwise.trigonometry": """
        acos acosh asin asinh atan atan2 atanh cbrt cosh exp2 sinh tan""",
    "minijax.lax.fourier": "fft",
    "minijax.lax.generators": "rng_bit_generator rng_uniform",
    "minijax.lax.indexing.combining_scatters": "scatter-max scatter-min scatter-mul scatter-sub",
    "minijax.lax.indexing.dynamic_slicing": "dynamic_slice dynamic_update_slice",
    "minijax.lax.indexing.gather_scatter": "gather scatter scatter-add",
    "minijax.lax.linalg.eigenvectors": "eig hessenberg schur",
    "minijax.lax.linalg.gaussian": "lu lu_pivots_to_permutation",
    "minijax.lax.linalg.positive_definite": "cholesky cholesky_update",
    "minijax.lax.linalg.reflections": "geqrf householder_product ormqr qr",
    "minijax.lax.linalg.singular_values": "svd",
    "minijax.lax.linalg.symmetric": "eigh symmetric_product tridiagonal",
    "minijax.lax.linalg.triangular": "triangular_solve",
    "minijax.lax.linalg.tridiagonal_systems": "tridiagonal_solve",
    "minijax.lax.outside.xla_metadata": "xla_metadata_value",
    "minijax.lax.ragged_products": "ragged_dot_general",
    "minijax.lax.reductions.argminmax": "argmax argmin",
    "minijax.lax.reductions.by_operation": "reduce_and reduce_or reduce_prod reduce_xor",
    "minijax.lax.reductions.cumulative": "cumlogsumexp cummax cummin cumprod cumsum",
    "minijax.lax.reductions.extrema": "reduce_max reduce_min",
    "minijax.lax.scaled_products": "scaled_dot",
    "minijax.lax.shapes.axes": "iota rev squeeze",
    "minijax.lax.shapes.slicing": "concatenate pad slice split",
    "minijax.lax.shapes.stacking": "stack tile unstack",
    "minijax.lax.sharding.constraints": "sharding_constraint",
    "minijax.lax.sharding.device_puts": "device_put",
    "minijax.lax.sharding.shard_map": "shard_map",
    "minijax.lax.sorting": "sort top_k",
    "minijax.lax.special.bessel": "bessel_i0e bessel_i1e",
    "minijax.lax.special.error_functions": "erf erf_inv erfc expm1 log1p",
    "minijax.lax.special.gammas": "digamma lgamma polygamma zeta",
    "minijax.lax.special.incomplete_beta": "regularized_incomplete_beta",
    "minijax.lax.special.incomplete_gamma": "igamma igamma_grad_a igammac random_gamma_grad",
    "minijax.lax.windows.convolutions": "conv_general_dilated",
    "minijax.lax.windows.window_folds": "reduce_window",
    "minijax.lax.windows.window_reductions": """
        reduce_window_max reduce_window_min reduce_window_sum""",
    "minijax.lax.windows.window_selections": """
        select_and_gather_add select_and_scatter select_and_scatter_add""",
    "minijax.random.gammas": "random_gamma",
}  # fmt: skip

# Classes of which an equation may hold a member or a tuple, by their modules.
CLASSES = {
    "minijax.core.prng": "PRNGImpl",
    "minijax.lax.control_flow.solves": "_LinearSolveTuple",
    "minijax.lax.fourier": "FftType",
    "minijax.lax.generators": "RandomAlgorithm",
    "minijax.lax.elementwise.accuracies": "AccuracyMode",
    "minijax.lax.elementwise.arithmetic": "RoundingMethod",
    "minijax.lax.indexing.dimension_numbers": """
        GatherDimensionNumbers GatherScatterMode ScatterDimensionNumbers""",
    "minijax.lax.linalg.eigenvectors": "EigImplementation",
    "minijax.lax.linalg.singular_values": "SvdAlgorithm",
    "minijax.lax.linalg.symmetric": "EighImplementation",
    "minijax.lax.product_precisions": "DotAlgorithm DotAlgorithmPreset Precision",
    "minijax.lax.ragged_products": "RaggedDotDimensionNumbers",
    "minijax.lax.sharding.meshes": "AxisType",
    "minijax.lax.windows.convolution_numbers": "ConvDimensionNumbers",
}


def name_of(primitive: Primitive) -> str:
    """The name by which a file has a primitive; NotImplementedError for one of a user's."""
    if not is_known(primitive):
        raise NotImplementedError(
            f"Exported.serialize knows the primitives of minijax, and not {primitive}, which "
            f"another process need not have.\nWrite what it computes with primitives of lax."
        )
    return primitive.name


def is_known(primitive: Primitive) -> bool:
    """Whether a file may name the primitive."""
    return primitive.name in _home_of and primitive_named(primitive.name) is primitive


def primitive_named(name: str) -> Primitive:
    """The primitive of a name that stands in a file; KeyError where none has it."""
    module = import_module(_home_of[name])
    return next(x for x in vars(module).values() if isinstance(x, Primitive) and x.name == name)


def class_named(name: str) -> type:
    """The class of a name that stands in a file; KeyError where it may not stand there."""
    return getattr(import_module(_class_home_of[name]), name)


def is_allowed(cls: type) -> bool:
    """Whether a file may name a class."""
    return _class_home_of.get(cls.__name__) == cls.__module__


def _by_name(homes: dict[str, str]) -> dict[str, str]:
    return {name: home for home, names in homes.items() for name in names.split()}


_home_of, _class_home_of = _by_name(HOMES), _by_name(CLASSES)
