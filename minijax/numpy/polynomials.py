"""Polynomials as rows of their coefficients, that of the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import canonicalize_dtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype, shown
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import check_arraylike, check_broadcast, library_jit, refuse_keys
from minijax.numpy.convolutions import convolve
from minijax.numpy.creation import arange, array, asarray, ones, zeros
from minijax.numpy.elementwise.comparisons import where
from minijax.numpy.elementwise.ufuncs import maximum, negative, power
from minijax.numpy.products import dot, outer
from minijax.numpy.promotion import promote_dtypes, promote_dtypes_inexact
from minijax.numpy.reductions.extremes import argmin
from minijax.numpy.reductions.totals import all as all_of
from minijax.numpy.reductions.totals import prod
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.editing import roll, trim_zeros
from minijax.numpy.shapes.joining import concatenate
from minijax.numpy.shapes.reshaping import atleast_1d, broadcast_shapes, broadcast_to
from minijax.numpy.shapes.triangles import diag

# Values.


@library_jit(static_argnames=("unroll",))
def polyval(p: Any, x: Any, *, unroll: int = 16) -> Any:
    """The values of a polynomial at x, by Horner's rule.

    `unroll` says how many steps a compiler may write out.

    >>> polyval(np.array([1, 0, -2]), np.array([2, 3]))
    Array([2, 7], dtype=int32)
    """
    _check_coefficients("jnp.polyval", IndexError, p)
    p, x = promote_dtypes(p, x)
    shapes = [x.shape, p.shape[1:]]
    check_broadcast("jnp.polyval", shapes, ValueError)
    start = lax.full(broadcast_shapes(*shapes), 0, x.dtype)
    y, _ = lax.scan(lambda y, coefficient: (y * x + coefficient, None), start, p, unroll=unroll)
    return y


def _check_coefficients(fun_name: str, error: type[Exception], *args: Any) -> None:
    check_arraylike(fun_name, *args)
    refuse_keys(fun_name, *args)
    for p in args:
        if not typeof(p).ndim:
            raise error(f"{fun_name} takes rows of coefficients, and got {typeof(p)}. Give a row.")


@library_jit(static_argnames=("N", "increasing"))
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The first N powers of each element, a row for each: falling, or `increasing`.

    N is the number of elements when it isn't given. ValueError for what is no row.

    >>> vander(np.array([2, 3]), 3)
    Array([[4, 2, 1],
           [9, 3, 1]], dtype=int32)
    """
    if typeof(x).ndim != 1:
        raise ValueError(f"jnp.vander takes a row, and got {typeof(x)}. Use jnp.ravel(x).")
    N = x.size if N is None else known_integer("jnp.vander", "N", N)
    if N < 0:
        raise ValueError(f"jnp.vander was asked for {N} powers. Give N from 0.")
    powers = lax.iota(typeof(x).dtype, N)
    if not increasing:
        powers = lax.sub(cast(N - 1, powers.dtype), powers)
    return power(x[:, None], powers[None, :])


# Sums and products.


