"""JAX's options beside the core's own: known by name, refused where a value would change results
and doesn't here, and read from the environment.

Each option is one of three kinds. It does what it does in JAX; or it is in `LIMITS`, and taken as
far as that says; or it is in `INERT`: accepted, and without a use here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from minijax.core.config import Config, config, option_checks, option_kinds, option_watchers
from minijax.core.config import words_alone as core_words_alone
from minijax.core.errors import api_boundary, safe_repr
from minijax.face import nan_checks, transfer_guards
from minijax.face.jax_options import JAX_OPTIONS
from minijax.face.lazily import call_lazily

# What is taken of the options whose other values would change what a program gives or refuses,
# and why the others are not.
LIMITS: dict[str, tuple[tuple, str]] = {
    "jax_allow_f16_reductions": ((True,), "sums of 16 bits are not refused"),
    "jax_check_static_indices": ((False,), "indices are not checked"),
    "jax_default_prng_impl": (("threefry2x32",), "there is one generator"),
    "jax_error_checking_behavior_divide": (("ignore",), "divisors are not checked"),
    "jax_error_checking_behavior_nan": (("ignore",), "jax_debug_nans looks for NaNs"),
    "jax_error_checking_behavior_oob": (("ignore",), "indices are not checked"),
    "jax_explicit_x64_dtypes": (("warn",), "64 bits are had under jax_enable_x64 alone"),
    "jax_no_execution": ((False,), "nothing is refused for being run"),
}

# What is accepted and means nothing here, by the reason.
INERT: dict[str, str] = {
    "arrays are on the CPU, and nowhere else": """
        jax_array_garbage_collection_guard jax_backend_target jax_bcoo_cusparse_lowering
        jax_cpu_enable_async_dispatch jax_cuda_visible_devices
        jax_debug_leaked_clients_on_clear_backends jax_mock_gpu_topology
        jax_oneapi_visible_devices jax_pjrt_client_create_options jax_platform_name
        jax_rocm_visible_devices jax_thread_guard jax_threefry_gpu_kernel_lowering
        jax_transfer_guard_device_to_device jax_transfer_guard_device_to_host jax_use_magma
        jax_xla_backend mock_num_gpu_processes
    """,
    "there is one process": """
        check_vma jax_auto_pcast jax_check_proxy_envs jax_cpu_collectives_implementation
        jax_cpu_get_global_topology_timeout_minutes jax_cpu_get_local_topology_timeout_minutes
        jax_cross_host_transfer_socket_address jax_cross_host_transfer_timeout_seconds
        jax_cross_host_transfer_transfer_size jax_cross_host_transport_addresses
        jax_disable_vmap_shmap_error jax_distributed_debug
        jax_enable_preemption_service jax_enable_recoverability jax_force_dcn_cross_host_transfers
        jax_remove_custom_partitioning_ptr_from_cache_key jax_remove_size_one_mesh_axis_from_type
        jax_share_binary_between_hosts jax_share_binary_between_hosts_timeout_ms
        jax_sort_devices_by_process_index jax_use_shardy_partitioner
    """,
    "XLA compiles nothing here": """
        jax_compiler_detailed_logging_min_ops jax_compiler_enable_remat_pass
        jax_disable_most_optimizations jax_dump_ir_modes jax_dump_ir_to jax_enable_pgle
        jax_exec_time_optimization_effort jax_experimental_unsafe_xla_runtime_errors
        jax_hlo_source_file_canonicalization_regex jax_include_debug_info_in_dumps
        jax_include_full_tracebacks_in_locations jax_memory_fitting_effort
        jax_memory_fitting_level jax_pgle_aggregation_percentile jax_pgle_profiling_runs
        jax_send_traceback_to_runtime jax_source_url_schema jax_traceback_in_locations_limit
        jax_use_simplified_jaxpr_constants jax_embedded_constants_max_bytes
        jax_captured_constants_report_frames jax_captured_constants_warn_bytes
        jax_xla_profile_version eager_constant_folding
    """,
    "kernels are kept by their text, whatever made them": """
        jax_compilation_cache_check_contents jax_compilation_cache_expect_pgle
        jax_compilation_cache_include_metadata_in_key jax_enable_compilation_cache
        jax_persistent_cache_enable_xla_caches jax_persistent_cache_min_compile_time_secs
        jax_persistent_cache_min_entry_size_bytes jax_raise_persistent_cache_errors
    """,
    "what it is about is not here: other forms of programs, kernels by hand, references": """
        jax2tf_associative_scan_reductions jax2tf_default_native_serialization
        jax_export_ignore_forward_compatibility jax_mosaic_allow_hlo jax_mutable_array_checks
        jax_pallas_enable_debug_checks jax_pallas_poison_buffers jax_pallas_use_mosaic_gpu
        jax_pallas_verbose_errors
        jax_ragged_dot_use_gpu_pallas_triton_lowering jax_ragged_dot_use_ragged_dot_instruction
        jax_refs_to_pins jax_serialization_version jax_use_emit_pipeline_primitive
    """,
    "there is one way to do it, with the same results": """
        jax_custom_vjp3 jax_disable_bwd_checks jax_remat3 jax_scan3 jax_softmax_custom_jvp
        jax_use_direct_linearize
    """,
    "nothing else is logged, and nothing is printed in color": """
        jax_debug_log_modules jax_log_checkpoint_residuals jax_logging_level
        jax_pprint_use_color jax_tracer_error_num_traceback_frames
    """,
}
_TYPES: dict[Any, Any] = {
    "bool": bool, "int": (int, None), "float": (float, int, None), "str": (str, None),
}  # fmt: skip


def _check(name: str) -> Callable[[Any], None]:
    values, reason = LIMITS[name]

    def check(value: Any) -> None:
        if value not in values:
            raise NotImplementedError(
                f"The option {name} = {safe_repr(value)} is not here yet: {reason}.\n"
                f"Give {' or '.join(map(repr, values))}."
            )

    return check


for (_kind, _default), _names in JAX_OPTIONS.items():
    _words = _kind if _default is not None else (*_kind, None)
    for _name in _names.split():
        option_kinds[_name] = option_kinds.get(_name, bool)
        if _kind != "bool" and option_kinds[_name] is bool:
            option_kinds[_name] = _TYPES.get(_kind, _words)
        if not hasattr(Config, _name):
            setattr(Config, _name, _default)
option_kinds["jax_default_device"] = (object,)
core_words_alone |= {
    "jax_explicit_x64_dtypes", "jax_legacy_prng_key", "jax_send_traceback_to_runtime",
}  # fmt: skip
option_checks.update({name: _check(name) for name in LIMITS})
option_checks["jax_debug_nans"] = option_checks["jax_debug_infs"] = nan_checks.switch
option_checks["jax_num_cpu_devices"] = call_lazily("minijax.lax.sharding.meshes.check_count")
_DEFAULT_DEVICE = "minijax.lax.sharding.default_device"
option_checks["jax_default_device"] = call_lazily(f"{_DEFAULT_DEVICE}.known_device")
option_watchers["jax_default_device"] = call_lazily(f"{_DEFAULT_DEVICE}.set_for_all")
option_checks["jax_log_compiles"] = call_lazily("minijax.compiler.dispatch.compile_log.switch")
option_checks["jax_no_tracing"] = call_lazily("minijax.face.cache_misses.refuse_tracing")
option_checks["jax_transfer_guard_host_to_device"] = transfer_guards.switch
option_watchers["jax_transfer_guard"] = transfer_guards.set_all
option_watchers["jax_debug_key_reuse"] = call_lazily("minijax.random.key_reuse.mark_from_now_on")

# What else JAX's `config` answers.

_defaults = {name: getattr(Config, name) for text in JAX_OPTIONS.values() for name in text.split()}


def _values(self: Config) -> dict[str, Any]:
    return {name: getattr(self, name) for name in option_kinds}


def _read_option(self: Config, name: str) -> Any:
    """The value of an option. AttributeError where there is no such option."""
    if name not in option_kinds:
        raise AttributeError(f"There is no option {name!r}. Give one of config.values.")
    return getattr(self, name)


def _parse_flags(self: Config) -> None:
    """Sets the options that the command line names, `--jax_enable_x64` and `--jax_platforms=cpu`.

    Arguments behind `--` are the program's own, as are others than the options'. ValueError for a
    value that the option can't have.
    """
    for argument in takewhile(lambda text: text != "--", sys.argv[1:]):
        name, _, text = argument.removeprefix("--").partition("=")
        if argument.startswith("--") and name in _defaults:
            has_value = "=" in argument or option_kinds[name] is not bool
            config.update(name, _value_of(name, text, "argument") if has_value else True)


@api_boundary
def _config_with_absl(self: Config) -> None:
    """Makes flags of absl's of the options, so that a program of `absl.app.run` takes them.

    ImportError where absl is not installed.
    """
    try:
        from absl import app, flags
    except ImportError as error:
        raise ImportError(
            "config.config_with_absl makes flags of absl's, and absl is not installed.\n"
            "Call pip install absl-py, or use config.parse_flags_with_absl(), which does without."
        ) from error
    for name in _defaults:
        kind, value, told = option_kinds[name], getattr(self, name), f"JAX's option {name}."
        if kind is bool:
            flags.DEFINE_bool(name, value, told)
        elif number := next((k for k in (float, int) if k in kind), None):
            define = flags.DEFINE_float if number is float else flags.DEFINE_integer
            define(name, value, told)
        elif words := [word for word in kind if isinstance(word, str)]:
            flags.DEFINE_enum(name, value, words, told)
        else:
            flags.DEFINE_string(name, value, told)
    app.call_after_init(lambda: _take_flags(self, flags.FLAGS))


def _take_flags(self: Config, flags: Any) -> None:
    """Sets the options that the command line has named."""
    for name in _defaults:
        if flags[name].present:
            self.update(name, flags[name].value)


for _name, _member in {
    "values": property(_values, doc="The options, with their values."), "read": _read_option,
    "config_with_absl": _config_with_absl, "parse_flags_with_absl": _parse_flags,
    "x64_enabled": property(lambda self: self.jax_enable_x64, doc="Whether 64 bits are had."),
}.items():  # fmt: skip
    setattr(Config, _name, _member)

# The environment. A variable counts when it has changed since it was read: a script that runs on
# minijax sets some before its `import jax`.

_read: dict[str, str | None] = {}
_SPELLINGS = {
    **dict.fromkeys(("y", "yes", "t", "true", "on", "1"), True),
    **dict.fromkeys(("n", "no", "f", "false", "off", "0"), False),
}


def read_environment() -> None:
    """Sets the options that variables name, JAX_ENABLE_X64 and the like, as JAX's import does.

    ValueError for a value that the option can't have, NotImplementedError for one of `LIMITS`.
    """
    for name, default in _defaults.items():
        text = os.environ.get(name.upper())
        if text != _read.get(name):
            config.update(name, default if text is None else _value_of(name, text))
            _read[name] = text


def _value_of(name: str, text: str, origin: str = "variable") -> Any:
    """What a text stands for, that a variable of the environment or an argument has."""
    kind = option_kinds[name]
    number = None if kind is bool else next((k for k in (float, int) if k in kind), None)
    try:
        if kind is bool:
            return _SPELLINGS[text.lower()]
        return text if number is None else number(text)
    except (KeyError, ValueError) as error:
        wanted = f"one of {', '.join(_SPELLINGS)}" if number is None else f"an {number.__name__}"
        where = f"variable {name.upper()} of the environment" if origin == "variable" else (
            f"argument --{name}"
        )  # fmt: skip
        raise ValueError(f"The {where} is {text!r}.\nGive {wanted}.") from error
