"""The length is a static argument: right, and traced for each length all the same."""

from functools import partial

import minijax.numpy as jnp
from minijax.core.jitting import jit
from minijax.core.pytrees import tree_leaves, tree_map


def bucketed(fun):
    @partial(jit, static_argnums=1)
    def run(padded, n):
        return fun(padded, jnp.arange(len(tree_leaves(padded)[0])) < n)

    def call(xs):
        lengths = {x.shape[0] if x.shape else None for x in map(jnp.asarray, tree_leaves(xs))}
        if len(lengths) != 1 or None in lengths:
            raise ValueError("Give arrays of one length.")
        [n] = lengths
        m = 1
        while m < n:
            m *= 2
        return run(tree_map(lambda x: filled(x, m - n), xs), n)

    return call


def filled(x, count):
    x = jnp.asarray(x)
    return jnp.concatenate([x, jnp.zeros((count, *x.shape[1:]), x.dtype)])
