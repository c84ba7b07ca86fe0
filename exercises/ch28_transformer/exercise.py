"""Exercises of chapter 28. README.md says what is asked."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random

# 28.1 Only the likely words


def nucleus(scores, p):
    """The scores, with -inf for words outside the nucleus.

    >>> nucleus(jnp.log(jnp.array([0.1, 0.6, 0.3])), 0.7) == -jnp.inf
    Array([ True, False, False], dtype=bool)
    """
    raise NotImplementedError("28.1 nucleus")


# 28.2 A cache that forgets


def window_step(cache, q, k, v, i):
    """The cache with one word more, and what the word gets from the last w words.

    >>> cache = jnp.zeros((2, 1, 1)), jnp.zeros((2, 1, 1))
    >>> one = jnp.ones((1, 1))
    >>> for i in range(3):
    ...     cache, result = window_step(cache, one, one, i * one, i)
    >>> result
    Array([[1.5]], dtype=float32)
    """
    raise NotImplementedError("28.2 window_step")
