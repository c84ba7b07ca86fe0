"""A call of a function of pytrees as a function of a list of leaves, and what to call its parts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from minijax.core.arrays import is_array_like
from minijax.core.errors import DebugInfo, KeyPath, keystr
from minijax.core.pytrees import (
    PyTreeDef, find_entry, flatten_with_path, tree_flatten, tree_map, tree_unflatten,
)
from minijax.core.tracing import named_scope, trace_ctx, typeof

# Functions of pytrees as functions of lists of leaves.


def flatten_fun(
    fun: Callable, in_tree: PyTreeDef, scope: str = ""
) -> tuple[Callable, Callable]:
    """`fun` on the leaves of (args, kwargs), and a thunk for the tree of its last result.

    Where `scope` is given, what is made inside carries it in its name stack.
    """
    out_trees: list[PyTreeDef] = []

    def flat_fun(*leaves: Any) -> list[Any]:
        args, kwargs = tree_unflatten(in_tree, leaves)
        if scope:
            with named_scope(scope):
                out = fun(*args, **kwargs)
        else:
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
                f"{getattr(fun, '__name__', fun)} returned {x!r} of type {type(x).__name__} where "
                f"an array or a number is needed. has_aux, where there is one, takes other values."
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
            raise TypeError(
                f"{name} with has_aux=True needs a function that returns a pair (output, aux); "
                f"it returned {type(pair).__name__}."
            )
        aux_values.append(tree_map(trace_ctx.trace.lower, pair[1]))
        return pair[0]

    return main_fun, lambda: aux_values[-1]


# What the arguments are called.


def name_leaves(fun: Callable, num_args: int, keywords: Iterable, paths: Sequence) -> list[str]:
    """What to call each leaf of the arguments in a message: `params['W']`, `x`."""
    names: dict[Any, str] = {i: f"args[{i}]" for i in range(num_args)}
    names |= {name: name for name in keywords}
    try:
        bound = inspect.signature(fun).bind(*range(num_args), **{name: name for name in keywords})
    except (TypeError, ValueError):
        pass
    else:
        for name, place in bound.arguments.items():
            several = place.items() if isinstance(place, dict) else enumerate(place) if isinstance(
                place, tuple) else [(None, place)]  # fmt: skip
            for key, one in several:
                names[one] = name if key is None else f"{name}[{key!r}]"
    return [names[place] + keystr(path) for place, path in paths]


def debug_info(
    traced_for: str, fun: Callable, args: Sequence[Any], kwargs: dict,
    places: Iterable | None = None,
) -> DebugInfo:  # fmt: skip
    """The facts that an error message names; the arguments' names are found when asked for.

    Where only the arguments at `places` (positions, keywords) are traced, only they have names.
    """
    called: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    paths: list[tuple[Any, KeyPath]] = []
    for place in called if places is None else places:
        if find_entry(type(called[place])) is None:
            paths.append((place, ()))
            continue
        pairs: list[tuple[KeyPath, Any]] = []
        flatten_with_path(called[place], (), pairs)
        paths += [(place, path) for path, _ in pairs]
    num_args, keywords = len(args), tuple(kwargs)
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
        raise TypeError(f"{name} takes a function as its first argument, and got {fun!r}.")
