"""Walks through dicts as they were written, and takes None for a leaf: the naive version."""

from minijax.core.pytrees import _LEAF, PyTreeDef, entry_of, find_entry


def _flatten(trees, leaves, is_leaf):
    treedefs = []
    for tree in trees:
        if tree is None or (is_leaf and is_leaf(tree)) or not find_entry(type(tree)):
            leaves.append(tree)
            treedefs.append(_LEAF)
            continue
        before = len(leaves)
        children, aux = find_entry(type(tree)).flatten(tree)
        if isinstance(tree, dict):
            children, aux = tuple(tree.values()), tuple(tree)
        subdefs = _flatten(children, leaves, is_leaf)
        treedefs.append(PyTreeDef(type(tree), aux, subdefs, len(leaves) - before))
    return tuple(treedefs)


def _build(treedef, leaves):
    children = []
    for subdef in treedef._children:
        children.append(next(leaves) if subdef._type is None else _build(subdef, leaves))
    return entry_of(treedef._type).unflatten(treedef._aux, tuple(children))
