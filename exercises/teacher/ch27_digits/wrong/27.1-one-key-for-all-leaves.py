"""All leaves are drawn with the same key: what is dropped in one is dropped in the others too."""

import minijax as jax
import minijax.numpy as jnp
from minijax import random


def dropout(key, tree, rate):
    rate = jnp.asarray(rate, jnp.float32)
    kept_part = jnp.where(rate < 1, 1 - rate, 1)

    def dropped(x):
        is_kept = random.uniform(key, x.shape) >= rate
        return jnp.where(is_kept, x, jnp.zeros((), x.dtype)) / kept_part.astype(x.dtype)

    return jax.tree.map(dropped, tree)
