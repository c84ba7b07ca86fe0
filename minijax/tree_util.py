"""Pytrees, under the names of `jax.tree_util`: core's, and what stands on core's registry."""

import dataclasses
import functools
import operator
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minijax.core.arguments import flatten_axes
from minijax.core.errors import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyEntry,
    KeyPath,
    SequenceKey,
    keystr,
)
from minijax.core.linearization import Partial
from minijax.core.pytrees import (
    Flatten,
    IsLeaf,
    PyTreeDef,
    RegistryEntry,
    Unflatten,
    find_entry,
    flatten_with_path,
    match_rest,
    register_pytree_node,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.pytree_registry import default_registry, register_attributes
from minijax.treedefs import check_treedef, with_children

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "Partial",
    "PyTreeDef",
    "SequenceKey",
    "all_leaves",
    "default_registry",
    "flatten_one_level",
    "flatten_one_level_with_keys",
    "is_tree_node",
    "keystr",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "tree_all",
    "tree_broadcast",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_reduce",
    "tree_reduce_associative",
    "tree_structure",
    "tree_transpose",
    "tree_unflatten",
    "treedef_children",
    "treedef_is_leaf",
    "treedef_tuple",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
_UNSPECIFIED = object()


# One level of a tree


def is_tree_node(typ: type) -> bool:
    """Whether instances of the class `typ` are nodes; all others are leaves.

    >>> is_tree_node(list), is_tree_node(float)
    (True, False)
    """
    return isinstance(typ, type) and find_entry(typ) is not None


def _entry_of_node(fun_name: str, tree: Any) -> RegistryEntry:
    entry = find_entry(type(tree))
    if entry is None:
        raise ValueError(
            f"{fun_name} got a leaf, of {type(tree)}, which has no children.\n"
            f"Ask is_tree_node first, or register the class."
        )
    return entry


def flatten_one_level(tree: Any) -> tuple[Iterable[Any], Any]:
    """The children of a node, left whole, and its auxiliary data. A leaf raises ValueError.

    >>> flatten_one_level({"b": [1, 2], "a": 3})
    ((3, [1, 2]), ('a', 'b'))
    """
    return _entry_of_node("flatten_one_level", tree).flatten(tree)


def flatten_one_level_with_keys(tree: Any) -> tuple[Iterable[tuple[Any, Any]], Any]:
    """Like `flatten_one_level`, with pairs of a key and a child.

    >>> flatten_one_level_with_keys({"a": 3})
    (((DictKey(key='a'), 3),), ('a',))
    """
    return _entry_of_node("flatten_one_level_with_keys", tree).flatten_with_keys(tree)


def treedef_is_leaf(treedef: PyTreeDef) -> bool:
    """Whether the structure has no children: a leaf, None or an empty container.

    >>> treedef_is_leaf(tree_structure(1)), treedef_is_leaf(tree_structure([1]))
    (True, False)
    """
    check_treedef("treedef_is_leaf", "treedef", treedef, AttributeError)
    return not treedef.children()


def treedef_children(treedef: PyTreeDef) -> list[PyTreeDef]:
    """The structures of the root's children.

    >>> treedef_children(tree_structure([1, (2, 3)]))
    [PyTreeDef(*), PyTreeDef((*, *))]
    """
    check_treedef("treedef_children", "treedef", treedef, AttributeError)
    return treedef.children()


def treedef_tuple(treedefs: Iterable[PyTreeDef]) -> PyTreeDef:
    """The structure of a tuple of trees with these structures.

    >>> treedef_tuple([tree_structure(1), tree_structure([2])])
    PyTreeDef((*, [*]))
    """
    children = tuple(treedefs)
    for child in children:
        check_treedef("treedef_tuple", "each of treedefs", child, AttributeError)
    return with_children(tuple, None, children)


# Functions over trees


def all_leaves(iterable: Iterable[Any], is_leaf: IsLeaf = None) -> bool:
    """Whether each element of `iterable` is a leaf.

    >>> all_leaves([1, 2]), all_leaves([1, (2,)])
    (True, False)
    """
    elements = list(iterable)
    leaves = tree_leaves(elements, is_leaf)
    return len(leaves) == len(elements) and all(map(operator.is_, leaves, elements))


def tree_flatten_with_path(
    tree: Any, is_leaf: IsLeaf = None, is_leaf_takes_path: bool = False
) -> tuple[list[tuple[KeyPath, Any]], PyTreeDef]:
    """Like `tree_flatten`, with pairs of a key path and a leaf.

    With `is_leaf_takes_path=True` the predicate is called as `is_leaf(path, node)`.

    >>> tree_flatten_with_path({"w": [1.0]})
    ([((DictKey(key='w'), SequenceKey(idx=0)), 1.0)], PyTreeDef({'w': [*]}))
    """
    pairs: list[tuple[KeyPath, Any]] = []
    predicate: IsLeaf = is_leaf
    if is_leaf is not None and not is_leaf_takes_path:
        of_node = is_leaf

        def predicate(path: KeyPath, node: Any) -> bool:
            return of_node(node)

    return pairs, flatten_with_path(tree, (), pairs, predicate)


def tree_leaves_with_path(
    tree: Any, is_leaf: IsLeaf = None, is_leaf_takes_path: bool = False
) -> list[tuple[KeyPath, Any]]:
    """Pairs of a key path and a leaf, in order.

    >>> [(keystr(path), leaf) for path, leaf in tree_leaves_with_path({"w": [1.0, 2.0]})]
    [("['w'][0]", 1.0), ("['w'][1]", 2.0)]
    """
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: IsLeaf = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """Like `tree_map`, with `f(path, leaf, *others)`.

    >>> tree_map_with_path(lambda path, x: keystr(path) + f"={x}", {"w": [1.0]})
    {'w': ["['w'][0]=1.0"]}
    """
    pairs, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = match_rest("tree_map_with_path", treedef, rest)
    return treedef.unflatten([f(*pair, *xs) for pair, *xs in zip(pairs, *others, strict=True)])


def tree_reduce(
    function: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = _UNSPECIFIED,
    is_leaf: IsLeaf = None,
) -> Any:
    """The leaves combined by `function`, from the left.

    A tree without leaves gives `initializer`, or raises TypeError where there is none.

    >>> tree_reduce(lambda total, x: total + x, [1, (2, 3)])
    6
    """
    leaves = tree_leaves(tree, is_leaf)
    if initializer is not _UNSPECIFIED:
        return functools.reduce(function, leaves, initializer)
    if not leaves:
        raise TypeError("tree_reduce got a tree without leaves. Pass an initializer to return.")
    return functools.reduce(function, leaves)


def tree_reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Any,
    *,
    identity: Any = _UNSPECIFIED,
    is_leaf: IsLeaf = None,
) -> Any:
    """The leaves combined by `operation`, in halves and their halves, which is to be associative.

    A tree without leaves gives `identity`, or raises TypeError where there is none.

    >>> tree_reduce_associative(lambda a, b: f"({a}{b})", ["a", "b", "c", "d"])
    '((ab)(cd))'
    """

    def combined(leaves: list) -> Any:
        if len(leaves) == 1:
            return leaves[0]
        middle = len(leaves) // 2
        return operation(combined(leaves[:middle]), combined(leaves[middle:]))

    leaves = tree_leaves(tree, is_leaf)
    if leaves:
        return combined(leaves)
    if identity is _UNSPECIFIED:
        raise TypeError("tree_reduce_associative got a tree without leaves. Pass an identity.")
    return identity


