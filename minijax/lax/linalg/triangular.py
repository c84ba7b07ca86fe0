"""Equations with a triangular matrix, A x = b: each unknown follows from those before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.batching import moveaxis, not_mapped, primitive_batchers
from minijax.core.dtypes import issubdtype
from minijax.core.forward import Zero, add_tangents, is_nonzero, primitive_jvps
from minijax.core.primitives import expand_dims, neg, numpy_primitive, reshape, through_float32
from minijax.core.reverse import primitive_transposes
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.linalg.matrices import conjugated, lower_part, product, swapped, upper_part
from minijax.lax.linalg.routine_parts import RoutinePart, register_routine
from minijax.lax.linalg.routines import at_front, check_square, over_stack, stack_shape
from minijax.lax.shapes.axes import squeeze

NAME = "lax.linalg.triangular_solve"


def _triangular_solve_rule(
    a: ShapedArray, b: ShapedArray, *, left_side: bool, lower: bool, transpose_a: bool,
    conjugate_a: bool, unit_diagonal: bool,
) -> ShapedArray:  # fmt: skip
    stack_shape(NAME, a, b, ranks=(2, 2))
    check_square(NAME, a)
    if a.shape[-1] != b.shape[-2 if left_side else -1]:
        rows = "rows" if left_side else "columns"
        raise ValueError(f"{NAME} of {a} got {b} as b. Give one with {a.shape[-1]} {rows}.")
    return b.update(weak_type=a.weak_type and b.weak_type)


def _numpy_triangular_solve(
    a: np.ndarray, b: np.ndarray, left_side: bool, lower: bool, transpose_a: bool,
    conjugate_a: bool, unit_diagonal: bool,
) -> np.ndarray:  # fmt: skip
    """By BLAS's trsm, which divides by zeros like any others. Rows in C's order are columns in
    Fortran's: so it is given the transposed equation, and copies nothing."""
    from scipy.linalg import get_blas_funcs  # not before it is needed: imports are quick

    trsm = get_blas_funcs("trsm", dtype=a.dtype)
    if conjugate_a and not transpose_a:
        a, conjugate_a = a.conj(), False
    how = {
        "side": left_side, "lower": not lower, "diag": unit_diagonal,
        "trans_a": (2 if conjugate_a else 1) if transpose_a else 0,
    }  # fmt: skip

    def solve(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray]:
        return (trsm(1, a.T, b.T, **how).T if b.size else b,)

    return over_stack(solve, a, b, ranks=(2, 2))[0]


triangular_solve_p = numpy_primitive(
    "triangular_solve", _triangular_solve_rule, through_float32(_numpy_triangular_solve)
)


def _product_with_tangent(a_dot: Any, x: Any, **params: Any) -> Any:
    """What A's tangent does to the unknown; the half of it that is not read does nothing."""
    part = lower_part if params["lower"] else upper_part
    past = -1 if params["lower"] else 1
    a_dot = part(a_dot, past if params["unit_diagonal"] else 0)
    a_dot = swapped(a_dot) if params["transpose_a"] else a_dot
    a_dot = conjugated(a_dot) if params["conjugate_a"] else a_dot
    return product(a_dot, x) if params["left_side"] else product(x, a_dot)


def _triangular_solve_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple:
    """A x = b, so A dx = db - dA x."""
    (a, b), (a_dot, b_dot) = primals, tangents
    x = triangular_solve_p.bind(a, b, **params)
    if is_nonzero(a_dot):
        b_dot = add_tangents(b_dot, neg(_product_with_tangent(a_dot, x, **params)))
    if not is_nonzero(b_dot):
        return x, Zero.from_primal_value(x)
    return x, triangular_solve_p.bind(a, b_dot, **params)


def _triangular_solve_transpose(ct: Any, a: Any, b: Any, **params: Any) -> list:
    """A^T y = ct."""
    params["transpose_a"] = not params["transpose_a"]
    return [None, triangular_solve_p.bind(a, ct, **params)]


def _triangular_solve_batcher(args: Sequence, dims: Sequence, **params: Any) -> tuple:
    """Of one matrix and many right-hand sides, these stand beside each other as one."""
    (a, b), (a_dim, b_dim) = args, dims
    if a_dim is not not_mapped:
        return triangular_solve_p.bind(*at_front(args, dims), **params), 0
    many = moveaxis(b, b_dim, -1 if params["left_side"] else -2)
    *stack, n, k, m = shape = typeof(many).shape
    side_by_side = (n, k * m) if params["left_side"] else (n * k, m)
    x = triangular_solve_p.bind(a, reshape(many, (*stack, *side_by_side)), **params)
    return reshape(x, shape), len(shape) - (1 if params["left_side"] else 2)


primitive_jvps[triangular_solve_p] = _triangular_solve_jvp
primitive_transposes[triangular_solve_p] = _triangular_solve_transpose
primitive_batchers[triangular_solve_p] = _triangular_solve_batcher


def _write_triangular_solve(part: RoutinePart, n: int, _: int) -> int:
    """Rows in C's order are columns in Fortran's: so the routine is given the transposed equation,
    and copies nothing but b, in whose place it writes the unknowns."""
    (a, b), params = part.eqn.invars, part.eqn.params
    rows, columns = b.aval.shape[-2:]
    side, half = "R" if params["left_side"] else "L", "U" if params["lower"] else "L"
    form, diagonal = "T" if params["transpose_a"] else "N", "U" if params["unit_diagonal"] else "N"
    one = part.own(1)
    with part.each_matrix():
        part.row(part.matrix(b), part.matrix(0), rows * columns)
        part.emit(f"{one}[0] = 1")
        part.call("trsm", side, half, form, diagonal, columns, rows, one, part.matrix(a), n,
                  part.matrix(0), columns)  # fmt: skip
    return n * rows * columns


register_routine(triangular_solve_p, _write_triangular_solve, "trsm", on_halves="rounded")


def triangular_solve(
    a: Any, b: Any, *, left_side: bool = False, lower: bool = False, transpose_a: bool = False,
    conjugate_a: bool = False, unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    """The x of `x op(a) = b`; with `left_side`, of `op(a) x = b`. A zero divides as any number.

    `a` has shape (..., n, n), floats or complex numbers, of which the upper triangle is read, or
    the `lower` one; with `unit_diagonal`, ones stand for its diagonal. op transposes or conjugates.
    `b` has shape (..., m, n); with `left_side` (..., n, m), or one axis fewer: (..., n). TypeError
    for other dtypes or numbers of axes, ValueError for other sizes.

    >>> a = np.array([[2.0, 0.0], [1.0, 4.0]])
    >>> triangular_solve(a, np.array([2.0, 9.0]), left_side=True, lower=True)
    Array([1., 2.], dtype=float32)
    """
    is_complex = issubdtype(typeof(a).dtype, np.complexfloating)
    is_vector = typeof(b).ndim == typeof(a).ndim - 1
    axis = typeof(b).ndim if left_side else typeof(b).ndim - 1
    if is_vector:
        b = expand_dims(b, [axis])
    x = triangular_solve_p.bind(
        a, b, left_side=bool(left_side), lower=bool(lower), transpose_a=bool(transpose_a),
        conjugate_a=bool(conjugate_a) and is_complex, unit_diagonal=bool(unit_diagonal),
    )  # fmt: skip
    return squeeze(x, [axis]) if is_vector else x
