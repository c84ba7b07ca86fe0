"""Whole numbers: signs, and how often one must try."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.jitting import jit
from minijax.core.primitives import Shape
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import user_dtype
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.shapes.reshaping import broadcast_to
from minijax.random.arguments import dtype_of_kind, one_key, parameter_shape
from minijax.random.samplers import bernoulli, uniform


@takes_out_sharding
def rademacher(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """1 or -1, each as likely as the other, of a `shape` and a dtype (int32, int64 under x64).

    ValueError for an array of keys; TypeError for what is no key, shape or dtype.

    >>> from minijax.random import key
    >>> rademacher(key(0), (4,))
    Array([-1, -1,  1,  1], dtype=int32)
    """
    key = one_key("rademacher", key)
    dtype = user_dtype("random.rademacher", int if dtype is None else dtype)
    return _rademacher(key, known_shape("random.rademacher", shape), dtype)


@partial(jit, static_argnums=(1, 2))
def _rademacher(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    ones = bernoulli(key, 0.5, shape).astype(dtype)
    return (2 * ones - 1).astype(dtype)


@takes_out_sharding
def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    """How many trials it takes until one succeeds, where each does with probability `p`.

    The result has `shape`, by default that of p, which must broadcast to it, and an integer dtype
    (int32, int64 under x64). ValueError for another dtype, for shapes that don't fit and for an
    array of keys; TypeError for what is no key or shape.

    >>> from minijax.random import key
    >>> geometric(key(0), 0.2, (4,))
    Array([1, 1, 5, 4], dtype=int32)
    """
    key = one_key("geometric", key)
    dtype = dtype_of_kind("geometric", dtype, np.integer, int)
    return _geometric(key, p, parameter_shape("geometric", shape, p=p), dtype)


@partial(jit, static_argnums=(2, 3))
def _geometric(key: Any, p: Any, shape: Shape, dtype: np.dtype) -> Any:
    [p] = promote_dtypes_inexact(p)
    u = uniform(key, shape, p.dtype)
    log_u = lax.log(where(u == 0, 1, u))
    log_failure = broadcast_to(lax.log1p(-p), shape)
    return (lax.floor(lax.div(log_u, log_failure)) + 1).astype(dtype)
