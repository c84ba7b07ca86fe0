"""The teacher's solutions of chapter 27."""

import math

import minijax as jax
import minijax.numpy as jnp
from minijax import random


def dropout(key, tree, rate):
    """The tree with some of its numbers 0, drawn by the key, and the others larger for it."""
    leaves, structure = jax.tree.flatten(tree)
    keys = random.split(key, max(1, len(leaves)))
    rate = jnp.asarray(rate, jnp.float32)
    kept_part = jnp.where(rate < 1, 1 - rate, 1)

    def dropped(key, x):
        is_kept = random.uniform(key, x.shape) >= rate
        return jnp.where(is_kept, x, jnp.zeros((), x.dtype)) / kept_part.astype(x.dtype)

    pairs = zip(keys, leaves, strict=False)  # an empty tree has a key too
    return jax.tree.unflatten(structure, [dropped(*pair) for pair in pairs])


def costly(least):
    """A policy: keep products of matrices whose sums have `least` terms or more."""

    def policy(prim, *avals, **params):
        if prim.name != "dot_general":
            return False
        (contracted, _), _ = params["dimension_numbers"]
        return math.prod(avals[0].shape[d] for d in contracted) >= least

    return policy
