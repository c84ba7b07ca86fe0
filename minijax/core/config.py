"""Settings, and what is remembered under them: options, the part of them in a key, the caches."""

from __future__ import annotations

import reprlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache, wraps
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

# Settings, for the process and for a thread.


class Config(threading.local):
    """The switches, by JAX's names: class attributes, which a thread may cover with its own.

    >>> config.jax_enable_x64
    False
    """

    jax_enable_x64 = jax_enable_custom_prng = jax_high_dynamic_range_gumbel = False
    jax_numpy_dtype_promotion = "standard"
    jax_numpy_rank_promotion = jax_legacy_prng_key = "allow"
    jax_threefry_partitionable, jax_random_seed_offset = True, 0
    jax_default_matmul_precision: str | None = None
    jax_enable_checks = jax_check_tracer_leaks = jax_disable_jit = False
    jax_debug_nans = jax_debug_infs = jax_debug_key_reuse = jax_explain_cache_misses = False
    jit_backend, jit_kernels = "numba", "direct"
    jax_compilation_cache_dir: str | None = None  # None: what the environment says
    jax_compilation_cache_max_size: int | None = None  # likewise
    jax_traceback_filtering, current_mesh, xla_metadata = "auto", None, None  # two: no options
    process_key: tuple  # the trace key of threads that cover nothing

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"An option is no attribute. Use config.update({name!r}, {value!r}).")

    def update(self, name: str, value: Any) -> None:
        """Sets an option for every thread. AttributeError where there is no such option."""
        if name not in option_kinds:
            options = ", ".join(option_kinds)
            raise AttributeError(f"There is no option {name!r}. Give one of {options}.")
        _set_for_all(name, option_value(name, value))

    @contextmanager
    def override(self, name: str, value: Any) -> Iterator[None]:
        """Sets an option for this thread, inside a `with` block."""
        outer = {option: old for option, old in vars(self).items() if option == name}
        vars(self)[name] = option_value(name, value)
        try:
            yield
        finally:
            vars(self).pop(name)
            vars(self).update(outer)

    def trace_key(self) -> tuple:
        """What of the settings a traced program depends on: part of every cache's key."""
        return _read_trace_key(self) if vars(self) else Config.process_key


TRACE_OPTIONS = (
    "jax_enable_x64", "jax_numpy_dtype_promotion", "jax_threefry_partitionable",
    "jax_enable_custom_prng", "jax_random_seed_offset", "jax_high_dynamic_range_gumbel",
    "jax_default_matmul_precision", "jax_enable_checks", "jax_check_tracer_leaks",
    "jax_disable_jit", "jax_debug_nans", "jax_debug_infs", "jax_numpy_rank_promotion",
    "jax_legacy_prng_key", "current_mesh", "xla_metadata",
)  # fmt: skip
_read_trace_key = attrgetter(*TRACE_OPTIONS)


# What else is to be done when an option is set for every thread, by its name.
option_watchers: dict[str, Callable[[Any], None]] = {}


def _set_for_all(name: str, value: Any) -> None:
    setattr(Config, name, value)
    Config.process_key = _read_trace_key(Config)
    if name in option_watchers:
        option_watchers[name](value)


# What each option may be: `bool`, which asks whether a value is true; or some values and types.
option_kinds: dict[str, Any] = {
    **{name: bool for name in vars(Config) if name.startswith(("jax_", "jit_"))},
    "jit_backend": ("numba", "numpy", "xla"), "jit_kernels": ("direct", "numba"),
    "jax_numpy_dtype_promotion": ("standard", "strict"),
    "jax_numpy_rank_promotion": ("allow", "warn", "raise"),
    "jax_traceback_filtering": (
        "auto", "off", "remove_frames", "quiet_remove_frames", "tracebackhide",
    ),
    "jax_compilation_cache_dir": (str, None),
    "jax_compilation_cache_max_size": (int, None),
}  # fmt: skip


words_alone = {"jax_numpy_dtype_promotion"}  # what JAX keeps as an enumeration


def is_remote(folder: str) -> bool:
    """Whether a folder is named by an address, such as gs://bucket/folder."""
    return "://" in folder


def check_is_local(folder: str | None) -> None:
    """ValueError for a folder that is not of this machine."""
    if folder is not None and is_remote(folder):
        name = "jax_compilation_cache_dir"
        raise ValueError(f"{name} is a folder of this machine; got {folder!r}. Give its path.")


# Who refuses a value that JAX has a use for and that has none here, by the option's name.
option_checks: dict[str, Callable[[Any], None]] = {"jax_compilation_cache_dir": check_is_local}


def _is_one(value: Any, kind: Any) -> bool:
    """Whether a value is this word, or of this type."""
    return isinstance(value, kind) if isinstance(kind, type) else value == kind


