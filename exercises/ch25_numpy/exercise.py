"""Exercises of chapter 25. README.md says what is asked."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import minijax as jax
from minijax import lax
from minijax.core.extend import (
    bdim_at_front,
    check_kind,
    defjvp,
    defjvp2,
    numpy_primitive,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
    typeof,
)
from minijax.core.primitives import add, div
from minijax.lax.linalg.matrices import identity_like, lower_part, product
from minijax.lax.linalg.positive_definite import cholesky_p
from minijax.lax.linalg.triangular import triangular_solve
from minijax.lax.shapes.axes import full_like
from minijax.numpy.promotion import promote_args

# 25.1 What Cholesky's factor becomes


def _cholesky_jvp(primals, tangents):
    """dL = L half(L^-1 dA L^-H), where half is the lower triangle with half the diagonal: the sum
    of that and its adjoint is all of it (Murray, Differentiation of the Cholesky decomposition)."""
    raise NotImplementedError("25.1 _cholesky_jvp")


# 25.2 Three functions over lax alone


def exprel(x):
    """(exp(x) - 1) / x, and 1 at 0.

    >>> print(exprel(np.float32([0, 1])).round(3))
    [1.    1.718]
    """
    raise NotImplementedError("25.2 exprel")


def lerp(x, y, t):
    """What lies between x and y, t of the way from x.

    >>> print(lerp(1, np.float32([3, 5]), 0.5))
    [2. 3.]
    """
    raise NotImplementedError("25.2 lerp")


def windows(x, n, axis=-1):
    """All windows of n neighbours along an axis; the places in a window come last.

    >>> print(windows(np.float32([1, 2, 3, 4]), 2))
    [[1. 2.]
     [2. 3.]
     [3. 4.]]
    """
    raise NotImplementedError("25.2 windows")


# 25.3 The root of a matrix


def root(a):
    """The symmetric root of a symmetric matrix with positive eigenvalues.

    >>> print(root(np.float32([[4, 0], [0, 9]])))
    [[2. 0.]
     [0. 3.]]
    """
    raise NotImplementedError("25.3 root")


def lyapunov(s, c):
    """The X with s X + X s = c, for a symmetric s with positive eigenvalues.

    >>> print(lyapunov(np.float32([[1, 0], [0, 3]]), np.float32([[2, 4], [4, 6]])))
    [[1. 1.]
     [1. 1.]]
    """
    raise NotImplementedError("25.3 lyapunov")


# 25.4 What a call of the library comes to
# The questions: python -m exercises questions ch25

answers_25_4 = [None, None, None, None, None]
