"""Matrices of a pattern: made of a few numbers, or of their size alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.linalg.matrices import conjugated
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import check_arraylike, user_dtype
from minijax.numpy.promotion import promote_dtypes, promote_dtypes_inexact


def _size(name: str, n: Any, least: int = 0) -> int:
    """The integer n; ValueError where it is too small."""
    n = known_integer(f"scipy.linalg.{name}", "n", n)
    if n < least:
        raise ValueError(f"scipy.linalg.{name} takes an n from {least} on, and got {n}. Give one.")
    return n


def _vectors(name: str, *xs: Any) -> list[Any]:
    """The arguments, of one dtype, with an axis at least."""
    check_arraylike(f"scipy.linalg.{name}", *xs)
    return [numpy.atleast_1d(x) for x in promote_dtypes(*xs)]


def _places(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The number of the row and of the column at each place, to be broadcast."""
    return np.arange(rows)[:, None], np.arange(columns)


# Each number in many places: read at an index made of row and column.


def toeplitz(c: Any, r: Any = None) -> Any:
    """The matrix with one number along each diagonal: `c` is its first column, `r` its first row.

    r[0] is not read; without r, it is the conjugate of c. Of stacks (..., m) and (..., n), matrices
    (..., m, n).

    >>> toeplitz(np.array([1, 2, 3]), np.array([0, 8]))
    Array([[1, 8],
           [2, 1],
           [3, 2]], dtype=int32)
    """
    c, r = _vectors("toeplitz", c, conjugated(numpy.asarray(c)) if r is None else r)
    stack = np.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    rows, columns = c.shape[-1], r.shape[-1]
    backwards = lax.rev(r[..., 1:], [r.ndim - 1])
    parts = [numpy.broadcast_to(x, (*stack, x.shape[-1])) for x in (backwards, c)]
    row, column = _places(rows, columns)
    return numpy.concatenate(parts, -1)[..., row - column + max(columns - 1, 0)]


def hankel(c: Any, r: Any = None) -> Any:
    """The matrix with one number along each line across its diagonals: `c` is its first column, `r`
    its last row.

    r[0] is not read; without r, it is zeros. ValueError where c is one number.

    >>> hankel(np.array([1, 2]), np.array([0, 8, 9]))
    Array([[1, 2, 8],
           [2, 8, 9]], dtype=int32)
    """
    check_arraylike("scipy.linalg.hankel", c)
    if not typeof(c).ndim:
        raise ValueError(f"scipy.linalg.hankel takes a column c, and got {typeof(c)}. Give one.")
    c, r = _vectors("hankel", c, numpy.zeros_like(c) if r is None else r)
    row, column = _places(c.shape[-1], r.shape[-1])
    return numpy.concatenate([c, r[..., 1:]], -1)[..., row + column]


def circulant(c: Any) -> Any:
    """The matrix with `c` as its first column, each column the one before moved down, end to front.

    >>> circulant(np.array([1, 2, 3]))
    Array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]], dtype=int32)
    """
    [c] = _vectors("circulant", c)
    n = c.shape[-1]
    row, column = _places(n, n)
    return c[..., (row - column) % max(n, 1)]


def convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    """The matrix that convolves `a` with the n numbers that it is multiplied by.

    `mode` is "full", "same" or "valid", as of np.convolve. ValueError for another one, for n below
    1, or where `a` is empty.

    >>> convolution_matrix(np.array([1, 2]), 2)
    Array([[1, 0],
           [2, 1],
           [0, 2]], dtype=int32)
    """
    [a] = _vectors("convolution_matrix", a)
    n, size = _size("convolution_matrix", n, 1), a.shape[-1]
    if mode not in ("full", "same", "valid"):
        raise ValueError(
            f"scipy.linalg.convolution_matrix has no mode {shown(mode)}. Give 'full', 'same' or "
            f"'valid'."
        )
    if not size:
        raise ValueError("scipy.linalg.convolution_matrix got an empty `a`. Give a number.")
    zeros = numpy.zeros((*a.shape[:-1], n - 1), a.dtype)
    column = numpy.concatenate([a, zeros], -1)
    full = toeplitz(column, numpy.concatenate([a[..., :1], zeros], -1))
    cut = 0 if mode == "full" else min(n, size) - 1
    first = cut if mode == "valid" else cut // 2
    return full[..., first : n + size - 1 - (cut - first if mode == "same" else first), :]


def companion(a: Any) -> Any:
    """The matrix whose eigenvalues are the roots of the polynomial with coefficients `a`.

    ValueError for less than two of them.

    >>> companion(np.array([1.0, -3.0, 2.0]))
    Array([[ 3., -2.],
           [ 1.,  0.]], dtype=float32)
    """
    [a] = promote_dtypes_inexact(*_vectors("companion", a))
    if a.shape[-1] < 2:
        raise ValueError(f"scipy.linalg.companion got {a.aval}. Give at least two numbers.")
    row = -a[..., 1:] / a[..., :1]
    return _with_first_row(row, numpy.ones((*row.shape[:-1], row.shape[-1] - 1), row.dtype))


