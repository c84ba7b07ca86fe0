"""Functions in Python that a program calls while it runs, to look at its values. They give nothing
back, so the call is an effect: that alone keeps it in the program.

Whoever looks must change nothing. A derivative calls with the values, and never with tangents or
cotangents; under `vmap` there is a call for each example. All calls come in the program's order.

There is no rule for the way back, which passes over what has no results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from logging import LogRecord
from typing import Any

import numpy as np

from minijax.compiler.special_cases.python_calls import run_by_python
from minijax.core.arrays import is_array_like
from minijax.core.batching import not_mapped, primitive_batchers
from minijax.core.forward import primitive_jvps
from minijax.core.jitting import as_runtime_value, running
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_unflatten
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Effect, Primitive, ShapedArray, typeof
from minijax.lax.control_flow.conditionals import harmless_effects
from minijax.lax.custom.checkpoint_policies import is_saved
from minijax.lax.custom.recomputation import Split, split_rules
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.outside.callbacks import call_users, function_of, strong
from minijax.lax.outside.printed_text import (
    check_text, filled, has_fields, record_of_call, show_text,
)
from minijax.lax.shapes.slicing import index_in_dim


class DebugEffect(Effect):
    """Someone looks at values."""

    def __repr__(self) -> str:
        return "Debug"


class OrderedDebugEffect(DebugEffect):
    """Someone looks at values, and asked for the program's order."""

    def __repr__(self) -> str:
        return "OrderedDebug"


harmless_effects.append(DebugEffect)
_EFFECTS = {False: frozenset([DebugEffect()]), True: frozenset([OrderedDebugEffect()])}


# How often one looks.


def _looking_primitive(name: str) -> Primitive:
    """A primitive without results; what it does, and its type rule, are still to come."""
    primitive = Primitive(name, inert={"partitioned": False})
    primitive.multiple_results = True

    def jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
        return primitive.bind(*primals, **params), []

    def batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
        size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
        for i in range(size):
            example = [x if d is not_mapped else index_in_dim(x, i, d, keepdims=False)
                       for x, d in zip(args, dims, strict=True)]  # fmt: skip
            primitive.bind(*example, **params)
        return [], []

    primitive_jvps[primitive] = jvp
    primitive_batchers[primitive] = batcher
    split_rules[primitive] = split_looking
    run_by_python.add(primitive)
    return primitive


def split_looking(eqn: JaxprEqn, policy: Hashable) -> Split:
    """In a checkpointed function, which computes its values twice: they are looked at twice, unless
    the policy saves them all."""
    return eqn, None if is_saved(policy, eqn) else eqn, []


# The arguments that can be arrays are operands; the others wait in the equation.


def _divided(args: tuple, kwargs: dict) -> tuple[list[Any], PyTreeDef, dict[int, Any]]:
    """The operands; the structure of (args, kwargs); the other leaves, by their places."""
    leaves, tree = tree_flatten((args, kwargs))
    static = {i: x for i, x in enumerate(leaves) if not is_array_like(x)}
    return [x for i, x in enumerate(leaves) if i not in static], tree, static


def _joined(operands: Sequence[Any], tree: PyTreeDef, static: dict[int, Any]) -> tuple:
    """(args, kwargs), with arrays for the operands, which a program has as strong ones."""
    waiting = map(strong if running.inside_program else as_runtime_value, operands)
    leaves = [static[i] if i in static else next(waiting) for i in range(tree.num_leaves)]
    return tree_unflatten(tree, leaves)


def _call(what: str, fun: Callable, args: Sequence[Any], kwargs: dict) -> None:
    """Calls a function, whose error is its own outside of programs. `what` names it."""
    if running.inside_program:
        call_users(what, fun, args, kwargs)
    else:
        fun(*args, **kwargs)


# A call.

debug_callback_p = _looking_primitive("debug_callback")


@debug_callback_p.def_effectful_abstract_eval
def _callback_rule(*avals: ShapedArray, callback: Callable, effect: Effect) -> tuple:
    return [], frozenset([effect])


@debug_callback_p.def_impl
def _callback_impl(*operands: Any, callback: Callable, effect: Effect) -> list:
    callback(*operands)
    return []


