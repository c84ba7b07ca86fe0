"""Unflatten makes an array of what it is given, and the places have no name in a key path."""

import operator

import numpy as np

from minijax.core.primitives import contract, mul
from minijax.core.pytrees import register_pytree_node

MATVEC = ((1,), (0,)), ((), ())  # a matrix by a vector, for `contract`


class Sparse:
    """The matrix of `shape` that has values[k] in row rows[k] and column cols[k], else zeros."""

    def __init__(self, values, rows, cols, shape):
        rows, cols, shape = (tuple(map(operator.index, part)) for part in (rows, cols, shape))
        if not len(values) == len(rows) == len(cols):
            raise ValueError(f"{len(values)} values, {len(rows)} rows and {len(cols)} columns")
        for places, size in zip((rows, cols), shape, strict=True):
            if any(not 0 <= k < size for k in places):
                raise ValueError(f"{places} are not all from 0 to {size - 1}")
        self.values, self.rows, self.cols, self.shape = values, rows, cols, shape

    def matvec(self, x):
        """The product of the matrix and a vector."""
        picked = contract(ones_at(self.cols, self.shape[1], x.dtype), x, MATVEC)
        products = mul(self.values, picked)
        return contract(ones_at(self.rows, self.shape[0], x.dtype).T, products, MATVEC)


def ones_at(places, size, dtype):
    """A matrix with a row for each place, and a 1 there."""
    return np.equal.outer(np.array(places, int), np.arange(size)).astype(dtype)


def places_of(matrix):
    return matrix.rows, matrix.cols, matrix.shape


def rebuild(places, children):
    matrix = object.__new__(Sparse)
    matrix.rows, matrix.cols, matrix.shape = places
    matrix.values = np.asarray(children[0], np.float32)
    return matrix


register_pytree_node(
    Sparse,
    lambda m: ((m.values,), places_of(m)),
    rebuild,
)
