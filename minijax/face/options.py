"""JAX's options beside the core's own: known by name, refused where a value would change results
and doesn't here, and read from the environment.

An option that has no use here, such as those of devices and of XLA, is accepted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from minijax.core.config import (
    Config,
    config,
    option_checks,
    option_kinds,
    option_value,
    option_watchers,
)
from minijax.core.errors import api_boundary, safe_repr
from minijax.face.jax_options import JAX_OPTIONS
from minijax.face.lazily import call_lazily

# What is taken of the options whose other values would change what a program gives or refuses,
# and why the others are not.
LIMITS: dict[str, tuple[tuple, str]] = {
    "jax_allow_f16_reductions": ((True,), "sums of 16 bits are not refused"),
    "jax_check_static_indices": ((False,), "indices are not checked"),
    "jax_debug_infs": ((False,), "results are not searched for infinities"),
    "jax_debug_nans": ((False,), "results are not searched for NaNs"),
    "jax_default_prng_impl": (("threefry2x32",), "there is one generator"),
    "jax_error_checking_behavior_divide": (("ignore",), "divisors are not checked"),
    "jax_error_checking_behavior_nan": (("ignore",), "results are not searched for NaNs"),
    "jax_error_checking_behavior_oob": (("ignore",), "indices are not checked"),
    "jax_explicit_x64_dtypes": (("warn",), "64 bits are had under jax_enable_x64 alone"),
    "jax_legacy_prng_key": (("allow",), "raw keys are taken, and nothing is said of them"),
    "jax_no_execution": ((False,), "nothing is refused for being run"),
    "jax_no_tracing": ((False,), "nothing is refused for being traced"),
    "jax_num_cpu_devices": ((None, -1, 1), "there is one device"),
    "jax_numpy_rank_promotion": (("allow",), "arrays of several ranks meet without a word"),
    "jax_softmax_custom_jvp": ((False,), "softmax's derivative is that of its steps"),
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
option_checks.update({name: _check(name) for name in LIMITS})
option_watchers["jax_debug_key_reuse"] = call_lazily("minijax.random.key_reuse.mark_from_now_on")

# The environment. A variable counts when it has changed since it was read: a script that runs on
# minijax sets some before its `import jax`.

_defaults = {name: getattr(Config, name) for text in JAX_OPTIONS.values() for name in text.split()}
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


def _value_of(name: str, text: str) -> Any:
    """What a variable's text stands for."""
    kind = option_kinds[name]
    number = None if kind is bool else next((k for k in (float, int) if k in kind), None)
    try:
        if kind is bool:
            return _SPELLINGS[text.lower()]
        return text if number is None else number(text)
    except (KeyError, ValueError) as error:
        wanted = f"one of {', '.join(_SPELLINGS)}" if number is None else f"an {number.__name__}"
        raise ValueError(
            f"The variable {name.upper()} of the environment is {text!r}.\nGive {wanted}."
        ) from error


# Contexts, for the options that JAX has one for and the core has none.


def _context(name: str) -> Callable[..., Any]:
    """Like `enable_x64`: of an option that is on or off, new_val is True as a rule."""

    def context(new_val: Any) -> Any:
        return config.override(name, option_value(name, new_val))  # refused here, not at the `with`

    context.__name__ = context.__qualname__ = name.removeprefix("jax_")
    context.__doc__ = f"A context in which the option {name} is `new_val`."
    if option_kinds[name] is bool:
        context.__defaults__ = (True,)
    return api_boundary(context)


allow_f16_reductions = _context("jax_allow_f16_reductions")
array_garbage_collection_guard = _context("jax_array_garbage_collection_guard")
auto_pcast = _context("jax_auto_pcast")
debug_infs = _context("jax_debug_infs")
debug_nans = _context("jax_debug_nans")
default_device = _context("jax_default_device")
default_matmul_precision = _context("jax_default_matmul_precision")
default_prng_impl = _context("jax_default_prng_impl")
enable_custom_prng = _context("jax_enable_custom_prng")
explain_cache_misses = _context("jax_explain_cache_misses")
legacy_prng_key = _context("jax_legacy_prng_key")
log_compiles = _context("jax_log_compiles")
no_execution = _context("jax_no_execution")
no_tracing = _context("jax_no_tracing")
numpy_rank_promotion = _context("jax_numpy_rank_promotion")
softmax_custom_jvp = _context("jax_softmax_custom_jvp")
thread_guard = _context("jax_thread_guard")
transfer_guard_device_to_device = _context("jax_transfer_guard_device_to_device")
transfer_guard_device_to_host = _context("jax_transfer_guard_device_to_host")
transfer_guard_host_to_device = _context("jax_transfer_guard_host_to_device")
