"""A new function is jitted in each call, so nothing is ever found again; floats fill up all."""

import minijax.numpy as jnp
from minijax.core.jitting import jit
from minijax.core.pytrees import tree_leaves, tree_map


def bucketed(fun):
    def call(xs):
        n = tree_leaves(xs)[0].shape[0]
        m = 1 << (n - 1).bit_length()
        padded = tree_map(lambda x: jnp.concatenate([x, jnp.zeros((m - n, *x.shape[1:]))]), xs)
        return jit(lambda *args: fun(*args))(padded, jnp.arange(m) < n)

    return call
