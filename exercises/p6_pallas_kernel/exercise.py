"""Project: a layer norm by hand, forward and back. README.md says what is asked."""

from functools import partial

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.experimental import pallas as pl

# p6.1 Project: a layer norm by hand, forward and back


def layer_norm(x, a, b):
    """The rows of x with mean 0 and variance 1, times a, plus b.

    >>> print(layer_norm(jnp.array([[1.0, 3.0], [5.0, 5.0]]), jnp.ones(2), jnp.zeros(2)).round(3))
    [[-1.  1.]
     [ 0.  0.]]
    """
    raise NotImplementedError("p6.1 layer_norm")