def debug_callback(
    callback: Callable | None = None, *args: Any, ordered: bool = False,
    partitioned: bool = False, **kwargs: Any,
) -> Callable | None:  # fmt: skip
    """Calls `callback(*args, **kwargs)` wherever the program runs, with arrays for tracers.

    What it returns is dropped. Without a callback, returns a function that takes it and its
    arguments: `debug.callback(ordered=True)(print, x)`. TypeError for what can't be called.

    >>> import minijax as jax
    >>> seen = []
    >>> def f(x):
    ...     jax.debug.callback(seen.append, x * 2)
    ...     return x
    >>> jax.jit(f)(3.0), seen
    (Array(3., dtype=float32, weak_type=True), [Array(6., dtype=float32)])
    """
    def call(callback: Callable, *args: Any, **kwargs: Any) -> None:
        if not callable(callback):
            raise TypeError(
                f"debug.callback takes a function first, and got {shown(callback)}. Give what is "
                f"to be called."
            )
        operands, tree, static = _divided(args, kwargs)

        def flat_callback(*operands: Any) -> None:
            what = function_of("debug.callback", callback)
            _call(what, callback, *_joined(operands, tree, static))

        (effect,) = _EFFECTS[bool(ordered)]
        debug_callback_p.bind(
            *operands, callback=flat_callback, effect=effect, partitioned=partitioned
        )

    return _options_first("callback", call, callback, args, kwargs)


def _options_first(name: str, call: Callable, first: Any, args: tuple, kwargs: dict) -> Any:
    """Calls with what there is to look at; or, where only options were given, returns `call`."""
    if first is not None:
        return call(first, *args, **kwargs)
    if args or kwargs:
        raise TypeError(
            f"debug.{name} got arguments and nothing to give them to: {shown(args or kwargs)}. "
            f"Call debug.{name}(ordered=True), and what that returns with all of them."
        )
    return call


# A text with values in it.

debug_print_p = _looking_primitive("debug_print")


@debug_print_p.def_effectful_abstract_eval
def _print_rule(
    *avals: ShapedArray, fmt: str, has_placeholders: bool, in_tree: PyTreeDef,
    logging_record: LogRecord | None, np_printoptions: tuple, ordered: bool, static_args: tuple,
) -> tuple:  # fmt: skip
    return [], _EFFECTS[ordered]


@debug_print_p.def_impl
def _print_impl(
    *operands: Any, fmt: str, in_tree: PyTreeDef, static_args: tuple,
    logging_record: LogRecord | None, ordered: bool, **how: Any,
) -> list:  # fmt: skip
    def show(*args: Any, **kwargs: Any) -> None:
        show_text(filled(fmt, args, kwargs, **how), logging_record)

    name = "print" if logging_record is None else "log"
    _call(f"debug.{name} of {fmt!r}", show, *_joined(operands, in_tree, dict(static_args)))
    return []


def _shower(name: str, has_check: bool, **params: Any) -> Callable:
    """The function that takes a text and its values: `name` is what the user calls."""

    def show(fmt: str, *args: Any, **kwargs: Any) -> None:
        check_text(name, fmt, args, kwargs, has_check)
        operands, tree, static = _divided(args, kwargs)
        debug_print_p.bind(
            *operands, fmt=fmt, in_tree=tree, static_args=tuple(static.items()),
            np_printoptions=tuple(np.get_printoptions().items()), has_placeholders=has_fields(fmt),
            logging_record=record_of_call() if name == "log" else None, **params,
        )

    return show


def debug_print(
    fmt: str | None = None, *args: Any, ordered: bool = False, partitioned: bool = False,
    skip_format_check: bool = False, **kwargs: Any,
) -> Callable | None:  # fmt: skip
    """Prints `fmt.format(*args, **kwargs)` wherever the program runs, with arrays for tracers.

    Without a text, returns a function that takes it and its values. ValueError for an argument that
    the text does not name; IndexError or KeyError for one that it names and that is missing;
    TypeError for a text that is none. `partitioned` changes nothing: there is one device.

    >>> import minijax as jax
    >>> def f(x):
    ...     jax.debug.print("x = {x}, twice as much: {}", 2 * x, x=x)
    ...     return x
    >>> jax.vmap(f)(jax.numpy.arange(2))
    x = 0, twice as much: 0
    x = 1, twice as much: 2
    Array([0, 1], dtype=int32)
    """
    show = _shower("print", not skip_format_check, ordered=bool(ordered), partitioned=partitioned)
    return _options_first("print", show, fmt, args, kwargs)


def debug_log(
    fmt: str | None = None, *args: Any, ordered: bool = False, partitioned: bool = False,
    skip_format_check: bool = False, **kwargs: Any,
) -> Callable | None:  # fmt: skip
    """Like `debug.print`, by Python's logging: a record of level INFO, with the line of the call.

    It is shown where the program has asked for such records, as by `logging.basicConfig`.
    """
    show = _shower("log", not skip_format_check, ordered=bool(ordered), partitioned=partitioned)
    return _options_first("log", show, fmt, args, kwargs)
