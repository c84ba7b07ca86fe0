"""How large vectors and matrices are, and what follows of it: conditions and ranks."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype, shown
from minijax.lax.shapes.sizes import max_dim
from minijax.numpy.arguments import Axis, canonical_axes, check_arraylike, library_jit, refuse_keys
from minijax.numpy.creation import asarray
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.linalg.decompositions import svd
from minijax.numpy.linalg.equations import inv
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.extremes import max as max_of
from minijax.numpy.reductions.extremes import min as min_of
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.reshaping import expand_dims, moveaxis

INF = float("inf")


@library_jit(static_argnames=("ord", "axis", "keepdims"))
def norm(
    x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False
) -> Any:  # fmt: skip
    """The norm of vectors along one axis, or of matrices along two; of all numbers, without both.

    `ord` is for vectors any number p, (sum |x|**p)**(1/p), by default 2; inf and -inf are the
    largest and the smallest, and 0 counts what is not zero. For matrices it is "fro", by default,
    the root of the sum of squares; "nuc", 2 or -2, the sum, the largest and the smallest of the
    singular values; 1 or -1, the largest and the smallest sum of a column, inf or -inf of a row.
    ValueError for another `ord`, or other numbers of axes.

    >>> norm(np.array([3.0, -4.0])), norm(np.array([3.0, -4.0]), 1)
    (Array(5., dtype=float32), Array(7., dtype=float32))
    """
    name = "jnp.linalg.norm"
    refuse_keys(name, x)
    (x,) = promote_dtypes_inexact(x)
    if axis is None and ord is None:
        return _euclidean(x, tuple(range(x.ndim)), keepdims)
    axes = canonical_axes(name, axis, x.ndim)
    if len(axes) == 1:
        return _of_vectors(name, x, ord, axes, keepdims)
    if len(axes) == 2:
        return _of_matrices(name, x, ord, axes, keepdims)
    raise ValueError(f"{name} goes along one axis or two, and got {axes} of {x.aval}. Name them.")


def _euclidean(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    is_complex = issubdtype(x.dtype, np.complexfloating)
    squares = lax.real(x * lax.conj(x)) if is_complex else x * x
    return lax.sqrt(sum_of(squares, axes, keepdims=keepdims))


def _of_vectors(fun_name: str, x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if ord is None or ord == 2:
        return _euclidean(x, axes, keepdims)
    if isinstance(ord, str):
        way_out = "Give a number: jnp.inf." if ord == "inf" else "Give a number, or two axes."
        raise ValueError(f"{fun_name} of vectors knows no order {shown(ord)}. {way_out}")
    if ord == 0:
        return sum_of(cast(x != 0, real_dtype(x.dtype)), axes, keepdims=keepdims)
    sizes = lax.abs(x)
    if ord == INF:
        return max_of(sizes, axes, keepdims=keepdims, initial=0)
    if ord == -INF:
        return min_of(sizes, axes, keepdims=keepdims)
    if ord == 1:
        return sum_of(sizes, axes, keepdims=keepdims)
    ord = constant(sizes, ord)
    return sum_of(sizes**ord, axes, keepdims=keepdims) ** (1 / ord)


def _of_matrices(fun_name: str, x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    rows, columns = axes
    if ord in (None, "fro"):
        return _euclidean(x, axes, keepdims)
    if ord in (1, -1, INF, -INF):
        within, along = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = sum_of(lax.abs(x), within, keepdims=keepdims)
        along -= 0 if keepdims or along < within else 1
        if ord > 0:
            return max_of(sums, along, keepdims=keepdims, initial=0)
        return min_of(sums, along, keepdims=keepdims)
    if ord not in ("nuc", 2, -2):
        raise ValueError(
            f"{fun_name} of matrices knows no order {shown(ord)}. Give 'fro', 'nuc', 1, -1, 2, -2, "
            f"jnp.inf or -jnp.inf."
        )
    s = svd(moveaxis(x, axes, (-2, -1)), compute_uv=False)
    out = sum_of(s, -1) if ord == "nuc" else max_of(s, -1, initial=0) if ord == 2 else min_of(s, -1)
    return expand_dims(out, axes) if keepdims else out


def vector_norm(
    x: Any, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2
) -> Any:  # fmt: skip
    """The norm of vectors along `axis`, of all numbers by default; see `norm`.

    Several axes are one long one. ValueError for an `ord` that is no number.

    >>> vector_norm(np.array([[3.0], [-4.0]]))
    Array(5., dtype=float32)
    """
    name = "jnp.linalg.vector_norm"
    check_arraylike(name, x)
    refuse_keys(name, x)
    (x,) = promote_dtypes_inexact(x)
    axes = canonical_axes(name, axis, typeof(x).ndim)
    return _of_vectors(name, asarray(x), ord, axes, keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norm of matrices (..., m, n); see `norm`. ValueError where x is no matrix.

    >>> matrix_norm(np.array([[3.0, 0.0], [0.0, -4.0]]), ord="nuc")
    Array(7., dtype=float32)
    """
    return norm(x, ord, axis=(-2, -1), keepdims=keepdims)


