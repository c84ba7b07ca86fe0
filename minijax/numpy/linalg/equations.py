"""Equations with matrices: solved, solved as nearly as possible, and inverses."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.linalg.gaussian import lu, lu_solve
from minijax.lax.linalg.matrices import adjoint, columns_of, product
from minijax.lax.shapes.axes import as_integer, known_axis
from minijax.lax.shapes.sizes import max_dim
from minijax.numpy.arguments import check_arraylike, library_jit, refuse_keys
from minijax.numpy.creation import asarray, eye
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.linalg.decompositions import svd
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.reshaping import broadcast_to, moveaxis, reshape

# As many equations as unknowns.


def check_square(fun_name: str, a: Any) -> None:
    """ValueError unless the last two axes are of one size."""
    shape = typeof(a).shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        got = f"{fun_name} needs square matrices, and got {typeof(a)}"
        raise ValueError(f"{got}. Give shape (..., n, n).")


def solve_factored(a: Any, b: Any) -> Any:
    """The x of a x = b, for stacks of one shape: factored once, whatever derivatives are taken."""
    factors, _, permutation = lu(lax.stop_gradient(a))
    return lax.custom_linear_solve(
        partial(product, a), b,
        solve=lambda _, b: lu_solve(factors, permutation, b),
        transpose_solve=lambda _, b: lu_solve(factors, permutation, b, 1),
    )  # fmt: skip


@library_jit
def solve(a: Any, b: Any) -> Any:
    """The x of a x = b, for square matrices `a` (..., n, n) and vectors or matrices `b`.

    `b` is one vector, of shape (n,), or has shape (..., n, m); leading axes are broadcast. Where
    `a` is singular, infinities or NaN. ValueError where shapes do not fit.

    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0]))
    Array([1. , 0.5], dtype=float32)
    """
    name = "jnp.linalg.solve"
    refuse_keys(name, a, b, error=ValueError)
    a, b = promote_dtypes_inexact(a, b)
    check_square(name, a)
    n, is_vector = typeof(a).shape[-1], typeof(b).ndim == 1
    b = columns_of(b) if is_vector else b
    if typeof(b).ndim < 2 or typeof(b).shape[-2] != n:
        raise ValueError(
            f"{name} of {typeof(a)} got b {typeof(b)}. Give a vector ({n},) or matrices (..., {n}, "
            f"m): of vectors, b[..., None]."
        )
    stack = _broadcast_stacks(name, a, b)
    a, b = (broadcast_to(x, (*stack, *typeof(x).shape[-2:])) for x in (a, b))
    x = solve_factored(a, b)
    return lax.squeeze(x, [typeof(x).ndim - 1]) if is_vector else x


def _broadcast_stacks(fun_name: str, a: Any, b: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(typeof(a).shape[:-2], typeof(b).shape[:-2])
    except ValueError as error:
        raise ValueError(
            f"{fun_name} cannot broadcast the leading axes of {typeof(a)} and {typeof(b)}. Give "
            f"axes of one size, or of size 1."
        ) from error


@library_jit
def inv(a: Any) -> Any:
    """The inverses of square matrices (..., n, n); of singular ones, infinities or NaN.

    ValueError where `a` is not square. To solve equations, `solve` is more exact and quicker.

    >>> inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    name = "jnp.linalg.inv"
    refuse_keys(name, a, error=ValueError)
    (a,) = promote_dtypes_inexact(a)
    check_square(name, a)
    return solve(a, broadcast_to(eye(typeof(a).shape[-1], dtype=typeof(a).dtype), typeof(a).shape))


# As nearly as possible.


def lstsq(
    a: Any, b: Any, rcond: float | None = None, *, numpy_resid: bool = False
) -> tuple[Any, Any, Any, Any]:
    """(x, residuals, rank, s): the shortest x for which the sum of squares of a x - b is least.

    `a` is one matrix (m, n), and `b` has shape (m,) or (m, k). Singular values, s, count as zero
    below `rcond` times the largest; by default, the rounding of max(m, n) numbers. The residuals
    are the sums of squares; with `numpy_resid`, none where the rank is less than n or m is not
    larger, as in NumPy. TypeError where `a` is no matrix, ValueError where `b` does not fit.

    >>> lstsq(np.array([[2.0], [0.0]]), np.array([4.0, 3.0]))[0]
    Array([2.], dtype=float32)
    """
    name = "jnp.linalg.lstsq"
    check_arraylike(name, a, b)
    if typeof(a).shape[:1] != typeof(b).shape[:1]:
        raise ValueError(f"{name} of {typeof(a)} got b {typeof(b)}. Give as many rows as `a` has.")
    if typeof(a).ndim != 2 or typeof(b).ndim > 2:
        raise TypeError(
            f"{name} takes one matrix and a vector or a matrix, and got {typeof(a)} and {typeof(b)}"
            f".\nUse jax.vmap for several."
        )
    x, residuals, rank, s = _lstsq(a, b, rcond=rcond)
    rows, columns = typeof(a).shape
    if numpy_resid and not (rows > columns and rank == columns):
        residuals = residuals[:0]
    return x, residuals, rank, s


