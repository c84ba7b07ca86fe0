"""Pytrees: containers within containers, taken apart into leaves and put together again."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from minijax.core.errors import (
    DictKey, FlattenedIndexKey, GetAttrKey, KeyPath, SequenceKey, keystr, safe_repr,
)

Flatten = Callable[[Any], tuple[Iterable[Any], Any]]
Unflatten = Callable[[Any, tuple[Any, ...]], Any]
IsLeaf = Callable[..., bool] | None

# The registry: for each class of node, how to take one level apart and put it together


class RegistryEntry(NamedTuple):
    """How to take a node of one class apart, with and without keys, and put it together."""

    flatten: Flatten
    unflatten: Unflatten
    flatten_with_keys: Flatten


def _entry(
    flatten: Flatten, unflatten: Unflatten, key_class: type,
    names_of: Callable = lambda aux: itertools.count(),
) -> RegistryEntry:
    """An entry that makes each child's key from its name; `names_of(aux)` has the names."""

    def flatten_with_keys(node: Any) -> tuple:
        children, aux = flatten(node)
        return tuple(zip(map(key_class, names_of(aux)), children, strict=False)), aux

    return RegistryEntry(flatten, unflatten, flatten_with_keys)


def _flatten_dict(d: dict) -> tuple:
    try:
        keys = tuple(sorted(d))
    except Exception as cause:
        raise ValueError(
            f"A pytree's dict needs keys that can be sorted, got the keys {safe_repr(list(d))}. "
            "Use keys of one type, or an OrderedDict, which keeps its own order."
        ) from cause
    return tuple(map(d.__getitem__, keys)), keys


_registry: dict[type, RegistryEntry] = {
    type(None): _entry(lambda _: ((), None), lambda aux, _: None, FlattenedIndexKey),
    list: _entry(lambda xs: (xs, None), lambda aux, xs: list(xs), SequenceKey),
    tuple: _entry(lambda xs: (xs, None), lambda aux, xs: xs, SequenceKey),
    dict: _entry(_flatten_dict, lambda keys, xs: dict(zip(keys, xs, strict=True)), DictKey, tuple),
}
# All namedtuples share one entry: their class is the auxiliary data.
_namedtuple_entry = _entry(
    lambda xs: (xs, type(xs)), lambda cls, xs: cls(*xs), GetAttrKey, lambda cls: cls._fields
)


def find_entry(cls: type) -> RegistryEntry | None:
    """The entry for nodes of a class; None where its instances are leaves."""
    is_namedtuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
    return _registry.get(cls, _namedtuple_entry if is_namedtuple else None)


def entry_of(cls: Any) -> RegistryEntry:
    """The entry of a class whose instances are known to be nodes."""
    return _registry.get(cls, _namedtuple_entry)


def _checked(flatten: Flatten) -> Flatten:
    """`flatten`, refusing results that are no pair of children and auxiliary data."""

    def checked(node: Any) -> tuple[Iterable[Any], Any]:
        out = flatten(node)
        if type(out) is tuple and len(out) == 2 and hasattr(out[0], "__iter__"):
            return out
        raise ValueError(
            f"The flatten function of {type(node)} must return a tuple of the children, which can "
            f"be iterated over, and the auxiliary data, got {safe_repr(out)}. Return such."
        )

    return checked


def register_pytree_node(
    nodetype: type, flatten_func: Flatten, unflatten_func: Unflatten,
    flatten_with_keys_func: Flatten | None = None,
) -> None:
    """Make instances of `nodetype` (not of its subclasses) nodes of pytrees.

    `flatten_func(node)` returns `(children, aux)` and `unflatten_func(aux, children)` undoes it;
    `aux` is whatever is no child, and is compared with `==`. `flatten_with_keys_func` returns
    pairs of a key and a child. Raises ValueError where the class is registered already.

    >>> class Pair:
    ...     def __init__(self, x, y):
    ...         self.x, self.y = x, y
    >>> register_pytree_node(Pair, lambda p: ((p.x, p.y), None), lambda aux, xy: Pair(*xy))
    >>> tree_flatten(Pair(1, [2, 3]))
    ([1, 2, 3], PyTreeDef(CustomNode(Pair[None], [*, [*, *]])))
    """
    if not (callable(flatten_func) and callable(unflatten_func)):
        name, *got = map(safe_repr, (nodetype, flatten_func, unflatten_func))
        what = f"takes two functions for {name}, and got {' and '.join(got)}"
        raise TypeError(f"register_pytree_node {what}. Give both.")
    entry = _entry(_checked(flatten_func), unflatten_func, FlattenedIndexKey)
    if flatten_with_keys_func is not None:
        entry = entry._replace(flatten_with_keys=_checked(flatten_with_keys_func))
    if _registry.setdefault(nodetype, entry) is not entry:
        raise ValueError(f"register_pytree_node: {nodetype} is registered already. Do it once.")


