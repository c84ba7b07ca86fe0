"""What a structure, a `PyTreeDef`, can be asked: its parts, and other structures and values made by
it. Libraries that walk trees themselves do so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minijax.core.pytrees import PyTreeDef, entry_of, find_entry
from minijax.face.boundaries import guarded
from minijax.lax.elementwise.arithmetic import shown


def check_treedef(fun_name: str, what: str, x: Any, error: type[Exception]) -> None:
    """An error for what is no structure."""
    if not isinstance(x, PyTreeDef):
        raise error(
            f"{fun_name} takes a PyTreeDef as {what}, and got {shown(x)}.\n"
            f"Use tree_structure(tree)."
        )


def with_children(nodetype: type, aux: Any, children: Iterable[PyTreeDef]) -> PyTreeDef:
    """The structure of a node with these children."""
    children = tuple(children)
    return PyTreeDef(nodetype, aux, children, sum([child.num_leaves for child in children]))


# Its parts.


def children(self: PyTreeDef) -> list[PyTreeDef]:
    """The structures of the root's children."""
    return list(self._children)


def node_data(self: PyTreeDef) -> tuple[type, Any] | None:
    """The root's type and auxiliary data; None for a leaf. JAX gives a namedtuple None."""
    if self._type is None:
        return None
    return self._type, None if self._aux is self._type else _shown_data(self)


def _shown_data(treedef: PyTreeDef) -> Any:
    return list(treedef._aux) if treedef._type is dict else treedef._aux


# Other structures.


def compose(self: PyTreeDef, inner_treedef: PyTreeDef) -> PyTreeDef:
    """The structure with another in the place of each leaf. TypeError for what is none.

    >>> from minijax.tree_util import tree_structure
    >>> tree_structure([0, (0,)]).compose(tree_structure({"a": 0}))
    PyTreeDef([{'a': *}, ({'a': *},)])
    """
    check_treedef("PyTreeDef.compose", "inner_treedef", inner_treedef, TypeError)
    if self._type is None:
        return inner_treedef
    return with_children(self._type, self._aux, [x.compose(inner_treedef) for x in self._children])


def from_node_data_and_children(
    registry: Any, node_data: tuple[type, Any] | None, children: Iterable[PyTreeDef]
) -> PyTreeDef:
    """The structure whose `node_data()` and `children()` these are. There is one registry.

    TypeError for what is no structure or no such pair; RuntimeError, as in JAX, for a class of
    leaves, and for another number of children than the data has.

    >>> from minijax.tree_util import default_registry, tree_structure
    >>> from_node_data_and_children(default_registry, (list, None), [tree_structure(1)])
    PyTreeDef([*])
    """
    name, children = "PyTreeDef.from_node_data_and_children", tuple(children)
    for child in children:
        check_treedef(name, "each of children", child, TypeError)
    if node_data is None:
        _check_number(name, node_data, 0, children)
        return PyTreeDef(None, None, (), 1)
    if not (isinstance(node_data, tuple) and len(node_data) == 2):
        raise TypeError(
            f"{name} takes a class and its data, or None, as node_data, and got "
            f"{shown(node_data)}.\nGive what treedef.node_data() gave."
        )
    nodetype, aux = node_data
    if not isinstance(nodetype, type) or find_entry(nodetype) is None:
        raise RuntimeError(
            f"{name} got the class {shown(nodetype)}, whose instances are leaves.\n"
            f"Give a class of nodes, or register it."
        )
    if nodetype is dict:
        aux = tuple(aux)
        _check_number(name, node_data, len(aux), children)
    if nodetype in (list, tuple, type(None)):
        aux = None
    return with_children(nodetype, nodetype if is_namedtuple(nodetype) else aux, children)


def _check_number(name: str, node_data: Any, wanted: int, children: tuple) -> None:
    if len(children) != wanted:
        raise RuntimeError(
            f"{name} got {len(children)} children for node_data={shown(node_data)}.\n"
            f"Give {wanted}."
        )


def is_namedtuple(nodetype: type) -> bool:
    """Whether the class of a node is a named tuple's: its data, then, is the class itself."""
    return issubclass(nodetype, tuple) and hasattr(nodetype, "_fields")


# Values.


def walk(self: PyTreeDef, f_node: Callable, f_leaf: Callable | None, leaves: Iterable) -> Any:
    """What `f_node(children, data)` gives of the root, whose children are what it gave of those.

    `data` is the node's auxiliary data, as in `node_data`; leaves go through `f_leaf` first, if
    there is one. ValueError for too few leaves, or too many.

    >>> from minijax.tree_util import tree_structure
    >>> tree_structure([0, (0, 0)]).walk(lambda xs, data: sum(xs), None, [1, 2, 3])
    6
    """
    rest = iter(leaves)
    out = _folded(self, f_node, f_leaf, rest)
    if next(rest, _none_left) is not _none_left:
        raise ValueError(f"PyTreeDef.walk got more leaves. Give {self.num_leaves} for {self}.")
    return out


_none_left = object()


def _folded(treedef: PyTreeDef, f_node: Callable, f_leaf: Callable | None, leaves: Iterator) -> Any:
    if treedef._type is None:
        leaf = next(leaves, _none_left)
        if leaf is _none_left:
            raise ValueError("PyTreeDef.walk got fewer leaves than it has. Give one for each.")
        return leaf if f_leaf is None else f_leaf(leaf)
    values = tuple([_folded(child, f_node, f_leaf, leaves) for child in treedef._children])
    return f_node(values, _shown_data(treedef))


def from_iterable_tree(self: PyTreeDef, subtrees: Any) -> Any:
    """A tree of this structure, from iterables within iterables that have its form.

    >>> from minijax.tree_util import tree_structure
    >>> tree_structure({"a": 0, "b": (0,)}).from_iterable_tree([1, [2]])
    {'a': 1, 'b': (2,)}
    """
    if self._type is None:
        return subtrees
    items = tuple(subtrees)
    if len(items) != len(self._children):
        raise ValueError(
            f"PyTreeDef.from_iterable_tree got {len(items)} items for {self}.\n"
            f"Give {len(self._children)}."
        )
    built = [child.from_iterable_tree(x) for child, x in zip(self._children, items, strict=True)]
    return entry_of(self._type).unflatten(self._aux, tuple(built))


# As bytes.


def serialize_using_proto(self: PyTreeDef) -> bytes:
    """Refused: NotImplementedError. `pickle` keeps a structure."""
    raise NotImplementedError(
        "PyTreeDef.serialize_using_proto would write a message of protobuf's. Use pickle."
    )


def deserialize_using_proto(registry: Any, data: bytes) -> PyTreeDef:
    """Refused: NotImplementedError."""
    raise NotImplementedError(
        "PyTreeDef.deserialize_using_proto would read a message of protobuf's. Use pickle."
    )


for _method in (
    children, node_data, compose, walk, from_iterable_tree, serialize_using_proto,
):  # fmt: skip
    setattr(PyTreeDef, _method.__name__, guarded(_method))
for _function in (from_node_data_and_children, deserialize_using_proto):
    setattr(PyTreeDef, _function.__name__, staticmethod(guarded(_function)))
