"""Sums of exponentials, without overflow on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.numpy.arguments import Axis, canonical_axes
from minijax.numpy.promotion import promote_args


def logsumexp(
    a: Any, axis: Axis = None, b: Any = None, keepdims: bool = False, return_sign: bool = False,
    where: Any = None,
) -> Any:  # fmt: skip
    """log(sum(b * exp(a))) over some axes, or all, without overflow on the way. b is 1 by default.

    Where the sum is negative, NaN, or with `return_sign` the pair of the logarithm of its absolute
    value and its sign. What `where` does not mark is left out.

    >>> logsumexp(np.array([1000.0, 0.0], np.float32))
    Array(1000., dtype=float32)
    """
    if where is not None:
        a = numpy.where(where, a, 0)
    if b is None:
        (a,) = promote_args("logsumexp", a, inexact=True)
    else:
        a, b = promote_args("logsumexp", a, b, inexact=True)
        a = numpy.where(b != 0, a, -np.inf)
    aval = typeof(a)
    is_complex = issubdtype(aval.dtype, np.complexfloating)
    axes = canonical_axes("logsumexp", axis, aval.ndim)
    real = lax.real(a) if is_complex else a
    largest = numpy.max(real, axis=axes, keepdims=keepdims, where=where, initial=-np.inf)
    finite = lax.select(numpy.isfinite(largest), largest, lax.full_like(largest, 0))
    largest = lax.stop_gradient(finite)
    spread = largest if keepdims else lax.expand_dims(largest, axes)
    powers = lax.exp(lax.sub(a, numpy.astype(spread, aval.dtype)))
    powers = powers if b is None else lax.mul(powers, b)
    total = numpy.sum(powers, axis=axes, keepdims=keepdims, where=where)
    sign = lax.sign(total)
    size = lax.abs(total) if return_sign or not is_complex else total
    out = lax.add(lax.log(size), numpy.astype(largest, typeof(size).dtype))
    if return_sign:
        return out, sign
    if b is not None and not is_complex:
        out = numpy.where(sign < 0, numpy.array(np.nan, dtype=typeof(out).dtype), out)
    return out
