"""Vectors whose parts depend on each other, and matrices: normal numbers, and a factorization."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.jitting import jit
from minijax.core.primitives import Shape
from minijax.core.tracing import typeof
from minijax.face.option_contexts import numpy_rank_promotion
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_integer, known_shape
from minijax.numpy import linalg
from minijax.numpy.arguments import check_arraylike, check_broadcast, refuse_keys
from minijax.numpy.einstein_sums import einsum
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.shapes.reshaping import broadcast_shapes
from minijax.random.arguments import check_shape, dtype_of_kind, one_key
from minijax.random.samplers import normal

# Normal vectors.


def _by_eigh(cov: Any) -> Any:
    values, vectors = linalg.eigh(cov)
    return vectors * lax.sqrt(values[..., None, :])


def _by_svd(cov: Any) -> Any:
    vectors, values, _ = linalg.svd(cov)
    return vectors * lax.sqrt(values[..., None, :])


# For each method, of a covariance C a matrix A with A A^T = C.
_FACTORS: dict[str, Callable] = {
    "cholesky": linalg.cholesky, "eigh": _by_eigh, "svd": _by_svd,
}  # fmt: skip


@takes_out_sharding
def multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Any = None, dtype: Any = None, method: str = "cholesky"
) -> Any:
    """Vectors of n normal numbers around `mean` (..., n), with the covariances `cov` (..., n, n).

    The result has `shape`, by default that to which the leading axes of mean and cov broadcast,
    then the axis of size n. It is mean + A z: of z, standard normal numbers of a float `dtype`,
    by default that of mean and cov, and A, for which A A^T = cov. `method` says which such A: that
    of "cholesky", the fastest, "eigh" or "svd". Where cov is no covariance, the numbers are NaN.

    ValueError for another method or dtype, for shapes that don't fit and for an array of keys;
    TypeError for what is no key, array or shape; NotImplementedError for a mean and cov of 16 bits.

    >>> from minijax.random import key
    >>> multivariate_normal(key(0), np.zeros(2), np.eye(2), (2,))
    Array([[ 1.6226422 ,  2.0252647 ],
           [-0.43359444, -0.07861735]], dtype=float32)
    """
    name = "random.multivariate_normal"
    key = one_key("multivariate_normal", key)
    check_arraylike(name, mean=mean, cov=cov)
    refuse_keys(name, mean, cov, error=ValueError)
    mean, cov = promote_dtypes_inexact(mean, cov)
    dtype = dtype_of_kind("multivariate_normal", mean.dtype if dtype is None else dtype)
    if not isinstance(method, str) or method not in _FACTORS:
        raise ValueError(
            f"{name} has no method {shown(method)}. Choose 'cholesky', 'eigh' or 'svd'."
        )
    means, covs = typeof(mean).shape, typeof(cov).shape
    if not means or covs[-2:] != (means[-1], means[-1]):
        raise ValueError(
            f"{name} got a mean of the shape {means} and a cov of the shape {covs}.\n"
            f"Give a mean (..., n) and a cov (..., n, n)."
        )
    if shape is None:
        check_broadcast(name, [means[:-1], covs[:-2]], ValueError)
        shape = broadcast_shapes(means[:-1], covs[:-2])
    else:
        shape = known_shape(name, shape)
        check_shape("multivariate_normal", shape, "mean, without its last axis,", means[:-1])
        check_shape("multivariate_normal", shape, "cov, without its last two axes,", covs[:-2])
    with numpy_rank_promotion("allow"):  # a mean for several draws is no mistake of the user's
        return _multivariate_normal(key, mean, cov, shape, dtype, method)


@partial(jit, static_argnums=(3, 4, 5))
def _multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Shape, dtype: np.dtype, method: str
) -> Any:
    factor = _FACTORS[method](cov)
    drawn = normal(key, (*shape, mean.shape[-1]), dtype)
    return mean + einsum("...ij,...j->...i", factor, drawn)


# Orthogonal matrices.


@takes_out_sharding
def orthogonal(key: Any, n: int, shape: Any = (), dtype: Any = None, m: int | None = None) -> Any:
    """Matrices (n, m) with orthonormal rows or columns, evenly spread; m is n if not given.

    Where n < m it is the rows that are orthonormal, else the columns. `shape` are the axes before
    the matrices' two. The dtype is one of floats or of complex numbers: then they are unitary.

    It is the factor Q of normal numbers Q R, with the signs for which R's diagonal is positive:
    without these, it would not be evenly spread. (Mezzadri, How to generate random matrices from
    the classical compact groups, Notices of the AMS, 2007.)

    ValueError for another dtype, for a size below 0 and for an array of keys; TypeError for sizes
    that are no integers and what is no key or shape; NotImplementedError for 16 bits.

    >>> from minijax.random import key
    >>> q = orthogonal(key(0), 3)
    >>> bool(abs(q @ q.T - np.eye(3)).max() < 1e-6)
    True
    """
    key = one_key("orthogonal", key)
    shape = known_shape("random.orthogonal", shape)
    dtype = dtype_of_kind("orthogonal", dtype, np.inexact)
    n = known_integer("random.orthogonal", "n", n)
    m = n if m is None else known_integer("random.orthogonal", "m", m)
    if n < 0 or m < 0:
        raise ValueError(
            f"random.orthogonal was asked for matrices ({n}, {m}). Give sizes from 0 on."
        )
    return _orthogonal(key, n, shape, dtype, m)


@partial(jit, static_argnums=(1, 2, 3, 4))
def _orthogonal(key: Any, n: int, shape: Shape, dtype: np.dtype, m: int) -> Any:
    q, r = linalg.qr(normal(key, (*shape, max(n, m), min(n, m)), dtype))
    q = q * lax.sign(linalg.diagonal(r))[..., None, :]
    return q.mT if n < m else q
