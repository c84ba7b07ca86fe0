"""Only the last place is written anew, so that the first words of the text stay for ever."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp


def window_step(cache, q, k, v, i):
    places = cache[0].shape[0]
    place = jnp.minimum(i, places - 1)
    keys, values = cache[0].at[place].set(k), cache[1].at[place].set(v)
    scores = jnp.einsum("hd,jhd->hj", q, keys) / np.sqrt(q.shape[-1])
    weights = jax.nn.softmax(jnp.where(jnp.arange(places) <= i, scores, -jnp.inf))
    return (keys, values), jnp.einsum("hj,jhd->hd", weights, values)
