"""Project: sparse Jacobians by colouring. README.md says what is asked."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import Literal, eval_jaxpr, jit_p

# p3.1 Project: sparse Jacobians by colouring


def sparsity(fun, n):
    """Which results may depend on which of the n arguments: bools, (m, n)."""
    raise NotImplementedError("p3.1 sparsity")


def colours(pattern):
    """A colour for each column; columns of one colour share no row."""
    raise NotImplementedError("p3.1 colours")


def compressed(fun, x, colours):
    """The sums of the Jacobian's columns of each colour: (m, number of colours)."""
    raise NotImplementedError("p3.1 compressed")


def sparse_jacobian(fun, x, pattern):
    """The Jacobian of fun at x, which is zero where the pattern is False: (m, n)."""
    raise NotImplementedError("p3.1 sparse_jacobian")
