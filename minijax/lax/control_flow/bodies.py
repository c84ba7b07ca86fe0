"""Bodies: a function that a user passes to a loop or a choice is traced, and its types checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from minijax.core.arrays import Array, as_array, raw_value, result_aval_type
from minijax.core.calls import check_args, check_callable, debug_info, name_leaves
from minijax.core.config import derived
from minijax.core.errors import keystr, typematch
from minijax.core.primitives import cast
from minijax.core.pytrees import PyTreeDef, difference, entry_of, tree_flatten, tree_unflatten
from minijax.core.staging import ClosedJaxpr, convert_constvars_jaxpr, stage
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown


class Body(NamedTuple):
    """A function's program. Its operands are the constants, maybe tracers, and then the leaves."""

    jaxpr: ClosedJaxpr
    consts: list[Any]
    out_tree: PyTreeDef


def flatten_operands(name: str, fun: Any, args: tuple) -> tuple[list[Any], PyTreeDef]:
    """The leaves, and their tree; TypeError unless `fun` is a function and each leaf an array."""
    check_callable(fun, name)
    leaves, tree = tree_flatten(args)
    try:
        for x in leaves:
            typeof(x)
    except TypeError:
        check_args(leaves, debug_info(name, fun, args, {}))
        raise
    return leaves, tree


def check_functions(name: str, funs: dict[str, Callable]) -> None:
    """Raises a TypeError that names the argument, unless all of them are functions."""
    for title, fun in funs.items():
        if not callable(fun):
            raise TypeError(
                f"{name} takes functions, and got {shown(fun)} as {title}. Give f, not f(x)."
            )


def trace_body(
    name: str, fun: Callable, in_tree: PyTreeDef, in_avals: Sequence[Any],
    cache: dict | None = None,
) -> Body:  # fmt: skip
    """The program of `fun` at arguments of these types; `in_tree` is that of their tuple.

    `cache` is that of the user's function where `fun` is made anew for it at each call.
    """
    args = tree_unflatten(in_tree, in_avals)
    staged, _ = stage(fun, args, {}, name, cache=cache, aval_of=lambda aval: aval)
    return Body(_consts_first(staged.closed), staged.closed.consts, staged.out_tree)


@derived
def _consts_first(closed: ClosedJaxpr) -> ClosedJaxpr:
    return ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), [])


def check_operands(name: str, held: Sequence[Any], given: Sequence[Any]) -> None:
    """ValueError where a reference is given twice, or is given and held by the function too."""
    for aval in map(typeof, given):
        if aval.mutable:
            aval.check_operands(name, held, given)


def promote_weak(leaves: Sequence[Any], out_avals: Sequence[Any]) -> list[Any]:
    """A loop's first carry, in which a weak number is cast if the body returns a wider type."""
    return [
        cast(x, result_aval_type([typeof(x), aval])[0])
        if not typematch(typeof(x), aval) and typeof(x).weak_type else x
        for x, aval in zip(leaves, out_avals, strict=True)
    ]  # fmt: skip


def as_value(x: Any) -> Any:
    return x if isinstance(x, Array) else as_array(x)


def first_name(fun: Callable, num_args: int, place: int = 0) -> str:
    """The name of a function's parameter, by its place."""
    return name_leaves(fun, num_args, (), [(place,)])[0]


def check_same(
    problem: str, root: Callable[[], str], first: tuple, second: tuple, words: tuple[str, str],
    way_out: str,
) -> None:  # fmt: skip
    """Raises a TypeError that names the differences, unless two pytrees of types, (tree, avals),
    are alike.

    `root` returns the name of both pytrees. `words` tell them apart in the message: "is float32[]
    {at the start}, int32[] {after a step}".
    """
    if first[0] == second[0] and all(map(typematch, first[1], second[1])):
        return
    nodes = tree_unflatten(*first), tree_unflatten(*second)
    differences = [
        f"{root()}{keystr(path)} is {old} {words[0]}, {new} {words[1]}"
        for path, old, new in _differences((first[0], second[0]), nodes, ())
    ]
    if first[0] == second[0] and (axes := _varying_apart(first[1], second[1])):
        way_out = f"Make both vary alike: lax.pcast(x, {axes}, to='varying')."
    more = f", and {len(differences) - 3} more" if len(differences) > 3 else ""
    raise TypeError(f"{problem}: {'; '.join(differences[:3])}{more}.\n{way_out}")


def _varying_apart(first: Sequence[Any], second: Sequence[Any]) -> tuple:
    """The mesh axes along which types vary that are alike but for that; none for other types."""
    pairs = list(zip(first, second, strict=True))
    if any((x.shape, x.dtype) != (y.shape, y.dtype) for x, y in pairs):
        return ()
    return tuple(sorted({name for x, y in pairs for name in x.vma ^ y.vma}, key=str))


def _differences(trees: Sequence[PyTreeDef], nodes: Sequence[Any], path: tuple) -> Iterator[tuple]:
    """The differences of two pytrees of types: the path, and what each has there."""
    old, new = trees
    if difference(old, new._type, new._aux, len(new._children)):
        yield path, *map(shown_node, trees, nodes)
    elif old._type is None:
        if not typematch(*nodes):
            yield path, *nodes
    else:
        children = [entry_of(type(node)).flatten_with_keys(node)[0] for node in nodes]
        subtrees = zip(*children, old._children, new._children, strict=True)
        for (key, x), (_, y), *both in subtrees:
            yield from _differences(both, (x, y), (*path, key))


def shown_node(tree: PyTreeDef, node: Any) -> str:
    """A pytree of types in a message: the type of a leaf, or the kind of a node."""
    if tree._type in (None, type(None)):
        return str(node)
    name = f"a {tree._type.__name__}"
    if isinstance(node, dict):
        return f"{name} with the keys {list(node)}"
    return f"{name} of {len(tree._children)}"


def retyped(x: Any, aval: Any) -> Any:
    """The same value, with another type that differs in being weak or not."""
    return x if typeof(x) is aval else Array(raw_value(x), aval)


def split3(values: Sequence, num_consts: int, num_carry: int) -> tuple:
    """A loop's operands, divided: the constants, the carries, and the xs."""
    start = num_consts + num_carry
    return values[:num_consts], values[num_consts:start], values[start:]
