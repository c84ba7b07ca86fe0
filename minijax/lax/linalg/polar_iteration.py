"""The polar decomposition by iteration: of A = U H, the unitary U and the H that is Hermitian.

Halley's iteration drives all singular values to 1. With weights from a bound on how small they may
be, four steps do for most matrices, each a QR or a Cholesky factorization (Nakatsukasa, Bai and
Gygi, Optimizing Halley's iteration for computing the matrix polar decomposition).
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.primitives import add, cast, eq, fill, gt, mul, reduce_sum, select, sub
from minijax.core.primitives import max as lax_max
from minijax.core.tracing import typeof
from minijax.lax.control_flow.while_loop import while_loop
from minijax.lax.elementwise.arithmetic import abs as lax_abs
from minijax.lax.elementwise.arithmetic import lt, real_dtype, rsqrt, shown, sqrt
from minijax.lax.elementwise.bits import bitwise_and, bitwise_not
from minijax.lax.linalg.matrices import (
    adjoint,
    first_of,
    identity,
    last_of,
    places,
    product,
    symmetrized,
)
from minijax.lax.linalg.positive_definite import cholesky
from minijax.lax.linalg.reflections import qr
from minijax.lax.linalg.triangular import triangular_solve
from minijax.lax.reductions.extrema import reduce_max
from minijax.lax.shapes.slicing import concatenate

NAME = "lax.linalg.qdwh"
LAST = (3.0, 1.0, 3.0)  # the weights where all singular values are near 1


def _weights(least: float, steps: int) -> list[tuple[float, float, float]]:
    """(a, b, c) of each step, which makes s (a + b s**2) / (1 + c s**2) of a singular value s."""
    weights = []
    for _ in range(steps):
        square = least**2
        d = math.cbrt(4 * (1 - square) / square**2)
        root = math.sqrt(1 + d)
        a = root + math.sqrt(8 - 4 * d + 8 * (2 - square) / (square * root)) / 2
        b = (a - 1) ** 2 / 4
        c = a + b - 1
        least = min(least * (a + b * square) / (1 + c * square), 1.0)
        weights.append((a, b, c))
    return weights


def _combined(u: Any, other: Any, first: float, second: float) -> Any:
    return add(mul(constant(u, first), u), mul(constant(u, second), other))


def _by_qr(u: Any, a: float, b: float, c: float) -> Any:
    """One step, for weights so large that c U^H U would lose the rest."""
    rows, columns = typeof(u).shape
    ones = identity(columns, columns, typeof(u).dtype)
    below = concatenate([mul(constant(u, math.sqrt(c)), u), ones], 0)
    q, _ = qr(below, full_matrices=False)
    inner = product(first_of(q, rows, columns), adjoint(last_of(q, rows, 0)))
    return _combined(u, inner, b / c, (a - b / c) / math.sqrt(c))


def _by_cholesky(u: Any, a: float, b: float, c: float) -> Any:
    """One step: U (I + c U^H U)^-1."""
    columns = typeof(u).shape[1]
    uh = adjoint(u)
    squares = mul(constant(u, c), product(uh, u))
    factor = cholesky(add(squares, identity(columns, columns, typeof(u).dtype)))
    inner = triangular_solve(factor, uh, left_side=True, lower=True)
    how = {"left_side": True, "lower": True, "transpose_a": True, "conjugate_a": True}
    return _combined(u, adjoint(triangular_solve(factor, inner, **how)), b / c, a - b / c)


def _size(x: Any) -> Any:
    """The square root of the sum of all squares."""
    parts = lax_abs(x)
    return sqrt(reduce_sum(mul(parts, parts), (0, 1)))


def _scale(x: Any) -> Any:
    """One over a bound of the largest singular value: the largest sums of rows and of columns."""
    sizes = lax_abs(x)
    largest = [lax_max(constant(sums, 0), reduce_max(sums, (0,)))
               for sums in (reduce_sum(sizes, (d,)) for d in (0, 1))]  # fmt: skip
    scale = mul(*map(rsqrt, largest))
    return select(eq(largest[0], constant(scale, 0)), constant(scale, 1), scale)


def qdwh(
    x: Any, *, is_hermitian: bool = False, max_iterations: int | None = None,
    eps: float | None = None, dynamic_shape: tuple[int, int] | None = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """(U, H, steps, whether it converged): x = U H for a matrix (m, n) with at least n rows.

    U has orthonormal columns, and H is Hermitian and positive semidefinite. There are at most
    `max_iterations` steps, 10 by default, and at least 4. `eps` says how exact the result is to be.
    With `dynamic_shape`, only so many rows and columns of x count. `is_hermitian` says that x is
    so, and changes nothing here. ValueError where x is no such matrix of floats or complex numbers.

    >>> u, h, steps, is_converged = qdwh(np.array([[0.0, -2.0], [3.0, 0.0]]))
    >>> np.round(np.asarray(h), 4)
    array([[3., 0.],
           [0., 2.]], dtype=float32)
    """
    aval = typeof(x)
    if aval.ndim != 2 or aval.shape[0] < aval.shape[1] or not issubdtype(aval.dtype, np.inexact):
        raise ValueError(
            f"{NAME} takes a matrix of floats or complex numbers with at least as many rows as "
            f"columns,\nand got {shown(x)}. Give x.T of a wide one."
        )
    dtype = real_dtype(aval.dtype)
    eps = float(ml_dtypes.finfo(dtype).eps if eps is None else eps)
    max_iterations = 10 if max_iterations is None else max_iterations
    if dynamic_shape is not None:
        x = _only(x, *dynamic_shape)

    u = mul(x, cast(_scale(x), aval.dtype))
    first, second, *rest = _weights(eps, 4)
    for weights in (first, second):
        u = _by_qr(u, *weights)
    tolerance = cast(math.cbrt(5 * eps), dtype)
    for weights in rest:
        before, u = u, _by_cholesky(u, *weights)

    def is_moving(before: Any, u: Any) -> Any:
        return gt(_size(sub(u, before)), tolerance)

    def step(carry: tuple) -> tuple:
        count, before, _ = carry
        u = _by_cholesky(before, *LAST)
        return count + 1, u, is_moving(before, u)

    def goes_on(carry: tuple) -> Any:
        return bitwise_and(lt(carry[0], constant(carry[0], max_iterations)), carry[2])

    count, u, is_moved = while_loop(goes_on, step, (4, u, is_moving(before, u)))
    u = _combined(u, product(u, product(adjoint(u), u)), 1.5, -0.5)  # Newton's: against rounding
    h = symmetrized(NAME, product(adjoint(u), x))
    return u, h, count, bitwise_not(is_moved)


def _only(x: Any, rows: Any, columns: Any) -> Any:
    """Zeros outside of the first rows and columns."""
    row, column = places(*typeof(x).shape)
    inside = bitwise_and(*(lt(n, cast(m, np.dtype(np.int32))) for n, m in
                           ((row, rows), (column, columns))))  # fmt: skip
    return select(inside, x, fill(typeof(x), 0))