def leslie(f: Any, s: Any) -> Any:
    """The matrix by which a population ages: births `f` in its first row, survivals `s` below the
    diagonal. ValueError unless `s` has one number less.

    >>> leslie(np.array([1, 2]), np.array([3]))
    Array([[1, 2],
           [3, 0]], dtype=int32)
    """
    f, s = _vectors("leslie", f, s)
    if s.shape[-1] != f.shape[-1] - 1:
        raise ValueError(f"scipy.linalg.leslie of f {f.aval} got s {s.aval}. Give one number less.")
    return _with_first_row(f, s)


def _with_first_row(row: Any, below: Any) -> Any:
    """A square matrix with a first row, and numbers below its diagonal."""
    n = row.shape[-1]
    places = np.arange(n - 1)
    out = numpy.zeros((*row.shape, n), row.dtype)
    return out.at[..., 0, :].set(row).at[..., places + 1, places].set(below)


def fiedler(a: Any) -> Any:
    """The distances of the numbers `a` from each other.

    >>> fiedler(np.array([1, 4]))
    Array([[0, 3],
           [3, 0]], dtype=int32)
    """
    [a] = _vectors("fiedler", a)
    return numpy.abs(a[..., :, None] - a[..., None, :])


def fiedler_companion(a: Any) -> Any:
    """A matrix with five diagonals whose eigenvalues are the roots of the polynomial with
    coefficients `a` (Fiedler, A note on companion matrices).

    >>> fiedler_companion(np.array([1.0, -3.0, 2.0]))
    Array([[ 3., -2.],
           [ 1.,  0.]], dtype=float32)
    """
    [a] = promote_dtypes_inexact(*_vectors("fiedler_companion", a))
    n = max(a.shape[-1] - 1, 0)
    out = numpy.zeros((*a.shape[:-1], n, n), a.dtype)
    if not n:
        return out
    a = a / a[..., :1]
    out = out.at[..., 0, 0].set(-a[..., 1])
    if n == 1:
        return out
    even, odd = np.arange(0, n - 1, 2), np.arange(1, n - 1, 2)
    out = out.at[..., 1, 0].set(1).at[..., even, even + 1].set(-a[..., 2::2])
    out = out.at[..., odd + 1, odd].set(-a[..., 3::2])
    out = out.at[..., even[even < n - 2], even[even < n - 2] + 2].set(1)
    return out.at[..., odd[odd < n - 2] + 2, odd[odd < n - 2]].set(1)


def block_diag(*arrs: Any) -> Any:
    """The matrix with other matrices along its diagonal, and zeros. A vector is a row.

    ValueError for arrays with more than two axes.

    >>> block_diag(np.array([[1]]), np.array([2, 3]))
    Array([[1, 0, 0],
           [0, 2, 3]], dtype=int32)
    """
    arrs = arrs or (numpy.zeros((1, 0)),)
    check_arraylike("scipy.linalg.block_diag", *arrs)
    for place, x in enumerate(arrs):
        if typeof(x).ndim > 2:
            raise ValueError(
                f"scipy.linalg.block_diag got {typeof(x)} as argument {place}. Give a matrix."
            )
    blocks = [numpy.atleast_2d(x) for x in promote_dtypes(*arrs)]
    ends = np.cumsum([0, *(x.shape[1] for x in blocks)])
    return numpy.concatenate([
        lax.pad(x, x.dtype.type(0), [(0, 0, 0), (int(first), int(ends[-1] - last), 0)])
        for x, first, last in zip(blocks, ends, ends[1:], strict=False)
    ])  # fmt: skip


# Made of their size: whole numbers are computed exactly, and rounded once.


def _of_integers(name: str, n: Any, number: Callable[[int, int, int], int]) -> Any:
    n = _size(name, n)
    rows = [[float(number(n, i, j)) for j in range(n)] for i in range(n)]
    return numpy.asarray(np.array(rows, float).reshape(n, n))


def dft(n: int, scale: str | None = None, *, dtype: Any = None) -> Any:
    """The matrix of the discrete Fourier transform of n numbers.

    `scale` divides it by "n" or by "sqrtn". ValueError for another one, or for a dtype that is not
    complex.

    >>> np.round(np.asarray(dft(2)), 3)
    array([[ 1.+0.j,  1.+0.j],
           [ 1.+0.j, -1.-0.j]], dtype=complex64)
    """
    n = _size("dft", n)
    if scale not in (None, "n", "sqrtn"):
        raise ValueError(
            f"scipy.linalg.dft has no scale {shown(scale)}. Give None, 'n' or 'sqrtn'."
        )
    dtype = user_dtype("scipy.linalg.dft", complex if dtype is None else dtype)
    if not issubdtype(dtype, np.complexfloating):
        raise ValueError(f"scipy.linalg.dft got the dtype {dtype}. Give a complex one.")
    row, column = _places(n, n)
    out = np.exp(-2j * np.pi * (row * column % max(n, 1)) / max(n, 1))
    out /= {None: 1, "n": max(n, 1), "sqrtn": math.sqrt(max(n, 1))}[scale]
    return numpy.asarray(out.astype(dtype))


