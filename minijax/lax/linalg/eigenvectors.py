"""Eigenvectors of any square matrix, and its Schur and Hessenberg forms.

Where the eigenvectors of a symmetric matrix are orthogonal, these need not even be independent; an
orthogonal Q can still make the matrix triangular (Schur), and, without iterating, nearly so
(Hessenberg).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from minijax.core.forward import primitive_jvps
from minijax.core.primitives import add, cast, div, eq, mul, neg, reduce_sum
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import abs as lax_abs
from minijax.lax.elementwise.complex_numbers import complex as lax_complex
from minijax.lax.elementwise.complex_numbers import conj, imag, real
from minijax.lax.linalg.gaussian import lu_p, lu_solve
from minijax.lax.linalg.matrices import diagonal_of, product, rows_of
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
from minijax.lax.linalg.symmetric import inverse_gaps
from minijax.lax.primitive_makers import numpy_primitive_several
from minijax.lax.reductions.argminmax import argmax
from minijax.lax.shapes.axes import broadcasted_iota

NAME = "lax.linalg.eig"


class EigImplementation(Enum):
    """Whose routine: LAPACK's is the one that there is here, as in JAX on CPUs."""

    CUSOLVER = "cusolver"
    MAGMA = "magma"
    LAPACK = "lapack"


def _eig_rule(
    x: ShapedArray, *, compute_left_eigenvectors: bool, compute_right_eigenvectors: bool,
    enable_eigvec_derivs: bool, implementation: EigImplementation | None,
) -> list[ShapedArray]:  # fmt: skip
    stack_shape(NAME, x)
    check_square(NAME, x)
    x = x.update(dtype=np.result_type(_wide(x.dtype), np.complex64))
    sides = compute_left_eigenvectors + compute_right_eigenvectors
    return [x.update(shape=x.shape[:-1]), *[x] * sides]


def _wide(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float32) if dtype.itemsize == 2 else dtype


def _numpy_eig(
    x: np.ndarray, compute_left_eigenvectors: bool, compute_right_eigenvectors: bool,
    enable_eigvec_derivs: bool, implementation: EigImplementation | None,
) -> Sequence[np.ndarray]:  # fmt: skip
    if implementation not in (None, EigImplementation.LAPACK):
        raise ValueError(f"{NAME} has no {implementation} on CPUs. Leave `implementation` out.")
    wanted = [compute_left_eigenvectors, compute_right_eigenvectors]

    def find(x: np.ndarray) -> Sequence[np.ndarray]:
        if not x.size:
            empty = x.astype(np.result_type(x.dtype, np.complex64))
            return [empty[0:0].reshape(0), *[empty] * sum(wanted)]
        is_finite = np.isfinite(x).all()
        values, vectors, info = _geev(x if is_finite else np.zeros_like(x), wanted)
        chosen = (v for v, is_wanted in zip(vectors, wanted, strict=True) if is_wanted)
        return nan_unless(is_finite and info == 0, values, *chosen)

    return over_stack(find, x)


def _geev(x: np.ndarray, wanted: Sequence[bool]) -> tuple[np.ndarray, list[np.ndarray], int]:
    """The eigenvalues, the left and the right eigenvectors, and 0 where they were found.

    Of a real matrix LAPACK gives real numbers: where a pair of eigenvalues is conjugate, so are the
    vectors, and two columns are the real part of the first and its imaginary part.
    """
    *found, left, right, info = lapack("geev", x.dtype)(x, *wanted, lwork=room(len(x)))
    if x.dtype.kind == "c":
        return found[0], [left, right], info
    re, im = found
    values = np.empty(re.shape, np.result_type(x.dtype, np.complex64))
    values.real, values.imag = re, im
    [first] = np.nonzero(im > 0)

    def joined(columns: np.ndarray, is_wanted: bool) -> np.ndarray:
        vectors = columns.astype(values.dtype)
        if is_wanted:
            vectors[:, first] = columns[:, first] + 1j * columns[:, first + 1]
            vectors[:, first + 1] = vectors[:, first].conj()
        return vectors

    return values, list(map(joined, (left, right), wanted)), info


