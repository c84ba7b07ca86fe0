"""The batching rule thinks that both operands are mapped."""


from functools import partial

import numpy as np

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
        return fun(*(bdim_at_front(x, d or 0, size) for x, d in zip(args, dims, strict=True))), 0

    return batched


primitive_batchers[root_p] = batcher(root)
primitive_batchers[lyapunov_p] = batcher(lyapunov)
