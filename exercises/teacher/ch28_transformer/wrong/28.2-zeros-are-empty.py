"""A place counts as empty if its key is 0."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp


def window_step(cache, q, k, v, i):
    places = cache[0].shape[0]
    keys, values = cache[0].at[i % places].set(k), cache[1].at[i % places].set(v)
    scores = jnp.einsum("hd,jhd->hj", q, keys) / np.sqrt(q.shape[-1])
    is_there = jnp.any(keys != 0, axis=(1, 2))
    weights = jax.nn.softmax(jnp.where(is_there, scores, -jnp.inf))
    return (keys, values), jnp.einsum("hj,jhd->hd", weights, values)