def tree_all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Whether all leaves are true.

    >>> tree_all([True, {"a": 0}])
    False
    """
    return all(tree_leaves(tree, is_leaf))


def tree_transpose(
    outer_treedef: PyTreeDef, inner_treedef: PyTreeDef | None, pytree_to_transpose: Any
) -> Any:
    """Turn a tree of trees inside out: a list of pairs becomes a pair of lists.

    An `inner_treedef` of None is read off the first inner tree. A tree whose number of leaves
    isn't the product of the two structures' raises TypeError.

    >>> pairs = [(1, 2), (3, 4), (5, 6)]
    >>> tree_transpose(tree_structure([0, 0, 0]), tree_structure((0, 0)), pairs)
    ([1, 3, 5], [2, 4, 6])
    """
    check_treedef("tree_transpose", "outer_treedef", outer_treedef, AttributeError)
    leaves, treedef = tree_flatten(pytree_to_transpose)
    if inner_treedef is None:
        inner_trees = outer_treedef.flatten_up_to(pytree_to_transpose)
        if not inner_trees:
            raise IndexError("tree_transpose found no inner tree to read. Pass inner_treedef.")
        inner_treedef = tree_structure(inner_trees[0])
    check_treedef("tree_transpose", "inner_treedef", inner_treedef, AttributeError)
    rows, columns = outer_treedef.num_leaves, inner_treedef.num_leaves
    if len(leaves) != rows * columns:
        raise TypeError(
            f"tree_transpose got a pytree_to_transpose with {len(leaves)} leaves: {treedef}.\n"
            f"Give one with {rows} * {columns}, as {outer_treedef} of {inner_treedef} has."
        )
    transposed = [
        outer_treedef.unflatten(leaves[i::columns]) for i in range(columns if rows else 0)
    ]
    return inner_treedef.unflatten(transposed)


def tree_broadcast(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> Any:
    """A tree like `full_tree`; each leaf of `prefix_tree` stands for all leaves below its place.

    `is_leaf` speaks of `prefix_tree` alone. Raises ValueError, with the place, where
    `prefix_tree` has another node than `full_tree`.

    >>> tree_broadcast((1, 2), ([3, 4], 5))
    ([1, 1], 2)
    """
    treedef = tree_structure(full_tree)
    return treedef.unflatten(flatten_axes("prefix_tree", treedef, prefix_tree, is_leaf))


# More ways to register a class


def register_pytree_node_class(cls: type) -> type:
    """Register a class by its methods `tree_flatten()` and `tree_unflatten(aux, children)`.

    >>> @register_pytree_node_class
    ... class Scaled:
    ...     def __init__(self, x, scale):
    ...         self.x, self.scale = x, scale
    ...     def tree_flatten(self):
    ...         return (self.x,), self.scale
    ...     @classmethod
    ...     def tree_unflatten(cls, scale, children):
    ...         return cls(*children, scale)
    >>> tree_structure(Scaled(1, 10))
    PyTreeDef(CustomNode(Scaled[10], [*]))
    """
    register_pytree_node(cls, operator.methodcaller("tree_flatten"), cls.tree_unflatten)
    return cls


def register_pytree_with_keys(
    nodetype: type, flatten_with_keys: Flatten, unflatten_func: Unflatten,
    flatten_func: Flatten | None = None,
) -> None:
    """Like `register_pytree_node`, from a function that returns `(((key, child), ...), aux)`.

    >>> class Point:
    ...     def __init__(self, x):
    ...         self.x = x
    >>> register_pytree_with_keys(
    ...     Point, lambda p: (((GetAttrKey("x"), p.x),), None), lambda aux, xs: Point(*xs))
    >>> tree_leaves_with_path(Point(5))
    [((GetAttrKey(name='x'),), 5)]
    """

    def without_keys(node: Any) -> tuple:
        keyed_children, aux = flatten_with_keys(node)
        return [child for _, child in keyed_children], aux

    register_pytree_node(nodetype, flatten_func or without_keys, unflatten_func, flatten_with_keys)


def register_pytree_with_keys_class(cls: type) -> type:
    """Register a class by its methods `tree_flatten_with_keys()` and `tree_unflatten`.

    >>> @register_pytree_with_keys_class
    ... class Box:
    ...     def __init__(self, x):
    ...         self.x = x
    ...     def tree_flatten_with_keys(self):
    ...         return ((GetAttrKey("x"), self.x),), None
    ...     @classmethod
    ...     def tree_unflatten(cls, aux, children):
    ...         return cls(*children)
    >>> [(keystr(path), leaf) for path, leaf in tree_leaves_with_path(Box([1]))]
    [('.x[0]', 1)]
    """
    flatten = operator.methodcaller("tree_flatten") if hasattr(cls, "tree_flatten") else None
    flatten_with_keys = operator.methodcaller("tree_flatten_with_keys")
    register_pytree_with_keys(cls, flatten_with_keys, cls.tree_unflatten, flatten)
    return cls


def static(**kwargs: Any) -> Any:
    """A dataclass field that `register_dataclass` takes for auxiliary data, not for a child.

    >>> static(default=1).metadata["static"]
    True
    """
    metadata = {"static": True, **kwargs.pop("metadata", {})}
    return dataclasses.field(metadata=metadata, **kwargs)


def _fields_by_metadata(nodetype: type) -> tuple[list[str], list[str]]:
    """The names of a dataclass's data fields and of its static fields."""
    fields = dataclasses.fields(nodetype)
    data = [f.name for f in fields if not f.metadata.get("static", False)]
    return data, [f.name for f in fields if f.metadata.get("static", False)]


