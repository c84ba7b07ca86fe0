"""Transfers, watched: what `jax_transfer_guard_host_to_device` logs or refuses.

Arrays are in the host's memory, so nothing is copied on the way out: to read one is never a
transfer, and there is no other device. What comes in is one, as on any device: a number or NumPy
array, given to an operation or a program. A function of the library counts as a program: what it
makes on the way does not come from the user. All of this is put in when an option is first set.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from operator import attrgetter
from typing import Any

import numpy as np

from minijax.core.arrays import Array, is_array_like
from minijax.core.config import TRACE_OPTIONS, Config, config
from minijax.core.errors import JaxRuntimeError, safe_repr
from minijax.core.jitting import running
from minijax.core.pytrees import tree_leaves
from minijax.core.tracing import EvalTrace, Primitive, Tracer, typeof

OPTION = "jax_transfer_guard_host_to_device"


class Crossing(threading.local):
    """Whether a thread is in a call that was looked at as one."""

    as_one = False

    @contextmanager
    def within(self) -> Iterator[None]:
        outer, self.as_one = self.as_one, True
        try:
            yield
        finally:
            self.as_one = outer


crossing = Crossing()
_put_in: list[Callable] = []


def is_guarding() -> bool:
    """Whether values that come from the host are looked at."""
    return bool(_put_in) and getattr(config, OPTION) not in (None, "allow")


def is_host_value(x: Any) -> bool:
    return not isinstance(x, Array | Tracer) and is_array_like(x)


def meet(who: str, values: Iterable[Any], explicit: bool = False) -> None:
    """Logs or refuses the values among these that come from the host; JaxRuntimeError."""
    if crossing.as_one or running.inside_program:
        return
    level = getattr(config, OPTION)
    for x in filter(is_host_value, values):
        if level == "disallow_explicit" or (level == "disallow" and not explicit):
            raise JaxRuntimeError(
                f"{who} was given {safe_repr(x)} of the host, {typeof(x)}, and {OPTION} is "
                f"{level!r}. "
                + ("Make the array before." if explicit else "Use jax.device_put, which may.")
            )
        if level == "log_explicit" or (level == "log" and not explicit):
            from logging import getLogger  # not before it is asked for: imports are quick

            getLogger("minijax").warning(f"{who} was given {safe_repr(x)} of the host.")


def guarded_call(fun: Callable, args: tuple, kwargs: dict, is_operation: bool) -> Any:
    """fun(*args, **kwargs), of a function of the library: its arguments are looked at. Numbers are
    operands where all arguments are; elsewhere they may say how to compute."""
    leaves = tree_leaves((args, kwargs))
    meet(fun.__name__, leaves if is_operation else (x for x in leaves if isinstance(x, np.ndarray)))
    with crossing.within():
        return fun(*args, **kwargs)


def check_source(name: str, x: Any, explicit: bool = False) -> None:
    """To be called where the function `name` makes an array of `x`."""
    if is_guarding():
        meet(name, tree_leaves(x), explicit)


def _guarding(process: Callable) -> Callable:
    """The ground floor's operations, whose operands are looked at."""

    @wraps(process)
    def process_primitive(
        self: EvalTrace, primitive: Primitive, args: Sequence[Any], params: dict
    ) -> Any:
        if is_guarding():
            meet(params.get("name", primitive.name), args)
        return process(self, primitive, args, params)

    return process_primitive


def switch(level: str | None) -> None:
    """To be called before the option is set. The option is part of what paths depend on."""
    if level not in (None, "allow") and not _put_in:
        _put_in.append(EvalTrace.process_primitive)
        EvalTrace.process_primitive = _guarding(EvalTrace.process_primitive)  # type: ignore
        read_trace_key = attrgetter(*TRACE_OPTIONS, OPTION)
        vars(sys.modules[Config.__module__])["_read_trace_key"] = read_trace_key
        Config.process_key = read_trace_key(Config)


def set_all(level: str | None) -> None:
    """What is to be done when `jax_transfer_guard` is set: it stands for all three directions."""
    for way in ("host_to_device", "device_to_device", "device_to_host"):
        config.update(f"jax_transfer_guard_{way}", level)
