"""Bessel functions: J of whole orders, and I of the orders 0 and 1."""

from __future__ import annotations

from typing import Any

from minijax import lax, numpy
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.promotion import promote_args
from minijax.scipy.special.operands import special_function


@special_function
def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 0.

    >>> round(float(i0(1.0)), 5)
    1.26607
    """
    return lax.exp(lax.abs(x)) * lax.bessel_i0e(x)


@special_function
def i0e(x: Any) -> Any:
    """i0(x) * exp(-abs(x)), which does not overflow."""
    return lax.bessel_i0e(x)


@special_function
def i1(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 1."""
    return lax.exp(lax.abs(x)) * lax.bessel_i1e(x)


@special_function
def i1e(x: Any) -> Any:
    """i1(x) * exp(-abs(x)), which does not overflow."""
    return lax.bessel_i1e(x)


def bessel_jn(z: Any, *, v: int, n_iter: int = 50) -> Any:
    """J of the orders 0 to v, along a new first axis, for real z whose size is below `n_iter`.

    Miller's method (DLMF 3.6(vi)): from an order at which J vanishes, here above `n_iter`, the
    ratios of neighbours are found downwards; and J_0 + 2 J_2 + 2 J_4 + ... is 1.

    >>> bessel_jn(0.0, v=1)
    Array([1., 0.], dtype=float32)
    """
    name = "scipy.special.bessel_jn"
    v, n_iter = known_integer(name, "v", v), known_integer(name, "n_iter", n_iter)
    if v < 0:
        raise ValueError(f"{name} takes a v from 0, and got {v}. Give another.")
    (z,) = promote_args(name, z, inexact=True)
    z = lax.convert_element_type(z, z.dtype)

    def ratio(above: Any, order: Any) -> tuple:
        here = z / (2 * order - z * above)
        return here, here

    orders = lax.iota(z.dtype, max(n_iter, v) + 30) + 1
    _, ratios = lax.scan(ratio, numpy.zeros_like(z), orders, reverse=True)
    shares = numpy.cumprod(ratios, axis=0)
    total = 1 + 2 * numpy.sum(shares[1::2], axis=0)
    return numpy.concatenate([numpy.ones_like(z)[None], shares[:v]]) / total