def _check_fields(
    nodetype: type, data: Sequence[str], meta: Sequence[str], drop: Sequence[str]
) -> None:
    if overlap := set(data) & set(meta):
        raise ValueError(
            f"register_dataclass of {nodetype}: {sorted(overlap)} are in both\n"
            f"data_fields and meta_fields. Put each field in one of them."
        )
    wanted = {f.name for f in dataclasses.fields(nodetype) if f.init} - set(drop)
    got = set(data) | set(meta)
    if got != wanted:
        raise ValueError(
            f"register_dataclass of {nodetype}: name in data_fields and meta_fields\n"
            f"what the constructor takes, except drop_fields; "
            f"missing: {sorted(wanted - got)}, unexpected: {sorted(got - wanted)}."
        )


def register_dataclass(
    nodetype: type,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> type:
    """Register a class by its attributes: data fields are children, meta fields static.

    Without field names, a dataclass's own metadata decides (see `static`). Trees are rebuilt by
    `nodetype(**fields)`. Names that don't fit the dataclass raise ValueError; one of the two
    lists without the other, or a class that is no dataclass without both, TypeError.

    >>> @register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     w: float
    ...     name: str = static(default="dense")
    >>> tree_structure(Layer(1.0))
    PyTreeDef(CustomNode(Layer[('dense',)], [*]))
    """
    if (data_fields is None) != (meta_fields is None):
        raise TypeError(
            f"register_dataclass got data_fields={shown(data_fields)} and "
            f"meta_fields={shown(meta_fields)}.\nGive both or neither."
        )
    is_dataclass = dataclasses.is_dataclass(nodetype)
    if data_fields is None:
        if not is_dataclass:
            raise TypeError(
                f"register_dataclass got {shown(nodetype)}, which is no dataclass.\n"
                f"Decorate it with dataclasses.dataclass, or pass data_fields and meta_fields."
            )
        data_fields, meta_fields = _fields_by_metadata(nodetype)
    if is_dataclass:
        _check_fields(nodetype, data_fields, meta_fields, drop_fields)
    register_attributes(nodetype, tuple(data_fields), tuple(meta_fields))
    return nodetype


def register_static(cls: type) -> type:
    """Register a class whose instances are nodes without children, compared with `==`.

    >>> @register_static
    ... class Mode(str):
    ...     pass
    >>> tree_structure([Mode("train"), 1])
    PyTreeDef([CustomNode(Mode[train], []), *])
    """
    register_pytree_node(cls, lambda obj: ([], obj), lambda obj, _: obj)
    return cls


# Dicts that hold more than their items: an order of their own, or what makes a missing value


def _flatten_defaultdict(d: defaultdict) -> tuple:
    try:
        keyed_children, keys = find_entry(dict).flatten_with_keys(d)
    except ValueError as error:  # of a class of its own, as in JAX
        raise TypeError(str(error)) from error
    return keyed_children, (d.default_factory, keys)


register_pytree_with_keys(
    OrderedDict,
    lambda d: (tuple((DictKey(key), x) for key, x in d.items()), tuple(d)),
    lambda keys, xs: OrderedDict(zip(keys, xs, strict=True)),
    lambda d: (d.values(), tuple(d)),
)
register_pytree_with_keys(
    defaultdict,
    _flatten_defaultdict,
    lambda aux, xs: defaultdict(aux[0], zip(aux[1], xs, strict=True)),
)
