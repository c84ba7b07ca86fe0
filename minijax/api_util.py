"""Helpers for who writes a transformation: arguments as flat lists, and what is said of them.

JAX's take functions wrapped by `linear_util`; here they take and return plain ones, of which
`flatten_fun`'s answer to `call_wrapped` too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from minijax.core import arguments, calls
from minijax.core.arguments import ShapeDtypeStruct
from minijax.core.errors import DebugInfo
from minijax.core.pytrees import PyTreeDef, tree_structure, tree_unflatten
from minijax.core.tracing import ShapedArray, typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names

__all__ = [
    "argnums_partial", "debug_info", "donation_vector", "flatten_axes", "flatten_fun",
    "flatten_fun_nokwargs", "rebase_donate_argnums", "safe_map", "shaped_abstractify",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def _numbers(argnums: int | Sequence[int]) -> tuple[int, ...]:
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def argnums_partial(
    f: Callable, dyn_argnums: int | Sequence[int], args: Sequence,
    require_static_args_hashable: bool = True,
) -> tuple[Callable, tuple]:  # fmt: skip
    """`f` of the arguments `dyn_argnums` alone, the others as in `args`; and those arguments.

    ValueError where one of the others has no hash, unless that is not required.

    >>> f, dynamic = argnums_partial(lambda x, y: x - y, 0, (5, 2))
    >>> f(*dynamic)
    3
    """
    places = [n % len(args) for n in _numbers(dyn_argnums)]
    for i, x in enumerate(args):
        if require_static_args_hashable and i not in places:
            try:
                hash(x)
            except TypeError as error:
                raise ValueError(
                    f"argnums_partial fixes argument {i}, of {type(x)}, which has no hash.\n"
                    f"Give a tuple or another value with one."
                ) from error
    partial_fun = arguments.partial_on(f, places, tuple(args), {})
    return partial_fun, tuple(args[i] for i in places)


def debug_info(
    traced_for: str, fun: Callable, args: Sequence[Any], kwargs: dict[str, Any], *,
    static_argnums: Sequence[int] = (), static_argnames: Sequence[str] = (),
) -> DebugInfo:  # fmt: skip
    """What error messages say of a function that is traced: what for, and its arguments' names."""
    static = {n % len(args) for n in static_argnums if args} | set(static_argnames)
    places = [place for place in (*range(len(args)), *kwargs) if place not in static]
    return calls.debug_info(traced_for, fun, args, kwargs, places)


def donation_vector(
    donate_argnums: Sequence[int], donate_argnames: Sequence[str], in_tree: PyTreeDef,
    kws: bool = True,
) -> tuple[bool, ...]:  # fmt: skip
    """For each leaf of `in_tree`, that of (args, kwargs), or of args, whether it is donated.

    >>> donation_vector((0,), (), tree_structure(((1, (2, 3)), {})))
    (True, False, False)
    """
    filled = tree_unflatten(in_tree, [0] * in_tree.num_leaves)
    args, kwargs = filled if kws else (filled, {})
    marked = [(i in donate_argnums, x) for i, x in enumerate(args)]
    marked += [(name in donate_argnames, kwargs[name]) for name in sorted(kwargs)]
    return tuple(mark for mark, x in marked for _ in range(tree_structure(x).num_leaves))


def flatten_axes(
    name: str, treedef: PyTreeDef, axis_tree: Any, *, kws: bool = False, tupled_args: bool = False
) -> list[Any]:  # fmt: skip
    """For each leaf of `treedef`, the axis or None that the prefix `axis_tree` gives it.

    With `kws`, the structure is that of (args, kwargs), the prefix is of the positional arguments,
    and keywords have axis 0. ValueError, which calls the prefix `name`, where it is none.

    >>> flatten_axes("in_axes", tree_structure((1, (2, 3))), (0, None))
    [0, None, None]
    """
    axes = (axis_tree, 0) if kws else axis_tree
    return arguments.flatten_axes(name, treedef, axes)


def flatten_fun(fun: Callable, in_tree: PyTreeDef) -> tuple[Callable, Callable]:
    """`fun` on the leaves of (args, kwargs), and a thunk for the tree of its last result.

    >>> flat, out_tree = flatten_fun(lambda x, y: {"a": x + y}, tree_structure(((1.0,), {"y": 2})))
    >>> flat.call_wrapped(2.0, 1), out_tree()
    ([3.0], PyTreeDef({'a': *}))
    """
    flat_fun, out_tree = calls.flatten_fun(fun, in_tree)

    def wrapped(*leaves: Any) -> list[Any]:
        return flat_fun(*leaves)

    wrapped.call_wrapped = flat_fun
    return wrapped, out_tree


def flatten_fun_nokwargs(fun: Callable, in_tree: PyTreeDef) -> tuple[Callable, Callable]:
    """Like `flatten_fun`, where `in_tree` is that of the positional arguments only.

    >>> flat, out_tree = flatten_fun_nokwargs(lambda x: {"a": x + 1.0}, tree_structure((1.0,)))
    >>> flat(2.0), out_tree()
    ([3.0], PyTreeDef({'a': *}))
    """
    return flatten_fun(fun, tree_structure((tree_unflatten(in_tree, [0] * in_tree.num_leaves), {})))


def rebase_donate_argnums(
    donate_argnums: Sequence[int], static_argnums: Sequence[int]
) -> tuple[int, ...]:  # fmt: skip
    """The numbers of donated arguments once the static ones are taken away.

    ValueError for an argument that is both.

    >>> rebase_donate_argnums((1, 3), (0,))
    (0, 2)
    """
    both = sorted(set(donate_argnums) & set(static_argnums))
    if both:
        raise ValueError(
            f"rebase_donate_argnums got the arguments {both} as donated and as static ones.\n"
            f"Give each once."
        )
    return tuple(n - sum(s < n for s in static_argnums) for n in sorted(donate_argnums))


def safe_map(f: Callable, first: Any, *others: Any) -> list[Any]:
    """The list of f of each element, or of each pair; ValueError where lengths differ.

    >>> safe_map(abs, (-1, 2))
    [1, 2]
    """
    rows = [list(row) for row in (first, *others)]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(
            f"safe_map got arguments of {', '.join(str(len(row)) for row in rows)} elements.\n"
            f"Give as many of each."
        )
    return [f(*each) for each in zip(*rows, strict=True)]


def shaped_abstractify(x: Any) -> ShapedArray:
    """The type of an array, of a number or of what describes an array, as equations show it.

    TypeError for anything else.

    >>> shaped_abstractify(1.0)
    ShapedArray(float32[], weak_type=True)
    """
    return ShapedArray(x.shape, x.dtype) if isinstance(x, ShapeDtypeStruct) else typeof(x)


guard(sys.modules[__name__])
