"""Contexts for options, under JAX's names: `with jax.debug_nans(True):`, and all the others.

As in JAX, one may be entered again, and again while it is open, and can decorate a function.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ContextDecorator, ExitStack
from functools import partial, wraps
from typing import Any

from minijax import core
from minijax.core.config import config, option_kinds, option_value
from minijax.core.errors import api_boundary


class Block(ContextDecorator, threading.local):
    """A context that opens a new one, made by `make`, each time that it is entered."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make, self.open = make, list[Any]()

    def __enter__(self) -> None:
        block = self.make()
        block.__enter__()
        self.open.append(block)

    def __exit__(self, *exception: Any) -> Any:
        return self.open.pop().__exit__(*exception)


def reusable(context: Callable) -> Callable[..., Any]:
    """A function that gives such blocks, of one that gives a context to be entered once."""

    @wraps(context)
    def blocks(*args: Any, **kwargs: Any) -> Block:
        context(*args, **kwargs)  # which refuses a value here, not at the `with`
        return Block(partial(context, *args, **kwargs))

    return api_boundary(blocks)


checking_leaks = reusable(core.config.checking_leaks)
enable_checks = reusable(core.config.enable_checks)
enable_x64 = reusable(core.config.enable_x64)
numpy_dtype_promotion = reusable(core.config.numpy_dtype_promotion)
threefry_partitionable = reusable(core.config.threefry_partitionable)


def _context(name: str) -> Callable[..., Any]:
    """Like `enable_x64`: of an option that is on or off, new_val is True as a rule."""

    def context(new_val: Any) -> Any:
        return config.override(name, option_value(name, new_val))

    context.__name__ = context.__qualname__ = name.removeprefix("jax_")
    context.__doc__ = f"A context in which the option {name} is `new_val`."
    if option_kinds[name] is bool:
        context.__defaults__ = (True,)
    return reusable(context)


allow_f16_reductions = _context("jax_allow_f16_reductions")
array_garbage_collection_guard = _context("jax_array_garbage_collection_guard")
auto_pcast = _context("jax_auto_pcast")
check_tracer_leaks = _context("jax_check_tracer_leaks")
debug_infs = _context("jax_debug_infs")
debug_nans = _context("jax_debug_nans")
default_matmul_precision = _context("jax_default_matmul_precision")
default_prng_impl = _context("jax_default_prng_impl")
enable_custom_prng = _context("jax_enable_custom_prng")
explain_cache_misses = _context("jax_explain_cache_misses")
jax2tf_associative_scan_reductions = _context("jax2tf_associative_scan_reductions")
legacy_prng_key = _context("jax_legacy_prng_key")
log_compiles = _context("jax_log_compiles")
no_execution = _context("jax_no_execution")
no_tracing = _context("jax_no_tracing")
numpy_rank_promotion = _context("jax_numpy_rank_promotion")
pallas_enable_debug_checks = _context("jax_pallas_enable_debug_checks")
pallas_poison_buffers = _context("jax_pallas_poison_buffers")
remove_size_one_mesh_axis_from_type = _context("jax_remove_size_one_mesh_axis_from_type")
softmax_custom_jvp = _context("jax_softmax_custom_jvp")
thread_guard = _context("jax_thread_guard")
transfer_guard_device_to_device = _context("jax_transfer_guard_device_to_device")
transfer_guard_device_to_host = _context("jax_transfer_guard_device_to_host")
transfer_guard_host_to_device = _context("jax_transfer_guard_host_to_device")


@reusable
def transfer_guard(new_val: str | None) -> ExitStack:
    """A context in which the options of transfers, of all three kinds, are `new_val`."""
    ways = ("", "_host_to_device", "_device_to_device", "_device_to_host")
    blocks = [config.override(name, option_value(name, new_val))
              for name in (f"jax_transfer_guard{way}" for way in ways)]  # fmt: skip
    return _All(blocks)


class _All(ExitStack):
    """Contexts that are entered together."""

    def __init__(self, blocks: list) -> None:
        super().__init__()
        self.blocks = blocks

    def __enter__(self) -> _All:
        for block in self.blocks:
            self.enter_context(block)
        return self