eig_p = numpy_primitive_several("eig", _eig_rule, refusing_halves(NAME, _numpy_eig))


def _eig_jvp(primals, tangents, *, enable_eigvec_derivs, **params):
    """Of A V = V W follows, with D = V^-1 dA V, that dW is D's diagonal; and dV = V (F * D), with
    F[i, j] = 1 / (w[j] - w[i]), up to a factor for each column."""
    (x,), (x_dot,) = primals, tangents
    has_left, has_right = (
        params.pop(f"compute_{side}_eigenvectors") for side in ("left", "right")
    )
    if has_left or has_right and not enable_eigvec_derivs:
        raise NotImplementedError(
            f"{NAME} differentiates eigenvalues; right eigenvectors, where no two eigenvalues are "
            f"equal.\nPass enable_eigvec_derivs=True where you know that."
        )
    values, vectors = eig_p.bind(
        x, compute_left_eigenvectors=False, compute_right_eigenvectors=True,
        enable_eigvec_derivs=enable_eigvec_derivs, **params,
    )  # fmt: skip
    x_dot = cast(x_dot, typeof(vectors).dtype)
    factors, _, permutation = lu_p.bind(vectors)
    inner = lu_solve(factors, permutation, product(x_dot, vectors))
    values_dot = diagonal_of(inner)
    if not has_right:
        return [values], [values_dot]
    turn = product(vectors, mul(inverse_gaps(values), inner))
    return [values, vectors], [values_dot, _normalized(vectors, turn)]


def _normalized(vectors: Any, turn: Any) -> Any:
    """The tangent that keeps each column's length, which is 1, and its largest number real: as
    LAPACK chooses the column."""
    aval = typeof(vectors)
    axis = aval.ndim - 2
    largest = argmax(lax_abs(vectors), axis, np.int32)
    numbers = broadcasted_iota(np.dtype(np.int32), aval.shape, axis)
    is_largest = cast(eq(numbers, rows_of(largest)), aval.dtype)

    def at_largest(x: Any) -> Any:
        return reduce_sum(mul(is_largest, x), [axis])

    length = real(reduce_sum(mul(conj(vectors), turn), [axis]))
    angle = div(imag(at_largest(turn)), real(at_largest(vectors)))
    factor = lax_complex(neg(length), neg(angle))
    return add(turn, mul(vectors, rows_of(factor)))


primitive_jvps[eig_p] = _eig_jvp
defstacked(eig_p)


