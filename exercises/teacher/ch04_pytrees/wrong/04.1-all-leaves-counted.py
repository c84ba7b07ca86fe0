"""The number of leaves of a node is that of the whole list so far."""

from minijax.core.pytrees import _LEAF, PyTreeDef, entry_of, find_entry, is_marked


def _flatten(trees, leaves, is_leaf):
    treedefs = []
    for tree in trees:
        entry = find_entry(type(tree))
        if entry is None or (is_leaf is not None and is_marked(is_leaf(tree))):
            leaves.append(tree)
            treedefs.append(_LEAF)
            continue
        children, aux = entry.flatten(tree)
        subdefs = _flatten(children, leaves, is_leaf)
        treedefs.append(PyTreeDef(type(tree), aux, subdefs, len(leaves)))
    return tuple(treedefs)


def _build(treedef, leaves):
    children = []
    for subdef in treedef._children:
        children.append(next(leaves) if subdef._type is None else _build(subdef, leaves))
    return entry_of(treedef._type).unflatten(treedef._aux, tuple(children))