@library_jit(static_argnames=("p",))
def cond(x: Any, p: Any = None) -> Any:
    """By how much errors of b can grow in the solution of x y = b: norm(x) * norm(inv(x)).

    `p` is the order of the norm, by default 2: the largest singular value over the smallest. Where
    x is singular, infinity. ValueError for no matrix, an empty one, or for p other than 2 and -2
    one that is not square.

    >>> cond(np.array([[4.0, 0.0], [0.0, 2.0]]))
    Array(2., dtype=float32)
    """
    name = "jnp.linalg.cond"
    shape = typeof(x).shape
    if len(shape) < 2 or 0 in shape:
        raise ValueError(f"{name} got {typeof(x)}. Give matrices, with rows and columns.")
    if p not in (None, 2, -2) and shape[-1] != shape[-2]:
        raise ValueError(
            f"{name} with p {shown(p)} is of square matrices, and got {typeof(x)}. Give p=2."
        )
    (x,) = promote_dtypes_inexact(x)
    if p in (None, 2, -2):
        s = svd(x, compute_uv=False)
        if p != -2:
            return s[..., 0] / s[..., -1]
        out = s[..., -1] / s[..., 0]
    else:
        out = norm(x, p, axis=(-2, -1)) * norm(inv(x), p, axis=(-2, -1))
    return where((out != out) & ~(x != x).any((-2, -1)), INF, out)


@library_jit(static_argnames=("hermitian",))
def matrix_rank(
    M: Any, rtol: Any = None, *, hermitian: bool = False, tol: Any = None
) -> Any:  # fmt: skip
    """How many singular values are larger than `tol`, a number or one for each matrix.

    By default that is the rounding of max(m, n) numbers as large as the largest singular value.
    `rtol` is another name for it, as in JAX: it is not multiplied by anything. `hermitian` says
    that M is so. Of less than two axes, whether a number is not zero. ValueError for both names.

    >>> matrix_rank(np.array([[1.0, 2.0], [2.0, 4.0]]))
    Array(1, dtype=int32)
    """
    if rtol is not None and tol is not None:
        raise ValueError("jnp.linalg.matrix_rank got both rtol and tol. Leave rtol out.")
    (M,) = promote_dtypes_inexact(M)
    if M.ndim < 2:
        return sum_of((M != 0).any())
    s = svd(M, full_matrices=False, compute_uv=False, hermitian=hermitian)
    least = rtol if tol is None else tol
    if least is None:
        rounding = float(ml_dtypes.finfo(s.dtype).eps)
        least = max_of(s, -1) * constant(s, max_dim(*M.shape[-2:])) * constant(s, rounding)
    return sum_of(s > expand_dims(asarray(least), -1), -1)
