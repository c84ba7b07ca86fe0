"""The batch dimension is taken to be 0, wherever it is."""

import numpy as np

import minijax.numpy as jnp
from minijax.core.batching import moveaxis, primitive_batchers
from minijax.core.primitives import numpy_primitive, reshape
from minijax.core.tracing import typeof


def lookup_type(table, indices):
    return table.update(shape=(*indices.shape, *table.shape[1:]))


def numpy_lookup(table, indices):
    inside = np.where(indices < len(table), indices.astype(np.int64), len(table) - 1)
    return table[np.maximum(inside, 0)]


lookup_p = numpy_primitive("lookup", lookup_type, numpy_lookup)


def lookup(table, indices):
    return lookup_p.bind(table, indices)


def lookup_batcher(args, dims):
    (table, indices), (table_dim, index_dim) = args, dims
    if table_dim is None:
        return lookup(table, indices), 0
    if index_dim is None:
        return moveaxis(lookup(moveaxis(table, 0, -1), indices), -1, 0), 0
    size, n, *row = typeof(table).shape
    starts = reshape(jnp.arange(size) * n, [size] + [1] * (typeof(indices).ndim - 1))
    inside = jnp.clip(indices.astype(int), 0, n - 1)
    return lookup(reshape(table, (size * n, *row)), inside + starts), 0


primitive_batchers[lookup_p] = lookup_batcher