def eig(
    x: Any, *, compute_left_eigenvectors: bool = True, compute_right_eigenvectors: bool = True,
    enable_eigvec_derivs: bool = False, implementation: EigImplementation | None = None,
    use_magma: bool | None = None,
) -> list[Any]:  # fmt: skip
    """[w, left, right] of square matrices (..., n, n): complex numbers, in no order.

    x right = right diag(w), and left^H x = diag(w) left^H; columns have length 1. Sides that are
    not computed are left out. Derivatives of right eigenvectors want `enable_eigvec_derivs`: they
    are right where no two eigenvalues are equal. NaN where x is not finite. TypeError where x is no
    matrix of floats or complex numbers, ValueError where it is not square, or for an
    `implementation` for GPUs.

    >>> w, right = eig(np.array([[0.0, 1.0], [-1.0, 0.0]]), compute_left_eigenvectors=False)
    >>> w
    Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    if use_magma is not None:
        warnings.warn(
            "lax.linalg.eig takes `implementation` in place of use_magma.", DeprecationWarning,
            stacklevel=2,
        )  # fmt: skip
        implementation = EigImplementation.MAGMA if use_magma else EigImplementation.CUSOLVER
    return eig_p.bind(
        x, compute_left_eigenvectors=bool(compute_left_eigenvectors),
        compute_right_eigenvectors=bool(compute_right_eigenvectors),
        enable_eigvec_derivs=bool(enable_eigvec_derivs), implementation=implementation,
    )  # fmt: skip


# Forms without eigenvectors.

SCHUR, HESSENBERG = "lax.linalg.schur", "lax.linalg.hessenberg"


def _schur_rule(
    x: ShapedArray, *, compute_schur_vectors: bool, sort_eig_vals: bool,
    select_callable: Callable | None,
) -> list[ShapedArray]:  # fmt: skip
    stack_shape(SCHUR, x)
    check_square(SCHUR, x)
    return [x, x] if compute_schur_vectors else [x]


def _numpy_schur(
    x: np.ndarray, compute_schur_vectors: bool, sort_eig_vals: bool,
    select_callable: Callable | None,
) -> Sequence[np.ndarray]:  # fmt: skip
    if sort_eig_vals:
        raise NotImplementedError(f"{SCHUR} does not sort eigenvalues. Leave sort_eig_vals out.")
    gees = lapack("gees", x.dtype)

    def find(x: np.ndarray) -> Sequence[np.ndarray]:
        if not x.size:
            return [x, x]
        form, *_, vectors, _, info = gees(
            lambda *_: None, x, compute_v=compute_schur_vectors, lwork=room(len(x))
        )
        return nan_unless(info == 0, form, vectors)

    return over_stack(lambda x: find(x)[: 1 + compute_schur_vectors], x)


schur_p = numpy_primitive_several("schur", _schur_rule, refusing_halves(SCHUR, _numpy_schur))
defstacked(schur_p)


def schur(
    x: Any, *, compute_schur_vectors: bool = True, sort_eig_vals: bool = False,
    select_callable: Callable | None = None,
) -> list[Any]:  # fmt: skip
    """[T, Q] with x = Q T Q^H, of square matrices (..., n, n): Q unitary, T upper triangular.

    Of real matrices T is real: it has 2 x 2 blocks on its diagonal for pairs of complex
    eigenvalues. Without `compute_schur_vectors`, [T]. Eigenvalues are not sorted: with
    `sort_eig_vals` it is a NotImplementedError, as in JAX, and it has no derivative either. NaN
    where x is not finite. TypeError where x is no matrix of floats or complex numbers, ValueError
    where it is not square.

    >>> schur(np.array([[1.0, 2.0], [0.0, 3.0]]))[0]
    Array([[1., 2.],
           [0., 3.]], dtype=float32)
    """
    return schur_p.bind(
        x, compute_schur_vectors=bool(compute_schur_vectors), sort_eig_vals=bool(sort_eig_vals),
        select_callable=select_callable,
    )  # fmt: skip


def _hessenberg_rule(a: ShapedArray) -> list[ShapedArray]:
    stack = stack_shape(HESSENBERG, a)
    check_square(HESSENBERG, a)
    if not a.shape[-1]:
        raise ValueError(f"{HESSENBERG} needs a matrix with a row, and got {a}. Give one.")
    return [a, a.update(shape=(*stack, a.shape[-1] - 1))]


def _numpy_hessenberg(a: np.ndarray) -> Sequence[np.ndarray]:
    gehrd = lapack("gehrd", a.dtype)
    return over_stack(lambda a: gehrd(a, lwork=room(len(a)))[:2], a)


hessenberg_p = numpy_primitive_several(
    "hessenberg", _hessenberg_rule, refusing_halves(HESSENBERG, _numpy_hessenberg)
)
defstacked(hessenberg_p)


def hessenberg(a: Any) -> list[Any]:
    """[H with reflections below it, their factors], a = Q H Q^H, of matrices (..., n, n).

    H has zeros below the diagonal that lies under the main one. There the vectors of the n - 1
    reflections stand, whose product is Q. It has no derivative, as in JAX. TypeError where `a` is
    no matrix of floats or complex numbers, ValueError where it is not square or has no rows.

    >>> hessenberg(np.array([[1.0, 2.0], [3.0, 4.0]]))[0]
    Array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return hessenberg_p.bind(a)
