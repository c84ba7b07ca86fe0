"""Equations with a matrix of three diagonals: as many steps as there are unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.batching import moveaxis, not_mapped, primitive_batchers
from minijax.core.forward import Zero, add_tangents, is_nonzero, primitive_jvps
from minijax.core.primitives import cast, mul, neg, numpy_primitive, reshape
from minijax.core.reverse import primitive_transposes
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.linalg.matrices import columns_of
from minijax.lax.linalg.routine_parts import FOUND, INT64, RoutinePart, register_routine
from minijax.lax.linalg.routines import (
    at_front,
    lapack,
    nan_unless,
    over_stack,
    refusing_halves,
    stack_shape,
)
from minijax.lax.shapes.slicing import pad

NAME = "lax.linalg.tridiagonal_solve"
RANKS = (1, 1, 1, 2)


def _tridiagonal_solve_rule(
    dl: ShapedArray, d: ShapedArray, du: ShapedArray, b: ShapedArray, *, perturb_singular: bool
) -> ShapedArray:
    if len({x.shape for x in (dl, d, du)}) > 1:
        got = ", ".join(str(x) for x in (dl, d, du))
        raise TypeError(f"{NAME} got the diagonals {got}. Give them one shape, (..., n).")
    stack_shape(NAME, dl, d, du, b, ranks=RANKS)
    if b.shape[-2] != d.shape[-1]:
        raise TypeError(f"{NAME} of diagonals {d} got b {b}. Give one with {d.shape[-1]} rows.")
    return b.update(weak_type=all(x.weak_type for x in (dl, d, du, b)))


def _numpy_tridiagonal_solve(
    dl: np.ndarray, d: np.ndarray, du: np.ndarray, b: np.ndarray, perturb_singular: bool
) -> np.ndarray:
    gttrf, gttrs = (lapack(name, d.dtype) for name in ("gttrf", "gttrs"))

    def solve(dl: np.ndarray, d: np.ndarray, du: np.ndarray, b: np.ndarray) -> Sequence[np.ndarray]:
        if not b.size:
            return [b]
        rows, more = len(d), max(0, 3 - len(d))  # SciPy's gttrf takes no fewer than three
        dl, du = (np.pad(x, (0, more)) for x in (dl[1:], du[:-1]))
        d, b = np.pad(d, (0, more), constant_values=1), np.pad(b, [(0, more), (0, 0)])
        low, pivots, *rest, info = gttrf(dl, d, du)
        if info > 0 and perturb_singular:
            largest = max(np.abs(x).max() for x in (dl, d, du)) or 1
            pivots[pivots == 0] = np.finfo(pivots.dtype).eps * largest
        x, _ = gttrs(low, pivots, *rest, b)
        return nan_unless(info == 0 or perturb_singular, x[:rows])

    return over_stack(solve, dl, d, du, b, ranks=RANKS)[0]


tridiagonal_solve_p = numpy_primitive(
    "tridiagonal_solve", _tridiagonal_solve_rule, refusing_halves(NAME, _numpy_tridiagonal_solve)
)


def _moved(x: Any, rows: int, axis: int) -> Any:
    """x moved along an axis by one place, with a zero at the end that is free; by -1, back."""
    config = [(0, 0, 0)] * typeof(x).ndim
    config[axis] = (rows, -rows, 0)
    return pad(x, cast(0, typeof(x).dtype), config)


def _tridiagonal_solve_jvp(primals, tangents, **params):
    """A x = b, so A dx = db - dA x. Each diagonal of dA scales the rows of x, moved or not."""
    (dl, d, du, b), (*diagonal_dots, b_dot) = primals, tangents
    x = tridiagonal_solve_p.bind(dl, d, du, b, **params)
    rows = typeof(x).ndim - 2
    for diagonal_dot, by in zip(diagonal_dots, (1, 0, -1), strict=True):
        if is_nonzero(diagonal_dot):
            beside = _moved(x, by, rows) if by else x
            b_dot = add_tangents(b_dot, neg(mul(columns_of(diagonal_dot), beside)))
    if not is_nonzero(b_dot):
        return x, Zero.from_primal_value(x)
    return x, tridiagonal_solve_p.bind(dl, d, du, b_dot, **params)


def _tridiagonal_solve_transpose(ct, dl, d, du, b, **params):
    """A^T y = ct: what is below the diagonal is above it. (The lower one's first number is none of
    the matrix, nor is the upper one's last.)"""
    axis = typeof(d).ndim - 1
    lower, upper = _moved(du, 1, axis), _moved(dl, -1, axis)
    return [None, None, None, tridiagonal_solve_p.bind(lower, d, upper, ct, **params)]


def _tridiagonal_solve_batcher(args: Sequence, dims: Sequence, **params: Any) -> tuple:
    """Of one matrix and many right-hand sides, these stand beside each other as one."""
    (*diagonals, b), (*diagonal_dims, b_dim) = args, dims
    if any(d is not not_mapped for d in diagonal_dims):
        return tridiagonal_solve_p.bind(*at_front(args, dims), **params), 0
    many = moveaxis(b, b_dim, -2)
    *stack, rows, size, columns = typeof(many).shape
    beside = reshape(many, (*stack, rows, size * columns))
    x = tridiagonal_solve_p.bind(*diagonals, beside, **params)
    return reshape(x, typeof(many).shape), len(stack) + 1


primitive_jvps[tridiagonal_solve_p] = _tridiagonal_solve_jvp
primitive_transposes[tridiagonal_solve_p] = _tridiagonal_solve_transpose
primitive_batchers[tridiagonal_solve_p] = _tridiagonal_solve_batcher


def _write_tridiagonal_solve(part: RoutinePart, n: int) -> int | None:
    dl, d, du, b = part.eqn.invars
    if part.eqn.params["perturb_singular"]:
        return None
    columns = b.aval.shape[-1]
    low, middle, up, far = (part.own(n) for _ in range(4))
    pivots, x = part.scratch(n, INT64), part.own(n, columns)
    with part.each_matrix(1):
        (name, begin), last = part.matrix(dl, 1), n - 1
        part.row((name, f"{begin} + 1"), (low, "0"), last)
        part.row(part.matrix(d, 1), (middle, "0"), n)
        part.row(part.matrix(du, 1), (up, "0"), last)
        part.across(part.matrix(b), (x, "0"), n, columns)
        part.call("gttrf", n, low, middle, up, far, pivots, FOUND)
        part.emit(f"is_found = {part.found}")
        part.call("gttrs", "N", n, columns, low, middle, up, far, pivots, x, n, FOUND)
        part.across((x, "0"), part.matrix(0), columns, n)
        part.emit(f"{part.found} = is_found")
        part.nan_unless_found((0, 2))
    return n * columns


register_routine(tridiagonal_solve_p, _write_tridiagonal_solve, "gttrf", "gttrs", rank=1)


def tridiagonal_solve(
    dl: Any, d: Any, du: Any, b: Any, *, perturb_singular: bool = False
) -> Any:  # fmt: skip
    """The x of A x = b, for A with the diagonal `d`, `dl` below it and `du` above it.

    These have shape (..., n): row i of A has dl[i], d[i] and du[i], and dl[0] and du[n - 1] are not
    read. b has shape (..., n, m). NaN where A is singular; with `perturb_singular`, A is one that
    rounding may make of it. TypeError for dtypes other than of floats and complex numbers, several
    dtypes, and shapes that do not fit.

    >>> d = np.array([2.0, 2.0])
    >>> tridiagonal_solve(np.array([0.0, 1.0]), d, np.array([1.0, 0.0]), np.array([[3.0], [3.0]]))
    Array([[1.],
           [1.]], dtype=float32)
    """
    return tridiagonal_solve_p.bind(dl, d, du, b, perturb_singular=bool(perturb_singular))
