"""A program for each m, which has the first length that came by built in."""

import minijax.numpy as jnp
from minijax.core.jitting import jit
from minijax.core.pytrees import tree_leaves, tree_map

programs = {}


def bucketed(fun):
    def call(xs):
        lengths = {x.shape[:1] for x in map(jnp.asarray, tree_leaves(xs))}
        if len(lengths) != 1 or () in lengths:
            raise ValueError("Give arrays of one length.")
        [(n,)] = lengths
        m = 1 << (n - 1).bit_length()
        if (fun, m) not in programs:
            valid = jnp.arange(m) < n
            programs[fun, m] = jit(lambda padded: fun(padded, valid))
        return programs[fun, m](tree_map(lambda x: filled(x, m - n), xs))

    return call


def filled(x, count):
    x = jnp.asarray(x)
    return jnp.concatenate([x, jnp.zeros((count, *x.shape[1:]), x.dtype)])
