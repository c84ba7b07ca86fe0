"""Along a paired axis every window starts at 0: all examples read the first operand."""

import math

import numpy as np


def _starts(x, indices, numbers, sizes):
    *where, entries = indices.shape
    count = math.prod(where)
    starts, inside = np.zeros((x.ndim, count), np.intp), np.ones(count, np.bool_)
    for d, column in zip(numbers[2], indices.reshape(count, entries).T, strict=True):
        last = x.shape[d] - sizes[d]
        inside &= (column >= 0) & (column <= last)
        starts[d] = np.clip(column, 0, last)
    return starts, inside
