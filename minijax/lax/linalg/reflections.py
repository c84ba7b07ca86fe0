"""Householder's reflections: products of them make a matrix triangular, A = Q R.

A reflection is I - tau v v^H. LAPACK keeps the vectors v below the diagonal of R, and their factors
tau beside it; `householder_product` makes Q of them, and `ormqr` multiplies by Q without making it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.forward import Zero, primitive_jvps
from minijax.core.primitives import add, numpy_primitive, sub
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.linalg.gaussian import lu_p, lu_solve
from minijax.lax.linalg.matrices import (
    adjoint,
    columns_in_order,
    first_of,
    grown,
    half,
    identity_like,
    last_of,
    lower_part,
    only_diagonal,
    product,
    swapped,
)
from minijax.lax.linalg.routine_parts import FOUND, INT64, RoutinePart, register_routine
from minijax.lax.linalg.routines import (
    defstacked,
    lapack,
    over_stack,
    refusing_halves,
    room,
    stack_shape,
)
from minijax.lax.linalg.triangular import triangular_solve
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.sizes import min_dim
from minijax.lax.shapes.slicing import concatenate

NAME, PRODUCT, ORMQR = (f"lax.linalg.{name}" for name in ("qr", "householder_product", "ormqr"))

# The factors, as LAPACK keeps them.


def _geqrf_rule(x: ShapedArray) -> list[ShapedArray]:
    stack = stack_shape(NAME, x)
    return [x, x.update(shape=(*stack, min_dim(*x.shape[-2:])))]


def _numpy_geqrf(x: np.ndarray) -> Sequence[np.ndarray]:
    geqrf = lapack("geqrf", x.dtype)

    def factor(x: np.ndarray) -> tuple:
        return geqrf(x, lwork=room(x.shape[1]))[:2] if x.size else (x, x.reshape(0))

    return over_stack(factor, x)


geqrf_p = numpy_primitive_several("geqrf", _geqrf_rule, refusing_halves(NAME, _numpy_geqrf))
defstacked(geqrf_p)


def _write_geqrf(part: RoutinePart, m: int, n: int) -> int:
    [x], k = part.eqn.invars, min(m, n)
    a, size = part.own(m, n), room(n)
    work = part.own(size)
    with part.each_matrix():
        part.across(part.matrix(x), (a, "0"), m, n)
        part.call("geqrf", m, n, a, m, part.matrix(1, 1), work, size, FOUND)
        part.across((a, "0"), part.matrix(0), n, m)
    return m * n * k


register_routine(geqrf_p, _write_geqrf, "geqrf")


def geqrf(x: Any) -> list[Any]:
    """[R with the reflections' vectors below it, their factors] of matrices (..., m, n)."""
    return geqrf_p.bind(x)


def _product_rule(a: ShapedArray, taus: ShapedArray) -> ShapedArray:
    stack_shape(PRODUCT, a, taus, ranks=(2, 1))
    rows, columns = a.shape[-2:]
    if rows < columns or taus.shape[-1] > columns:
        raise ValueError(
            f"{PRODUCT} got {a} and taus {taus}. Give at least as many rows as columns, and no "
            f"more taus than these."
        )
    return a.update(weak_type=a.weak_type and taus.weak_type)


def _is_complex(x: Any) -> bool:
    return issubdtype(x.dtype, np.complexfloating)


def _maker(x: np.ndarray) -> Callable:
    """The function that makes Q of one matrix's reflections, in the dtype of x, and their taus."""
    orgqr, work = lapack("ungqr" if _is_complex(x) else "orgqr", x.dtype), room(max(x.shape[-2:]))
    return lambda a, taus: orgqr(a, taus, lwork=work)[0] if a.size else a


def _numpy_householder_product(a: np.ndarray, taus: np.ndarray) -> np.ndarray:
    make = _maker(a)
    return over_stack(lambda a, taus: (make(a, taus),), a, taus, ranks=(2, 1))[0]


householder_product_p = numpy_primitive(
    "householder_product", _product_rule, refusing_halves(PRODUCT, _numpy_householder_product)
)
defstacked(householder_product_p)


def _write_householder_product(part: RoutinePart, m: int, n: int) -> int:
    x, taus = part.eqn.invars
    k, size = taus.aval.shape[-1], room(m)
    a, work = part.own(m, n), part.own(size)
    with part.each_matrix():
        part.across(part.matrix(x), (a, "0"), m, n)
        part.call("orgqr", m, n, k, a, m, part.matrix(taus, 1), work, size, FOUND)
        part.across((a, "0"), part.matrix(0), n, m)
    return m * n * k


register_routine(householder_product_p, _write_householder_product, "orgqr")


def householder_product(a: Any, taus: Any) -> Any:
    """The first n columns of the product of reflections, of shape (..., m, n), like `a`.

    The i-th has its vector below the diagonal in the i-th column of `a`, after a one, and its
    factor in `taus`, (..., k). TypeError where the dtypes are no floats or complex numbers, or
    differ; ValueError for sizes that do not fit. It has no derivative, as in JAX.

    >>> householder_product(np.array([[0.0], [1.0]]), np.array([1.0]))
    Array([[ 0.],
           [-1.]], dtype=float32)
    """
    return householder_product_p.bind(a, taus)


def _ormqr_rule(
    a: ShapedArray, taus: ShapedArray, c: ShapedArray, *, left: bool, transpose: bool
) -> ShapedArray:
    stack_shape(ORMQR, a, taus, c, ranks=(2, 1, 2))
    if c.shape[-2 if left else -1] != a.shape[-2]:
        lines = "rows" if left else "columns"
        raise ValueError(f"{ORMQR} of {a} got c {c}. Give one with {a.shape[-2]} {lines}.")
    return c.update(weak_type=a.weak_type and taus.weak_type and c.weak_type)


def _numpy_ormqr(
    a: np.ndarray, taus: np.ndarray, c: np.ndarray, left: bool, transpose: bool
) -> np.ndarray:
    ormqr = lapack("unmqr" if _is_complex(a) else "ormqr", a.dtype)
    side = "L" if left else "R"
    trans = ("C" if _is_complex(a) else "T") if transpose else "N"

    def multiply(a: np.ndarray, taus: np.ndarray, c: np.ndarray) -> tuple[np.ndarray]:
        k = min(taus.size, *a.shape)
        if not k or not c.size:
            return (c,)
        work, vectors = room(c.shape[1] if left else c.shape[0]), a[:, :k].copy()
        return (ormqr(side, trans, vectors, taus[:k], c, work)[0],)  # it writes into the vectors

    return over_stack(multiply, a, taus, c, ranks=(2, 1, 2))[0]


ormqr_p = numpy_primitive("ormqr", _ormqr_rule, refusing_halves(ORMQR, _numpy_ormqr))
defstacked(ormqr_p)


def ormqr(a: Any, taus: Any, c: Any, *, left: bool = True, transpose: bool = False) -> Any:
    """Q c, where Q is the product of the reflections in `a` (..., m, k) and `taus` (..., k).

    Unless `left`, it is c Q; with `transpose`, Q's adjoint stands for Q. Errors are those of
    `householder_product`, and it has no derivative either.

    >>> ormqr(np.array([[0.0], [1.0]]), np.array([1.0]), np.array([[3.0], [4.0]]))
    Array([[-4.],
           [-3.]], dtype=float32)
    """
    return ormqr_p.bind(a, taus, c, left=bool(left), transpose=bool(transpose))


# Q and R.


def _qr_rule(
    x: ShapedArray, *, pivoting: bool, full_matrices: bool, use_magma: bool | None
) -> list[ShapedArray]:
    stack = stack_shape(NAME, x)
    rows, columns = x.shape[-2:]
    k = rows if full_matrices else min_dim(rows, columns)
    out = [x.update(shape=(*stack, rows, k)), x.update(shape=(*stack, k, columns))]
    places = x.update(shape=(*stack, columns), dtype=np.dtype(np.int32))
    return [*out, places] if pivoting else out


def _numpy_qr(
    x: np.ndarray, pivoting: bool, full_matrices: bool, use_magma: bool | None
) -> Sequence[np.ndarray]:
    """With pivoting, geqp3 takes the largest of the remaining columns next, and counts from 1."""
    factors, make = lapack("geqp3" if pivoting else "geqrf", x.dtype), _maker(x)

    def factor(x: np.ndarray) -> tuple:
        rows, columns = x.shape
        k = rows if full_matrices else min(rows, columns)
        if not x.size:
            return np.eye(rows, k, dtype=x.dtype), x[:k], np.arange(columns, dtype=np.int32)
        vectors, *order, taus, _, _ = factors(x, lwork=room(columns))
        reflections = np.zeros((rows, k), x.dtype)
        reflections[:, : min(k, columns)] = vectors[:, :k]
        q = make(reflections, taus)
        return q, vectors[:k], *(places - np.int32(1) for places in order)

    q, r, *order = over_stack(lambda x: factor(x)[: 3 if pivoting else 2], x)
    return q, np.triu(r), *order


qr_p = numpy_primitive_several("qr", _qr_rule, refusing_halves(NAME, _numpy_qr))


def _qr_jvp(primals, tangents, *, pivoting, full_matrices, use_magma):
    """Of A = Q R and Q^H Q = I follows Q^H dA R^-1 = Q^H dQ + dR R^-1, where Q^H dQ is minus its
    own adjoint, and dR R^-1 a real diagonal and what lies above (Walter, Lehmann and Lamour, On
    evaluating higher-order derivatives of the QR decomposition)."""
    (x,), (x_dot,) = primals, tangents
    q, r, *order = out = qr_p.bind(
        x, pivoting=pivoting, full_matrices=full_matrices, use_magma=use_magma
    )
    if pivoting:
        x_dot = columns_in_order(x_dot, order[0])
    rows, columns = typeof(x).shape[-2:]
    k = min(rows, columns)
    thin_q, square_r, thin_dot = (first_of(q, rows, k), first_of(r, k, k), first_of(x_dot, rows, k))

    change = triangular_solve(square_r, thin_dot)
    inner = product(adjoint(thin_q), change)
    turn = lower_part(inner, -1)
    turn = sub(turn, adjoint(turn))
    if _is_complex(typeof(x)):
        turn = add(turn, half(only_diagonal(sub(inner, adjoint(inner)))))
    q_dot = add(product(thin_q, sub(turn, inner)), change)
    r_dot = product(sub(inner, turn), square_r)
    if columns > rows:
        r_dot = product(adjoint(q), sub(x_dot, product(q_dot, r)))
    elif full_matrices and rows > columns:
        q_dot = concatenate([q_dot, _rest_of_turn(q, q_dot, k)], typeof(q).ndim - 1)
        r_dot = grown(r_dot, rows, columns)
    return out, [q_dot, r_dot, *map(Zero.from_primal_value, order)]


def _rest_of_turn(q: Any, q_dot: Any, k: int) -> Any:
    """The tangent of the other columns, Q2, from that of the first k, Q1.

    All reflections together are I - V T V^H. So Q1 - E1 = -V T V1^H and Q2 - E2 = -V T V2^H, where
    E1 E2 and V1 V2 are the parts of the identity and of V. With S = V2 V1^-1, the lower rows of the
    first say that S (Q11 - I) = Q21, and both together that Q2 = E2 + (Q1 - E1) S^H.
    """
    n = typeof(q).shape[-1]
    thin, rest = first_of(q, n, k), last_of(q, 0, k)
    upper, upper_dot = first_of(q, k, k), first_of(q_dot, k, k)
    factors, _, permutation = lu_p.bind(sub(upper, identity_like(upper)))

    def divided(x: Any) -> Any:
        """x (Q11 - I)^-1"""
        return swapped(lu_solve(factors, permutation, swapped(x), 1))

    s = divided(last_of(thin, k, 0))
    s_dot = sub(last_of(q_dot, k, 0), product(s, upper_dot))
    # (Q1 - E1) (Q11 - I)^-H = -(Q1 + Q2 S), for Q is unitary.
    return sub(product(q_dot, adjoint(s)), product(add(thin, product(rest, s)), adjoint(s_dot)))


primitive_jvps[qr_p] = _qr_jvp
defstacked(qr_p)


def _write_qr(part: RoutinePart, m: int, n: int) -> int:
    [x], params = part.eqn.invars, part.eqn.params
    reflections = min(m, n)
    k = m if params["full_matrices"] else reflections
    size = room(max(m, n))
    a, q, taus, work = part.own(m, n), part.own(m, k), part.own(reflections), part.own(size)
    order = part.scratch(n, INT64) if params["pivoting"] else ""
    with part.each_matrix():
        part.across(part.matrix(x), (a, "0"), m, n)
        if order:
            with part.loops(("i", n)):
                part.emit(f"{order}[i] = 0")  # any column may come first
            part.call("geqp3", m, n, a, m, order, taus, work, size, FOUND)
            part.row((order, "0"), part.matrix(2, 1), n, "int32({} - 1)")
        else:
            part.call("geqrf", m, n, a, m, taus, work, size, FOUND)
        y, p = part.matrix(1)
        with part.loops(("i", k), ("j", n)):
            part.emit(f"{y}[{p} + i * {n} + j] = 0")
            with part.block("if j >= i:"):
                part.emit(f"{y}[{p} + i * {n} + j] = {a}[j * {m} + i]")
        with part.loops(("i", m * k)):
            part.emit(f"{q}[i] = 0")
        part.row((a, "0"), (q, "0"), m * min(k, n))
        part.call("orgqr", m, k, reflections, q, m, taus, work, size, FOUND)
        part.across((q, "0"), part.matrix(0), k, m)
    return m * n * reflections


register_routine(qr_p, _write_qr, "geqrf", "geqp3", "orgqr")


def qr(
    x: Any, *, pivoting: bool = False, full_matrices: bool = True, use_magma: bool | None = None
) -> tuple[Any, ...]:
    """(Q, R) with x = Q R, of matrices (..., m, n): Q unitary, R upper triangular.

    Q has shape (..., m, m), and unless `full_matrices` (..., m, min(m, n)), R the rows that fit.
    With `pivoting`, the result is (Q, R, order) and x[:, order] = Q R, where R's diagonal never
    grows. `use_magma` is for GPUs. TypeError where x is no matrix of floats or complex numbers.

    >>> q, r = qr(np.array([[3.0], [4.0]]), full_matrices=False)
    >>> r
    Array([[-5.]], dtype=float32)
    """
    return tuple(
        qr_p.bind(
            x, pivoting=bool(pivoting), full_matrices=bool(full_matrices), use_magma=use_magma
        )
    )
