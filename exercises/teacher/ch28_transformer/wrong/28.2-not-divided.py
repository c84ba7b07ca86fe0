"""The scores are not divided by the square root of the size."""


import minijax as jax
import minijax.numpy as jnp


def window_step(cache, q, k, v, i):
    places = cache[0].shape[0]
    keys, values = cache[0].at[i % places].set(k), cache[1].at[i % places].set(v)
    scores = jnp.einsum("hd,jhd->hj", q, keys)
    weights = jax.nn.softmax(jnp.where(jnp.arange(places) <= i, scores, -jnp.inf))
    return (keys, values), jnp.einsum("hj,jhd->hd", weights, values)
