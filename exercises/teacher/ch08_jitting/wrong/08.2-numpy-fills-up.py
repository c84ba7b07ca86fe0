"""NumPy fills up: right for numbers, and refused by every tracer."""

import numpy as np

from minijax.core.jitting import jit
from minijax.core.pytrees import tree_leaves, tree_map


def bucketed(fun):
    jitted = jit(fun)

    def call(xs):
        lengths = {np.shape(x)[:1] for x in tree_leaves(xs)}
        if len(lengths) != 1 or () in lengths:
            raise ValueError("Give arrays of one length.")
        [(n,)] = lengths
        m = 1 << (n - 1).bit_length()

        def filled(x):
            return np.pad(np.asarray(x), [(0, m - n)] + [(0, 0)] * (np.ndim(x) - 1))

        return jitted(tree_map(filled, xs), np.arange(m) < n)

    return call
