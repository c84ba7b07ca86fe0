"""Symmetric and Hermitian matrices: their eigenvectors, which are orthogonal, and the reflections
that leave three diagonals of them. Beside these, products that are symmetric."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.forward import primitive_jvps
from minijax.core.primitives import add, cast, mul, numpy_primitive, sub, through_float32
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import real_dtype, reciprocal
from minijax.lax.elementwise.complex_numbers import real
from minijax.lax.linalg.matrices import (
    adjoint,
    columns_of,
    diagonal_of,
    identity_like,
    lower_part,
    product,
    rows_of,
    swapped,
    symmetrized,
)
from minijax.lax.linalg.routine_parts import FOUND, INT64, RoutinePart, register_routine
from minijax.lax.linalg.routines import (
    check_square,
    defstacked,
    lapack,
    nan_unless,
    over_stack,
    refusing_halves,
    room,
    stack_shape,
)
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.shapes.axes import full_like

NAME = "lax.linalg.eigh"


class EighImplementation(Enum):
    """By which algorithm: the QR algorithm is the one that there is here, as in JAX on CPUs."""

    QR = "qr"
    JACOBI = "jacobi"
    QDWH = "qdwh"


def _eigh_rule(
    x: ShapedArray, *, lower: bool, sort_eigenvalues: bool, subset_by_index: Any, algorithm: Any
) -> list[ShapedArray]:
    stack = stack_shape(NAME, x)
    check_square(NAME, x)
    n = x.shape[-1]
    first, end = (0, n) if subset_by_index is None else subset_by_index
    if not 0 <= first <= end <= n:
        raise ValueError(f"{NAME} of {x} got subset_by_index {subset_by_index}. Give (0, {n}).")
    values = x.update(shape=(*stack, end - first), dtype=real_dtype(x.dtype))
    return [x.update(shape=(*stack, n, end - first)), values]


def _numpy_eigh(
    x: np.ndarray, lower: bool, sort_eigenvalues: bool, subset_by_index: Any, algorithm: Any
) -> Sequence[np.ndarray]:
    if subset_by_index not in (None, (0, x.shape[-1])):
        raise NotImplementedError(f"{NAME} finds all eigenvalues. Leave subset_by_index out.")
    if algorithm not in (None, EighImplementation.QR):
        raise NotImplementedError(f"{NAME} has no {algorithm}. Leave `implementation` out.")
    syevd = lapack("heevd" if x.dtype.kind == "c" else "syevd", x.dtype)

    def find(x: np.ndarray) -> tuple:
        values, vectors, info = syevd(x, lower=lower)
        return nan_unless(info == 0, vectors, values)

    return over_stack(find, x)


eigh_p = numpy_primitive_several("eigh", _eigh_rule, refusing_halves(NAME, _numpy_eigh))


def _eigh_jvp(primals, tangents, *, subset_by_index, **params):
    """Of A V = V W follows, with D = V^H dA V, that dW is D's diagonal, and dV = V (F * D) where
    F[i, j] = 1 / (w[j] - w[i]) off the diagonal (Giles, Collected matrix derivative results). A is
    taken to be symmetric here, and not only half of it to be given, as in JAX."""
    (x,), (x_dot,) = primals, tangents
    if subset_by_index not in (None, (0, typeof(x).shape[-1])):
        raise NotImplementedError(
            f"{NAME} of a part of the eigenvalues has no derivative. Leave subset_by_index out."
        )
    x = symmetrized(NAME, x)
    vectors, values = eigh_p.bind(x, subset_by_index=subset_by_index, **params)
    inner = product(adjoint(vectors), product(x_dot, vectors))
    gaps = cast(inverse_gaps(values), typeof(x).dtype)
    values_dot = diagonal_of(inner)
    if typeof(values_dot).dtype != typeof(values).dtype:
        values_dot = real(values_dot)
    return [vectors, values], [product(vectors, mul(gaps, inner)), values_dot]


def inverse_gaps(values: Any) -> Any:
    """1 / (w[j] - w[i]) at place (i, j), and zeros on the diagonal."""
    gaps = sub(rows_of(values), columns_of(values))
    ones = identity_like(gaps)
    return sub(reciprocal(add(gaps, ones)), ones)


primitive_jvps[eigh_p] = _eigh_jvp
defstacked(eigh_p)


def _write_eigh(part: RoutinePart, n: int, _: int) -> int | None:
    [x], params = part.eqn.invars, part.eqn.params
    if params["subset_by_index"] not in (None, (0, n)):
        return None
    if params["algorithm"] not in (None, EighImplementation.QR):
        return None
    a, size, whole_size = part.own(n, n), 2 * n * n + room(n), 5 * n + 3
    work, whole = part.own(size), part.scratch(whole_size, INT64)
    with part.each_matrix():
        part.across(part.matrix(x), (a, "0"), n, n)
        half, values = "L" if params["lower"] else "U", part.matrix(1, 1)
        part.call("syevd", "V", half, n, a, n, values, work, size, whole, whole_size, FOUND)
        part.across((a, "0"), part.matrix(0), n, n)
        part.nan_unless_found((0, 2), (1, 1))
    return 10 * n**3


register_routine(eigh_p, _write_eigh, "syevd")


def eigh(
    x: Any, *, lower: bool = True, symmetrize_input: bool = True, sort_eigenvalues: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    implementation: EighImplementation | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """(V, w) with x V = V diag(w), of symmetric or Hermitian matrices (..., n, n).

    V's columns are the eigenvectors, which are orthogonal and of length 1, and w, real, goes up. x
    is first replaced by the mean of it and its adjoint, or else the `lower` triangle is read, or
    the upper one. The rest is as in JAX on CPUs: eigenvalues are sorted in any case, a part of them
    (`subset_by_index`) or another algorithm is a NotImplementedError. NaN where x is not finite.
    TypeError for dtypes that are no numbers; errors for no square matrices as of `cholesky`.

    >>> eigh(np.array([[2.0, 0.0], [0.0, -1.0]]))[1]
    Array([-1.,  2.], dtype=float32)
    """
    x = symmetrized(NAME, x) if symmetrize_input else x
    algorithm = None if implementation is None else EighImplementation(implementation)
    vectors, values = eigh_p.bind(
        x, lower=bool(lower), sort_eigenvalues=bool(sort_eigenvalues), algorithm=algorithm,
        subset_by_index=subset_by_index,
    )  # fmt: skip
    return vectors, values


# Three diagonals.

TRIDIAGONAL = "lax.linalg.tridiagonal"


def _tridiagonal_rule(a: ShapedArray, *, lower: bool) -> list[ShapedArray]:
    stack = stack_shape(TRIDIAGONAL, a)
    check_square(TRIDIAGONAL, a)
    n = a.shape[-1]
    if not n:
        raise ValueError(f"{TRIDIAGONAL} needs a matrix with a row, and got {a}. Give one.")
    taus = a.update(shape=(*stack, n - 1))
    numbers = taus.update(dtype=real_dtype(a.dtype))
    return [a, numbers.update(shape=(*stack, n)), numbers, taus]


def _numpy_tridiagonal(a: np.ndarray, lower: bool) -> Sequence[np.ndarray]:
    reduce = lapack("hetrd" if a.dtype.kind == "c" else "sytrd", a.dtype)
    work = room(a.shape[-1])
    return over_stack(lambda a: reduce(a, lower=lower, lwork=work)[:4], a)


tridiagonal_p = numpy_primitive_several(
    "tridiagonal", _tridiagonal_rule, refusing_halves(TRIDIAGONAL, _numpy_tridiagonal)
)
defstacked(tridiagonal_p)


def tridiagonal(a: Any, *, lower: bool = True) -> list[Any]:
    """[reflections, d, e, taus] with a = Q T Q^H, of symmetric or Hermitian matrices (..., n, n).

    T has the real diagonal d, and e beside it on either side. Q is a product of reflections, whose
    vectors stand in the first result and their factors in `taus`. The `lower` triangle is read, or
    the upper one. It has no derivative, as in JAX. TypeError where `a` is no matrix of floats or
    complex numbers, ValueError where it is not square or has no rows.

    >>> tridiagonal(np.array([[2.0, 1.0], [1.0, 3.0]]))[1:3]
    [Array([2., 3.], dtype=float32), Array([1.], dtype=float32)]
    """
    return tridiagonal_p.bind(a, lower=bool(lower))


# A product that is symmetric.

PRODUCT = "lax.linalg.symmetric_product"


def _product_rule(
    a_matrix: ShapedArray, c_matrix: ShapedArray, *, alpha: float, beta: float
) -> ShapedArray:
    stack = stack_shape(PRODUCT, a_matrix, c_matrix, ranks=(2, 2), accepts=[np.floating])
    rows = a_matrix.shape[-2]
    if c_matrix.shape != (*stack, rows, rows):
        raise ValueError(
            f"{PRODUCT} got {a_matrix} and c_matrix {c_matrix}. Give the shapes (m, n) and (m, m)."
        )
    return c_matrix.update(weak_type=a_matrix.weak_type and c_matrix.weak_type)


def _numpy_product(a: np.ndarray, c: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    alpha, beta = c.dtype.type(alpha), c.dtype.type(beta)
    return alpha * np.matmul(a, np.swapaxes(a, -1, -2)) + beta * c


symmetric_product_p = numpy_primitive(
    "symmetric_product", _product_rule, through_float32(_numpy_product)
)
defstacked(symmetric_product_p)


def _products_call(eqn: JaxprEqn) -> tuple[ClosedJaxpr, list[Atom]]:
    """In the primitives of elements and products, for the compiler."""

    def written_out(a: Any, c: Any) -> list[Any]:
        alpha, beta = (full_like(c, eqn.params[name]) for name in ("alpha", "beta"))
        return [add(mul(alpha, product(a, swapped(a))), mul(beta, c))]

    return trace_to_jaxpr(written_out, [x.aval for x in eqn.invars]), eqn.invars


register_lowering(symmetric_product_p, call=_products_call)


def symmetric_product(
    a_matrix: Any, c_matrix: Any, *, alpha: float = 1.0, beta: float = 0.0,
    symmetrize_output: bool = False,
) -> Any:  # fmt: skip
    """alpha A A^T + beta C, of floats A (..., m, n) and a symmetric C (..., m, m).

    With `symmetrize_output`, the upper triangle is a copy of the lower one; else it may be another.
    It has no derivative, as in JAX. TypeError for other dtypes, ValueError for other sizes.

    >>> symmetric_product(np.array([[3.0]]), np.array([[1.0]]), beta=2.0)
    Array([[11.]], dtype=float32)
    """
    out = symmetric_product_p.bind(a_matrix, c_matrix, alpha=alpha, beta=beta)
    if not symmetrize_output:
        return out
    upper = swapped(lower_part(out, -1))
    return add(lower_part(out), upper)