# The structure: what is left of a tree when its leaves are taken out


class PyTreeDef:
    """The structure of a pytree. Two are equal when their nodes' types and auxiliary data are."""

    __slots__ = ("_type", "_aux", "_children", "num_leaves")

    def __init__(self, nodetype: type | None, aux: Any, children: tuple, num_leaves: int) -> None:
        # The type of a leaf is None; that of the node None is type(None).
        self._type, self._aux, self._children = nodetype, aux, children
        self.num_leaves = num_leaves

    num_nodes = property(lambda self: 1 + sum(map(attrgetter("num_nodes"), self._children)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PyTreeDef):
            return NotImplemented
        return self is other or (
            self._type is other._type and self._children == other._children
            and _same_data(self._type, self._aux, other._aux)
        )  # fmt: skip

    def __hash__(self) -> int:
        nodes = [child for child in self._children if child._type is not None]
        try:
            return hash((self._type, self.num_leaves, self._aux, *nodes))
        except TypeError:  # auxiliary data need not be hashable
            return hash((self._type, self.num_leaves, *nodes))

    def __repr__(self) -> str:
        return f"PyTreeDef({_format(self)})"

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this structure with these leaves. Another number of them: ValueError."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"PyTreeDef.unflatten: got {len(leaves)} leaves. Give {self.num_leaves} for {self}."
            )
        return leaves[0] if self._type is None else _build(self, iter(leaves))

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """What `tree` has at each leaf of this structure; ValueError where `tree` lacks it."""
        return _subtrees(self, tree, "PyTreeDef.flatten_up_to: the tree does not have this form")


_LEAF = PyTreeDef(None, None, (), 1)


def _same_data(nodetype: Any, aux: Any, other: Any) -> bool:
    """Whether auxiliary data are equal; ValueError, naming the class, where `==` doesn't say."""
    try:
        return bool(aux is other or aux == other)
    except Exception as error:
        raise ValueError(
            f"The auxiliary data of the pytree class {nodetype.__name__} can't be compared: "
            f"`==` of {type(aux).__name__} and {type(other).__name__} is neither True nor False. "
            f"An array is no auxiliary data: make it a child, or wrap it in a class whose `==` "
            f"gives a bool."
        ) from error


def _format(treedef: PyTreeDef) -> str:
    cls, aux = treedef._type, treedef._aux
    if cls is None or cls is type(None):
        return "*" if cls is None else "None"
    children = list(map(_format, treedef._children))
    inside = ", ".join(children)
    if cls is tuple:
        return f"({inside},)" if len(children) == 1 else f"({inside})"
    if cls is list:
        return f"[{inside}]"
    if cls is dict:
        pairs = zip(map(safe_repr, aux), children, strict=True)
        return "{" + ", ".join(f"{key}: {child}" for key, child in pairs) + "}"
    label = f"{cls.__name__}[{aux}]" if cls in _registry else f"namedtuple[{cls.__name__}]"
    return f"CustomNode({label}, [{inside}])"


def _build(treedef: PyTreeDef, leaves: Iterator[Any]) -> Any:
    """The tree of this structure, with leaves taken from the iterator."""
    children = []
    for subdef in treedef._children:
        children.append(next(leaves) if subdef._type is None else _build(subdef, leaves))
    return entry_of(treedef._type).unflatten(treedef._aux, tuple(children))


# Flatten and unflatten whole trees


def _flatten(trees: Iterable[Any], leaves: list[Any], is_leaf: IsLeaf) -> tuple[PyTreeDef, ...]:
    """Append the trees' leaves to `leaves`; return the trees' structures."""
    treedefs = []
    for tree in trees:
        cls = type(tree)
        marked = is_leaf is not None and is_marked(is_leaf(tree))
        # The test for tuples spares most leaves a call.
        entry = _registry.get(cls) or (find_entry(cls) if isinstance(tree, tuple) else None)
        if entry is None or marked:
            leaves.append(tree)
            treedefs.append(_LEAF)
            continue
        before = len(leaves)
        # Lists and tuples, the most frequent nodes, are their own children.
        children, aux = (tree, None) if cls is tuple or cls is list else entry.flatten(tree)
        subdefs = _flatten(children, leaves, is_leaf)
        treedefs.append(PyTreeDef(cls, aux, subdefs, len(leaves) - before))
    return tuple(treedefs)


