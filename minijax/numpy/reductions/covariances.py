"""How variables go together: their covariances, and these on a scale from -1 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.numpy.arguments import check_arraylike, library_jit, refuse_keys, user_dtype
from minijax.numpy.elementwise.ufuncs import absolute, clip
from minijax.numpy.products import dot
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.totals import average
from minijax.numpy.reductions.totals import sum as sum_of
from minijax.numpy.shapes.joining import concatenate
from minijax.numpy.shapes.reshaping import atleast_2d, squeeze, transpose
from minijax.numpy.shapes.triangles import diag


@library_jit(checked=False, static_argnames=("rowvar", "bias", "ddof", "dtype"))
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt: skip
    """The covariance of each two variables, the rows of `m`; of a single one, its variance.

    `y` has more variables. Without `rowvar`, they are columns. The sums of products are divided by
    the number of observations less `ddof`, which is 1, or 0 with `bias`. Each observation counts
    `fweights` times, which are integers, and with the weight `aweights`.

    >>> cov(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    name = "jnp.cov"
    check_arraylike(name, m, *([] if y is None else [y]))
    refuse_keys(name, m)
    for what, x in (("m", m), ("y", 0 if y is None else y)):
        if typeof(x).ndim > 2:
            raise ValueError(f"{name} takes a matrix as {what}, and got {typeof(x)}. Give one.")
    parts = promote_dtypes_inexact(m) if y is None else promote_dtypes_inexact(m, y)
    parts = [_as_rows(x, rowvar) for x in parts]
    if not parts[0].shape[0]:
        return lax.full((0, 0), 0, parts[0].dtype)
    if len({part.shape[1] for part in parts}) > 1:
        raise ValueError(
            f"{name} got {typeof(m)} and {typeof(y)}. Give as many observations of each variable."
        )
    x = parts[0] if len(parts) == 1 else concatenate(parts, 0)
    if dtype is not None:
        x = lax.convert_element_type(x, user_dtype(name, dtype))
    ddof = (0 if bias else 1) if ddof is None else ddof
    fweights = _weights(name, "fweights", x.shape[1], fweights)
    aweights = _weights(name, "aweights", x.shape[1], aweights)
    weights = aweights if fweights is None else fweights
    if fweights is not None and aweights is not None:
        weights = fweights * aweights
    middle, total = average(x, axis=1, weights=weights, returned=True)
    total = total[0]
    if weights is None:
        divisor: Any = x.shape[1] - ddof
    elif not ddof:
        divisor = total
    elif aweights is None:
        divisor = total - ddof
    else:
        divisor = total - ddof * sum_of(weights * aweights) / total
    x = x - middle[:, None]
    other = transpose(x if weights is None else x * weights[None, :])
    if issubdtype(other.dtype, np.complexfloating):
        other = lax.conj(other)
    product = dot(x, other)
    covariances = product / divisor if x.shape[1] else lax.full_like(product, np.nan)
    may_be_one = any(not isinstance(n, int) or n == 1 for n in covariances.shape)
    return squeeze(covariances) if may_be_one else covariances


def _as_rows(x: Any, rowvar: bool) -> Any:
    """A row for each variable; what has one axis is one variable."""
    rows = atleast_2d(x)
    return rows if rowvar or typeof(x).ndim < 2 else transpose(rows)


def _weights(fun_name: str, what: str, count: int, weights: Any) -> Any:
    """The weights, one for each observation, without their signs; None as it is."""
    if weights is None:
        return None
    check_arraylike(fun_name, **{what: weights})
    aval = typeof(weights)
    if aval.shape != (count,):
        raise RuntimeError(
            f"{fun_name} of {count} observations got the {what} {aval}. Give one for each."
        )
    if what == "fweights" and not issubdtype(aval.dtype, np.integer):
        raise TypeError(f"{fun_name} takes integers as fweights, and got {aval}. Convert them.")
    return absolute(weights)


@library_jit(static_argnames=("rowvar", "dtype"))
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlation of each two variables: their covariance, divided by both their deviations.

    The variables are given as to `cov`.

    >>> corrcoef(np.array([0.0, 1.0, 2.0]), np.array([5.0, 3.0, 1.0]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    covariances = cov(x, y, rowvar, dtype=dtype)
    if not covariances.ndim:
        return covariances / covariances
    variances = diag(covariances)
    is_complex = issubdtype(covariances.dtype, np.complexfloating)
    deviations = lax.sqrt(lax.real(variances) if is_complex else variances)
    deviations = lax.convert_element_type(deviations, covariances.dtype)
    result = covariances / deviations[:, None] / deviations[None, :]
    if is_complex:  # rounding may lead out of the range
        return lax.complex(clip(lax.real(result), -1, 1), clip(lax.imag(result), -1, 1))
    return clip(result, -1, 1)
