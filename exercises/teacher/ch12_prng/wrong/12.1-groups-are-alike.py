"""Adds the key after each group, and leaves out the group's number."""

import numpy as np

from minijax.core.prng import PARITY, ROTATIONS


def threefry_numpy(k1, k2, x1, x2):
    shape = np.broadcast(k1, k2, x1, x2).shape
    keys = np.atleast_1d(k1, k2, k1 ^ k2 ^ PARITY)
    x1 = np.broadcast_to(x1, shape or (1,)) + keys[0]
    x2 = np.broadcast_to(x2, shape or (1,)) + keys[1]
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x1 = x1 + x2
            x2 = (x2 << rotation | x2 >> 32 - rotation) ^ x1
        x1 = x1 + keys[(group + 1) % 3]
        x2 = x2 + keys[(group + 2) % 3]
    return x1.reshape(shape), x2.reshape(shape)
