"""Exercises of chapter 26. README.md says what is asked."""

from typing import NamedTuple

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

# 26.1 A moving mean, as a state


def empty_window(like, size):
    """The state of a moving mean of `size` values like this one, of which there are none yet."""
    raise NotImplementedError("26.1 empty_window")


def push(state, value, valid=True):
    """The state with a value more, and the mean of those that it remembers.

    >>> state, _ = push(empty_window(jnp.float32(0), 2), jnp.float32(1))
    >>> push(state, jnp.float32(4))[1]
    Array(2.5, dtype=float32)
    """
    raise NotImplementedError("26.1 push")


# 26.2 A rate that is trained itself


def train_rate(loss, params, rate, steps, rounds, meta_rate):
    """The rates of `rounds` trainings, each of which improves the next one's, and their losses.

    >>> rates, losses = train_rate(lambda p: p * p, jnp.float32(3), 0.1, 2, 50, 0.1)
    >>> f"{rates[0]:.2f} {losses[0]:.2f}, then {rates[-1]:.2f} {losses[-1]:.2f}"
    '0.10 3.69, then 0.47 0.00'
    """
    raise NotImplementedError("26.2 train_rate")
