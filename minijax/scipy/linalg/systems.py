"""Equations with matrices: triangular, factored, or with a matrix on either side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax import numpy as jnp
from minijax.core.dtypes import issubdtype
from minijax.core.errors import warn
from minijax.core.tracing import typeof
from minijax.lax import linalg as lax_linalg
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.linalg import gaussian
from minijax.lax.linalg.matrices import adjoint, columns_of, diagonal_of, identity_like, product
from minijax.numpy import linalg as np_linalg
from minijax.numpy.arguments import check_arraylike, library_jit
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.scipy.linalg.eigenvalues import as_complex, schur
from minijax.scipy.linalg.factors import cho_factor


def _solved(name: str, solve: Callable, a: Any, b: Any) -> Any:
    """`solve(a, b)` of stacks of matrices of one shape; `b` may be vectors. ValueError where shapes
    do not fit."""
    name = f"scipy.linalg.{name}"
    n = typeof(a).shape[-1] if typeof(a).ndim > 1 else None
    is_stack = typeof(a).ndim > 2 and typeof(b).ndim == typeof(a).ndim - 1
    is_vector = typeof(b).ndim == 1 or is_stack
    if is_stack and typeof(b).ndim > 1:
        warn(
            f"{name} takes {typeof(b)} for vectors, and will take it for matrices. Give b[..., "
            f"None].",
            FutureWarning,
        )
    columns = columns_of(b) if is_vector else b
    if n is None or typeof(a).shape[-2] != n or typeof(columns).shape[-2:-1] != (n,):
        raise ValueError(
            f"{name} got {typeof(a)} and b {typeof(b)}. Give square matrices (..., n, n), and "
            f"vectors or matrices with n rows."
        )
    shapes = [typeof(x).shape for x in (a, columns)]
    stack = np.broadcast_shapes(*(shape[:-2] for shape in shapes))
    pair = (
        jnp.broadcast_to(x, (*stack, *shape[-2:]))
        for x, shape in zip((a, columns), shapes, strict=True)
    )
    x = solve(*pair)
    return lax.squeeze(x, [typeof(x).ndim - 1]) if is_vector else x


@library_jit(static_argnames=(
    "trans", "lower", "unit_diagonal", "overwrite_b", "debug", "check_finite",
))
def solve_triangular(
    a: Any, b: Any, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False,
    overwrite_b: bool = False, debug: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The x of a x = b, where the upper triangle of `a` is read, or the `lower` one.

    With `trans` 1 or "T" the transpose of `a` stands for it, with 2 or "C" the adjoint; with
    `unit_diagonal`, ones stand for its diagonal. `b` is a vector (n,), or matrices (..., n, m).
    ValueError for another `trans`, or shapes that do not fit.

    >>> solve_triangular(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([5.0, 4.0]))
    Array([2., 1.], dtype=float32)
    """
    ways = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
    if trans not in ways:
        raise ValueError(
            f"scipy.linalg.solve_triangular has no trans {shown(trans)}. Give 0, 1, 2, 'N', 'T' or "
            f"'C'."
        )
    a, b = promote_dtypes_inexact(a, b)
    solve = partial(
        lax_linalg.triangular_solve, left_side=True, lower=lower, unit_diagonal=unit_diagonal,
        transpose_a=ways[trans] > 0, conjugate_a=ways[trans] == 2,
    )  # fmt: skip
    return _solved("solve_triangular", solve, a, b)


