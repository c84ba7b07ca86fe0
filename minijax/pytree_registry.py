"""Which classes are nodes of pytrees, as an object: `jax.tree_util.default_registry`.

Libraries that walk trees themselves ask it. There is one registry: the functions of `tree_util` use
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.errors import GetAttrKey
from minijax.core.pytrees import (
    PyTreeDef,
    find_entry,
    flatten_with_path,
    register_pytree_node,
    tree_flatten,
)
from minijax.face.boundaries import guard


class PyTreeRegistry:
    """The classes whose instances have children, and how these are found."""

    def flatten(
        self, tree: Any, leaf_predicate: Callable | None = None
    ) -> tuple[list[Any], PyTreeDef]:
        """The leaves and the structure.

        >>> PyTreeRegistry().flatten([1, (2, 3)])
        ([1, 2, 3], PyTreeDef([*, (*, *)]))
        """
        return tree_flatten(tree, leaf_predicate)

    def flatten_with_path(
        self, tree: Any, leaf_predicate: Callable | None = None
    ) -> tuple[list[Any], PyTreeDef]:
        """Pairs of a key path and a leaf, and the structure. The predicate is given both."""
        pairs: list[Any] = []
        return pairs, flatten_with_path(tree, (), pairs, leaf_predicate)

    def flatten_one_level(self, tree: Any) -> tuple[Any, Any] | None:
        """The children of a node, left whole, and its auxiliary data; None for a leaf.

        >>> PyTreeRegistry().flatten_one_level([1, (2, 3)])
        ([1, (2, 3)], None)
        """
        entry = find_entry(type(tree))
        return None if entry is None else entry.flatten(tree)

    def flatten_one_level_with_keys(self, tree: Any) -> tuple[Any, Any] | None:
        """Like `flatten_one_level`, with pairs of a key and a child."""
        entry = find_entry(type(tree))
        return None if entry is None else entry.flatten_with_keys(tree)

    def is_node(self, type: type) -> bool:
        """Whether instances of a class have children."""
        return find_entry(type) is not None

    def register_node(
        self, type: type, to_iterable: Callable, from_iterable: Callable,
        to_iterable_with_keys: Callable | None = None,
    ) -> None:  # fmt: skip
        """Makes instances of a class nodes: see `tree_util.register_pytree_node`."""
        register_pytree_node(type, to_iterable, from_iterable, to_iterable_with_keys)

    def register_dataclass_node(
        self, type: type, data_fields: Sequence[str], meta_fields: Sequence[str], /
    ) -> None:  # fmt: skip
        """Makes instances of a class nodes, by attributes: see `tree_util.register_dataclass`."""
        register_attributes(type, tuple(data_fields), tuple(meta_fields))


def register_attributes(nodetype: type, data: tuple[str, ...], meta: tuple[str, ...]) -> None:
    """Registers a class: its attributes `data` are children, those of `meta` auxiliary data."""

    def flatten(node: Any) -> tuple:
        return [getattr(node, name) for name in data], tuple([getattr(node, n) for n in meta])

    def unflatten(aux: tuple, children: tuple) -> Any:
        return nodetype(**dict(zip(meta + data, aux + children, strict=True)))

    def flatten_with_keys(node: Any) -> tuple:
        children, aux = flatten(node)
        return tuple(zip(map(GetAttrKey, data), children, strict=True)), aux

    register_pytree_node(nodetype, flatten, unflatten, flatten_with_keys)


guard(PyTreeRegistry)
default_registry = PyTreeRegistry()
