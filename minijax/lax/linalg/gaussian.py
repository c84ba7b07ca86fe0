"""Gauss's elimination: a matrix with its rows in another order is L U."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minijax.core.forward import Zero, primitive_jvps, zero_jvp
from minijax.core.primitives import add, numpy_primitive, sub
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.linalg.matrices import (
    first_of,
    grown,
    identity,
    lower_part,
    product,
    rows_in_order,
    upper_part,
)
from minijax.lax.linalg.routine_parts import FOUND, INT64, RoutinePart, register_routine
from minijax.lax.linalg.routines import defstacked, lapack, over_stack, refusing_halves, stack_shape
from minijax.lax.linalg.triangular import triangular_solve
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.axes import as_integer, broadcast, broadcasted_iota
from minijax.lax.shapes.sizes import min_dim
from minijax.lax.sorting import sort

NAME = "lax.linalg.lu"
INT32 = np.dtype(np.int32)


def _lu_rule(x: ShapedArray) -> list[ShapedArray]:
    stack = stack_shape(NAME, x)
    rows, columns = x.shape[-2:]
    places = x.update(dtype=INT32)
    swaps = places.update(shape=(*stack, min_dim(rows, columns)))
    return [x, swaps, places.update(shape=(*stack, rows))]


def _numpy_lu(x: np.ndarray) -> list[np.ndarray]:
    getrf, rows = lapack("getrf", x.dtype), x.shape[-2]

    def factor(matrix: np.ndarray) -> tuple:
        if not matrix.size:
            return matrix, np.zeros(0, INT32)
        factors, pivots, _ = getrf(matrix)  # a zero on U's diagonal is no failure
        return factors, pivots

    factors, pivots = over_stack(factor, x)
    return [factors, pivots, _numpy_pivots_to_permutation(pivots, rows)]


lu_p = numpy_primitive_several("lu", _lu_rule, refusing_halves(NAME, _numpy_lu))


def _lu_jvp(primals, tangents):
    """Of P A = L U follows P dA = dL U + L dU: L^-1 P dA U^-1 is the sum of L^-1 dL, which lies
    below the diagonal, and dU U^-1, which does not.

    For the inverses L and U are made square, with ones on the rest of their diagonals.
    """
    (x,), (x_dot,) = primals, tangents
    factors, pivots, permutation = lu_p.bind(x)
    stack, (rows, columns), dtype = typeof(x).shape[:-2], typeof(x).shape[-2:], typeof(x).dtype
    k = min(rows, columns)
    low = grown(lower_part(first_of(factors, rows, k), -1), rows, rows)
    low = add(low, broadcast(identity(rows, rows, dtype), stack))
    up = grown(upper_part(first_of(factors, k, columns)), columns, columns)
    rest = sub(identity(columns, columns, dtype), grown(identity(k, k, dtype), columns, columns))
    up = add(up, broadcast(rest, stack))

    inner = rows_in_order(x_dot, permutation)
    inner = triangular_solve(low, inner, left_side=True, lower=True, unit_diagonal=True)
    inner = triangular_solve(up, inner)
    tangent = add(product(low, lower_part(inner, -1)), product(upper_part(inner), up))
    zeros = map(Zero.from_primal_value, (pivots, permutation))
    return [factors, pivots, permutation], [tangent, *zeros]


primitive_jvps[lu_p] = _lu_jvp
defstacked(lu_p)


def _write_lu(part: RoutinePart, m: int, n: int) -> int:
    [x] = part.eqn.invars
    k = min(m, n)
    a, pivots = part.own(m, n), part.scratch(k, INT64)
    with part.each_matrix():
        part.across(part.matrix(x), (a, "0"), m, n)
        part.call("getrf", m, n, a, m, pivots, FOUND)  # a zero on U's diagonal is no failure
        part.across((a, "0"), part.matrix(0), n, m)
        part.row((pivots, "0"), part.matrix(1, 1), k, "int32({} - 1)")
        _write_order(part, (pivots, "0"), part.matrix(2, 1), k, m, "{} - 1")
    return m * n * k


register_routine(lu_p, _write_lu, "getrf")


def lu(x: Any) -> list[Any]:
    """[L and U, pivots, permutation] of matrices (..., m, n), with x[permutation] = L U.

    U is the upper triangle of the first, and L, with ones on its diagonal, lies below. At step i
    rows i and pivots[i] were exchanged. A zero on U's diagonal says that x is singular. TypeError
    where x is neither floats nor complex numbers, or no matrix.

    >>> lu(np.array([[1.0, 2.0], [2.0, 8.0]]))
    [Array([[ 2. ,  8. ],
           [ 0.5, -2. ]], dtype=float32), Array([1, 1], dtype=int32), Array([1, 0], dtype=int32)]
    """
    return lu_p.bind(x)


# Exchanges of rows, one after the other, as one order of them.

PERMUTATION = "lax.linalg.lu_pivots_to_permutation"


def _permutation_rule(pivots: ShapedArray, *, permutation_size: int) -> ShapedArray:
    stack = stack_shape(PERMUTATION, pivots, ranks=(1,), accepts=[np.integer])
    if pivots.dtype != INT32:
        raise TypeError(f"{PERMUTATION} takes int32, and got {pivots}. Convert with x.astype.")
    if permutation_size < pivots.shape[-1]:
        raise ValueError(
            f"{PERMUTATION} got permutation_size {permutation_size} for pivots {pivots}.\n"
            f"Give at least {pivots.shape[-1]}, the number of rows."
        )
    return pivots.update(shape=(*stack, permutation_size))


def _numpy_pivots_to_permutation(pivots: np.ndarray, permutation_size: int) -> np.ndarray:
    """An exchange with a row that is not there reads the last one, and writes nothing."""

    def order_of(pivots: np.ndarray) -> tuple[np.ndarray]:
        order = list(range(permutation_size))
        for i, j in enumerate(pivots.tolist()):
            here, there = order[i], order[min(j, permutation_size - 1)]
            if j < permutation_size:
                order[j] = here
            order[i] = there
        return (np.array(order, INT32),)

    return over_stack(order_of, pivots, ranks=(1,))[0]


lu_pivots_to_permutation_p = numpy_primitive(
    "lu_pivots_to_permutation", _permutation_rule, _numpy_pivots_to_permutation
)
primitive_jvps[lu_pivots_to_permutation_p] = partial(zero_jvp, lu_pivots_to_permutation_p)
defstacked(lu_pivots_to_permutation_p)


def _write_order(
    part: RoutinePart, pivots: tuple[str, str], order: tuple[str, str], k: int, m: int, number: str
) -> None:
    """The order of m rows after k exchanges; with a row that is not there, it reads the last one
    and writes nothing."""
    (x, p), (y, q) = pivots, order
    with part.loops(("i", m)):
        part.emit(f"{y}[{q} + i] = int32(i)")
    with part.loops(("i", k)):
        part.emit(f"j = int64({number.format(f'{x}[{p} + i]')})", f"a = {y}[{q} + i]",
                  f"b = {y}[{q} + min(j, {m - 1})]")  # fmt: skip
        with part.block(f"if j < {m}:"):
            part.emit(f"{y}[{q} + j] = a")
        part.emit(f"{y}[{q} + i] = b")


def _write_pivots_to_permutation(part: RoutinePart, k: int) -> int:
    [pivots], m = part.eqn.invars, part.eqn.params["permutation_size"]
    with part.each_matrix(1):
        _write_order(part, part.matrix(pivots, 1), part.matrix(0, 1), k, m, "{}")
    return m


register_routine(lu_pivots_to_permutation_p, _write_pivots_to_permutation, rank=1)


def lu_pivots_to_permutation(pivots: Any, permutation_size: int) -> Any:
    """The order of `permutation_size` rows after rows i and pivots[i] were exchanged for each i.

    `pivots` are int32, of shape (..., k). TypeError for another dtype, ValueError where there are
    more pivots than rows.

    >>> lu_pivots_to_permutation(np.array([2, 2], np.int32), 3)
    Array([2, 0, 1], dtype=int32)
    """
    size = as_integer(PERMUTATION, "permutation_size", permutation_size)
    return lu_pivots_to_permutation_p.bind(pivots, permutation_size=size)


# Equations.


def lu_solve(factors: Any, permutation: Any, b: Any, trans: int = 0) -> Any:
    """The x of A x = b from the factors and the permutation of A; with `trans`, of A^T x = b (1) or
    A^H x = b (2). b has shape (..., n, m), with the stack of the factors."""
    if trans == 0:
        x = rows_in_order(b, permutation)
        x = triangular_solve(factors, x, left_side=True, lower=True, unit_diagonal=True)
        return triangular_solve(factors, x, left_side=True)
    how = {"left_side": True, "transpose_a": True, "conjugate_a": trans == 2}
    x = triangular_solve(factors, b, **how)
    x = triangular_solve(factors, x, lower=True, unit_diagonal=True, **how)
    places = broadcasted_iota(INT32, typeof(permutation).shape, typeof(permutation).ndim - 1)
    return rows_in_order(x, sort([permutation, places])[1])
