"""An index is inside if it is one of the axis: the size of the window is forgotten."""

import math

import numpy as np


def _starts(x, indices, numbers, sizes):
    (_, _, mapped, batch, indices_batch), (*where, entries) = numbers, indices.shape
    count = math.prod(where)
    starts, inside = np.zeros((x.ndim, count), np.intp), np.ones(count, np.bool_)
    for d, axis in zip(batch, indices_batch, strict=True):
        starts[d] = np.unravel_index(np.arange(count), where)[axis]
    for d, column in zip(mapped, indices.reshape(count, entries).T, strict=True):
        inside &= (column >= 0) & (column < x.shape[d])
        starts[d] = np.clip(column, 0, x.shape[d] - sizes[d])
    return starts, inside
