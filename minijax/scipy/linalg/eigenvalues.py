"""Eigenvalues, singular values, and the forms of a matrix that show them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax
from minijax import numpy as jnp
from minijax.core.batching import vmap
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax import linalg as lax_linalg
from minijax.lax.elementwise.arithmetic import real_dtype, shown
from minijax.lax.linalg.matrices import adjoint, identity, product, rows_of, upper_part
from minijax.numpy.arguments import check_arraylike, library_jit
from minijax.numpy.promotion import promote_dtypes_inexact

IGNORED = ("overwrite_a", "check_finite")


def as_complex(x: Any) -> Any:
    return cast(x, np.result_type(typeof(x).dtype, np.complex64))


def by_matrix(fun: Any, *xs: Any) -> Any:
    """`fun`, which takes single matrices, of each of a stack."""
    for _ in range(typeof(xs[0]).ndim - 2):
        fun = vmap(fun)
    return fun(*xs)


# Symmetric matrices, and singular values.


def eigh(
    a: Any, b: Any = None, lower: bool = True, eigvals_only: bool = False,
    overwrite_a: bool = False, overwrite_b: bool = False, turbo: bool = True, eigvals: None = None,
    type: int = 1, check_finite: bool = True,
) -> Any:  # fmt: skip
    """(eigenvalues, eigenvectors) of symmetric or Hermitian matrices; see `lax.linalg.eigh`.

    With `eigvals_only`, the eigenvalues. Equations with a second matrix `b`, of another `type`, or
    for some `eigvals` alone are a NotImplementedError, as in JAX.

    >>> eigh(np.array([[2.0, 0.0], [0.0, -1.0]]), eigvals_only=True)
    Array([-1.,  2.], dtype=float32)
    """
    for name, given in {"b": b is not None, "eigvals": eigvals is not None,
                        "type": type != 1}.items():  # fmt: skip
        if given:
            raise NotImplementedError(f"scipy.linalg.eigh takes no {name} here. Leave it out.")
    check_arraylike("scipy.linalg.eigh", a)
    return _eigh(a, lower=bool(lower), eigvals_only=bool(eigvals_only))


@library_jit(static_argnames=("lower", "eigvals_only"))
def _eigh(a: Any, lower: bool, eigvals_only: bool) -> Any:
    (a,) = promote_dtypes_inexact(a)
    vectors, values = lax_linalg.eigh(a, lower=lower)
    return values if eigvals_only else (values, vectors)


def eigh_tridiagonal(
    d: Any, e: Any, *, eigvals_only: bool = False, select: str = "a",
    select_range: tuple[float, float] | None = None, tol: float | None = None, key: Any = None,
) -> Any:  # fmt: skip
    """(eigenvalues, eigenvectors) of the matrix with `d` on its diagonal and `e` beside it.

    It is made and given to `eigh`: `tol` and `key`, by which JAX finds one eigenvalue after the
    other, change nothing. With `eigvals_only`, the eigenvalues; with `select` "i", those from one
    number to another, `select_range`, counted from 0 and both of them taken. NotImplementedError
    for `select` "v", ValueError for another one or without a range. TypeError unless `d` and `e`
    are vectors of one dtype, of floats or complex numbers, and `e` has one number less.

    >>> eigh_tridiagonal(np.array([1.0, 1.0]), np.array([2.0]), eigvals_only=True)
    Array([-1.,  3.], dtype=float32)
    """
    name = "scipy.linalg.eigh_tridiagonal"
    check_arraylike(name, d, e)
    if select not in ("a", "i", "v"):
        raise ValueError(f"{name} knows no select {shown(select)}. Give 'a' or 'i'.")
    if select == "v":
        raise NotImplementedError(f"{name} selects no eigenvalues by size. Give select='a'.")
    if select == "i" and select_range is None:
        raise ValueError(f"{name} with select='i' got no select_range. Give (first, last).")
    wide = ("float32", "float64", "complex64", "complex128")
    if typeof(d).dtype != typeof(e).dtype or typeof(d).dtype not in wide:
        raise TypeError(
            f"{name} got {typeof(d)} and {typeof(e)}. Give floats of 32 or 64 bits."
        )
    n = typeof(d).size
    if typeof(d).shape != (n,) or typeof(e).shape != (n - 1,):
        raise TypeError(f"{name} got d {typeof(d)} and e {typeof(e)}. Give vectors, e one shorter.")
    values, vectors = _eigh_tridiagonal(d, e)
    if select == "i":
        first, last = select_range
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    return values if eigvals_only else (values, vectors)


@library_jit
def _eigh_tridiagonal(d: Any, e: Any) -> tuple[Any, Any]:
    below = jnp.diag(e, -1)
    vectors, values = lax_linalg.eigh(jnp.diag(d) + below, symmetrize_input=False)
    return values, vectors


@library_jit(static_argnames=("full_matrices", "compute_uv", "lapack_driver", *IGNORED))
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False,
    check_finite: bool = True, lapack_driver: str = "gesdd",
) -> Any:  # fmt: skip
    """(U, s, V^H) with a = U diag(s) V^H, or s alone; see `lax.linalg.svd`.

    `lapack_driver` changes nothing.

    >>> svd(np.array([[3.0, 0.0], [0.0, -4.0]]), compute_uv=False)
    Array([4., 3.], dtype=float32)
    """
    (a,) = promote_dtypes_inexact(a)
    return lax_linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


def polar(
    a: Any, side: str = "right", *, method: str = "qdwh", eps: float | None = None,
    max_iterations: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """(U, P) with a = U P, or for the side "left" a = P U: U has orthonormal columns or rows, and P
    is Hermitian and positive semidefinite.

    The method "qdwh" iterates, for at least as many rows as columns, or on the left for more
    columns: else it is a NotImplementedError. The method "svd" takes any matrix. ValueError for
    another method or side, or where `a` is no matrix.

    >>> np.round(np.asarray(polar(np.array([[0.0, -2.0], [3.0, 0.0]]))[1]), 4)
    array([[3., 0.],
           [0., 2.]], dtype=float32)
    """
    name = "scipy.linalg.polar"
    check_arraylike(name, a)
    if typeof(a).ndim != 2:
        raise ValueError(f"{name} takes one matrix, and got {typeof(a)}. Use jax.vmap for several.")
    if side not in ("right", "left"):
        raise ValueError(f"{name} has no side {shown(side)}. Give 'right' or 'left'.")
    if method not in ("qdwh", "svd"):
        raise ValueError(f"{name} has no method {shown(method)}. Give 'qdwh' or 'svd'.")
    rows, columns = typeof(a).shape
    if method == "qdwh" and (rows < columns) != (side == "left"):
        raise NotImplementedError(
            f"{name} of {typeof(a)} has no method 'qdwh' for the side {side!r}. Give method='svd'."
        )
    return _polar(a, side=side, method=method, eps=eps, max_iterations=max_iterations)


@library_jit(static_argnames=("side", "method", "eps", "max_iterations"))
def _polar(a: Any, side: str, method: str, eps: Any, max_iterations: Any) -> tuple[Any, Any]:
    (a,) = promote_dtypes_inexact(a)
    is_left = side == "left"
    if method == "qdwh":
        u, p, *_ = lax_linalg.qdwh(
            adjoint(a) if is_left else a, eps=eps, max_iterations=max_iterations
        )
        return (adjoint(u) if is_left else u), p
    u, s, vh = lax_linalg.svd(a, full_matrices=False)
    half = u if is_left else adjoint(vh)
    return product(u, vh), product(half * rows_of(cast(s, a.dtype)), adjoint(half))


# Any square matrix.


@library_jit(static_argnames=("calc_q", *IGNORED))
def hessenberg(
    a: Any, *, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """H, or with `calc_q` (H, Q), with a = Q H Q^H, of square matrices (..., n, n).

    H is upper triangular but for one diagonal below the main one, and Q unitary. TypeError where
    `a` is neither floats nor complex numbers, ValueError where it is not square.

    >>> hessenberg(np.array([[1.0, 2.0], [3.0, 4.0]]))
    Array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    form, taus = lax_linalg.hessenberg(a)
    upper = upper_part(form, -1)
    if not calc_q:
        return upper
    n, stack = typeof(a).shape[-1], typeof(a).shape[:-2]
    rest = lax_linalg.householder_product(form[..., 1:, : n - 1], taus)
    q = jnp.broadcast_to(identity(n, n, typeof(a).dtype), (*stack, n, n))
    return upper, q.at[..., 1:, 1:].set(rest)


