"""The word with which the sum reaches p is left out."""

import minijax as jax
import minijax.numpy as jnp


def nucleus(scores, p):
    order = jnp.argsort(-scores, axis=-1)
    chances = jnp.take_along_axis(jax.nn.softmax(scores), order, axis=-1)
    is_first = jnp.arange(scores.shape[-1]) == 0
    belongs = (jnp.cumsum(chances, axis=-1) < p) | is_first
    belongs = jnp.take_along_axis(belongs, jnp.argsort(order, axis=-1), axis=-1)
    return jnp.where(belongs, scores, -jnp.inf)
