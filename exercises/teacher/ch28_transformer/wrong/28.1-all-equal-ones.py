"""Goes by the score at the border, and so keeps all words that are equal to it."""

import minijax as jax
import minijax.numpy as jnp


def nucleus(scores, p):
    ordered = -jnp.sort(-scores, axis=-1)
    chances = jax.nn.softmax(ordered)
    before = jnp.cumsum(chances, axis=-1) - chances
    is_first = jnp.arange(scores.shape[-1]) == 0
    kept = jnp.where((before < p) | is_first, ordered, jnp.inf)
    return jnp.where(scores >= jnp.min(kept, axis=-1, keepdims=True), scores, -jnp.inf)
