"""What is kept stays as it was, so that the mean falls."""

import minijax as jax
import minijax.numpy as jnp
from minijax import random


def dropout(key, tree, rate):
    leaves, structure = jax.tree.flatten(tree)
    keys = random.split(key, len(leaves))
    return jax.tree.unflatten(structure, [
        jnp.where(random.bernoulli(k, 1 - rate, x.shape), x, jnp.zeros((), x.dtype))
        for k, x in zip(keys, leaves, strict=True)
    ])  # fmt: skip