@library_jit
def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of two polynomials.

    >>> polyadd(np.array([1, 2, 3]), np.array([10]))
    Array([ 1,  2, 13], dtype=int32)
    """
    _check_coefficients("jnp.polyadd", IndexError, a1, a2)
    a1, a2 = promote_dtypes(a1, a2)
    long, short = (a1, a2) if a1.shape[0] >= a2.shape[0] else (a2, a1)
    end = (short.shape[0], *long.shape[1:])
    try:
        fits = lax.broadcast_shapes(short.shape, end) == end
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"jnp.polyadd got the shapes {a1.shape} and {a2.shape}. Give two rows of coefficients."
        )
    return long.at[long.shape[0] - short.shape[0] :].add(short)


@library_jit
def polysub(a1: Any, a2: Any) -> Any:
    """The difference of two polynomials."""
    _check_coefficients("jnp.polysub", IndexError, a1, a2)
    a1, a2 = promote_dtypes(a1, a2)
    return polyadd(a1, negative(a2))


def polymul(a1: Any, a2: Any, *, trim_leading_zeros: bool = False) -> Any:
    """The product of two polynomials, as floats.

    With `trim_leading_zeros`, zeros in front are left out first; their number must be known, so not
    while tracing.

    >>> polymul(np.array([1, 1]), np.array([1, -1]))
    Array([ 1.,  0., -1.], dtype=float32)
    """
    _check_coefficients("jnp.polymul", TypeError, a1, a2)
    a1, a2 = promote_dtypes_inexact(a1, a2)
    if trim_leading_zeros:
        a1, a2 = trim_zeros(a1, "f"), trim_zeros(a2, "f")
    a1, a2 = (x if x.shape[0] else zeros(1, x.dtype) for x in (a1, a2))
    return convolve(a1, a2)


def polydiv(u: Any, v: Any, *, trim_leading_zeros: bool = False) -> tuple[Any, Any]:
    """The quotient and the remainder of two polynomials, as floats.

    With `trim_leading_zeros`, zeros in front of the remainder are left out; their number must be
    known, so not while tracing.

    >>> polydiv(np.array([1.0, 5.0, 8.0]), np.array([1.0, 2.0]))
    (Array([1., 3.], dtype=float32), Array([0., 0., 2.], dtype=float32))
    """
    _check_coefficients("jnp.polydiv", TypeError, u, v)
    u, v = map(asarray, promote_dtypes_inexact(u, v))
    if u.ndim > 1 or v.ndim > 1:
        raise ValueError(f"jnp.polydiv takes rows, and got {typeof(u)} and {typeof(v)}. Give rows.")
    if not v.shape[0]:
        raise IndexError("jnp.polydiv got no coefficients to divide by. Give one at least.")
    m, n = u.shape[0] - 1, v.shape[0] - 1
    scale = 1.0 / v[0]
    quotient = zeros(max(m - n + 1, 1), u.dtype)
    for k in range(m - n + 1):
        digit = scale * u[k]
        quotient = quotient.at[k].set(digit)
        u = u.at[k : k + n + 1].add(-digit * v)
    return quotient, trim_zeros(u, "f") if trim_leading_zeros else u


# Derivatives and integrals.


@library_jit(static_argnames=("m",))
def polyder(p: Any, m: int = 1) -> Any:
    """The m-th derivative of a polynomial, as floats.

    >>> polyder(np.array([1.0, 5.0, 8.0]))
    Array([2., 5.], dtype=float32)
    """
    _check_coefficients("jnp.polyder", TypeError, p)
    m = known_integer("jnp.polyder", "m", m)
    if m < 0:
        raise ValueError(f"jnp.polyder was asked for m = {m}. Give m from 0; see jnp.polyint.")
    (p,) = promote_dtypes_inexact(p)
    if not m:
        return p
    _check_row("jnp.polyder", ValueError, p)
    powers = arange(m, p.size, dtype=p.dtype)[None, :]
    factors = prod(powers - arange(m, dtype=p.dtype)[:, None], axis=0)
    return p[: max(p.size - m, 0)] * factors[::-1]


@library_jit(static_argnames=("m",))
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The m-th integral of a polynomial, as floats.

    The constants are `k`, one for all or one for each time, or 0.

    >>> polyint(np.array([2.0, 5.0]), k=7)
    Array([1., 5., 7.], dtype=float32)
    """
    _check_coefficients("jnp.polyint", TypeError, p)
    m = known_integer("jnp.polyint", "m", m)
    if m < 0:
        raise ValueError(f"jnp.polyint was asked for m = {m}. Give m from 0; see jnp.polyder.")
    p, k = promote_dtypes_inexact(p, 0 if k is None else k)
    k = atleast_1d(k)
    if k.shape not in ((1,), (m,)):
        raise ValueError(f"jnp.polyint got {typeof(k)} as k. Give one number, or a row of {m}.")
    if not m:
        return p
    _check_row("jnp.polyint", TypeError, p)
    constants = k if k.shape == (m,) and m > 1 else broadcast_to(k[0], (m,))
    powers = arange(p.size + m, dtype=p.dtype)[None, :]
    factors = prod(maximum(1, powers - arange(m, dtype=p.dtype)[:, None]), axis=0)[::-1]
    return concatenate([p, constants]) / factors


def _check_row(fun_name: str, error: type[Exception], p: Any) -> None:
    if p.ndim > 1:
        raise error(f"{fun_name} takes a row of coefficients, and got {typeof(p)}. Give a row.")


# Zeros, and fitting: these need linear algebra.


@library_jit
def poly(seq_of_zeros: Any) -> Any:
    """The polynomial that has these zeros; of a square matrix, the characteristic one.

    >>> poly(np.array([1.0, 2.0]))
    Array([ 1., -3.,  2.], dtype=float32)
    """
    refuse_keys("jnp.poly", seq_of_zeros)
    (given,) = promote_dtypes_inexact(seq_of_zeros)
    given = atleast_1d(given)
    rows, *columns = given.shape
    if len(columns) > 1 or (columns and (columns[0] != rows or not rows)):
        raise ValueError(
            f"jnp.poly takes a row of zeros or a square matrix, and got {typeof(given)}. Give one."
        )
    if columns:
        from minijax.numpy.linalg import eigvals  # it is not imported before it is needed

        given = eigvals(given)
    if not rows:
        return ones((), given.dtype)
    result = ones(1, given.dtype)
    for i in range(rows):
        result = convolve(result, array([1, -given[i]], given.dtype))
    return result


