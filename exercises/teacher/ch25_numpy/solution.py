"""The teacher's solutions of chapter 25."""

import math
from functools import partial

import numpy as np

import minijax as jax
from minijax import lax
from minijax.core.extend import (
    bdim_at_front,
    check_kind,
    defjvp2,
    numpy_primitive,
    primitive_batchers,
    primitive_transposes,
    typeof,
)
from minijax.lax.linalg.matrices import product
from minijax.numpy.promotion import promote_args

# 25.2


@jax.jit
def exprel(x):
    """(exp(x) - 1) / x, and 1 at 0."""
    [x] = promote_args("exprel", x, inexact=True)

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


# 25.3


def root(a):
    """The symmetric root of a symmetric matrix with positive eigenvalues."""
    return root_p.bind(a)


def lyapunov(s, c):
    """The X with s X + X s = c, for a symmetric s with positive eigenvalues."""
    return lyapunov_p.bind(s, c)


def rule(name, *operands):
    first = operands[0]
    check_kind(name, [np.floating], first.dtype)
    square = first.ndim >= 2 and first.shape[-1] == first.shape[-2]
    if not square or any((x.shape, x.dtype) != (first.shape, first.dtype) for x in operands):
        raise TypeError(f"{name} takes matrices (..., n, n) of one type; got {operands}.")
    return first


def numpy_root(a):
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.sqrt(values)[..., None, :]) @ vectors.swapaxes(-1, -2)


def numpy_lyapunov(s, c):
    values, v = np.linalg.eigh(s)
    vt = v.swapaxes(-1, -2)
    return v @ (vt @ c @ v / (values[..., :, None] + values[..., None, :])) @ vt


root_p = numpy_primitive("root", partial(rule, "root"), numpy_root)
defjvp2(root_p, lambda g, s, a: lyapunov(s, g))

lyapunov_p = numpy_primitive("lyapunov", partial(rule, "lyapunov"), numpy_lyapunov)
defjvp2(
    lyapunov_p,
    lambda g, x, s, c: lyapunov(s, lax.neg(lax.add(product(g, x), product(x, g)))),
    lambda g, x, s, c: lyapunov(s, g),
)
primitive_transposes[lyapunov_p] = lambda ct, s, c: [None, lyapunov(s, ct)]


def batcher(fun):
    def batched(args, dims):
        size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
        return fun(*(bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True))), 0

    return batched


primitive_batchers[root_p] = batcher(root)
primitive_batchers[lyapunov_p] = batcher(lyapunov)
