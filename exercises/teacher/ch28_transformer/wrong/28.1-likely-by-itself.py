"""Keeps the words that are likely enough themselves, compared with the likeliest."""

import minijax as jax
import minijax.numpy as jnp


def nucleus(scores, p):
    chances = jax.nn.softmax(scores)
    least = (1 - p) * jnp.max(chances, axis=-1, keepdims=True)
    return jnp.where(chances >= least, scores, -jnp.inf)