def schur(a: Any, output: str = "real") -> list[Any]:
    """[T, Z] with a = Z T Z^H, of square matrices (..., n, n); see `lax.linalg.schur`.

    With the `output` "complex", T is triangular for real matrices too. ValueError for another one.

    >>> schur(np.array([[0.0, 1.0], [-1.0, 0.0]]), output="complex")[0][1, 0]
    Array(0.+0.j, dtype=complex64)
    """
    if output not in ("real", "complex"):
        raise ValueError(
            f"scipy.linalg.schur has no output {shown(output)}. Give 'real' or 'complex'."
        )
    check_arraylike("scipy.linalg.schur", a)
    return _schur(a, output=output)


@library_jit(static_argnames=("output",))
def _schur(a: Any, output: str) -> list[Any]:
    return lax_linalg.schur(as_complex(a) if output == "complex" else a)


def rsf2csf(T: Any, Z: Any, check_finite: bool = True) -> tuple[Any, Any]:
    """The complex Schur form (T, Z) of what `schur` returns of real matrices.

    ValueError where T is not square, or Z of another shape.

    >>> T, Z = rsf2csf(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.eye(2))
    >>> np.diag(T)
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    name = "scipy.linalg.rsf2csf"
    check_arraylike(name, T, Z)
    shapes = [typeof(x).shape for x in (T, Z)]
    if len(shapes[0]) < 2 or shapes[0][-1] != shapes[0][-2]:
        raise ValueError(f"{name} takes a square T, and got {typeof(T)}. Give (..., n, n).")
    if shapes[0] != shapes[1]:
        raise ValueError(f"{name} of T {typeof(T)} got Z {typeof(Z)}. Give one of T's shape.")
    return _rsf2csf(T, Z)


@library_jit
def _rsf2csf(T: Any, Z: Any) -> tuple[Any, Any]:
    T, Z = map(as_complex, promote_dtypes_inexact(T, Z))
    return by_matrix(_triangular, T, Z)


def _triangular(T: Any, Z: Any) -> tuple[Any, Any]:
    """Rotations of two rows and columns, from the end on, clear the diagonal below the main one."""
    n = T.shape[0]
    eps = float(ml_dtypes.finfo(real_dtype(T.dtype)).eps)

    def turn(i: Any, carry: tuple) -> tuple:
        T, Z = carry
        m = n - 2 - i
        block = lax.dynamic_slice(T, (m, m), (2, 2))
        (a, b), (c, d) = block
        half = (a - d) / 2
        root = half + lax.sqrt(half * half + b * c)  # an eigenvalue of the block, less d
        length = lax.sqrt(abs(root) ** 2 + abs(c) ** 2)
        is_clear = abs(c) <= eps * (abs(a) + abs(d))
        divisor = jnp.where(is_clear, 1, length)
        cosine, sine = jnp.where(is_clear, 1, root / divisor), jnp.where(is_clear, 0, c / divisor)
        rotation = jnp.stack([jnp.stack([lax.conj(cosine), sine]), jnp.stack([-sine, cosine])])
        rows = rotation @ lax.dynamic_slice(T, (m, 0), (2, n))
        T = lax.dynamic_update_slice(T, rows, (m, 0))
        T, Z = (
            lax.dynamic_update_slice(
                x, lax.dynamic_slice(x, (0, m), (n, 2)) @ adjoint(rotation), (0, m)
            )
            for x in (T, Z)
        )
        return T.at[m + 1, m].set(0), Z

    return lax.fori_loop(0, n - 1, turn, (T, Z)) if n > 1 else (T, Z)
