"""Triangular factors of matrices, as SciPy returns them."""

from __future__ import annotations

from typing import Any

from minijax import lax
from minijax.core.primitives import add, reshape
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.linalg.matrices import (
    adjoint,
    columns_of,
    conjugated,
    first_of,
    identity,
    lower_part,
    product,
    rows_in_order,
    rows_of,
    swapped,
    upper_part,
)
from minijax.numpy.arguments import library_jit
from minijax.numpy.promotion import promote_dtypes_inexact

IGNORED = ("overwrite_a", "check_finite")


@library_jit(static_argnames=("lower", *IGNORED))
def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """The upper triangular U with U^H U = a, of positive definite matrices (..., n, n).

    With `lower`, L = U^H. That triangle of `a` alone is read. NaN where a matrix is not positive
    definite; ValueError where `a` is not square.

    >>> import numpy as np
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 1.],
           [0., 2.]], dtype=float32)
    """
    (a,) = promote_dtypes_inexact(a)
    if typeof(a).ndim < 2:
        raise ValueError(f"scipy.linalg.cholesky got {typeof(a)}. Give square matrices.")
    factor = lax.linalg.cholesky(a if lower else adjoint(a), symmetrize_input=False)
    return factor if lower else adjoint(factor)


def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """(cholesky(a, lower), lower), which `cho_solve` takes.

    >>> import numpy as np
    >>> cho_factor(np.array([[4.0]]))
    (Array([[2.]], dtype=float32), False)
    """
    return cholesky(a, lower=lower), lower


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, Any]:
    """(U with L below it, pivots), which `lu_solve` takes; see `lax.linalg.lu`.

    >>> import numpy as np
    >>> lu_factor(np.array([[1.0, 2.0], [2.0, 8.0]]))[1]
    Array([1, 1], dtype=int32)
    """
    return _lu_factor(a)


@library_jit
def _lu_factor(a: Any) -> tuple[Any, Any]:
    (a,) = promote_dtypes_inexact(a)
    return tuple(lax.linalg.lu(a)[:2])


@library_jit(static_argnames=("permute_l", *IGNORED))
def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, ...]:
    """(P, L, U) with a = P L U, of one matrix (m, n): P puts rows in another order.

    L has ones on its diagonal, and U is upper triangular. With `permute_l`, (P L, U). ValueError
    for a stack of matrices.

    >>> import numpy as np
    >>> lu(np.array([[0.0, 2.0], [1.0, 3.0]]))[2]
    Array([[1., 3.],
           [0., 2.]], dtype=float32)
    """
    (a,) = promote_dtypes_inexact(a)
    if typeof(a).ndim != 2:
        raise (TypeError if typeof(a).ndim < 2 else ValueError)(
            f"scipy.linalg.lu takes one matrix, and got {typeof(a)}. Use jax.vmap for several."
        )
    rows, columns = typeof(a).shape
    k, dtype = min(rows, columns), typeof(a).dtype
    factors, _, order = lax.linalg.lu(a)
    lower = add(lower_part(first_of(factors, rows, k), -1), identity(rows, k, dtype))
    upper = upper_part(first_of(factors, k, columns))
    p = swapped(rows_in_order(identity(rows, rows, dtype), order))
    return (product(p, lower), upper) if permute_l else (p, lower, upper)


def qr(
    a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full",
    pivoting: bool = False, check_finite: bool = True,
) -> tuple[Any, ...]:  # fmt: skip
    """(Q, R) with a = Q R, of matrices (..., m, n); see `lax.linalg.qr`.

    In the mode "economic", Q has min(m, n) columns; in the mode "r" there is no Q. With `pivoting`,
    the order of the columns is added. ValueError for another mode.

    >>> import numpy as np
    >>> qr(np.array([[3.0], [4.0]]), mode="r")
    (Array([[-5.],
           [ 0.]], dtype=float32),)
    """
    if mode not in ("full", "r", "economic"):
        raise ValueError(
            f"scipy.linalg.qr has no mode {shown(mode)}. Give 'full', 'r' or 'economic'."
        )
    q, *rest = _qr(a, full_matrices=mode != "economic", pivoting=bool(pivoting))
    return tuple(rest) if mode == "r" else (q, *rest)


@library_jit(static_argnames=("full_matrices", "pivoting"))
def _qr(a: Any, full_matrices: bool, pivoting: bool) -> tuple[Any, ...]:
    (a,) = promote_dtypes_inexact(a)
    return lax.linalg.qr(a, full_matrices=full_matrices, pivoting=pivoting)


@library_jit(static_argnames=("mode", "pivoting", "conjugate", "overwrite_a", "overwrite_c"))
def qr_multiply(
    a: Any, c: Any, mode: str = "right", pivoting: bool = False, conjugate: bool = False,
    overwrite_a: bool = False, overwrite_c: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """(c Q, R) where a = Q R, or in the mode "left" (Q c, R); Q has min(m, n) columns.

    `c` is a matrix, or a vector. With `pivoting`, the order of the columns is added; with
    `conjugate`, Q's conjugate stands for Q. ValueError for another mode, or shapes that do not fit.

    >>> import numpy as np
    >>> qr_multiply(np.array([[3.0], [4.0]]), np.array([5.0, 5.0]))[0]
    Array([-7.], dtype=float32)
    """
    name = "scipy.linalg.qr_multiply"
    if mode not in ("left", "right"):
        raise ValueError(f"{name} has no mode {shown(mode)}. Give 'left' or 'right'.")
    a, c = promote_dtypes_inexact(a, c)
    q, *rest = lax.linalg.qr(a, full_matrices=False, pivoting=pivoting)
    q, is_vector, is_left = conjugated(q) if conjugate else q, typeof(c).ndim == 1, mode == "left"
    c = (columns_of if is_left else rows_of)(c) if is_vector else c
    x, y = (q, c) if is_left else (c, q)
    if typeof(x).shape[-1] != typeof(y).shape[-2]:
        raise ValueError(
            f"{name} with the mode {mode!r} got {typeof(a)}, so Q is {typeof(q)}, and c {typeof(c)}"
            f".\nGive a c that can be multiplied."
        )
    out = product(x, y)
    return (reshape(out, (typeof(out).size,)) if is_vector else out), *rest
