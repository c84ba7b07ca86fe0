"""The teacher's solutions of chapter 08."""

import numpy as np

import minijax.numpy as jnp
from minijax.core.jitting import jit
from minijax.core.pytrees import tree_leaves, tree_map
from minijax.core.tracing import typeof


def bucketed(fun):
    """fun(padded, valid), jitted, as a function of trees of arrays of any length."""
    jitted = jit(fun)

    def call(xs):
        shapes = [typeof(x).shape for x in tree_leaves(xs)]
        lengths = {shape[:1] for shape in shapes}
        if len(lengths) != 1 or () in lengths:
            raise ValueError(f"bucketed needs arrays of one length, and got the shapes {shapes}.")
        [(n,)] = lengths
        m = 1 << (n - 1).bit_length()
        return jitted(tree_map(lambda x: filled(x, m), xs), np.arange(m) < n)

    return call


def filled(x, length):
    """The array with zeros behind it, up to a length."""
    shape, dtype = typeof(x).shape, typeof(x).dtype
    return jnp.concatenate([x, jnp.zeros((length - shape[0], *shape[1:]), dtype)])
