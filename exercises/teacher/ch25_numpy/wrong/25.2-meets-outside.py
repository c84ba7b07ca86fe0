"""Operands meet outside of the jit."""

import math
from functools import partial

import numpy as np

import minijax as jax
from minijax import lax
from minijax.numpy.promotion import promote_args


def exprel(x):
    """(exp(x) - 1) / x, and 1 at 0."""
    return exprel_of_float(*promote_args("exprel", x, inexact=True))


@jax.jit
def exprel_of_float(x):
    def number(value):
        return lax.full_like(x, value)

    near = lax.lt(lax.abs(x), number(0.5))
    safe, small = lax.select(near, number(1), x), lax.select(near, x, number(0))
    series = number(0)
    for k in reversed(range(11)):
        series = lax.add(lax.mul(series, small), number(1 / math.factorial(k + 1)))
    return lax.select(near, series, lax.div(lax.expm1(safe), safe))


@jax.jit
def lerp(x, y, t):
    """What lies between x and y, t of the way from x."""
    x, y, t = promote_args("lerp", x, y, t, inexact=True)
    shape = np.broadcast_shapes(*(z.shape for z in (x, y, t)))
    x, y, t = (lax.broadcast_in_dim(z, shape, range(len(shape) - z.ndim, len(shape)))
               for z in (x, y, t))  # fmt: skip
    rest = lax.sub(lax.full_like(t, 1), t)
    return lax.add(lax.mul(rest, x), lax.mul(t, y))


@partial(jax.jit, static_argnames=("n", "axis"))
def windows(x, n, axis=-1):
    """All windows of n neighbours along an axis; the places in a window come last."""
    [x] = promote_args("windows", x)
    axis = axis % x.ndim
    if not 1 <= n <= x.shape[axis]:
        raise ValueError(f"windows got n={n}; give an integer from 1 to {x.shape[axis]}.")
    count = x.shape[axis] - n + 1
    parts = [lax.slice_in_dim(x, k, k + count, axis=axis) for k in range(n)]
    return lax.concatenate([lax.expand_dims(part, [x.ndim]) for part in parts], x.ndim)
