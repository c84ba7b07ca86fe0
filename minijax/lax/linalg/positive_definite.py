"""Cholesky's factor of a positive definite matrix, A = L L^H, and what it becomes when A grows."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.forward import primitive_jvps
from minijax.core.primitives import add, div, numpy_primitive, through_float32
from minijax.core.tracing import ShapedArray
from minijax.lax.linalg.matrices import identity_like, lower_part, product, symmetrized
from minijax.lax.linalg.routine_parts import FOUND, RoutinePart, register_routine
from minijax.lax.linalg.routines import (
    check_square,
    defstacked,
    lapack,
    nan_unless,
    over_stack,
    refusing_halves,
    stack_shape,
)
from minijax.lax.linalg.triangular import triangular_solve
from minijax.lax.shapes.axes import full_like

NAME = "lax.linalg.cholesky"


def _cholesky_rule(x: ShapedArray) -> ShapedArray:
    stack_shape(NAME, x)
    check_square(NAME, x)
    return x


def _numpy_cholesky(x: np.ndarray) -> np.ndarray:
    potrf = lapack("potrf", x.dtype)

    def factor(x: np.ndarray) -> tuple:
        lower, info = potrf(x, lower=True, clean=True)
        return nan_unless(info == 0, lower)

    return over_stack(factor, x)[0]


cholesky_p = numpy_primitive("cholesky", _cholesky_rule, refusing_halves(NAME, _numpy_cholesky))


def _cholesky_jvp(primals, tangents):
    """dL = L half(L^-1 dA L^-H), where half is the lower triangle with half the diagonal: the sum
    of that and its adjoint is all of it (Murray, Differentiation of the Cholesky decomposition)."""
    (x,), (x_dot,) = primals, tangents
    factor = lower_part(cholesky_p.bind(x))
    inner = triangular_solve(factor, x_dot, transpose_a=True, conjugate_a=True, lower=True)
    inner = lower_part(triangular_solve(factor, inner, left_side=True, lower=True))
    ones = full_like(inner, 1, shape=())
    return factor, product(factor, div(inner, add(ones, identity_like(inner))))


primitive_jvps[cholesky_p] = _cholesky_jvp
defstacked(cholesky_p)


def _write_cholesky(part: RoutinePart, n: int, _: int) -> int:
    """The lower triangle of rows in C's order is the upper one of Fortran's columns: so the factor
    is made in its place, and nothing is copied across."""
    [x] = part.eqn.invars
    with part.each_matrix():
        (x, p), (y, q) = part.matrix(x), part.matrix(0)
        with part.loops(("i", n)):
            with part.block("for j in range(i + 1):"):
                part.emit(f"{y}[{q} + i * {n} + j] = {x}[{p} + i * {n} + j]")
            with part.block(f"for j in range(i + 1, {n}):"):
                part.emit(f"{y}[{q} + i * {n} + j] = 0")
        part.call("potrf", "U", n, (y, q), n, FOUND)
        part.nan_unless_found((0, 2))
    return n**3


register_routine(cholesky_p, _write_cholesky, "potrf")


def cholesky(x: Any, *, symmetrize_input: bool = True) -> Any:
    """The lower triangular L with L L^H = x, of positive definite matrices (..., n, n).

    By default x is first replaced by the mean of it and its adjoint; else the lower triangle alone
    is read. NaN in place of the L of a matrix that is not positive definite. TypeError for dtypes
    that are no numbers, and where x is not square (ValueError, where the lower triangle is read).

    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    x = symmetrized(NAME, x) if symmetrize_input else x
    return lower_part(cholesky_p.bind(x))


# One term more.

UPDATE = "lax.linalg.cholesky_update"


def _cholesky_update_rule(r_matrix: ShapedArray, w_vector: ShapedArray) -> ShapedArray:
    stack_shape(UPDATE, r_matrix, w_vector, ranks=(2, 1), accepts=[np.floating])
    if r_matrix.ndim != 2:
        raise TypeError(f"{UPDATE} takes one matrix, and got {r_matrix}. Give shape (n, n).")
    if r_matrix.shape != (w_vector.size, w_vector.size):
        raise ValueError(
            f"{UPDATE} got a matrix {r_matrix} and a vector {w_vector}.\n"
            f"Give the shapes (n, n) and (n,)."
        )
    return r_matrix.update(weak_type=r_matrix.weak_type and w_vector.weak_type)


def _numpy_cholesky_update(r_matrix: np.ndarray, w_vector: np.ndarray) -> np.ndarray:
    """Rotations, each of w and one row, turn w's first number to zero: nothing else changes
    R^T R + w w^T (Dongarra and others, LINPACK Users' Guide, chud)."""
    r, w = r_matrix.copy(), w_vector.copy()
    for k in range(len(w)):
        length = np.hypot(r[k, k], w[k])
        if length != 0:
            c, s, row = r[k, k] / length, w[k] / length, r[k, k:].copy()
            r[k, k:], w[k:] = c * row + s * w[k:], c * w[k:] - s * row
    return r


cholesky_update_p = numpy_primitive(
    "cholesky_update", _cholesky_update_rule, through_float32(_numpy_cholesky_update)
)


def _updated_row_by_row(r_matrix: Any, w_vector: Any) -> Any:
    """The same rotations, in simpler primitives."""
    from minijax import lax  # not before it is asked for: imports are quick

    dtype, n = r_matrix.aval.dtype, w_vector.aval.size
    columns = lax.iota(np.int32, n)

    def turn(k: Any, carry: tuple) -> tuple:
        r, w = carry
        row = lax.dynamic_index_in_dim(r, k, 0, False)
        corner = lax.dynamic_index_in_dim(row, k, 0, False)
        number = lax.dynamic_index_in_dim(w, k, 0, False)
        length = lax.sqrt(lax.add(lax.square(corner), lax.square(number)))
        c, s = (lax.full_like(w, lax.div(x, length)) for x in (corner, number))
        changes = lax.ge(columns, lax.full_like(columns, k))
        is_there = lax.broadcast(lax.ne(length, lax.full_like(length, 0)), (n,))
        changes = lax.bitwise_and(changes, is_there)
        new_row = lax.add(lax.mul(c, row), lax.mul(s, w))
        new_w = lax.sub(lax.mul(c, w), lax.mul(s, row))
        row, w = lax.select(changes, new_row, row), lax.select(changes, new_w, w)
        return lax.dynamic_update_index_in_dim(r, row, k, 0), w

    wide = np.promote_types(dtype, np.float32)
    carry = tuple(lax.convert_element_type(x, wide) for x in (r_matrix, w_vector))
    return lax.convert_element_type(lax.fori_loop(0, n, turn, carry)[0], dtype)


simpler_programs[cholesky_update_p] = _updated_row_by_row


def cholesky_update(r_matrix: Any, w_vector: Any) -> Any:
    """The upper triangular S with S^T S = R^T R + w w^T, of R (n, n) and w (n,), floats.

    It takes n**2 steps, where a factor takes n**3. TypeError for other dtypes or numbers of axes,
    ValueError for other sizes. It has no derivative, and no vmap, as in JAX.

    >>> cholesky_update(np.array([[3.0]]), np.array([4.0]))
    Array([[5.]], dtype=float32)
    """
    return cholesky_update_p.bind(r_matrix, w_vector)