def is_marked(answer: Any) -> bool:
    if answer is None or answer is False or answer is True:
        return bool(answer)
    got = safe_repr(answer)
    raise ValueError(f"is_leaf must return True, False or None, got {got}. Use bool(...).")


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], PyTreeDef]:
    """The leaves of `tree`, in order, and its structure.

    Where `is_leaf(node)` is True, the node is kept whole as a leaf.

    >>> tree_flatten({"w": 1.0, "b": [2.0, None]})
    ([2.0, 1.0], PyTreeDef({'b': [*, None], 'w': *}))
    """
    leaves: list[Any] = []
    return leaves, _flatten((tree,), leaves, is_leaf)[0]


def tree_unflatten(treedef: PyTreeDef, leaves: Iterable[Any]) -> Any:
    """The tree of this structure with these leaves. Another number of them: ValueError.

    >>> tree_unflatten(tree_structure({"w": 0, "b": [0, None]}), [2.0, 1.0])
    {'b': [2.0, None], 'w': 1.0}
    """
    return treedef.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of `tree`, in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> PyTreeDef:
    """The structure of `tree`."""
    return tree_flatten(tree, is_leaf)[1]


# Functions over trees; where two trees part, the error says the place


def tree_map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """A tree like `tree`, with `f(leaf, *others)` for each leaf; `others` come from `rest`.

    The trees in `rest` must have the nodes of `tree`; the ValueError says where one doesn't.

    >>> tree_map(lambda w, g: w - g, {"w": 3, "b": [5]}, {"w": 1, "b": [2]})
    {'b': [3], 'w': 2}
    """
    leaves, treedef = tree_flatten(tree, is_leaf)
    others = match_rest("tree_map", treedef, rest)
    return treedef.unflatten(map(f, leaves, *others))


def match_rest(caller: str, treedef: PyTreeDef, rest: tuple[Any, ...]) -> list[list[Any]]:
    return [
        _subtrees(treedef, tree, f"{caller}: tree {i} does not match tree 1")
        for i, tree in enumerate(rest, start=2)
    ]


def _subtrees(treedef: PyTreeDef, tree: Any, problem: str, parents: tuple = ()) -> list[Any]:
    """What `tree` has at each leaf of the treedef; a ValueError says where it doesn't fit."""
    if treedef._type is None:
        return [tree]
    cls = type(tree)
    children, aux = entry_of(cls).flatten(tree) if cls is treedef._type else ((), None)
    children = tuple(children)
    if found := difference(treedef, cls, aux, len(children)):
        raise ValueError(
            f"{problem} at {place_of(parents)}: {found}. "
            "Give it the same nodes; only where the first has a leaf may it have any tree."
        )
    subtrees = []
    for i, (subdef, child) in enumerate(zip(treedef._children, children, strict=True)):
        subtrees += _subtrees(subdef, child, problem, (*parents, (tree, i)))
    return subtrees


def place_of(parents: tuple) -> str:
    """The key path through the parents; with each comes the position of the child below."""
    keys = [list(entry_of(type(node)).flatten_with_keys(node)[0])[i][0] for node, i in parents]
    return keystr(tuple(keys)) or "the root"


def difference(treedef: PyTreeDef, cls: type | None, aux: Any, num_children: int) -> str:
    """How a node of this class, data and number of children differs from the root; "" if not."""
    expected = treedef._type
    if cls is not expected:
        hint = ". None is a node, and a leaf only where is_leaf says so"
        names = f"expected {_name_of(expected)}, got {_name_of(cls)}"
        return names + hint if type(None) in (cls, expected) else names
    if not _same_data(cls, treedef._aux, aux):
        name = _name_of(cls) + (" with keys" if cls is dict else " with auxiliary data")
        return f"expected {name} {safe_repr(treedef._aux)}, got {name} {safe_repr(aux)}"
    if len(treedef._children) != num_children:
        name = f"{_name_of(cls)} of length"
        return f"expected {name} {len(treedef._children)}, got {name} {num_children}"
    return ""


def _name_of(cls: type | None) -> str:
    if cls is None:
        return "a leaf"
    name = "None" if cls is type(None) else cls.__name__
    return name if find_entry(cls) else f"a leaf of type {name}"


# Key paths: leaves with their places


def flatten_with_path(tree: Any, path: KeyPath, pairs: list, is_leaf: IsLeaf = None) -> PyTreeDef:
    """Append the pairs of a key path and a leaf to `pairs`; return the tree's structure."""
    marked = is_leaf is not None and is_marked(is_leaf(path, tree))
    entry = None if marked else find_entry(type(tree))
    if entry is None:
        pairs.append((path, tree))
        return _LEAF
    before, subdefs = len(pairs), []
    keyed_children, aux = entry.flatten_with_keys(tree)
    for key, child in keyed_children:
        subdefs.append(flatten_with_path(child, (*path, key), pairs, is_leaf))
    return PyTreeDef(type(tree), aux, tuple(subdefs), len(pairs) - before)
