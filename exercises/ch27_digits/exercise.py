"""Exercises of chapter 27. README.md says what is asked."""

import math

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import random

# 27.1 Dropout, over pytrees


def dropout(key, tree, rate):
    """The tree with some of its numbers 0, drawn by the key, and the others larger for it.

    >>> dropout(random.key(0), {"a": jnp.ones(2)}, 0.0)
    {'a': Array([1., 1.], dtype=float32)}
    """
    raise NotImplementedError("27.1 dropout")


# 27.2 Keep what is dear


def costly(least):
    """A policy: keep products of matrices whose sums have `least` terms or more.

    >>> fun = jax.checkpoint(lambda a, b: jnp.sum(jnp.sin(a @ b)), policy=costly(5))
    >>> jax.grad(fun)(jnp.zeros((2, 5)), jnp.ones((5, 1)))
    Array([[1., 1., 1., 1., 1.],
           [1., 1., 1., 1., 1.]], dtype=float32)
    """
    raise NotImplementedError("27.2 costly")
