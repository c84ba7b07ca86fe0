"""Adds in place: the caller's counters are mixed too, and shapes do not broadcast."""

import numpy as np

from minijax.core.prng import PARITY, ROTATIONS


def threefry_numpy(k1, k2, x1, x2):
    shape = np.broadcast(k1, k2, x1, x2).shape
    keys = np.atleast_1d(k1, k2, k1 ^ k2 ^ PARITY)
    x1, x2 = np.atleast_1d(x1, x2)
    x1 += keys[0]
    x2 += keys[1]
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x1 = x1 + x2
            x2 = (x2 << rotation | x2 >> 32 - rotation) ^ x1
        x1 = x1 + keys[(group + 1) % 3]
        x2 = x2 + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x1.reshape(shape), x2.reshape(shape)
