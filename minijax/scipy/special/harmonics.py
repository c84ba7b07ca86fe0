"""Waves on a sphere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_integer, known_value
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_args


def sph_harm_y(
    n: Any, m: Any, theta: Any, phi: Any, diff_n: int | None = None, n_max: int | None = None
) -> Any:
    """The spherical harmonic of degree n and order m, both integers, at the angle theta from the
    pole and phi round it: complex, and 0 where abs(m) is above n.

    `n_max`, the largest degree that may come, is to be given where n is traced.
    NotImplementedError for `diff_n`, as in JAX.

    >>> round(float(sph_harm_y(1, 0, 0.0, 0.0).real), 5)
    0.4886
    """
    name = "scipy.special.sph_harm_y"
    if diff_n is not None:
        raise NotImplementedError(
            f"{name} returns no derivatives. Leave diff_n out, and use jax.jacfwd."
        )
    check_arraylike(name, n, m, theta, phi)
    for what, x in (("n", n), ("m", m)):
        if not issubdtype(typeof(x).dtype, np.integer):
            raise TypeError(f"{name} takes integers as {what}, and got {shown(x)}. Convert them.")
    if n_max is None:
        n_max = int(np.max(np.asarray(known_value(name, "n (or n_max)", n)), initial=0))
    else:
        n_max = known_integer(name, "n_max", n_max)
    theta, phi = promote_args(name, theta, phi, inexact=True)
    n, m, theta, phi = numpy.broadcast_arrays(n, m, theta, phi)
    order = numpy.abs(m)
    angle = order.astype(phi.dtype) * phi
    wave = lax.complex(numpy.cos(angle), numpy.sin(angle)) * _legendre(n, order, theta, n_max)
    flipped = numpy.where(order % 2 == 0, 1, -1) * numpy.conj(wave)
    return numpy.where(m < 0, flipped, wave)


def _legendre(n: Any, m: Any, theta: Any, n_max: int) -> Any:
    """The associated Legendre function of cos(theta), with the factor that makes it a harmonic.

    The degree rises from m, by DLMF 14.10.3, and the one that is wanted is kept.
    """
    cosine, sine = numpy.cos(theta), numpy.sin(theta)
    first = lax.full_like(theta, math.sqrt(1 / (4 * math.pi)))
    for k in range(1, n_max + 1):
        first = numpy.where(m >= k, -math.sqrt((2 * k + 1) / (2 * k)) * sine * first, first)
    out = numpy.where(n == m, first, 0)
    order = m.astype(theta.dtype)
    last, here = lax.full_like(theta, 0), first
    for degree in range(1, n_max + 1):
        is_above = degree > m
        span = numpy.where(is_above, degree**2 - order * order, 1)
        before = numpy.where(is_above, (degree - 1) ** 2 - order * order, 0)
        scale = numpy.sqrt((4 * degree**2 - 1) / span)
        bend = numpy.sqrt(before / (4 * (degree - 1) ** 2 - 1)) if degree > 1 else 0
        new = scale * (cosine * here - bend * last)
        last, here = numpy.where(is_above, here, last), numpy.where(is_above, new, here)
        out = numpy.where(is_above & (n == degree), here, out)
    return out