def roots(p: Any, *, strip_zeros: bool = True) -> Any:
    """The zeros of a polynomial, as complex numbers: the eigenvalues of its companion matrix.

    Zeros in front of the coefficients are left out, and their number must be known, so not while
    tracing. Without `strip_zeros` there are as many zeros as coefficients but one; NaN stands for
    those that are not there.
    """
    check_arraylike("jnp.roots", p)
    refuse_keys("jnp.roots", p)
    p = atleast_1d(*promote_dtypes_inexact(p))
    if p.ndim != 1:
        raise ValueError(f"jnp.roots takes a row of coefficients, and got {typeof(p)}. Give a row.")
    complex_dtype = canonicalize_dtype(np.result_type(real_dtype(p.dtype), np.complex64))
    if p.size < 2:
        return zeros(0, complex_dtype)
    leading = where(all_of(p == 0), p.size, argmin(p == 0))
    if not strip_zeros:
        return _roots_with_zeros(p, leading)
    what = "the number of zeros in front, or strip_zeros=False,"
    start = known_integer("jnp.roots", what, leading)
    return _roots_no_zeros(p[start:]) if start < p.size - 1 else zeros(0, complex_dtype)


@library_jit
def _roots_no_zeros(p: Any) -> Any:
    from minijax.numpy.linalg import eigvals  # it is not imported before it is needed

    companion = diag(ones(p.size - 2, p.dtype), -1)
    return eigvals(companion.at[0].set(-p[1:] / p[0]))


@library_jit
def _roots_with_zeros(p: Any, leading: Any) -> Any:
    """With zeros moved from the front to the back, where they are zeros of the polynomial."""
    p = where(leading == p.size, 1.0, p)  # of no polynomial; the result is NaN
    found = _roots_no_zeros(roll(p, -leading))
    # Those that came with the moved coefficients go to the end.
    _, found = lax.sort([found == 0, found], num_keys=1)
    return where(arange(found.size) < found.size - leading, found, complex(np.nan, np.nan))


@library_jit(static_argnames=("deg", "rcond", "full", "cov"))
def polyfit(
    x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None,
    cov: bool | str = False,
) -> Any:  # fmt: skip
    """The polynomial of degree `deg` that is nearest to the values y at the places x: it has the
    least sum of squares of distances, each multiplied by its weight w.

    y may have columns, each with its own polynomial. `rcond` is the ratio to the largest singular
    value below which others count as none. With `full`, also the sum of squares, the rank, the
    singular values and `rcond`; with `cov`, the covariances of the coefficients, not scaled by the
    distances with "unscaled".
    """
    name = "jnp.polyfit"
    refuse_keys(name, x, y)
    deg = known_integer(name, "deg", deg)
    _check_points(name, x, y, deg, w)
    if cov and cov != "unscaled" and not full and typeof(x).shape[0] <= deg + 1:
        raise ValueError(
            f"{name} with cov=True needs more than {deg + 1} points, and got {typeof(x).shape[0]}."
            f"\nGive more, or cov='unscaled'."
        )
    from minijax.numpy.linalg import inv, lstsq  # it is not imported before it is needed

    x, y = promote_dtypes_inexact(x, y)
    rcond = x.shape[0] * float(np.finfo(real_dtype(x.dtype)).eps) if rcond is None else rcond
    lhs, rhs = vander(x, deg + 1), y
    if w is not None:
        (w,) = promote_dtypes_inexact(w)
        lhs, rhs = lhs * w[:, None], rhs * (w if rhs.ndim == 1 else w[:, None])
    scale = lax.sqrt(sum_of(lhs * lhs, axis=0))
    lhs = lhs / scale[None, :]
    found, squares, rank, singular_values = lstsq(lhs, rhs, rcond)
    found = (found.T / scale).T
    if full:
        return found, squares, rank, singular_values, array(rcond)
    if not cov:
        return found
    spare = x.shape[0] - deg - 1
    covariances = inv(dot(lhs.T, lhs)) / outer(scale, scale)
    if y.ndim > 1:
        covariances = covariances[:, :, None]
    return found, covariances if cov == "unscaled" else covariances * (squares / spare)


def _check_points(fun_name: str, x: Any, y: Any, deg: int, w: Any) -> None:
    if deg < 0:
        raise ValueError(f"{fun_name} was asked for the degree {deg}. Give deg from 0.")
    shape = typeof(x).shape
    if len(shape) != 1 or not shape[0]:
        raise TypeError(f"{fun_name} takes a row of places x, and got {typeof(x)}. Give a row.")
    if typeof(y).ndim not in (1, 2) or typeof(y).shape[0] != shape[0]:
        raise TypeError(
            f"{fun_name} got {typeof(y)} as y for {shape[0]} places. Give a value, or a row of "
            f"values, for each."
        )
    if w is not None and typeof(w).shape != shape:
        raise TypeError(f"{fun_name} got {shown(w)} as w. Give a weight for each of {shape[0]}.")