def hadamard(n: int, dtype: Any = int) -> Any:
    """The matrix of ones and minus ones with orthogonal rows, for a power of 2.

    ValueError for another n.

    >>> hadamard(2)
    Array([[ 1,  1],
           [ 1, -1]], dtype=int32)
    """
    n = known_integer("scipy.linalg.hadamard", "n", n)
    if n < 1 or n & (n - 1):
        raise ValueError(f"scipy.linalg.hadamard takes a power of 2 as n, and got {n}. Give one.")
    row, column = _places(n, n)
    signs = 1 - 2 * (np.bitwise_count(row & column) % 2).astype(np.int8)
    return numpy.asarray(signs, dtype=user_dtype("scipy.linalg.hadamard", dtype))


def helmert(n: int, full: bool = False) -> Any:
    """The n - 1 orthonormal rows that sum to zero, each with one number more; `full` adds, as the
    first, the row of equal numbers. ValueError for n below 1.

    >>> np.round(np.asarray(helmert(2)), 3)
    array([[ 0.707, -0.707]], dtype=float32)
    """
    n = _size("helmert", n, 1)
    row, column = _places(n, n)
    out = np.where(column < row, 1.0, np.where(column == row, -row, 0.0))
    out[1:] /= np.sqrt(row[1:] * (row[1:] + 1.0))
    out[0] = 1 / math.sqrt(n)
    return numpy.asarray(out if full else out[1:])


def hilbert(n: int) -> Any:
    """The matrix of the numbers 1 / (i + j + 1), which is nearly singular.

    >>> hilbert(2)
    Array([[1.        , 0.5       ],
           [0.5       , 0.33333334]], dtype=float32)
    """
    n = known_integer("scipy.linalg.hilbert", "n", n)
    if n < 0:
        raise TypeError(f"scipy.linalg.hilbert takes a size from 0 as n, and got {n}. Give one.")
    row, column = _places(n, n)
    return numpy.asarray(1 / (row + column + 1.0))


def invhilbert(n: int) -> Any:
    """The inverse of Hilbert's matrix, of whole numbers (Choi, Tricks or treats with the Hilbert
    matrix).

    >>> invhilbert(2)
    Array([[ 4., -6.],
           [-6., 12.]], dtype=float32)
    """
    def number(n: int, i: int, j: int) -> int:
        pairs = math.comb(n + i, n - j - 1) * math.comb(n + j, n - i - 1) * math.comb(i + j, i) ** 2
        return (-1) ** (i + j) * (i + j + 1) * pairs

    return _of_integers("invhilbert", n, number)


def _lower_pascal(n: int, i: int, j: int) -> int:
    return math.comb(i, j)


def _lower_inverse(n: int, i: int, j: int) -> int:
    return (-1) ** (i + j) * math.comb(i, j)


def _of_kind(name: str, n: Any, kind: Any, symmetric: Callable, lower: Callable) -> Any:
    if kind not in (None, "symmetric", "lower", "upper"):
        raise ValueError(
            f"scipy.linalg.{name} has no kind {shown(kind)}. Give 'symmetric', 'lower' or 'upper'."
        )
    if kind == "upper":
        return _of_integers(name, n, lambda n, i, j: lower(n, j, i))
    return _of_integers(name, n, lower if kind == "lower" else symmetric)


def pascal(n: int, kind: str | None = None) -> Any:
    """Pascal's triangle as a "lower" or "upper" matrix, or their product, which is symmetric.

    ValueError for another kind.

    >>> pascal(3)
    Array([[1., 1., 1.],
           [1., 2., 3.],
           [1., 3., 6.]], dtype=float32)
    """
    return _of_kind("pascal", n, kind, lambda n, i, j: math.comb(i + j, i), _lower_pascal)


def invpascal(n: int, kind: str | None = None) -> Any:
    """The inverse of `pascal`, of whole numbers.

    >>> invpascal(2)
    Array([[ 2., -1.],
           [-1.,  1.]], dtype=float32)
    """
    def symmetric(n: int, i: int, j: int) -> int:
        return sum(_lower_inverse(n, k, i) * _lower_inverse(n, k, j) for k in range(n))

    return _of_kind("invpascal", n, kind, symmetric, _lower_inverse)
