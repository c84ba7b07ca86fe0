"""The options of JAX 0.10.2, by what each may be, and its default.

They are read off JAX by tests/golden/record_options.py, and `minijax/face/options.py` adds them to
the core's. A variable of the environment has an option's name in capital letters.
"""

JAX_OPTIONS = {
    ("bool", False): """
        check_vma eager_constant_folding jax2tf_associative_scan_reductions
        jax_bcoo_cusparse_lowering jax_check_static_indices jax_check_tracer_leaks
        jax_compilation_cache_check_contents jax_compilation_cache_expect_pgle
        jax_compilation_cache_include_metadata_in_key jax_custom_vjp3 jax_debug_infs
        jax_debug_key_reuse jax_debug_leaked_clients_on_clear_backends jax_debug_nans
        jax_disable_bwd_checks jax_disable_jit jax_disable_most_optimizations
        jax_disable_vmap_shmap_error jax_disallow_mesh_context_manager jax_distributed_debug
        jax_enable_checks jax_enable_custom_prng jax_enable_pgle jax_enable_recoverability
        jax_enable_x64 jax_experimental_unsafe_xla_runtime_errors jax_explain_cache_misses
        jax_export_ignore_forward_compatibility jax_force_dcn_cross_host_transfers
        jax_high_dynamic_range_gumbel jax_log_checkpoint_residuals jax_log_compiles
        jax_mosaic_allow_hlo jax_no_execution jax_no_tracing jax_pallas_enable_debug_checks
        jax_pallas_poison_buffers jax_pallas_verbose_errors
        jax_ragged_dot_use_gpu_pallas_triton_lowering jax_raise_persistent_cache_errors
        jax_refs_to_pins jax_remat3 jax_remove_custom_partitioning_ptr_from_cache_key
        jax_remove_size_one_mesh_axis_from_type jax_scan3 jax_share_binary_between_hosts
        jax_softmax_custom_jvp jax_thread_guard jax_threefry_gpu_kernel_lowering
        jax_use_emit_pipeline_primitive jax_use_simplified_jaxpr_constants
    """,
    ("bool", True): """
        jax2tf_default_native_serialization jax_allow_f16_reductions jax_auto_pcast
        jax_check_proxy_envs jax_compiler_enable_remat_pass jax_cpu_enable_async_dispatch
        jax_enable_compilation_cache jax_enable_preemption_service jax_include_debug_info_in_dumps
        jax_include_full_tracebacks_in_locations jax_mutable_array_checks jax_pallas_use_mosaic_gpu
        jax_pprint_use_color jax_ragged_dot_use_ragged_dot_instruction
        jax_sort_devices_by_process_index jax_threefry_partitionable jax_use_direct_linearize
        jax_use_shardy_partitioner
    """,
    ("float", 0.0): """
        jax_exec_time_optimization_effort jax_memory_fitting_effort
    """,
    ("float", 1.0): """
        jax_persistent_cache_min_compile_time_secs
    """,
    ("int", -1): """
        jax_compilation_cache_max_size jax_num_cpu_devices
    """,
    ("int", 0): """
        jax_captured_constants_report_frames jax_persistent_cache_min_entry_size_bytes
        jax_random_seed_offset jax_serialization_version jax_xla_profile_version
        mock_num_gpu_processes
    """,
    ("int", 10): """
        jax_compiler_detailed_logging_min_ops jax_export_calling_convention_version
    """,
    ("int", 100): """
        jax_traceback_in_locations_limit
    """,
    ("int", 1200000): """
        jax_share_binary_between_hosts_timeout_ms
    """,
    ("int", 2): """
        jax_cpu_get_local_topology_timeout_minutes
    """,
    ("int", 2000000000): """
        jax_captured_constants_warn_bytes
    """,
    ("int", 3): """
        jax_pgle_profiling_runs
    """,
    ("int", 32): """
        jax_embedded_constants_max_bytes
    """,
    ("int", 5): """
        jax_cpu_get_global_topology_timeout_minutes jax_tracer_error_num_traceback_frames
    """,
    ("int", 90): """
        jax_pgle_aggregation_percentile
    """,
    ("int", None): """
        jax_cross_host_transfer_timeout_seconds jax_cross_host_transfer_transfer_size
    """,
    ("str", ""): """
        jax_backend_target jax_cross_host_transfer_socket_address jax_cross_host_transport_addresses
        jax_debug_log_modules jax_dump_ir_to jax_mock_gpu_topology jax_platform_name jax_xla_backend
    """,
    ("str", "all"): """
        jax_cuda_visible_devices jax_oneapi_visible_devices jax_rocm_visible_devices
    """,
    ("str", "stablehlo"): """
        jax_dump_ir_modes
    """,
    ("str", "xla_gpu_per_fusion_autotune_cache_dir"): """
        jax_persistent_cache_enable_xla_caches
    """,
    ("str", None): """
        jax_compilation_cache_dir jax_default_device jax_hlo_source_file_canonicalization_regex
        jax_pjrt_client_create_options jax_platforms jax_source_url_schema
    """,
    ((
        "NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL",
    ), "NOTSET"): """
        jax_logging_level
    """,
    ((
        "UNKNOWN", "O0", "O1", "O2", "O3",
    ), "O2"): """
        jax_memory_fitting_level
    """,
    ((
        "UNKNOWN", "O0", "O1", "O2", "O3",
    ), "UNKNOWN"): """
        jax_optimization_level
    """,
    ((
        "allow", "log", "disallow", "log_explicit", "disallow_explicit",
    ), None): """
        jax_transfer_guard jax_transfer_guard_device_to_device jax_transfer_guard_device_to_host
        jax_transfer_guard_host_to_device
    """,
    ((
        "allow", "log", "fatal",
    ), None): """
        jax_array_garbage_collection_guard
    """,
    ((
        "allow", "warn", "error",
    ), "allow"): """
        jax_legacy_prng_key
    """,
    ((
        "allow", "warn", "raise",
    ), "allow"): """
        jax_numpy_rank_promotion
    """,
    ((
        "default", "high", "highest", "bfloat16", "tensorfloat32", "float32",
        "ANY_F8_ANY_F8_F32", "ANY_F8_ANY_F8_F32_FAST_ACCUM", "ANY_F8_ANY_F8_ANY",
        "ANY_F8_ANY_F8_ANY_FAST_ACCUM", "F16_F16_F16", "F16_F16_F32", "BF16_BF16_BF16",
        "BF16_BF16_F32", "BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "BF16_BF16_F32_X9",
        "TF32_TF32_F32", "TF32_TF32_F32_X3", "F32_F32_F32", "F64_F64_F64",
    ), None): """
        jax_default_matmul_precision
    """,
    ((
        "gloo", "mpi", "megascale",
    ), "gloo"): """
        jax_cpu_collectives_implementation
    """,
    ((
        "ignore", "raise",
    ), "ignore"): """
        jax_error_checking_behavior_divide jax_error_checking_behavior_nan
        jax_error_checking_behavior_oob
    """,
    ((
        "off", "on", "auto",
    ), "auto"): """
        jax_use_magma
    """,
    ((
        "off", "on", "full",
    ), "off"): """
        jax_send_traceback_to_runtime
    """,
    ((
        "off", "tracebackhide", "remove_frames", "quiet_remove_frames", "auto",
    ), "auto"): """
        jax_traceback_filtering
    """,
    ((
        "standard", "strict",
    ), "standard"): """
        jax_numpy_dtype_promotion
    """,
    ((
        "threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32",
    ), "threefry2x32"): """
        jax_default_prng_impl
    """,
    ((
        "warn", "error", "allow",
    ), "warn"): """
        jax_explicit_x64_dtypes
    """,
}