def cho_solve(
    c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """The x of a x = b, from what `cho_factor(a)` returns.

    >>> cho_solve((np.array([[2.0]]), True), np.array([8.0]))
    Array([2.], dtype=float32)
    """
    factor, lower = c_and_lower
    check_arraylike("scipy.linalg.cho_solve", factor, b)
    return _cho_solve(factor, b, lower=bool(lower))


@library_jit(static_argnames=("lower",))
def _cho_solve(factor: Any, b: Any, lower: bool) -> Any:
    factor, b = promote_dtypes_inexact(factor, b)
    return _solved("cho_solve", partial(_by_factor, lower), factor, b)


def _by_factor(lower: bool, factor: Any, b: Any) -> Any:
    """Twice, for the factor and its adjoint, the lower one of them first."""
    for is_adjoint in (not lower, lower):
        b = lax_linalg.triangular_solve(
            factor, b, left_side=True, lower=lower, transpose_a=is_adjoint, conjugate_a=is_adjoint
        )
    return b


def lu_solve(
    lu_and_piv: tuple[Any, Any], b: Any, trans: int = 0, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The x of a x = b, from what `lu_factor(a)` returns.

    With `trans` 1 the transpose of `a` stands for it, with 2 the adjoint. ValueError for another
    one, or shapes that do not fit.

    >>> lu_solve((np.array([[2.0]]), np.array([0], np.int32)), np.array([8.0]))
    Array([4.], dtype=float32)
    """
    factors, pivots = lu_and_piv
    check_arraylike("scipy.linalg.lu_solve", factors, pivots, b)
    if trans not in (0, 1, 2):
        raise ValueError(f"scipy.linalg.lu_solve has no trans {shown(trans)}. Give 0, 1 or 2.")
    return _lu_solve(factors, pivots, b, trans=trans)


@library_jit(static_argnames=("trans",))
def _lu_solve(factors: Any, pivots: Any, b: Any, trans: int) -> Any:
    factors, b = promote_dtypes_inexact(factors, b)
    order = lax_linalg.lu_pivots_to_permutation(pivots, typeof(factors).shape[-1])

    def solve(factors: Any, b: Any) -> Any:
        shape = typeof(factors).shape[:-1]
        return gaussian.lu_solve(factors, jnp.broadcast_to(order, shape), b, trans)

    return _solved("lu_solve", solve, factors, b)


@library_jit(static_argnames=(
    "lower", "overwrite_a", "overwrite_b", "debug", "check_finite", "assume_a",
))
def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    debug: bool = False, check_finite: bool = True, assume_a: str = "gen",
) -> Any:  # fmt: skip
    """The x of a x = b, for square matrices `a` (..., n, n); see `jnp.linalg.solve`.

    With `assume_a` "pos" it is positive definite, and its upper triangle is read, or the `lower`
    one; "gen", "sym" and "her" all mean any matrix. ValueError for another one.

    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0]), assume_a="pos")
    Array([1. , 0.5], dtype=float32)
    """
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ValueError(
            f"scipy.linalg.solve has no assume_a {shown(assume_a)}. Give 'gen', 'sym', 'her' or "
            f"'pos'."
        )
    if assume_a != "pos":
        return np_linalg.solve(a, b)
    a, b = promote_dtypes_inexact(a, b)

    def solve_definite(a: Any, b: Any) -> Any:
        factor, _ = cho_factor(lax.stop_gradient(a), lower=lower)
        by_factor = partial(_by_factor, lower, factor)
        return lax.custom_linear_solve(
            partial(product, a), b, lambda _, b: by_factor(b), symmetric=True
        )

    return _solved("solve", solve_definite, a, b)


@library_jit(static_argnames=("overwrite_a", "check_finite"))
def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The inverses of square matrices; see `jnp.linalg.inv`."""
    return np_linalg.inv(a)


@library_jit(static_argnames=("overwrite_a", "check_finite"))
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The determinants of square matrices; see `jnp.linalg.det`."""
    return np_linalg.det(a)


@library_jit(static_argnames=("method", "tol"))
def solve_sylvester(
    A: Any, B: Any, C: Any, *, method: str = "schur", tol: float = 1e-8
) -> Any:  # fmt: skip
    """The X of A X + X B = C, for A (m, m), B (n, n) and C (m, n).

    By Schur forms, or by eigenvectors with the method "eigen". NaN where an eigenvalue of A and one
    of B have a sum below `tol`: there is no X, or many. ValueError for another method, or shapes
    that do not fit.

    >>> solve_sylvester(np.array([[1.0]]), np.array([[3.0]]), np.array([[8.0]]))
    Array([[2.]], dtype=float32)
    """
    name = "scipy.linalg.solve_sylvester"
    A, B, C = promote_dtypes_inexact(A, B, C)
    m, n = A.shape[-1:], B.shape[-1:]
    if A.shape != m * 2 or B.shape != n * 2 or C.shape != m + n:
        raise ValueError(
            f"{name} got {A.aval}, {B.aval} and C {C.aval}. Give the shapes (m, m), (n, n), (m, n)."
        )
    if method not in ("schur", "eigen"):
        raise ValueError(f"{name} has no method {shown(method)}. Give 'schur' or 'eigen'.")
    is_complex = issubdtype(A.dtype, np.complexfloating)
    sums, X = (_by_schur if method == "schur" else _by_eigenvectors)(*map(as_complex, (A, B, C)))
    X = X if is_complex else lax.real(X)
    return jnp.where((lax.abs(sums) < tol).any(), np.nan, X)


def _by_schur(A: Any, B: Any, C: Any) -> tuple[Any, Any]:
    """With triangular forms, each column of the unknown follows from those before it (Bartels and
    Stewart, Solution of the matrix equation AX + XB = C)."""
    R, U = schur(A, output="complex")
    S, V = schur(B, output="complex")
    F = product(product(adjoint(U), C), V)

    def column(k: Any, Y: Any) -> Any:
        rhs = F[:, k] - Y @ S[:, k]
        shifted = R + identity_like(R) * S[k, k]
        return Y.at[:, k].set(lax_linalg.triangular_solve(shifted, rhs, left_side=True))

    Y = lax.fori_loop(0, B.shape[0], column, jnp.zeros_like(F))
    sums = diagonal_of(R)[:, None] + diagonal_of(S)
    return sums, product(product(U, Y), adjoint(V))


def _by_eigenvectors(A: Any, B: Any, C: Any) -> tuple[Any, Any]:
    (a, U), (b, V) = (np_linalg.eig(x) for x in (A, B))
    sums = a[:, None] + b
    Y = np_linalg.solve(U, product(C, V)) / sums
    return sums, product(product(U, Y), np_linalg.inv(V))