@library_jit(static_argnames=("rcond",))
def _lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, Any, Any]:
    """By singular values: of a = U S V^H the x is V S^-1 U^H b, without those that are zero."""
    a, b = promote_dtypes_inexact(a, b)
    is_vector = b.ndim == 1
    b = columns_of(b) if is_vector else b
    u, s, vh = svd(a, full_matrices=False)
    if rcond is None:
        rcond = float(ml_dtypes.finfo(s.dtype).eps) * max(a.shape)
    elif rcond < 0:
        rcond = float(ml_dtypes.finfo(s.dtype).eps)
    largest = s[0] if s.size else constant(s, 0)
    counts = lax.bitwise_and(s > 0, s >= constant(s, rcond) * largest)
    inverse = where(counts, 1 / where(counts, s, 1), 0)
    x = product(adjoint(vh), product(adjoint(u), b) * columns_of(cast(inverse, a.dtype)))
    residuals = sum_of(lax.abs(b - product(a, x)) ** 2, 0)
    return (lax.squeeze(x, [1]) if is_vector else x), residuals, sum_of(counts), s


def pinv(
    a: Any, rtol: Any = None, hermitian: bool = False, *, rcond: Any = None
) -> Any:  # fmt: skip
    """The pseudo-inverses of matrices (..., m, n): those of shape (..., n, m) that solve equations
    as `lstsq` does.

    Singular values count as zero below `rtol` times the largest of a matrix, a number or one for
    each; by default, 10 times the rounding of max(m, n) numbers. `rcond` is another name for it.
    `hermitian` says that `a` is Hermitian. ValueError where `a` is no matrix, or for both names.

    >>> pinv(np.array([[2.0], [0.0]]))
    Array([[0.5, 0. ]], dtype=float32)
    """
    name = "jnp.linalg.pinv"
    check_arraylike(name, a)
    if rtol is not None and rcond is not None:
        raise ValueError(f"{name} takes one of rtol and rcond, and got both. Leave rcond out.")
    if typeof(a).ndim < 2:
        raise ValueError(f"{name} needs matrices, and got {typeof(a)}. Give shape (..., m, n).")
    rtol = rcond if rtol is None else rtol
    (a,) = promote_dtypes_inexact(a)
    return _pinv(a, None if rtol is None else asarray(rtol), hermitian)


@partial(custom_jvp, nondiff_argnums=(1, 2))
def _pinv(a: Any, rtol: Any, hermitian: bool) -> Any:
    u, s, vh = svd(a, full_matrices=False, hermitian=hermitian)
    if rtol is None:
        rtol = 10.0 * max_dim(*typeof(a).shape[-2:]) * float(ml_dtypes.finfo(s.dtype).eps)
    least = columns_of(cast(rtol, s.dtype)) * s[..., :1]
    s = cast(where(s > least, s, math.inf), typeof(a).dtype)
    return product(adjoint(vh), adjoint(u) / columns_of(s))


@_pinv.defjvp
def _pinv_jvp(rtol: Any, hermitian: bool, primals: tuple, tangents: tuple) -> tuple:
    """dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P, while the rank stays the same
    (Golub and Pereyra, The differentiation of pseudo-inverses)."""
    (a,), (a_dot,) = primals, tangents
    p = _pinv(a, rtol, hermitian)
    ph, ah_dot = adjoint(p), adjoint(a_dot)
    first = product(product(p, ph), ah_dot)
    second = product(ah_dot, product(ph, p))
    inner = product(product(p, a_dot), p)
    first = first - product(product(first, a), p)
    second = second - product(p, product(a, second))
    return p, first + second - inner


# With any number of axes.


def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of `a` as a map from its last axes to its first `ind`.

    >>> tensorinv(2 * np.eye(4).reshape(4, 2, 2), ind=1).shape
    (2, 2, 4)
    """
    name = "jnp.linalg.tensorinv"
    check_arraylike(name, a)
    ind = as_integer(name, "ind", ind)
    if ind <= 0:
        raise ValueError(f"{name} takes an ind from 1 on, and got {ind}. Give one.")
    first, last = typeof(a).shape[:ind], typeof(a).shape[ind:]
    if math.prod(first) != math.prod(last):
        raise ValueError(
            f"{name} of {typeof(a)} got ind {ind}. Give a number of axes with as many elements as "
            f"the others."
        )
    return reshape(inv(reshape(a, (math.prod(first), -1))), (*last, *first))


def tensorsolve(a: Any, b: Any, axes: tuple[int, ...] | None = None) -> Any:
    """The x whose product with `a` over all axes of x is `b`; `axes` of `a` are first moved last.

    >>> tensorsolve(2 * np.eye(4).reshape(2, 2, 4), np.ones((2, 2)))
    Array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """
    name = "jnp.linalg.tensorsolve"
    check_arraylike(name, a, b)
    if axes is not None:
        ndim = typeof(a).ndim
        axes = tuple(known_axis(name, d, ndim) for d in axes)
        a = moveaxis(a, axes, tuple(range(ndim - len(axes), ndim)))
    shape, b_shape = typeof(a).shape, typeof(b).shape
    if shape[: len(b_shape)] != b_shape:
        raise ValueError(
            f"{name} got b of shape {b_shape}, and `a`, its axes moved, of {shape}. Give an `a` "
            f"whose first axes are those of b."
        )
    size = math.prod(b_shape)
    return reshape(solve(reshape(a, (size, -1)), reshape(b, (size,))), shape[len(b_shape) :])
