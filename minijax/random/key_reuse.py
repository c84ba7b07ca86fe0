"""Whether a key serves twice. Within `debug_key_reuse`, a trace on the ground floor runs every
operation, and keeps a mark for each key that is used up.

Drawing and splitting use a key up; what is split off is new. Slices of an array of keys are taken
out of it. Reshaping, broadcasting and indexing move marks along with the keys.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arrays import Array, raw_value
from minijax.core.config import config
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import jit_p
from minijax.core.printing import jaxprs_in_params
from minijax.core.prng import prng_key, random_bits_p, random_split_p
from minijax.core.staging import Jaxpr, Var, jaxpr_as_fun
from minijax.core.tracing import (
    Primitive,
    Trace,
    TraceContext,
    eval_trace,
    set_current_trace,
    trace_ctx,
)
from minijax.face.option_contexts import reusable
from minijax.random.gammas import random_gamma_p
from minijax.random.keys import KeyReuseError

_consuming = {random_bits_p, random_split_p, random_gamma_p, lax.slice_p, lax.concatenate_p}
_moving = {
    lax.broadcast_in_dim_p, lax.copy_p, lax.reshape_p, lax.squeeze_p, lax.transpose_p,
    lax.dynamic_slice_p, lax.gather_p,
}  # fmt: skip


def _is_key(x: Any) -> bool:
    return isinstance(x, Array) and issubdtype(x.dtype, prng_key)


class KeyReuseTrace(Trace):
    """Runs operations as the ground floor does, and marks the keys that they use up."""

    def __init__(self) -> None:
        self._marks: dict[int, tuple[weakref.ref, np.ndarray]] = {}

    def marks(self, key: Array) -> np.ndarray:
        """Which of the keys in an array are used up."""
        known = self._marks.get(id(key))
        return np.zeros(key.shape, bool) if known is None else known[1]

    def mark(self, key: Array, marks: np.ndarray) -> None:
        """Keeps marks for as long as the array lives."""
        number = id(key)
        forget = weakref.ref(key, lambda _: self._marks.pop(number, None))
        self._marks[number] = (forget, marks)

    def check(self, primitive: Primitive, parts: list[tuple[Array, np.ndarray]]) -> None:
        """KeyReuseError where one of the keys that are to be used up is marked."""
        if any((self.marks(key) & part).any() for key, part in parts):
            raise KeyReuseError(
                f"{primitive} got a key that was used before.\n"
                f"Make a new key for each use, with random.split. Where the same numbers are "
                f"meant, give random.clone(key)."
            )

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if primitive is jit_p:
            with set_current_trace(self):
                return jaxpr_as_fun(params["jaxpr"])(*args)
        if not any(map(_is_key, args)):
            return eval_trace.process_primitive(primitive, args, params)
        used = [args[i] for i in _uses_up(primitive, list(map(_is_key, args)), params)]
        parts = [(key, _part(primitive, key, params)) for key in used]
        self.check(primitive, parts)
        out = eval_trace.process_primitive(primitive, args, params)
        for key, part in parts:
            self.mark(key, self.marks(key) | part)
        if primitive in _moving:
            moved = eval_trace.process_primitive(
                primitive, [Array(self.marks(args[0])), *args[1:]], params
            )
            self.mark(out, np.asarray(raw_value(moved)))
        return out


def _part(primitive: Primitive, key: Array, params: dict) -> np.ndarray:
    """Which keys of an array an operation uses up: all, but for a slice."""
    if primitive is not lax.slice_p:
        return np.ones(key.shape, bool)
    part = np.zeros(key.shape, bool)
    steps = params["strides"] or (1,) * key.ndim
    part[tuple(map(slice, params["start_indices"], params["limit_indices"], steps))] = True
    return part


def _uses_up(primitive: Primitive, are_keys: list[bool], params: dict) -> list[int]:
    """The positions of the operands, keys, that an operation uses up. KeyReuseError for a loop
    that would do it anew with each step."""
    keys = [i for i, is_key in enumerate(are_keys) if is_key]
    if primitive in _consuming:
        return keys
    if primitive is lax.scan_p:
        again = params["num_consts"] if params["length"] > 1 else 0
        return _used_by_body(primitive, params["jaxpr"].jaxpr, 0, again)
    if primitive is lax.while_p:
        skipped = params["cond_nconsts"]
        body = params["body_jaxpr"].jaxpr
        return _used_by_body(primitive, body, skipped, params["body_nconsts"])
    if primitive is lax.cond_p:
        used = [_used_inputs(branch.jaxpr) for branch in params["branches"]]
        return sorted({1 + i for inputs in used for i in inputs})
    return keys if any(True for _ in jaxprs_in_params(params)) else []


def _used_by_body(primitive: Primitive, body: Jaxpr, first: int, again: int) -> list[int]:
    """What a loop's body uses up, counted from the operand `first`; of its inputs, those before
    `again` are the same in each step."""
    used = _used_inputs(body)
    if any(i < again for i in used):
        raise KeyReuseError(
            f"{primitive} would use one key in each of its steps.\n"
            f"Make a key for each step: split the key before the loop, or fold_in a number."
        )
    return [first + i for i in used]


def _used_inputs(jaxpr: Jaxpr) -> list[int]:
    """Which of a program's inputs are keys that it uses up."""
    origins = {var: i for i, var in enumerate(jaxpr.invars)}
    used = set()
    for eqn in jaxpr.eqns:
        are_keys = [issubdtype(x.aval.dtype, prng_key) for x in eqn.invars]
        positions = (
            _used_inputs(eqn.params["jaxpr"].jaxpr) if eqn.primitive is jit_p
            else _uses_up(eqn.primitive, are_keys, eqn.params)
        )  # fmt: skip
        used |= {origins.get(eqn.invars[i]) for i in positions if isinstance(eqn.invars[i], Var)}
        if eqn.primitive in _moving and are_keys[0] and eqn.invars[0] in origins:
            origins[eqn.outvars[0]] = origins[eqn.invars[0]]
    return sorted(used - {None})


def _is_ground(trace: Trace) -> bool:
    return trace is eval_trace or isinstance(trace, KeyReuseTrace)


@reusable
@contextmanager
def debug_key_reuse(new_val: bool = True) -> Iterator[None]:
    """A context in which a key that is used a second time raises KeyReuseError.

    It holds for typed keys, and for operations that run in it, in jitted functions too; of what a
    loop's body does, only that it uses up the keys that the loop is given. A trace that is going on
    stays in charge.

    >>> from minijax.random import bits, clone, key
    >>> one = key(0)
    >>> with debug_key_reuse(True):
    ...     x = bits(one)
    ...     y = bits(clone(one))
    """
    outer = trace_ctx.trace
    floor = (KeyReuseTrace() if new_val else eval_trace) if _is_ground(outer) else outer
    with set_current_trace(floor), config.override("jax_debug_key_reuse", new_val):
        yield


def mark_from_now_on(new_val: bool) -> None:
    """What the option jax_debug_key_reuse does, in this thread and in those that are to come."""
    floor = KeyReuseTrace() if new_val else eval_trace
    TraceContext.trace = floor
    if _is_ground(trace_ctx.trace):
        trace_ctx.trace = floor
