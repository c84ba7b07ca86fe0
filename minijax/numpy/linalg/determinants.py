"""Determinants, and their signs and logarithms, which do not overflow."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.linalg.gaussian import lu, lu_solve
from minijax.lax.linalg.matrices import (
    adjoint,
    columns_in_order,
    columns_of,
    diagonal_of,
    identity_like,
    product,
    rows_in_order,
)
from minijax.lax.linalg.reflections import geqrf, qr
from minijax.lax.linalg.triangular import triangular_solve
from minijax.numpy.arguments import library_jit, refuse_keys
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.linalg.equations import check_square
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.totals import prod
from minijax.numpy.reductions.totals import sum as sum_of


class SlogdetResult(NamedTuple):
    """What slogdet returns: the determinant is sign * exp(logabsdet)."""

    sign: Any
    logabsdet: Any


@library_jit(static_argnames=("method",))
def slogdet(a: Any, *, method: str | None = None) -> SlogdetResult:
    """(sign, logabsdet) of square matrices (..., n, n): of singular ones (0, -inf).

    The sign is 1 or -1, or a complex number of size 1. The `method` is "lu", by default, or "qr",
    of real matrices. ValueError where `a` is not square, or for another method;
    NotImplementedError for "qr" of complex matrices.

    >>> slogdet(np.array([[0.0, 1.0], [2.0, 0.0]])).sign
    Array(-1., dtype=float32)
    """
    name = "jnp.linalg.slogdet"
    refuse_keys(name, a, error=ValueError)
    (a,) = promote_dtypes_inexact(a)
    check_square(name, a)
    if method not in (None, "lu", "qr"):
        raise ValueError(f"{name} has no method {shown(method)}. Give 'lu' or 'qr'.")
    if method == "qr" and _is_complex(a):
        raise NotImplementedError(f"{name} of complex matrices has no method 'qr'. Leave it out.")
    return SlogdetResult(*(_slogdet_qr if method == "qr" else _slogdet_lu)(a))


def _is_complex(a: Any) -> bool:
    return issubdtype(typeof(a).dtype, np.complexfloating)


@custom_jvp
def _slogdet_lu(a: Any) -> tuple[Any, Any]:
    """The product of U's diagonal; each exchange of two rows turns the sign."""
    factors, pivots, _ = lu(a)
    diagonal = diagonal_of(factors)
    axis = typeof(diagonal).ndim - 1
    steps = lax.broadcasted_iota(np.dtype(np.int32), typeof(pivots).shape, axis)
    exchanges = sum_of(lax.ne(pivots, steps), -1)
    parity = cast(1 - 2 * (exchanges % 2), typeof(a).dtype)
    is_zero = (diagonal == 0).any(-1)
    sign = where(is_zero, 0, prod(lax.sign(diagonal), -1) * parity)
    return sign, where(is_zero, -np.inf, sum_of(lax.log(lax.abs(diagonal)), -1))


@custom_jvp
def _slogdet_qr(a: Any) -> tuple[Any, Any]:
    """The product of R's diagonal; each reflection turns the sign."""
    factors, taus = geqrf(a)
    diagonal = diagonal_of(factors)
    turns = where(taus != 0, constant(taus, -1), constant(taus, 1))
    sign = prod(lax.sign(diagonal), -1) * prod(turns, -1)
    return sign, sum_of(lax.log(lax.abs(diagonal)), -1)


def _slogdet_jvp(fun: Any, primals: tuple, tangents: tuple) -> tuple:
    """The logarithm of a determinant changes by the trace of A^-1 dA."""
    (a,), (a_dot,) = primals, tangents
    sign, logarithm = fun(a)
    factors, _, permutation = lu(a)
    change = sum_of(diagonal_of(lu_solve(factors, permutation, a_dot)), -1)
    if not _is_complex(a):
        return (sign, logarithm), (lax.full_like(sign, 0), change)
    turn = lax.complex(lax.full_like(logarithm, 0), lax.imag(change))
    return (sign, logarithm), (turn * sign, lax.real(change))


_slogdet_lu.defjvp(partial(_slogdet_jvp, _slogdet_lu))
_slogdet_qr.defjvp(partial(_slogdet_jvp, _slogdet_qr))


@library_jit
def det(a: Any) -> Any:
    """The determinants of square matrices (..., n, n). ValueError where `a` is not square.

    >>> det(np.array([[1.0, 2.0], [3.0, 4.0]]))
    Array(-2., dtype=float32)
    """
    name = "jnp.linalg.det"
    refuse_keys(name, a, error=ValueError)
    (a,) = promote_dtypes_inexact(a)
    check_square(name, a)
    n = typeof(a).shape[-1]
    return _BY_SIZE[n](a) if n in _BY_SIZE else _det(a)


def _det_2x2(a: Any) -> Any:
    return a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]


def _det_3x3(a: Any) -> Any:
    """The rule of Sarrus."""
    return (
        a[..., 0, 0] * a[..., 1, 1] * a[..., 2, 2] + a[..., 0, 1] * a[..., 1, 2] * a[..., 2, 0]
        + a[..., 0, 2] * a[..., 1, 0] * a[..., 2, 1] - a[..., 0, 2] * a[..., 1, 1] * a[..., 2, 0]
        - a[..., 0, 0] * a[..., 1, 2] * a[..., 2, 1] - a[..., 0, 1] * a[..., 1, 0] * a[..., 2, 2]
    )  # fmt: skip


_BY_SIZE = {2: _det_2x2, 3: _det_3x3}


@custom_jvp
def _det(a: Any) -> Any:
    sign, logarithm = slogdet(a)
    return sign * cast(lax.exp(logarithm), typeof(sign).dtype)


@_det.defjvp
def _det_jvp(primals: tuple, tangents: tuple) -> tuple:
    """Jacobi's formula: a determinant changes by the trace of adj(A) dA."""
    (a,), (a_dot,) = primals, tangents
    return _det(a), sum_of(diagonal_of(_adjugate_product(a, a_dot)), -1)


def _adjugate_product(a: Any, b: Any) -> Any:
    """adj(A) B, where adj(A) = det(A) A^-1; and its limit, where A is singular.

    Of A P = Q R with pivoting, adj(A) = det(Q P^T) P adj(R) Q^H, and R's diagonal goes down: at
    most its last number is zero, or adj(A) is. The equation R x = Q^H B, multiplied by det(R), has
    a last row without that number.
    """
    q, r, order = qr(a, pivoting=True)
    *_, n = typeof(order).shape
    numbers = lax.broadcasted_iota(np.dtype(np.int32), typeof(order).shape, typeof(order).ndim - 1)
    back = lax.sort([order, numbers])[1]
    sign, _ = slogdet(columns_in_order(q, back))

    diagonal = diagonal_of(r)
    others = prod(diagonal[..., :-1], -1)
    is_nothing = others == 0
    others = where(is_nothing, 1, others)
    is_last = numbers == n - 1
    scale = where(is_last, 1, (others * diagonal[..., -1])[..., None])
    r = where(is_last[..., None] & is_last[..., None, :], 1 / others[..., None, None], r)
    r = where(is_nothing[..., None, None], identity_like(r), r)
    x = triangular_solve(r, product(adjoint(q), b) * columns_of(scale), left_side=True)
    factor = where(is_nothing, 0, sign)[..., None, None]
    return rows_in_order(x, back) * factor
