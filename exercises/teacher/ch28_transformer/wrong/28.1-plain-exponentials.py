"""Divides plain exponentials, which overflow for large scores."""

import minijax.numpy as jnp


def nucleus(scores, p):
    order = jnp.argsort(-scores, axis=-1)
    powers = jnp.exp(scores)
    chances = jnp.take_along_axis(powers / powers.sum(-1, keepdims=True), order, axis=-1)
    before = jnp.cumsum(chances, axis=-1) - chances
    is_first = jnp.arange(scores.shape[-1]) == 0
    belongs = jnp.take_along_axis((before < p) | is_first, jnp.argsort(order, axis=-1), axis=-1)
    return jnp.where(belongs, scores, -jnp.inf)
