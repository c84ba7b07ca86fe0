"""A step, a pulse, and the Bessel function that windows are made of."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.forward import constant, jvp
from minijax.lax.custom.derivatives import custom_jvp
from minijax.numpy.arguments import library_jit, refuse_complex
from minijax.numpy.elementwise.comparisons import isnan, where
from minijax.numpy.promotion import promote_args


@library_jit
def heaviside(x1: Any, x2: Any, /) -> Any:
    """0 where x1 is negative, 1 where it is positive, x2 where it is 0; NaN of NaN.

    >>> heaviside(np.array([-2.0, 0.0, 3.0]), 0.5)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    x1, x2 = promote_args("jnp.heaviside", x1, x2, inexact=True)
    refuse_complex("jnp.heaviside", TypeError, x1)
    zero, one = constant(x1, 0), constant(x1, 1)
    return where(lax.lt(x1, zero), zero, where(lax.gt(x1, zero), one, where(isnan(x1), x1, x2)))


@library_jit
def sinc(x: Any, /) -> Any:
    """sin(pi * x) / (pi * x), and 1 at 0; of derivatives, the limits there.

    >>> sinc(np.array([0.0, 0.5]))
    Array([1.        , 0.63661975], dtype=float32)
    """
    (x,) = promote_args("jnp.sinc", x, inexact=True)
    is_zero = x == 0
    scaled = constant(x, np.pi) * x
    apart = where(is_zero, constant(x, 1), scaled)
    return where(is_zero, _sinc_maclaurin(0, scaled), lax.sin(apart) / apart)


@partial(custom_jvp, nondiff_argnums=(0,))
def _sinc_maclaurin(k: int, x: Any) -> Any:
    """The k-th derivative of sin(x) / x at 0, by its Maclaurin series."""
    zero = x * 0
    return zero if k % 2 else zero + (-1) ** (k // 2) / (k + 1)


@_sinc_maclaurin.defjvp
def _sinc_maclaurin_jvp(k: int, primals: tuple, tangents: tuple) -> tuple:
    (x,), (tangent,) = primals, tangents
    return _sinc_maclaurin(k, x), _sinc_maclaurin(k + 1, x) * tangent


@library_jit
def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 0.

    >>> i0(np.array([0.0, 1.0]))
    Array([1.      , 1.266066], dtype=float32)
    """
    (x,) = promote_args("jnp.i0", x, inexact=True)
    refuse_complex("jnp.i0", ValueError, x)
    return _i0(x)


def _i0_of_size(x: Any) -> Any:
    size = lax.abs(x)
    return lax.exp(size) * lax.bessel_i0e(size)


@custom_jvp
def _i0(x: Any) -> Any:
    return _i0_of_size(x)


@_i0.defjvp
def _i0_jvp(primals: tuple, tangents: tuple) -> tuple:
    """The function is even: at 0, where |x| has no derivative, its slope is 0."""
    (x,), (tangent,) = primals, tangents
    out, tangent_out = jvp(_i0_of_size, (x,), (tangent,))
    return out, where(x == 0, 0.0, tangent_out)
