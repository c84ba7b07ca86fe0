"""Exercises of chapter 04. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from minijax.core.primitives import contract, mul
from minijax.core.pytrees import (
    _LEAF,
    GetAttrKey,
    IsLeaf,
    PyTreeDef,
    _registry,
    entry_of,
    find_entry,
    is_marked,
    register_pytree_node,
    tree_flatten,
    tree_map,
    tree_structure,
    tree_unflatten,
)

# 04.1 Apart, and together again


def _build(treedef: PyTreeDef, leaves: Iterator[Any]) -> Any:
    """The tree of this structure, with leaves taken from the iterator."""
    raise NotImplementedError("04.1 _build")


def _flatten(trees: Iterable[Any], leaves: list[Any], is_leaf: IsLeaf) -> tuple[PyTreeDef, ...]:
    """Append the trees' leaves to `leaves`; return the trees' structures."""
    raise NotImplementedError("04.1 _flatten")


# 04.2 A sparse matrix as a node


class Sparse:
    """The matrix of `shape` that has values[k] in row rows[k] and column cols[k], else zeros.

    >>> Sparse(np.float32([5, 7]), [0, 1], [2, 0], (2, 3)).matvec(np.float32([1, 10, 100]))
    Array([500.,   7.], dtype=float32)
    """

    def __init__(self, values, rows, cols, shape):
        raise NotImplementedError("04.2 Sparse")

    def matvec(self, x):
        """The product of the matrix and a vector."""
        raise NotImplementedError("04.2 Sparse.matvec")


# 04.3 Leaves and structures
# The questions: python -m exercises questions ch04

answers_04_3 = [None, None, None, None, None, None]
