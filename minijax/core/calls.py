"""A call of a function of pytrees as a function of a list of leaves, and what to call its parts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from minijax.core.arrays import is_array_like
from minijax.core.errors import DebugInfo, KeyPath, keystr, safe_repr, wraps
from minijax.core.pytrees import (
    PyTreeDef, flatten_with_path, tree_flatten, tree_map, tree_structure, tree_unflatten,
)
from minijax.core.tracing import named_scope, trace_ctx, typeof

# Functions of pytrees as functions of lists of leaves.


def flatten_fun(fun: Callable, in_tree: PyTreeDef, scope: str = "") -> tuple[Callable, Callable]:
    """`fun` on the leaves of (args, kwargs), and a thunk for the tree of its last result.

    Where `scope` is given, what is made inside carries it in its name stack.
    """
    out_trees: list[PyTreeDef] = []

    def flat_fun(*leaves: Any) -> list[Any]:
        args, kwargs = tree_unflatten(in_tree, leaves)
        with named_scope(scope) if scope else nullcontext():
            out = fun(*args, **kwargs)
        out_leaves, out_tree = tree_flatten(out)
        check_results(fun, out_leaves)
        out_trees.append(out_tree)
        return out_leaves

    return flat_fun, lambda: out_trees[-1]


def check_results(fun: Callable, leaves: Sequence[Any]) -> None:
    for x in leaves:
        if not is_array_like(x):
            raise TypeError(
                f"{getattr(fun, '__name__', type(fun).__name__)} returned {safe_repr(x)} of type "
                f"{type(x).__name__} where an array or a number is needed. Leave it out, or make "
                f"it aux where has_aux=True is taken."
            )


def split_aux(fun: Callable, name: str) -> tuple[Callable, Callable]:
    """A function that returns (out, aux), as one that returns out, and a thunk for aux.

    aux leaves the trace as plain values, whatever it holds.
    """
    aux_values: list[Any] = []

    @wraps(fun)
    def main_fun(*args: Any, **kwargs: Any) -> Any:
        pair = fun(*args, **kwargs)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            got = typeof(pair) if is_array_like(pair) else tree_structure(pair)
            raise TypeError(
                f"{name} with has_aux=True needs a function that returns a pair (output, aux); "
                f"it returned {got}. Return the pair, or leave has_aux out."
            )
        aux_values.append(tree_map(trace_ctx.trace.lower, pair[1]))
        return pair[0]

    return main_fun, lambda: aux_values[-1]


# What the arguments are called.


def name_leaves(fun: Callable, num_args: int, keywords: Iterable, paths: Sequence) -> list[str]:
    """What to call each leaf in a message: `params['W']`. Its path is its argument, then keys."""
    places = {name: name for name in keywords}
    names: dict[Any, str] = {i: f"args[{i}]" for i in range(num_args)} | places
    bound: list[tuple[KeyPath, Any]] = []
    with suppress(TypeError, ValueError):  # Python does not know every function's parameters
        call = inspect.signature(fun).bind(*range(num_args), **places)
        flatten_with_path(call.arguments, (), bound)
    names |= {place: path[0].key + keystr(path[1:]) for path, place in bound}
    return [names[place] + keystr(tuple(keys)) for place, *keys in paths]


def debug_info(
    traced_for: str, fun: Callable, args: Sequence[Any], kwargs: dict,
    places: Iterable | None = None,
) -> DebugInfo:  # fmt: skip
    """The facts that an error message names; the arguments' names are found when asked for.

    Where only the arguments at `places` (positions, keywords) are traced, only they have names.
    """
    called: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    traced = called if places is None else places
    pairs: list[tuple[KeyPath, Any]] = []
    for place in sorted(traced, key=lambda place: place if isinstance(place, str) else ""):
        flatten_with_path(called[place], (place,), pairs)  # keywords sorted, as tree_flatten has it
    paths, num_args, keywords = [path for path, _ in pairs], len(args), tuple(kwargs)
    return DebugInfo(traced_for, fun, lambda fun: name_leaves(fun, num_args, keywords, paths))


# Whether they can be traced.


def check_args(leaves: Sequence[Any], info: DebugInfo, rule: Callable = typeof) -> None:
    """TypeError, naming the argument, for what is neither an array nor a number: has no type
    by `rule`."""
    for i, x in enumerate(leaves):
        try:
            rule(x)
        except TypeError as error:
            call = f"{info.traced_for}({info.func_name})"
            raise TypeError(f"{call}, argument {info.arg_name(i)}: {error}") from error


def check_callable(fun: Any, name: str) -> None:
    if not callable(fun):
        got = f"an array of {typeof(fun)}" if hasattr(fun, "aval") else safe_repr(fun)
        way_out = "Give the function itself: f, and not f(x)."
        raise TypeError(f"{name} takes a function as its first argument, and got {got}. {way_out}")
