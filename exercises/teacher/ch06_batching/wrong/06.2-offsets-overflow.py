"""The offsets have the dtype of the indices, in which many of them do not fit."""

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
        return lookup(table, indices), index_dim
    if index_dim is None:
        return lookup(moveaxis(table, table_dim, 1), indices), typeof(indices).ndim
    table, indices = moveaxis(table, table_dim, 0), moveaxis(indices, index_dim, 0)
    size, n, *row = typeof(table).shape
    starts = jnp.arange(size).astype(typeof(indices).dtype) * n
    starts = reshape(starts, [size] + [1] * (typeof(indices).ndim - 1))
    return lookup(reshape(table, (size * n, *row)), jnp.clip(indices, 0, n - 1) + starts), 0


primitive_batchers[lookup_p] = lookup_batcher
