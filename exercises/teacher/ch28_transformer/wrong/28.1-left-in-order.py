"""What was found along the order is never brought back to the words."""

import minijax as jax
import minijax.numpy as jnp


def nucleus(scores, p):
    ordered = -jnp.sort(-scores, axis=-1)
    chances = jax.nn.softmax(ordered)
    before = jnp.cumsum(chances, axis=-1) - chances
    is_first = jnp.arange(scores.shape[-1]) == 0
    return jnp.where((before < p) | is_first, ordered, -jnp.inf)
