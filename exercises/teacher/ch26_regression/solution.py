"""The teacher's solutions of chapter 26."""

from typing import Any, NamedTuple

import minijax as jax
import minijax.numpy as jnp
from minijax import lax


class Window(NamedTuple):
    values: Any  # the last ones, along an axis in front; 0 where there is none yet
    count: Any


def empty_window(like, size):
    """The state of a moving mean of `size` values like this one, of which there are none yet."""
    return Window(jax.tree.map(lambda x: jnp.zeros((size, *x.shape), x.dtype), like), jnp.int32(0))


def push(state, value, valid=True):
    """The state with a value more, and the mean of those that it remembers."""
    size = len(jax.tree.leaves(state.values)[0])
    place = state.count % size
    values = jax.tree.map(
        lambda kept, x: jnp.where(valid, kept.at[place].set(x), kept), state.values, value
    )
    count = state.count + jnp.where(valid, 1, 0)
    number = jnp.clip(count, 1, size)
    mean = jax.tree.map(lambda kept: jnp.sum(kept, 0) / number.astype(kept.dtype), values)
    return Window(values, count), mean


def train_rate(loss, params, rate, steps, rounds, meta_rate):
    """The rates of `rounds` trainings, each of which improves the next one's, and their losses."""

    def trained(log_rate):
        def step(p, _):
            grads = jax.grad(loss)(p)
            return jax.tree.map(lambda x, g: x - jnp.exp(log_rate) * g, p, grads), None

        return loss(lax.scan(step, params, None, length=steps)[0])

    def improve(log_rate, _):
        value, slope = jax.value_and_grad(trained)(log_rate)
        return log_rate - meta_rate * slope, (jnp.exp(log_rate), value)

    return lax.scan(improve, jnp.log(rate), None, length=rounds)[1]
