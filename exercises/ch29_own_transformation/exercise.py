"""Exercises of chapter 29. README.md says what is asked."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import (
    Trace,
    Tracer,
    eval_trace,
    jaxpr_as_fun,
    new_trace,
    set_current_trace,
    trace_ctx,
    trace_to_jaxpr,
    typeof,
    unzip2,
)

# 29.1 What moves at random


def generator(fun, drift, noise):
    """How fast the mean of fun(x) changes while x drifts and is pushed at random.

    >>> rate = generator(lambda x: x @ x, lambda x: -x, lambda x: jnp.eye(2))
    >>> print(rate(jnp.array([1.0, 2.0])))
    -8.0
    """
    raise NotImplementedError("29.1 generator")


# 29.2 What depends on what


def dependence(fun):
    """A function of an array: which numbers of the result depend on which numbers of x.

    >>> print(dependence(lambda x: jnp.array([x[0] * x[2], x[1]]))(jnp.zeros(3)).astype(int))
    [[1 0 1]
     [0 1 0]]
    """
    raise NotImplementedError("29.2 dependence")


# 29.3 Who carries what
# The questions: python -m exercises questions ch29

answers_29_3 = [None, None, None, None, None]
