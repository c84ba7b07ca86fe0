"""Diagonals of matrices, and what lies on one side of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer, known_axis, known_integer
from minijax.numpy.arguments import (
    check_arraylike,
    library_jit,
    refuse_keys,
    refuse_out,
    user_dtype,
)
from minijax.numpy.creation import arange, eye, zeros, zeros_like
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.reshaping import moveaxis, ravel

# Triangles.


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """N rows of M (N when not given): ones on and below the k-th diagonal, zeros above.

    >>> tri(2, 3)
    Array([[1., 0., 0.],
           [1., 1., 0.]], dtype=float32)
    """
    dtype = np.dtype(np.float32) if dtype is None else user_dtype("jnp.tri", dtype)
    N = known_integer("jnp.tri", "N", N)
    M = N if M is None else known_integer("jnp.tri", "M", M)
    check_arraylike("jnp.tri", k)
    if not issubdtype(typeof(k).dtype, np.integer):
        raise TypeError(f"jnp.tri takes an integer as k, and got {shown(k)}. Give an int.")
    return cast(_below(N, M, k), dtype)


def _below(rows: int, columns: int, k: Any) -> Any:
    """Which places of a matrix lie on the k-th diagonal or below."""
    integers = np.dtype(np.int32)
    row = lax.add(lax.broadcasted_iota(integers, (rows, columns), 0), cast(k, integers))
    return lax.ge(row, lax.broadcasted_iota(integers, (rows, columns), 1))


@library_jit(static_argnames=("k",))
def tril(m: Any, k: int = 0) -> Any:
    """The matrix with zeros above the k-th diagonal; of a stack of matrices, each of them.

    >>> tril(np.ones((2, 3)))
    Array([[1., 0., 0.],
           [1., 1., 0.]], dtype=float32)
    """
    return lax.select(_stacked("jnp.tril", m, k), m, zeros_like(m))


@library_jit(static_argnames=("k",))
def triu(m: Any, k: int = 0) -> Any:
    """The matrix with zeros below the k-th diagonal; of a stack of matrices, each of them."""
    return lax.select(_stacked("jnp.triu", m, k, above=True), zeros_like(m), m)


def _stacked(fun_name: str, m: Any, k: int, above: bool = False) -> Any:
    """Which places of each matrix lie on the diagonal or below; with `above`, below it."""
    if typeof(m).ndim < 2:
        raise ValueError(f"{fun_name} takes matrices, and got {typeof(m)}. Give two axes or more.")
    *batch, rows, columns = typeof(m).shape
    k = as_integer(fun_name, "k", k)
    return lax.broadcast(_below(rows, columns, k - 1 if above else k), batch)


# Diagonals.


def diag(v: Any, k: int = 0) -> Any:
    """The k-th diagonal of a matrix; of a row, the matrix that has it there, and zeros.

    >>> diag(np.array([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int32)
    """
    check_arraylike("jnp.diag", v)
    if typeof(v).ndim not in (1, 2):
        raise ValueError(f"jnp.diag takes a row or a matrix, and got {typeof(v)}. Give one.")
    return _diag(v, k=as_integer("jnp.diag", "k", k))


@library_jit(static_argnames=("k",))
def _diag(v: Any, k: int) -> Any:
    if v.ndim == 2:
        return diagonal(v, offset=k)
    zero = cast(0, v.dtype, v.weak_type)
    n = v.size + abs(k)
    padded = lax.pad(v, zero, [(max(0, -k), max(0, k), 0)])
    return where(eye(n, k=k, dtype=bool), lax.expand_dims(padded, [1]), zero)


@library_jit(static_argnames=("offset", "axis1", "axis2"))
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements whose indices along two axes differ by `offset`, along a last axis.

    >>> diagonal(np.array([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int32)
    """
    ndim = a.ndim
    if ndim < 2:
        raise ValueError(f"jnp.diagonal takes matrices, and got {typeof(a)}. Give two axes.")
    offset = as_integer("jnp.diagonal", "offset", offset)
    first, second = (known_axis("jnp.diagonal", axis, ndim) for axis in (axis1, axis2))
    if first == second:
        raise TypeError(f"jnp.diagonal got one axis twice: {axis1}, {axis2}. Name two.")
    rows, columns = a.shape[first], a.shape[second]
    a = moveaxis(a, (first, second), (-2, -1))
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    near, far = arange(count), arange(abs(offset), abs(offset) + count)
    return a[..., near, far] if offset >= 0 else a[..., far, near]


def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix with all elements of v on its k-th diagonal, and zeros.

    >>> diagflat(np.array([1, 2]), 1)
    Array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)
    """
    check_arraylike("jnp.diagflat", v)
    refuse_keys("jnp.diagflat", v)
    row, k = ravel(v), as_integer("jnp.diagflat", "k", k)
    n = row.size + abs(k)
    out, i = zeros(n * n, row.dtype), arange(row.size)
    places = i + k + i * n if k >= 0 else i + (i - k) * n
    return lax.reshape(out.at[places].set(row), (n, n))


@library_jit(static_argnames=("axis1", "axis2", "dtype"))
def trace(
    a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None
) -> Any:
    """The sum of the elements that `diagonal` gives.

    >>> trace(np.array([[1, 2], [3, 4]]))
    Array(5, dtype=int32)
    """
    refuse_out("jnp.trace", out)
    first, second = (known_axis("jnp.trace", axis, a.ndim) for axis in (axis1, axis2))
    if first == second:
        raise ValueError(f"jnp.trace got one axis twice: {axis1}, {axis2}. Name two.")
    on_diagonal = eye(a.shape[first], a.shape[second], k=offset, dtype=bool)
    a = moveaxis(a, (first, second), (-2, -1))
    return sum_of(where(on_diagonal, a, zeros_like(a)), axis=(-2, -1), dtype=dtype)
