"""For p = 0 no word is left."""

import minijax as jax
import minijax.numpy as jnp


def nucleus(scores, p):
    order = jnp.argsort(-scores, axis=-1)
    chances = jnp.take_along_axis(jax.nn.softmax(scores), order, axis=-1)
    before = jnp.cumsum(chances, axis=-1) - chances
    belongs = jnp.take_along_axis(before < p, jnp.argsort(order, axis=-1), axis=-1)
    return jnp.where(belongs, scores, -jnp.inf)
