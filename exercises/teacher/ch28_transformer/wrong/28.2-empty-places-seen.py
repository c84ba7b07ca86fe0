"""Places that are still empty have the score 0, and take their part of the weight."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp


def window_step(cache, q, k, v, i):
    places = cache[0].shape[0]
    keys, values = cache[0].at[i % places].set(k), cache[1].at[i % places].set(v)
    scores = jnp.einsum("hd,jhd->hj", q, keys) / np.sqrt(q.shape[-1])
    return (keys, values), jnp.einsum("hj,jhd->hd", jax.nn.softmax(scores), values)
