"""The zeros of places that are still empty are counted as values."""

import minijax as jax
import minijax.numpy as jnp


def empty_window(like, size):
    return jax.tree.map(lambda x: jnp.zeros((size, *x.shape), x.dtype), like)


def push(state, value, valid=True):
    state = jax.tree.map(
        lambda v, x: jnp.where(valid, jnp.concatenate([v[1:], x[None]]), v), state, value
    )
    return state, jax.tree.map(lambda v: jnp.mean(v, 0), state)
