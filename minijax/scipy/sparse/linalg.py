"""Solvers of A x = b that ask for products with A alone.

Each makes a space of vectors larger, A r, A A r, ..., and looks in it for x. The derivative comes
from the equation (`lax.custom_linear_solve`), and is another solve.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.pytrees import tree_flatten, tree_map, tree_structure
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.flatten_util import ravel_pytree
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import is_array

__all__ = ["bicgstab", "cg", "gmres"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def cg(
    A: Any, b: Any, x0: Any = None, *, tol: float = 1e-5, atol: float = 0.0,
    maxiter: int | None = None, M: Any = None,
) -> tuple[Any, None]:  # fmt: skip
    """The x of A x = b, for a Hermitian positive definite A, by conjugate gradients; and None.

    A is a matrix, or a linear function of pytrees like b. It begins at `x0` (zeros), and goes on
    until norm(b - A x) is at most `tol` * norm(b) or `atol`, or for `maxiter` steps, 10 for each
    unknown. M, a matrix or a function, is near A's inverse. TypeError and ValueError for what
    doesn't fit. (Hestenes and Stiefel, 1952.)

    >>> x, _ = cg(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 2.0]))
    >>> numpy.round(x, 4)
    Array([1. , 0.5], dtype=float32)
    """
    return _solved("scipy.sparse.linalg.cg", _cg, A, b, x0, tol, atol, maxiter, M), None


def bicgstab(
    A: Any, b: Any, x0: Any = None, *, tol: float = 1e-5, atol: float = 0.0,
    maxiter: int | None = None, M: Any = None,
) -> tuple[Any, None]:  # fmt: skip
    """The x of A x = b, for any A, by stabilized biconjugate gradients; and None.

    The arguments are `cg`'s. (Van der Vorst, Bi-CGSTAB, 1992.)
    """
    return _solved("scipy.sparse.linalg.bicgstab", _bicgstab, A, b, x0, tol, atol, maxiter, M), None


def gmres(
    A: Any, b: Any, x0: Any = None, *, tol: float = 1e-5, atol: float = 0.0, restart: int = 20,
    maxiter: int | None = None, M: Any = None, solve_method: str = "batched",
) -> tuple[Any, Any]:  # fmt: skip
    """The x of A x = b, for any A, by minimal residuals; and 0, or -1 where x is NaN.

    The arguments are `cg`'s, but for `restart`: how large the space becomes until it begins anew,
    at most `maxiter` times. `solve_method`, "batched" or "incremental", means nothing here.
    (Saad and Schultz, GMRES, 1986.)

    >>> x, info = gmres(np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([2.0, 2.0]))
    >>> numpy.round(x, 4)
    Array([0.5, 1. ], dtype=float32)
    """
    name = "scipy.sparse.linalg.gmres"
    if solve_method not in ("batched", "incremental"):
        got = f"{shown(solve_method)}. Give 'batched' or 'incremental'."
        raise ValueError(f"{name} knows no solve_method {got}")
    size = known_integer(name, "restart", restart)
    x = _solved(name, partial(_gmres, restart=size), A, b, x0, tol, atol, maxiter, M)
    is_nan = [numpy.any(numpy.isnan(leaf)) for leaf in tree_flatten(x)[0]]
    return x, numpy.where(numpy.any(numpy.stack(is_nan)), -1, 0)


# What is asked of the arguments.


def _operator(name: str, what: str, A: Any) -> Callable:
    if callable(A):
        return A
    if not is_array(A) or not numpy.ndim(A):
        raise TypeError(
            f"{name} takes a matrix or a function as {what}, and got {shown(A)}. Give one of these."
        )
    shape = numpy.shape(A)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{name} takes a square matrix as {what}, and got the shape {shape}. Give "
                         f"one.")  # fmt: skip
    return partial(numpy.matmul, A, precision=lax.Precision.HIGHEST)


def _check_alike(name: str, b: Any, x0: Any) -> None:
    """TypeError unless both are floats of one dtype, ValueError unless they have one structure."""
    avals, starts = (list(map(typeof, tree_flatten(tree)[0])) for tree in (b, x0))
    for aval in avals:
        if not issubdtype(aval.dtype, np.inexact):
            way_out = "Convert with b.astype(float)."
            raise TypeError(f"{name} takes floats as b, and got {aval}. {way_out}")
    got = f"{name} got {', '.join(map(str, avals))} as b, and {', '.join(map(str, starts))} as x0"
    is_other = tree_structure(x0) != tree_structure(b)
    if is_other or any(x.shape != y.shape for x, y in zip(avals, starts, strict=True)):
        raise ValueError(f"{got}. Give x0 b's shape.")
    if any(x.dtype != y.dtype for x, y in zip(avals, starts, strict=True)):
        raise TypeError(f"{got}. Give x0 b's dtype.")


def _solved(
    name: str, method: Callable, A: Any, b: Any, x0: Any, tol: Any, atol: Any,
    maxiter: int | None, M: Any,
) -> Any:  # fmt: skip
    matvec = _operator(name, "A", A)
    near_inverse = (lambda x: x) if M is None else _operator(name, "M", M)
    b = tree_map(numpy.asarray, b)
    x0 = tree_map(numpy.zeros_like, b) if x0 is None else tree_map(numpy.asarray, x0)
    _check_alike(name, b, x0)
    unknowns = sum(x.size for x in tree_flatten(b)[0])
    steps = 10 * unknowns if maxiter is None else maxiter
    x0 = tree_map(lax.stop_gradient, x0)

    def solve(matvec: Callable, b: Any) -> Any:
        flat_b, unravel = ravel_pytree(b)
        flat_x, _ = ravel_pytree(x0)

        def flat(fun: Callable) -> Callable:
            return lambda x: ravel_pytree(fun(unravel(x)))[0].astype(flat_b.dtype)

        smallest = numpy.maximum(tol * _norm(flat_b), atol).astype(_norm(flat_b).dtype)
        x = method(flat(matvec), flat_b, flat_x, smallest, steps, flat(near_inverse))
        return unravel(x)

    symmetric = method is _cg
    return lax.custom_linear_solve(
        matvec, b, solve=solve, transpose_solve=solve, symmetric=symmetric
    )  # fmt: skip


def _dot(x: Any, y: Any) -> Any:
    return numpy.sum(numpy.conj(x) * y)


def _norm(x: Any) -> Any:
    return numpy.sqrt(numpy.sum(numpy.square(numpy.abs(x))))


def _or_zero(x: Any, y: Any) -> Any:
    """x / y, and 0 for what is no quotient."""
    return numpy.where(y == 0, 0, x / numpy.where(y == 0, 1, y))


# Each is a function of flat vectors: of the product with A, b, x, the norm that a residual is to
# have, how many steps there may be, and the product with M.


def _cg(
    product: Callable, b: Any, x: Any, smallest: Any, steps: Any, near_inverse: Callable
) -> Any:
    def goes_on(state: tuple) -> Any:
        _, r, _, _, k = state
        return (_norm(r) > smallest) & (k < steps)

    def step(state: tuple) -> tuple:
        x, r, p, size, k = state
        image = product(p)
        length = _or_zero(size, _dot(p, image))
        x, r = x + length * p, r - length * image
        z = near_inverse(r)
        new = _dot(r, z)
        return x, r, z + _or_zero(new, size) * p, new, k + 1

    r = b - product(x)
    z = near_inverse(r)
    return lax.while_loop(goes_on, step, (x, r, z, _dot(r, z), 0))[0]


def _bicgstab(
    product: Callable, b: Any, x: Any, smallest: Any, steps: Any, near_inverse: Callable
) -> Any:
    """It ends too where one of its two lengths is 0: there it breaks down."""

    def goes_on(state: tuple) -> Any:
        _, r, *_, is_alive, k = state
        return (_norm(r) > smallest) & is_alive & (k < steps)

    def step(state: tuple) -> tuple:
        x, r, p, size, _, k = state
        near_p = near_inverse(p)
        image = product(near_p)
        length = _or_zero(size, _dot(shadow, image))
        half = r - length * image
        near_half = near_inverse(half)
        turned = product(near_half)
        width = _or_zero(_dot(turned, half), _dot(turned, turned))
        x = x + length * near_p + width * near_half
        r = half - width * turned
        new = _dot(shadow, r)
        p = r + _or_zero(new * length, size * width) * (p - width * image)
        return x, r, p, new, (length != 0) & (width != 0), k + 1

    shadow = r = b - product(x)
    start = x, r, r, _dot(r, r), numpy.asarray(True), 0
    return lax.while_loop(goes_on, step, start)[0]


def _gmres(
    product: Callable, b: Any, x: Any, smallest: Any, steps: Any, near_inverse: Callable,
    restart: int,
) -> Any:  # fmt: skip
    size = min(restart, b.size)

    def goes_on(state: tuple) -> Any:
        _, r, k = state
        return (_norm(r) > smallest) & (k < steps)

    def step(state: tuple) -> tuple:
        x, r, k = state
        x = x + _smallest_residual(product, near_inverse, r, smallest, size)
        return x, b - product(x), k + 1

    return lax.while_loop(goes_on, step, (x, b - product(x), 0))[0]


def _smallest_residual(
    product: Callable, near_inverse: Callable, r: Any, smallest: Any, size: int
) -> Any:
    """The change of x that makes the residual smallest, in a space of at most `size` vectors.

    With an orthonormal basis V of it (Arnoldi's), A V = V H, where H has one diagonal below the
    main one. Rotations of neighbouring rows, one more for each vector, make H triangular.
    (Saad, Iterative methods for sparse linear systems, 6.5.3.)
    """
    first = near_inverse(r)
    length = _norm(first)
    dtype = first.dtype
    tiny = float(ml_dtypes.finfo(dtype).eps) * length
    basis = numpy.zeros((size + 1, first.size), dtype).at[0].set(_or_zero(first, length))
    triangle = numpy.eye(size, dtype=dtype)
    cosines = numpy.ones(size, dtype)
    sines = numpy.zeros(size, dtype)
    rest = numpy.zeros(size + 1, dtype).at[0].set(length.astype(dtype))

    def goes_on(state: tuple) -> Any:
        *_, rest, k = state
        is_small = numpy.abs(rest[numpy.minimum(k, size)]) <= numpy.maximum(tiny, smallest * 0.1)
        return ~is_small & (k < size)

    def step(state: tuple) -> tuple:
        basis, triangle, cosines, sines, rest, k = state
        vector = near_inverse(product(basis[k]))
        column = numpy.zeros(size + 1, dtype)
        for _ in range(2):  # once more: of the rounding errors
            shares = numpy.matmul(numpy.conj(basis), vector)
            vector, column = vector - numpy.matmul(shares, basis), column + shares
        below = _norm(vector)
        basis = basis.at[k + 1].set(_or_zero(vector, below))
        column = column.at[k + 1].set(below.astype(dtype))

        def rotate(i: Any, column: Any) -> Any:
            upper, lower = _rotated(cosines[i], sines[i], column[i], column[i + 1])
            return column.at[i].set(upper).at[i + 1].set(lower)

        column = lax.fori_loop(0, k, rotate, column)
        cosine, sine = _rotation(column[k], column[k + 1])
        upper, _ = _rotated(cosine, sine, column[k], column[k + 1])
        triangle = triangle.at[:, k].set(numpy.where(numpy.arange(size) < k, column[:-1], 0))
        triangle = triangle.at[k, k].set(upper)
        rest_upper, rest_lower = _rotated(cosine, sine, rest[k], 0)
        rest = rest.at[k].set(rest_upper).at[k + 1].set(rest_lower)
        return basis, triangle, cosines.at[k].set(cosine), sines.at[k].set(sine), rest, k + 1

    start = basis, triangle, cosines, sines, rest, 0
    basis, triangle, _, _, rest, count = lax.while_loop(goes_on, step, start)
    wanted = numpy.where(numpy.arange(size) < count, rest[:-1], 0)

    def substitute(i: Any, shares: Any) -> Any:
        row = size - 1 - i
        known = numpy.sum(triangle[row] * numpy.where(numpy.arange(size) > row, shares, 0))
        return shares.at[row].set(_or_zero(wanted[row] - known, triangle[row, row]))

    shares = lax.fori_loop(0, size, substitute, numpy.zeros(size, dtype))
    return numpy.matmul(shares, basis[:-1])


def _rotation(x: Any, y: Any) -> tuple:
    """The cosine and the sine of the turn that makes (x, y) a vector (z, 0)."""
    size = numpy.sqrt(numpy.square(numpy.abs(x)) + numpy.square(numpy.abs(y))).astype(x.dtype)
    is_0 = size == 0
    cosine = numpy.where(is_0, 1, numpy.conj(x) / numpy.where(is_0, 1, size))
    return cosine, numpy.where(is_0, 0, numpy.conj(y) / numpy.where(is_0, 1, size))


def _rotated(cosine: Any, sine: Any, x: Any, y: Any) -> tuple:
    return cosine * x + sine * y, -numpy.conj(sine) * x + numpy.conj(cosine) * y


guard(sys.modules[__name__])
