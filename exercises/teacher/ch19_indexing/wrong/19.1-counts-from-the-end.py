"""A negative index counts from the end, as Python's do."""

import math

import numpy as np


def _starts(x, indices, numbers, sizes):
    (_, _, mapped, batch, indices_batch), (*where, entries) = numbers, indices.shape
    count = math.prod(where)
    starts, inside = np.zeros((x.ndim, count), np.intp), np.ones(count, np.bool_)
    for d, axis in zip(batch, indices_batch, strict=True):
        starts[d] = np.unravel_index(np.arange(count), where)[axis]
    for d, column in zip(mapped, indices.reshape(count, entries).T, strict=True):
        last = x.shape[d] - sizes[d]
        column = np.where(column < 0, column + x.shape[d], column)
        inside &= (column >= 0) & (column <= last)
        starts[d] = np.clip(column, 0, last)
    return starts, inside
