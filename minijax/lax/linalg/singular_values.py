"""Singular values: every matrix is U S V^H, with unitary U and V and a diagonal S that is real."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant, primitive_jvps
from minijax.core.primitives import add, cast, div, eq, mul, sub
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import real_dtype, reciprocal
from minijax.lax.elementwise.complex_numbers import real
from minijax.lax.linalg.matrices import (
    adjoint,
    columns_of,
    diagonal_of,
    half,
    identity_like,
    only_diagonal,
    product,
    rows_of,
)
from minijax.lax.linalg.routine_parts import FOUND, INT64, RoutinePart, register_routine
from minijax.lax.linalg.routines import (
    defstacked,
    lapack,
    nan_unless,
    over_stack,
    refusing_halves,
    room,
    stack_shape,
)
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.sizes import min_dim

NAME = "lax.linalg.svd"


class SvdAlgorithm(Enum):
    """Which algorithm: LAPACK's gesdd divides and conquers, and its gesvd is the QR algorithm. As
    in JAX on CPUs, there is no Jacobi and no polar one."""

    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


HERE = (None, SvdAlgorithm.DEFAULT, SvdAlgorithm.QR, SvdAlgorithm.DIVIDE_AND_CONQUER)


def _svd_rule(
    x: ShapedArray, *, full_matrices: bool, compute_uv: bool, subset_by_index: Any, algorithm: Any
) -> list[ShapedArray]:
    stack = stack_shape(NAME, x)
    rows, columns = x.shape[-2:]
    k = min_dim(rows, columns)
    first, end = (0, k) if subset_by_index is None else subset_by_index
    if not 0 <= first <= end <= k:
        raise ValueError(f"{NAME} of {x} got subset_by_index {subset_by_index}. Give (0, {k}).")
    if full_matrices and end - first < k:
        raise ValueError(
            f"{NAME} got subset_by_index and full_matrices. Give full_matrices=False."
        )
    k = end - first
    values = x.update(shape=(*stack, k), dtype=real_dtype(x.dtype))
    if not compute_uv:
        return [values]
    u = x.update(shape=(*stack, rows, rows if full_matrices else k))
    return [values, u, x.update(shape=(*stack, columns if full_matrices else k, columns))]


def _numpy_svd(
    x: np.ndarray, full_matrices: bool, compute_uv: bool, subset_by_index: Any, algorithm: Any
) -> Sequence[np.ndarray]:
    if subset_by_index not in (None, (0, min(x.shape[-2:]))):
        raise NotImplementedError(f"{NAME} finds all singular values. Leave subset_by_index out.")
    if algorithm not in HERE:
        raise NotImplementedError(f"{NAME} has no {algorithm} on CPUs. Leave `algorithm` out.")
    gesdd = lapack("gesvd" if algorithm is SvdAlgorithm.QR else "gesdd", x.dtype)

    def find(x: np.ndarray) -> tuple:
        if not x.size:
            k = min(x.shape)
            u, vh = (np.eye(n, n if full_matrices else k, dtype=x.dtype) for n in x.shape)
            return np.zeros(0, real_dtype(x.dtype)), u, vh.T
        u, values, vh, info = gesdd(x, compute_uv=compute_uv, full_matrices=full_matrices)
        return nan_unless(info == 0, values, u, vh)

    return over_stack(lambda x: find(x)[: 3 if compute_uv else 1], x)


svd_p = numpy_primitive_several("svd", _svd_rule, refusing_halves(NAME, _numpy_svd))


def _svd_jvp(primals, tangents, *, full_matrices, compute_uv, **params):
    """With D = U^H dA V, dS is D's diagonal; dU = U (F * (D S + S D^H)) and dV = V (F * (S D + D^H
    S)) with F[i, j] = 1 / (s[j]**2 - s[i]**2) off the diagonal; and what of dA's columns or rows
    lies outside of U's or V's turns them out of these (Townsend, Differentiating the singular value
    decomposition)."""
    (x,), (x_dot,) = primals, tangents
    rows, columns = typeof(x).shape[-2:]
    if compute_uv and full_matrices and rows != columns:
        raise NotImplementedError(
            f"{NAME} has no derivative with full_matrices, unless x is square: the vectors that "
            f"belong to no singular value may turn. Give full_matrices=False."
        )
    s, u, vh = svd_p.bind(x, full_matrices=False, compute_uv=True, **params)
    uh, v = adjoint(u), adjoint(vh)
    inner = product(product(uh, x_dot), v)
    s_dot = diagonal_of(inner)
    s_dot = s_dot if typeof(s_dot).dtype == typeof(s).dtype else real(s_dot)
    if not compute_uv:
        return [s], [s_dot]

    dtype = typeof(x).dtype
    gaps, sizes = cast(_inverse_gaps_of_squares(s), dtype), cast(s, dtype)
    by_columns, by_rows = mul(inner, rows_of(sizes)), mul(columns_of(sizes), inner)
    u_turn = mul(gaps, add(by_columns, adjoint(by_columns)))
    v_turn = mul(gaps, add(by_rows, adjoint(by_rows)))
    if issubdtype(dtype, np.complexfloating):  # U and V could turn together: V alone stays
        phase = half(only_diagonal(sub(inner, adjoint(inner))))
        u_turn = add(u_turn, mul(phase, rows_of(cast(_inverse_or_zero(s), dtype))))
    u_dot, v_dot = product(u, u_turn), product(v, v_turn)
    if rows > columns:
        outside = product(x_dot, v)
        outside = sub(outside, product(u, product(uh, outside)))
        u_dot = add(u_dot, div(outside, rows_of(sizes)))
    if columns > rows:
        outside = product(adjoint(x_dot), u)
        outside = sub(outside, product(v, product(vh, outside)))
        v_dot = add(v_dot, div(outside, rows_of(sizes)))
    return [s, u, vh], [s_dot, u_dot, adjoint(v_dot)]


def _inverse_gaps_of_squares(s: Any) -> Any:
    """1 / (s[j]**2 - s[i]**2) at place (i, j), and zeros on the diagonal."""
    row, column = rows_of(s), columns_of(s)
    gaps = mul(add(row, column), sub(row, column))
    ones = identity_like(gaps)
    return sub(reciprocal(add(gaps, ones)), ones)


def _inverse_or_zero(s: Any) -> Any:
    is_zero = cast(eq(s, constant(s, 0)), typeof(s).dtype)
    return sub(reciprocal(add(s, is_zero)), is_zero)


primitive_jvps[svd_p] = _svd_jvp
defstacked(svd_p)


def _write_svd(part: RoutinePart, m: int, n: int) -> int | None:
    [x], params, k = part.eqn.invars, part.eqn.params, min(m, n)
    if params["subset_by_index"] not in (None, (0, k)):
        return None
    if params["algorithm"] not in (None, SvdAlgorithm.DEFAULT, SvdAlgorithm.DIVIDE_AND_CONQUER):
        return None
    with_vectors, rows, columns = params["compute_uv"], k, k
    if params["full_matrices"]:
        rows, columns = m, n
    kind = "N" if not with_vectors else "A" if params["full_matrices"] else "S"
    a, size, whole_size = part.own(m, n), 4 * k * k + room(m + n), 8 * k
    work, whole = part.own(size), part.scratch(whole_size, INT64)
    u, vh = (part.own(m, rows), part.own(columns, n)) if with_vectors else (a, a)
    with part.each_matrix():
        part.across(part.matrix(x), (a, "0"), m, n)
        part.call("gesdd", kind, m, n, a, m, part.matrix(0, 1), u, m, vh, max(columns, 1), work,
                  size, whole, FOUND)  # fmt: skip
        if with_vectors:
            part.across((u, "0"), part.matrix(1), rows, m)
            part.across((vh, "0"), part.matrix(2), n, columns)
        part.nan_unless_found(*[(0, 1), (1, 2), (2, 2)][: 3 if with_vectors else 1])
    return 10 * m * n * k


register_routine(svd_p, _write_svd, "gesdd")


def svd(
    x: Any, *, full_matrices: bool = True, compute_uv: bool = True,
    subset_by_index: tuple[int, int] | None = None, algorithm: SvdAlgorithm | None = None,
) -> Any:  # fmt: skip
    """(U, s, V^H) with x = U diag(s) V^H, of matrices (..., m, n), where s goes down.

    U has shape (..., m, m) and V^H (..., n, n); unless `full_matrices`, the min(m, n) columns and
    rows that belong to singular values. Unless `compute_uv`, s alone. As in JAX on CPUs, a part of
    the values (`subset_by_index`) or a Jacobi or polar algorithm is a NotImplementedError. NaN
    where x is not finite. TypeError where x is no matrix of floats or complex numbers.

    >>> svd(np.array([[3.0, 0.0], [0.0, -4.0]]), compute_uv=False)
    Array([4., 3.], dtype=float32)
    """
    out = svd_p.bind(
        x, full_matrices=bool(full_matrices), compute_uv=bool(compute_uv),
        subset_by_index=subset_by_index, algorithm=algorithm,
    )  # fmt: skip
    if not compute_uv:
        return out[0]
    s, u, vh = out
    return u, s, vh
