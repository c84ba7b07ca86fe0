"""The language of arrays: the primitives, and the functions that bind them, by JAX's names."""

import minijax.lax.custom.mapped_and_pruned  # it gives calls with custom rules the rest of theirs
from minijax.compiler.special_cases import complex_pairs
from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.core.primitives": """
        add add_any_p add_p broadcast_in_dim_p convert_element_type_p cos_p div div_p
        dot_general_p eq eq_p exp_p expand_dims gt gt_p integer_pow integer_pow_p log_p max max_p
        mul mul_p neg neg_p reduce_sum_p reshape_p select select_n select_n_p
        sin_p sub sub_p transpose transpose_p""",
    "minijax.lax.approximate_top_k": "approx_max_k approx_min_k approx_top_k_p",
    "minijax.lax.collectives.moving": """
        all_gather all_gather_p all_to_all all_to_all_p ppermute ppermute_p psum_scatter
        reduce_scatter_p""",
    "minijax.lax.collectives.reducing": """
        axis_index axis_index_p axis_size pmax pmax_p pmean pmin pmin_p psum psum_p""",
    "minijax.lax.collectives.shuffling": "pbroadcast pbroadcast_p pshuffle pswapaxes",
    "minijax.lax.collectives.type_changes": "pcast",
    "minijax.lax.control_flow.associative": "associative_scan",
    "minijax.lax.control_flow.conditionals": "cond_p",
    "minijax.lax.control_flow.fori": "fori_loop map",
    "minijax.lax.control_flow.scan": "scan_p",
    "minijax.lax.control_flow.scan_calls": "scan",
    "minijax.lax.control_flow.solves": "custom_linear_solve custom_root linear_solve_p",
    "minijax.lax.control_flow.switches": "cond platform_dependent switch",
    "minijax.lax.control_flow.while_loop": "while_loop while_p",
    "minijax.lax.custom.barriers": "optimization_barrier optimization_barrier_p",
    "minijax.lax.custom.composites": "composite",
    "minijax.lax.custom.sinks": "dce_sink dce_sink_p",
    "minijax.lax.elementwise.accuracies": "AccuracyMode Tolerance cos exp log sin",
    "minijax.lax.elementwise.arithmetic": """
        RoundingMethod abs abs_p convert_element_type copy_p floor floor_p ge ge_p le le_p
        logistic logistic_p lt lt_p min min_p ne ne_p pow pow_p reciprocal rem rem_p round
        round_p rsqrt rsqrt_p sign sign_p sqrt sqrt_p square square_p stop_gradient
        stop_gradient_p tanh tanh_p""",
    "minijax.lax.elementwise.bitcasts": "bitcast_convert_type bitcast_convert_type_p",
    "minijax.lax.elementwise.bits": """
        and_p bitwise_and bitwise_not bitwise_or bitwise_xor clz clz_p mulhi mulhi_p not_p or_p
        population_count population_count_p shift_left shift_left_p shift_right_arithmetic
        shift_right_arithmetic_p shift_right_logical shift_right_logical_p xor_p""",
    "minijax.lax.elementwise.clamping": "clamp clamp_p",
    "minijax.lax.elementwise.complex_numbers": """
        complex complex_p conj conj_p imag imag_p real real_p""",
    "minijax.lax.elementwise.floats": """
        ceil ceil_p eq_to_p is_finite is_finite_p le_to_p lt_to_p nextafter nextafter_p
        reduce_precision reduce_precision_p""",
    "minijax.lax.elementwise.trigonometry": """
        acos acos_p acosh acosh_p asin asin_p asinh asinh_p atan atan2 atan2_p atan_p atanh
        atanh_p cbrt cbrt_p cosh cosh_p exp2 exp2_p sinh sinh_p tan tan_p""",
    "minijax.lax.fourier": "FftType fft fft_p",
    "minijax.lax.generators": """
        RandomAlgorithm rng_bit_generator rng_bit_generator_p rng_uniform rng_uniform_p""",
    "minijax.lax.indexing.combining_scatters": """
        scatter_apply scatter_max scatter_max_p scatter_min scatter_min_p scatter_mul
        scatter_mul_p scatter_sub scatter_sub_p""",
    "minijax.lax.indexing.dimension_numbers": """
        GatherDimensionNumbers GatherScatterMode ScatterDimensionNumbers""",
    "minijax.lax.indexing.dynamic_slicing": """
        dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_slice_p
        dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
        dynamic_update_slice_p index_take""",
    "minijax.lax.indexing.gather_scatter": """
        gather gather_p scatter scatter_add scatter_add_p scatter_p""",
    "minijax.lax.linalg": "",
    "minijax.lax.product_precisions": "DotAlgorithm DotAlgorithmPreset Precision PrecisionLike",
    "minijax.lax.products": "DotDimensionNumbers batch_matmul dot dot_general",
    "minijax.lax.ragged_products": "RaggedDotDimensionNumbers ragged_dot ragged_dot_general",
    "minijax.lax.reductions.argminmax": "argmax argmax_p argmin argmin_p",
    "minijax.lax.reductions.by_operation": """
        reduce reduce_and reduce_and_p reduce_or reduce_or_p reduce_p reduce_prod reduce_prod_p
        reduce_xor reduce_xor_p""",
    "minijax.lax.reductions.cumulative": """
        cumlogsumexp cumlogsumexp_p cummax cummax_p cummin cummin_p cumprod cumprod_p cumsum
        cumsum_p""",
    "minijax.lax.reductions.extrema": "reduce_max reduce_max_p reduce_min reduce_min_p",
    "minijax.lax.scaled_products": "scaled_dot",
    "minijax.lax.sharding.constraints": "sharding_constraint_p with_sharding_constraint",
    "minijax.lax.sharding.device_puts": "device_put_p",
    "minijax.lax.shapes.axes": """
        broadcast broadcasted_iota full full_like iota iota_p rev rev_p squeeze squeeze_p""",
    "minijax.lax.shapes.laying": "reduce_sum reshape",
    "minijax.lax.shapes.ranks": """
        broadcast_in_dim broadcast_like broadcast_shapes broadcast_to_rank collapse dtype empty
        shape_as_value""",
    "minijax.lax.shapes.slicing": """
        concatenate concatenate_p index_in_dim pad pad_p slice slice_in_dim slice_p split
        split_p""",
    "minijax.lax.shapes.stacking": "stack stack_p tile tile_p unstack unstack_p",
    "minijax.lax.sorting": "sort sort_key_val sort_p top_k top_k_p",
    "minijax.lax.special.bessel": "bessel_i0e bessel_i0e_p bessel_i1e bessel_i1e_p",
    "minijax.lax.special.error_functions": """
        erf erf_inv erf_inv_p erf_p erfc erfc_p expm1 expm1_p log1p log1p_p""",
    "minijax.lax.special.gammas": """
        digamma digamma_p lgamma lgamma_p polygamma polygamma_p zeta zeta_p""",
    "minijax.lax.special.incomplete_beta": "betainc regularized_incomplete_beta_p",
    "minijax.lax.special.incomplete_gamma": """
        igamma igamma_grad_a igamma_grad_a_p igamma_p igammac igammac_p random_gamma_grad""",
    "minijax.lax.tokens": "after_all after_all_p create_token create_token_p",
    "minijax.lax.windows.convolution_calls": """
        conv conv_general_dilated conv_general_dilated_local conv_general_dilated_patches
        conv_transpose conv_with_general_padding""",
    "minijax.lax.windows.convolution_numbers": """
        ConvDimensionNumbers ConvGeneralDilatedDimensionNumbers conv_dimension_numbers
        conv_general_permutations conv_general_shape_tuple conv_shape_tuple
        conv_transpose_shape_tuple""",
    "minijax.lax.windows.convolutions": "conv_general_dilated_p",
    "minijax.lax.windows.window_folds": "reduce_window_p",
    "minijax.lax.windows.window_reductions": """
        reduce_window reduce_window_max_p reduce_window_min_p reduce_window_sum_p""",
    "minijax.lax.windows.window_selections": """
        select_and_gather_add_p select_and_scatter_add_p select_and_scatter_p""",
    "minijax.lax.windows.window_shapes": "padtype_to_pads reduce_window_shape_tuple",
})  # fmt: skip


def _complex_rules():
    from minijax.lax.elementwise import complex_arcs, complex_rules
    from minijax.lax.reductions import complex_folds
    from minijax.lax.windows import complex_windows

    return complex_arcs, complex_rules, complex_folds, complex_windows


complex_pairs.rule_modules.append(_complex_rules)
