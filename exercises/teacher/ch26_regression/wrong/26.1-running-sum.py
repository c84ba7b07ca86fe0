"""A sum is kept, to which the new value is added and from which the oldest is taken away."""

import minijax as jax
import minijax.numpy as jnp


def empty_window(like, size):
    values = jax.tree.map(lambda x: jnp.zeros((size, *x.shape), x.dtype), like)
    return values, jax.tree.map(jnp.zeros_like, like), jnp.int32(0)


def push(state, value, valid=True):
    values, sums, count = state
    size = len(jax.tree.leaves(values)[0])
    place = count % size
    new_sums = jax.tree.map(lambda s, v, x: s + x - v[place], sums, values, value)
    new_values = jax.tree.map(lambda v, x: v.at[place].set(x), values, value)
    keep = lambda new, old: jnp.where(valid, new, old)  # noqa: E731
    sums, values = jax.tree.map(keep, new_sums, sums), jax.tree.map(keep, new_values, values)
    count = count + jnp.where(valid, 1, 0)
    number = jnp.clip(count, 1, size)
    means = jax.tree.map(lambda s: s / number.astype(s.dtype), sums)
    return (values, sums, count), means
