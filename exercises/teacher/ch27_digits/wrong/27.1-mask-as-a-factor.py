"""The mask is a factor: an infinity times 0 is NaN, and so is all, for a rate of 1."""

import minijax as jax
from minijax import random


def dropout(key, tree, rate):
    leaves, structure = jax.tree.flatten(tree)
    keys = random.split(key, len(leaves))
    return jax.tree.unflatten(structure, [
        x * (random.bernoulli(k, 1 - rate, x.shape) / (1 - rate)).astype(x.dtype)
        for k, x in zip(keys, leaves, strict=True)
    ])  # fmt: skip
