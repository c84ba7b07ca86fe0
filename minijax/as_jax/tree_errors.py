"""Where a tree that should be a prefix of another isn't one: JAX lists all such places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minijax.core.pytrees import difference, entry_of, find_entry, is_marked, tree_structure
from minijax.tree_util import keystr


def prefix_errors(
    prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> list[Callable[[str], ValueError]]:
    """For each place where the prefix differs, what makes the error of the prefix's name."""
    return [_error_of(*each) for each in _differences((), prefix_tree, full_tree, is_leaf)]


def _error_of(path: tuple, found: str) -> Callable[[str], ValueError]:
    return lambda name: ValueError(
        f"{name}{keystr(path)} does not fit the tree that it describes: {found}.\n"
        f"Give it the same nodes, down to its leaves."
    )


def _differences(
    path: tuple, prefix: Any, full: Any, is_leaf: Callable | None
) -> Iterator[tuple[tuple, str]]:  # fmt: skip
    """Pairs of a key path and what is otherwise there."""
    if is_leaf and is_marked(is_leaf(prefix)) or find_entry(type(prefix)) is None:
        return
    keyed, aux = entry_of(type(prefix)).flatten_with_keys(prefix)
    keyed = tuple(keyed)
    if found := difference(tree_structure(full), type(prefix), aux, len(keyed)):
        yield path, found
        return
    children = entry_of(type(full)).flatten(full)[0]
    for (key, child), other in zip(keyed, children, strict=True):
        yield from _differences((*path, key), child, other, is_leaf)
