"""NumPy draws, with no key: other choices at each call, and the same ones under jit."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp


def dropout(key, tree, rate):
    def dropped(x):
        is_kept = np.random.default_rng().random(x.shape) >= rate
        return jnp.where(is_kept, x / max(1 - rate, 1e-6), 0.0).astype(x.dtype)

    return jax.tree.map(dropped, tree)