def option_value(name: str, value: Any) -> Any:
    """The value as the option keeps it. ValueError for what it can't be, TypeError where it has to
    be a word and is none."""
    kind = option_kinds[name]
    if kind is bool:
        value = bool(value)
    elif not any(_is_one(value, k) for k in kind):
        kinds = ", ".join(k.__name__ if isinstance(k, type) else repr(k) for k in kind)
        wrong = TypeError if name in words_alone and not isinstance(value, str) else ValueError
        raise wrong(f"{name} is one of {kinds}; got {reprlib.repr(value)}. Give one.")
    if name in option_checks:
        option_checks[name](value)
    return value


Config.process_key = _read_trace_key(Config)
config = Config()


def enable_x64(new_val: bool = True) -> Any:
    """A context in which int, float and complex have 64, 64 and 128 bits.

    >>> with enable_x64(True):
    ...     config.jax_enable_x64
    True
    """
    return config.override("jax_enable_x64", new_val)


def numpy_dtype_promotion(new_val: str) -> Any:
    """A context in which mixed dtypes meet as usual ("standard") or are refused ("strict")."""
    name = "jax_numpy_dtype_promotion"
    return config.override(name, option_value(name, new_val))  # refused here, not at the `with`


def threefry_partitionable(new_val: bool = True) -> Any:
    """A context for the newer (True) or the older order of counting in random bits."""
    return config.override("jax_threefry_partitionable", new_val)


def enable_checks(new_val: bool = True) -> Any:
    """A context in which every rule's results are checked against the type rule."""
    return config.override("jax_enable_checks", new_val)


def checking_leaks() -> Any:
    """A context in which a tracer that outlives its trace is reported when the trace ends.

    Each trace's end then searches the whole memory, so this is for looking for a leak.
    """
    return config.override("jax_check_tracer_leaks", True)


def disable_jit(disable: bool = True) -> Any:
    """A context in which jitted functions run as plain Python, operation by operation.

    >>> with disable_jit():
    ...     config.jax_disable_jit
    True
    """
    return config.override("jax_disable_jit", disable)


# NumPy's warnings.


class Quiet(threading.local):
    """For each thread, a context in which NumPy says nothing of overflows and the like."""

    def __init__(self) -> None:
        with np.errstate(all="ignore"):
            self.context = copy_context()


quiet = Quiet()


def quietly(fun: Callable, /, *args: Any, **params: Any) -> Any:
    """fun(*args, **params), without a warning of NumPy's where infinities and NaNs come of it.

    To run something in a context takes a tenth of the time of `with np.errstate(...)`.
    """
    try:
        return quiet.context.run(fun, *args, **params)
    except RuntimeError:  # somebody further out is in that context
        with np.errstate(all="ignore"):
            return fun(*args, **params)


# Who is told of each function that is traced: it, what to call it, the key of its program,
# and what its cache has so far.
trace_watchers: list[Callable[[Callable, Any, tuple, dict], None]] = []


def tell_of_trace(fun: Callable, info: Any, key: tuple, cache: dict) -> None:
    for watch in trace_watchers:
        watch(fun, info, key, cache)


# Caches. Each is bounded or dies with its key, has the settings in its key where they matter, and
# is registered.

_clear_functions: list[Callable[[], None]] = []
_listing = threading.RLock()  # held while the keys of a cache are added to or gone through


def register_cache(clear: Callable[[], None]) -> None:
    """Has `clear` called by `clear_caches`."""
    _clear_functions.append(clear)


def clear_caches() -> None:
    """Forgets every traced program, and whatever was derived from one."""
    for clear in _clear_functions:
        clear()


def bounded_cache(fun: Callable) -> Callable:
    """Remembers the last 4,096 results of a function of hashable values."""
    cached = lru_cache(maxsize=4096)(fun)
    register_cache(cached.cache_clear)
    return cached


class BoundedDict(dict):
    """A dict that forgets its oldest entries when it has more than `limit`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if len(self) > self.limit:
            for oldest in list(self)[: -self.limit]:
                self.pop(oldest, None)


class FunctionCache:
    """Results for each function, up to `limit` of them, which go when the function goes."""

    def __init__(self, limit: int = 512) -> None:
        self.limit = limit
        self.of_functions: WeakKeyDictionary = WeakKeyDictionary()
        register_cache(self.clear)

    def of(self, fun: Callable) -> dict:
        """The results of one function; those that can't be a key are remembered by nobody."""
        try:
            with _listing:
                return self.of_functions.setdefault(fun, BoundedDict(self.limit))
        except TypeError:
            return {}

    def clear(self) -> None:
        with _listing:
            for results in list(self.of_functions.values()):
                results.clear()


_owners: WeakSet = WeakSet()  # all that have something derived from them


def derived(fun: Callable) -> Callable:
    """Keeps fun(owner, *key) in the owner's dict `derived`, so that it lives as long as that."""

    @wraps(fun)
    def cached(owner: Any, *key: Any, **named: Any) -> Any:
        full_key = (fun, key, tuple(named.items()), config.trace_key())
        found = owner.derived.get(full_key, cached)
        if found is cached:  # nothing yet
            with _listing:
                _owners.add(owner)
            found = owner.derived.setdefault(full_key, fun(owner, *key, **named))
        return found

    return cached


@register_cache
def _forget_derived() -> None:
    with _listing:
        for owner in list(_owners):
            owner.derived.clear()
