"""Factors of matrices, and eigenvalues: each is one primitive of `lax.linalg`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minijax import lax
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax import linalg as lax_linalg
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.linalg.matrices import adjoint, columns_in_order, rows_of, swapped
from minijax.lax.linalg.reflections import geqrf
from minijax.numpy.arguments import check_arraylike, library_jit
from minijax.numpy.promotion import promote_dtypes_inexact


class EigResult(NamedTuple):
    """What eig returns: complex numbers."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """What eigh returns: real eigenvalues, in order."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """What qr returns."""

    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """What svd returns: a = U diag(S) Vh."""

    U: Any
    S: Any
    Vh: Any


@library_jit(static_argnames=("upper", "symmetrize_input"))
def cholesky(a: Any, *, upper: bool = False, symmetrize_input: bool = True) -> Any:
    """The lower triangular L with L L^H = a, of positive definite matrices (..., n, n).

    With `upper`, U = L^H. By default `a` is first replaced by the mean of it and its adjoint. NaN
    where a matrix is not positive definite. TypeError where `a` is not square.

    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    (a,) = promote_dtypes_inexact(a)
    lower = lax_linalg.cholesky(a, symmetrize_input=symmetrize_input)
    return adjoint(lower) if upper else lower


def eig(a: Any) -> EigResult:
    """(eigenvalues, eigenvectors) of square matrices (..., n, n): complex numbers, in no order.

    The eigenvectors are columns of length 1. ValueError where `a` is not square. The eigenvectors
    have no derivative: `lax.linalg.eig` can give one.

    >>> eig(np.array([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    check_arraylike("jnp.linalg.eig", a)
    (a,) = promote_dtypes_inexact(a)
    return EigResult(*lax_linalg.eig(a, compute_left_eigenvectors=False))


@library_jit
def eigvals(a: Any) -> Any:
    """The eigenvalues of square matrices (..., n, n), complex numbers of shape (..., n)."""
    (a,) = promote_dtypes_inexact(a)
    without = {"compute_left_eigenvectors": False, "compute_right_eigenvectors": False}
    return lax_linalg.eig(a, **without)[0]


@library_jit(static_argnames=("UPLO", "symmetrize_input"))
def eigh(a: Any, UPLO: str | None = None, symmetrize_input: bool = True) -> EighResult:
    """(eigenvalues, eigenvectors) of symmetric or Hermitian matrices (..., n, n).

    The eigenvalues are real and go up; the eigenvectors are orthogonal columns of length 1. By
    default `a` is first replaced by the mean of it and its adjoint; without, the lower triangle is
    read, or with UPLO "U" the upper one. ValueError for another UPLO.

    >>> eigh(np.array([[2.0, 0.0], [0.0, -1.0]])).eigenvalues
    Array([-1.,  2.], dtype=float32)
    """
    if UPLO not in (None, "L", "U"):
        raise ValueError(
            f"jnp.linalg.eigh takes 'L', 'U' or None as UPLO, and got {shown(UPLO)}. Give one."
        )
    (a,) = promote_dtypes_inexact(a)
    vectors, values = lax_linalg.eigh(a, lower=UPLO != "U", symmetrize_input=symmetrize_input)
    return EighResult(values, vectors)


@library_jit(static_argnames=("UPLO", "symmetrize_input"))
def eigvalsh(a: Any, UPLO: str | None = "L", *, symmetrize_input: bool = True) -> Any:
    """The eigenvalues that `eigh` gives, without the eigenvectors."""
    return eigh(a, UPLO, symmetrize_input)[0]


@library_jit(static_argnames=("mode",))
def qr(a: Any, mode: str = "reduced") -> Any:
    """(Q, R) with a = Q R, of matrices (..., m, n): Q unitary, R upper triangular.

    Q has min(m, n) columns, or in the mode "complete" m; in the mode "r" it is R alone, and in the
    mode "raw" LAPACK's reflections, transposed, and their factors. ValueError for another mode,
    TypeError where `a` is no matrix.

    >>> qr(np.array([[3.0], [4.0]])).R
    Array([[-5.]], dtype=float32)
    """
    (a,) = promote_dtypes_inexact(a)
    if mode == "raw":
        reflections, taus = geqrf(a)
        return QRResult(swapped(reflections), taus)
    if mode not in ("reduced", "r", "full", "complete"):
        raise ValueError(
            f"jnp.linalg.qr has no mode {shown(mode)}. Give 'reduced', 'complete', 'r' or 'raw'."
        )
    q, r = lax_linalg.qr(a, full_matrices=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


@library_jit(static_argnames=("full_matrices", "compute_uv", "hermitian", "subset_by_index"))
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False,
    subset_by_index: tuple[int, int] | None = None,
) -> Any:  # fmt: skip
    """(U, S, Vh) with a = U diag(S) Vh, of matrices (..., m, n), where S goes down.

    U and Vh are unitary, (..., m, m) and (..., n, n); unless `full_matrices`, the min(m, n) columns
    and rows that belong to S. Unless `compute_uv`, S alone. `hermitian` says that `a` is Hermitian:
    then it is a matter of eigenvalues. NotImplementedError for a part of S (`subset_by_index`).

    >>> svd(np.array([[3.0, 0.0], [0.0, -4.0]]), compute_uv=False)
    Array([4., 3.], dtype=float32)
    """
    (a,) = promote_dtypes_inexact(a)
    if hermitian:
        return _svd_of_hermitian(a, compute_uv, subset_by_index)
    out = lax_linalg.svd(
        a, full_matrices=full_matrices, compute_uv=compute_uv, subset_by_index=subset_by_index
    )
    return SVDResult(*out) if compute_uv else out


def _svd_of_hermitian(a: Any, compute_uv: bool, subset_by_index: Any) -> Any:
    """Singular values are eigenvalues without their signs, which go to Vh."""
    vectors, values = lax_linalg.eigh(a, subset_by_index=subset_by_index)
    axis = typeof(values).ndim - 1
    if not compute_uv:
        return lax.rev(lax.sort(lax.abs(values), dimension=axis), [axis])
    places = lax.broadcasted_iota(np.dtype(np.int32), typeof(values).shape, axis)
    operands = [lax.abs(values), places, lax.sign(values)]
    s, order, signs = (lax.rev(x, [axis]) for x in lax.sort(operands, dimension=axis, num_keys=1))
    u = columns_in_order(vectors, order)
    return SVDResult(u, s, adjoint(lax.mul(u, rows_of(cast(signs, typeof(u).dtype)))))


def svdvals(x: Any, /) -> Any:
    """The singular values that `svd` gives, without the rest.

    >>> svdvals(np.array([[3.0, 0.0], [0.0, -4.0]]))
    Array([4., 3.], dtype=float32)
    """
    return svd(x, compute_uv=False)
