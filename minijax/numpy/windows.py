"""Weights that fade a row in and out, so that its ends do no harm in a spectrum.

A window of one element is 1. Formulas: the Wikipedia article "Window function".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import canonicalize_dtype
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import known_integer
from minijax.numpy.arguments import check_arraylike, refuse_keys
from minijax.numpy.creation import ones
from minijax.numpy.elementwise.signals import i0


def _places(fun_name: str, M: int) -> tuple[int, Any]:
    """The size, and 0, 1, ... as floats; None where the window is 1 or has no element."""
    M = known_integer(fun_name, "M", M)
    if M < 0:
        raise TypeError(f"{fun_name} was asked for {M} elements. Give M from 0.")
    return M, None if M <= 1 else lax.iota(canonicalize_dtype(float), M)


def bartlett(M: int) -> Any:
    """A window of M elements, straight up from 0 to 1 and down again.

    >>> bartlett(5)
    Array([0. , 0.5, 1. , 0.5, 0. ], dtype=float32)
    """
    M, n = _places("jnp.bartlett", M)
    return ones(M) if n is None else 1 - lax.abs(2 * n + 1 - M) / (M - 1)


def blackman(M: int) -> Any:
    """A window of M elements: the sum of two cosines, which fades from 0."""
    M, n = _places("jnp.blackman", M)
    if n is None:
        return ones(M)
    falling = 0.42 - 0.5 * lax.cos(2 * np.pi * n / (M - 1))
    return falling + 0.08 * lax.cos(4 * np.pi * n / (M - 1))


def hamming(M: int) -> Any:
    """A window of M elements: a cosine, which fades from 0.08.

    >>> hamming(3).round(2)
    Array([0.08, 1.  , 0.08], dtype=float32)
    """
    M, n = _places("jnp.hamming", M)
    return ones(M) if n is None else 0.54 - 0.46 * lax.cos(2 * np.pi * n / (M - 1))


def hanning(M: int) -> Any:
    """A window of M elements: a cosine, which fades from 0.

    >>> hanning(3)
    Array([0., 1., 0.], dtype=float32)
    """
    M, n = _places("jnp.hanning", M)
    return ones(M) if n is None else 0.5 * (1 - lax.cos(2 * np.pi * n / (M - 1)))


def kaiser(M: int, beta: Any) -> Any:
    """A window of M elements, which is the narrower the larger `beta`: i0(beta * sqrt(1 - x**2)) /
    i0(beta), where x goes from -1 to 1.

    >>> kaiser(3, 0.0)
    Array([1., 1., 1.], dtype=float32)
    """
    M, n = _places("jnp.kaiser", M)
    check_arraylike("jnp.kaiser", beta=beta)
    refuse_keys("jnp.kaiser", beta)
    if typeof(beta).ndim:
        raise TypeError(f"jnp.kaiser takes one number as beta, and got {typeof(beta)}. Give one.")
    if n is None:
        return ones(M)
    half = 0.5 * (M - 1)
    inside = lax.sqrt(1 - lax.integer_pow((n - half) / half, 2))
    return i0(beta * inside) / i0(beta)
