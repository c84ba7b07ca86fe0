"""Whether a function can be exported, and whether a call fits what was exported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.errors import keystr
from minijax.core.pytrees import PyTreeDef, difference, flatten_with_path, tree_unflatten
from minijax.core.tracing import ShapedArray
from minijax.lax.elementwise.arithmetic import shown
from minijax.stages import Wrapped

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")


def check_export(fun_jit: Any, platforms: Sequence[str]) -> None:
    """ValueError for what jit did not return, and for platforms that nobody has."""
    if not isinstance(fun_jit, Wrapped):
        raise ValueError(
            f"jax.export.export takes what jax.jit returns, and got {shown(fun_jit)}.\n"
            f"Give jax.jit(function)."
        )
    for name in platforms:
        if name not in PLATFORMS:
            raise ValueError(
                f"jax.export.export knows no platform {shown(name)}. Give some of "
                f"{', '.join(map(repr, PLATFORMS))}."
            )


def check_vjp_order(vjp_order: Any) -> None:
    if not isinstance(vjp_order, int):
        raise TypeError(
            f"Exported.serialize takes as vjp_order how many derivatives to write, and got "
            f"{shown(vjp_order)}. Give an int."
        )


def check_structure(exported: Any, in_tree: PyTreeDef) -> None:
    """ValueError, which says where, for arguments of another structure."""
    if in_tree == exported.in_tree:
        return
    found = next(_differences(exported.in_tree, in_tree), "they differ")
    raise ValueError(
        f"Exported.call: {exported.fun_name} was exported for (args, kwargs) of the structure "
        f"{exported.in_tree}, and got {in_tree}: {found}.\nGive arguments of that structure."
    )


def _differences(expected: PyTreeDef, given: PyTreeDef, place: str = "(args, kwargs)"):
    """Sentences that say where two structures part."""
    if text := difference(expected, given._type, given._aux, len(given._children)):
        yield f"at {place}, {text}"
        return
    for i, pair in enumerate(zip(expected._children, given._children, strict=True)):
        yield from _differences(*pair, f"{place}[{i}]")


def check_types(exported: Any, in_avals: Sequence[Any]) -> None:
    """ValueError, which names the argument, for another shape or dtype."""
    for i, (expected, aval) in enumerate(zip(exported.in_avals, in_avals, strict=True)):
        if not isinstance(aval, ShapedArray) or (
            (aval.shape, aval.dtype) != (expected.shape, expected.dtype)
        ):
            raise ValueError(
                f"Exported.call: {exported.fun_name} was exported for {expected.str_short()} as "
                f"{_argument_name(exported, i)}, and got {aval.str_short()}.\nGive that, or "
                f"export the function for this type too."
            )


def _argument_name(exported: Any, i: int) -> str:
    return exported.arg_names[i] or f"argument {i}"


def leaf_names(name: str, tree: PyTreeDef) -> list[str]:
    """What the leaves of a structure are called: result['w'][0]."""
    paths: list[Any] = []
    flatten_with_path(tree_unflatten(tree, range(tree.num_leaves)), (), paths)
    return [name + keystr(path) for path, _ in paths]
