"""Functions of matrices: exponentials, and by way of triangular forms roots and any others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax
from minijax import numpy as jnp
from minijax.core.forward import constant, jvp
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype, shown
from minijax.lax.linalg.matrices import adjoint, diagonal_of, identity_like, product
from minijax.numpy import linalg as np_linalg
from minijax.numpy.arguments import check_arraylike, library_jit
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.scipy.linalg.eigenvalues import as_complex, by_matrix, rsf2csf, schur
from minijax.scipy.linalg.systems import solve_triangular

# The exponential: with s halvings of the matrix, an approximation, and s squarings.

# The order of Pade's approximant, by the bits of a number, and the norm up to which it is exact to
# rounding (Higham, The scaling and squaring method for the matrix exponential revisited).
_ORDERS = {32: (7, 3.925724783138660), 64: (13, 5.371920351148152)}


def _pade_coefficients(order: int) -> list[float]:
    """Of the numerator, from that of the highest power's end: (2m - j)! m! / ((2m)! (m - j)! j!),
    times what makes all of them whole."""
    coefficients = [1]
    for j in range(order, 0, -1):
        coefficients.append(coefficients[-1] * j * (2 * order - j + 1) // (order - j + 1))
    return list(map(float, reversed(coefficients)))


@library_jit(static_argnames=("upper_triangular", "max_squarings"))
def expm(A: Any, *, upper_triangular: bool = False, max_squarings: int = 16) -> Any:
    """The exponentials of square matrices (..., n, n): the sum of A**k / k!.

    NaN where a matrix is so large that it needs more than `max_squarings`. `upper_triangular` says
    that A is so. ValueError where A is not square, TypeError for floats of 16 bits.

    >>> expm(np.array([[0.0, 1.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    (A,) = promote_dtypes_inexact(A)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError(f"scipy.linalg.expm needs square matrices, and got {A.aval}. Give one.")
    bits = 8 * real_dtype(A.dtype).itemsize
    if bits not in _ORDERS:
        raise TypeError(
            f"scipy.linalg.expm takes numbers of 32 or 64 bits, and got {A.aval}. Use "
            f"x.astype('float32')."
        )
    return by_matrix(partial(_expm, upper_triangular, max_squarings, *_ORDERS[bits]), A)


def _expm(upper_triangular: bool, max_squarings: int, order: int, radius: float, A: Any) -> Any:
    size = lax.abs(A).sum(0).max(initial=0)
    squarings = jnp.maximum(0, jnp.floor(jnp.log2(size / radius)) + 1)
    A = A / lax.convert_element_type(2**squarings, A.dtype)
    even, odd = _pade_parts(A, order)
    solve = partial(solve_triangular, lower=False) if upper_triangular else np_linalg.solve
    R = solve(even - odd, even + odd)

    def square(R: Any, i: Any) -> tuple[Any, None]:
        return lax.cond(i < squarings, lambda R: product(R, R), lambda R: R, R), None

    R, _ = lax.scan(square, R, jnp.arange(max_squarings, dtype=squarings.dtype))
    return jnp.where(squarings > max_squarings, np.nan, R)


def _pade_parts(A: Any, order: int) -> tuple[Any, Any]:
    """The even and the odd powers of Pade's numerator, by Horner's rule in A**2."""
    *coefficients, last = [constant(A, c) for c in _pade_coefficients(order)]
    square, ones = product(A, A), identity_like(A)
    even, odd = ones * coefficients[-1], ones * last
    for lower, higher in zip(coefficients[-3::-2], coefficients[-2::-2], strict=True):
        even, odd = product(square, even) + ones * lower, product(square, odd) + ones * higher
    return even, product(A, odd)


def expm_frechet(
    A: Any, E: Any, *, method: str | None = None, compute_expm: bool = True
) -> Any:  # fmt: skip
    """(expm(A), its derivative in the direction E), or the derivative alone, of matrices (n, n).

    The methods "SPS" and "blockEnlarge" give the same. ValueError for another one, or where A and E
    are not square or of different shapes.

    >>> expm_frechet(np.zeros((1, 1)), np.ones((1, 1)))[1]
    Array([[1.]], dtype=float32)
    """
    name = "scipy.linalg.expm_frechet"
    check_arraylike(name, A, E)
    A, E = promote_dtypes_inexact(A, E)
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"{name} has no method {shown(method)}. Give 'SPS' or 'blockEnlarge'.")
    if typeof(A).ndim != 2 or typeof(A).shape != typeof(A).shape[:1] * 2:
        raise ValueError(f"{name} takes a square matrix A, and got {typeof(A)}. Give (n, n).")
    if typeof(A).shape != typeof(E).shape:
        raise ValueError(f"{name} got {typeof(A)} and E {typeof(E)}. Give one shape.")
    value, derivative = jvp(expm, (A,), (E,))
    return (value, derivative) if compute_expm else derivative


# Functions of triangular matrices: each diagonal follows from those nearer to the main one.


def _by_diagonals(T: Any, diagonal: Any, next_of: Callable) -> Any:
    """The triangular F with a given diagonal; `next_of(F)` is right one diagonal further than F is,
    in which what is not known yet is zero."""
    n = T.shape[0]
    row, column = np.arange(n)[:, None], np.arange(n)
    start = identity_like(T) * diagonal

    def step(k: Any, F: Any) -> Any:
        return jnp.where(column - row == k, next_of(F), F)

    return lax.fori_loop(1, n, step, start) if n > 1 else start


def _over(numerator: Any, denominator: Any) -> Any:
    """The quotient; where the divisor is zero, the number itself."""
    return numerator / jnp.where(denominator == 0, 1, denominator)


def funm(A: Any, func: Callable, disp: bool = True) -> Any:
    """func of a square matrix (n, n): of its eigenvalues, with the eigenvectors kept. Complex.

    `func` maps a vector of complex numbers to one. Unless `disp`, the result is (F, an estimate of
    its relative error). It is inexact where eigenvalues are nearly equal. ValueError where A is not
    square.

    >>> np.round(np.asarray(funm(np.array([[0.0, 1.0], [1.0, 0.0]]), lax.cosh)), 3)
    array([[1.543+0.j, 0.   +0.j],
           [0.   +0.j, 1.543+0.j]], dtype=complex64)
    """
    name = "scipy.linalg.funm"
    check_arraylike(name, A)
    (A,) = promote_dtypes_inexact(A)
    if typeof(A).ndim != 2 or typeof(A).shape != typeof(A).shape[:1] * 2:
        raise ValueError(f"{name} takes a square matrix, and got {typeof(A)}. Give (n, n).")
    T, Z = rsf2csf(*schur(A))
    values = diagonal_of(T)
    gaps = values - values[:, None]
    F = _by_diagonals(T, func(values), lambda F: _over(T @ F - F @ T, gaps))
    out = product(product(Z, F), adjoint(Z))
    if disp:
        return out
    eps = float(ml_dtypes.finfo(real_dtype(T.dtype)).eps)
    distances = jnp.where(np.eye(len(gaps), dtype=bool), np.inf, lax.abs(gaps))
    nearest = distances.min(initial=np.inf)
    nearest = jnp.where(nearest == 0, eps, nearest)
    error = jnp.clip(eps / nearest * np_linalg.norm(jnp.triu(T, 1), 1), eps, 1)
    return out, jnp.where(lax.is_finite(lax.abs(F)).all(), error, np.inf)


def sqrtm(A: Any, blocksize: int = 1) -> Any:
    """The square root of square matrices (..., n, n), in complex numbers: of its two roots, each
    eigenvalue has that with a positive real part.

    ValueError where A is not square, NotImplementedError for a `blocksize` other than 1.

    >>> sqrtm(np.array([[4.0, 0.0], [0.0, 9.0]]))
    Array([[2.+0.j, 0.+0.j],
           [0.+0.j, 3.+0.j]], dtype=complex64)
    """
    if blocksize > 1:
        raise NotImplementedError("scipy.linalg.sqrtm has no blocks here. Leave blocksize out.")
    check_arraylike("scipy.linalg.sqrtm", A)
    return _sqrtm(A)


@library_jit
def _sqrtm(A: Any) -> Any:
    (A,) = promote_dtypes_inexact(A)
    T, Z = schur(as_complex(A), output="complex")
    return product(product(Z, by_matrix(_root_of_triangular, T)), adjoint(Z))


def _root_of_triangular(T: Any) -> Any:
    """Bjorck and Hammarling, A Schur method for the square root of a matrix."""
    roots = lax.sqrt(diagonal_of(T))
    sums = roots + roots[:, None]
    return _by_diagonals(T, roots, lambda F: _over(T - F @ F, sums))
