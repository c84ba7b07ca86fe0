"""Angles, in radians, and what is like them on the hyperbola; all results are floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import known_axis
from minijax.numpy.arguments import library_jit, refuse_complex, refuse_keys
from minijax.numpy.elementwise.comparisons import logical_and, where
from minijax.numpy.elementwise.ufuncs import divide, floor_divide, remainder
from minijax.numpy.promotion import promote_args, promote_dtypes, promoting_abs
from minijax.numpy.reductions.differences import diff
from minijax.numpy.reductions.running_totals import cumsum
from minijax.numpy.shapes.joining import concatenate

# Of the circle.


@by_types
def sin(x: Any, /) -> Any:
    """The sine, as floats."""
    return lax.sin(*promote_args("jnp.sin", x, inexact=True))


@by_types
def cos(x: Any, /) -> Any:
    """The cosine, as floats."""
    return lax.cos(*promote_args("jnp.cos", x, inexact=True))


@by_types
def tan(x: Any, /) -> Any:
    """The tangent, as floats."""
    return lax.tan(*promote_args("jnp.tan", x, inexact=True))


@by_types
def arcsin(x: Any, /) -> Any:
    """The angle whose sine is x, from -pi/2 to pi/2; NaN beyond 1."""
    return lax.asin(*promote_args("jnp.arcsin", x, inexact=True))


@by_types
def arccos(x: Any, /) -> Any:
    """The angle whose cosine is x, from 0 to pi; NaN beyond 1."""
    return lax.acos(*promote_args("jnp.arccos", x, inexact=True))


@by_types
def arctan(x: Any, /) -> Any:
    """The angle whose tangent is x, from -pi/2 to pi/2."""
    return lax.atan(*promote_args("jnp.arctan", x, inexact=True))


@by_types
def asin(x: Any, /) -> Any:
    """Another name for `arcsin`."""
    return lax.asin(*promote_args("jnp.asin", x, inexact=True))


@by_types
def acos(x: Any, /) -> Any:
    """Another name for `arccos`."""
    return lax.acos(*promote_args("jnp.acos", x, inexact=True))


@by_types
def atan(x: Any, /) -> Any:
    """Another name for `arctan`."""
    return lax.atan(*promote_args("jnp.atan", x, inexact=True))


@by_types
def arctan2(x1: Any, x2: Any, /) -> Any:
    """The angle of the point (x2, x1), from -pi to pi.

    >>> arctan2(np.array([1.0, -1.0]), -1.0)
    Array([ 2.3561945, -2.3561945], dtype=float32)
    """
    return lax.atan2(*promote_args("jnp.arctan2", x1, x2, inexact=True))


@by_types
def atan2(x1: Any, x2: Any, /) -> Any:
    """Another name for `arctan2`."""
    return lax.atan2(*promote_args("jnp.atan2", x1, x2, inexact=True))


# Degrees.


@by_types
def deg2rad(x: Any, /) -> Any:
    """Degrees as radians.

    >>> deg2rad(180)
    Array(3.1415927, dtype=float32, weak_type=True)
    """
    return _times("jnp.deg2rad", x, math.pi / 180)


@by_types
def rad2deg(x: Any, /) -> Any:
    """Radians as degrees."""
    return _times("jnp.rad2deg", x, 180 / math.pi)


@by_types
def radians(x: Any, /) -> Any:
    """Another name for `deg2rad`."""
    return _times("jnp.radians", x, math.pi / 180)


@by_types
def degrees(x: Any, /) -> Any:
    """Another name for `rad2deg`."""
    return _times("jnp.degrees", x, 180 / math.pi)


def _times(fun_name: str, x: Any, factor: float) -> Any:
    (x,) = promote_args(fun_name, x, inexact=True)
    return lax.mul(x, constant(x, factor))


# Of the hyperbola.


@by_types
def sinh(x: Any, /) -> Any:
    """The hyperbolic sine, as floats."""
    return lax.sinh(*promote_args("jnp.sinh", x, inexact=True))


@by_types
def cosh(x: Any, /) -> Any:
    """The hyperbolic cosine, as floats."""
    return lax.cosh(*promote_args("jnp.cosh", x, inexact=True))


@by_types
def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent, as floats."""
    return lax.tanh(*promote_args("jnp.tanh", x, inexact=True))


@by_types
def arcsinh(x: Any, /) -> Any:
    """The number whose hyperbolic sine is x, as floats."""
    return lax.asinh(*promote_args("jnp.arcsinh", x, inexact=True))


@library_jit
def arccosh(x: Any, /) -> Any:
    """The number whose hyperbolic cosine is x, with a real part from 0; NaN below 1."""
    out = lax.acosh(*promote_args("jnp.arccosh", x, inexact=True))
    if not issubdtype(typeof(out).dtype, np.complexfloating):
        return out
    real = lax.real(out)
    return where(lax.lt(real, constant(real, 0)), lax.neg(out), out)


@by_types
def arctanh(x: Any, /) -> Any:
    """The number whose hyperbolic tangent is x, as floats; NaN beyond 1."""
    return lax.atanh(*promote_args("jnp.arctanh", x, inexact=True))


@by_types
def asinh(x: Any, /) -> Any:
    """Another name for `arcsinh`."""
    return lax.asinh(*promote_args("jnp.asinh", x, inexact=True))


@by_types
def acosh(x: Any, /) -> Any:
    """Another name for `arccosh`."""
    return arccosh(x)


@by_types
def atanh(x: Any, /) -> Any:
    """Another name for `arctanh`."""
    return lax.atanh(*promote_args("jnp.atanh", x, inexact=True))


# Of triangles; and angles that count on.


@library_jit
def hypot(x1: Any, x2: Any, /) -> Any:
    """sqrt(x1**2 + x2**2), which overflows only where the result does.

    >>> hypot(3e30, 4e30)
    Array(5.e+30, dtype=float32, weak_type=True)
    """
    x1, x2 = promote_args("jnp.hypot", x1, x2, inexact=True)
    refuse_complex("jnp.hypot", ValueError, x1)
    x1, x2 = lax.abs(x1), lax.abs(x2)
    infinity, zero, one = (constant(x1, number) for number in (np.inf, 0, 1))
    is_infinite = lax.bitwise_or(lax.eq(x1, infinity), lax.eq(x2, infinity))
    larger, smaller = lax.max(x1, x2), lax.min(x1, x2)
    both_zero = lax.eq(larger, zero)
    ratio = lax.div(smaller, where(lax.eq(larger, zero), lax.full_like(larger, 1), larger))
    length = lax.mul(larger, lax.sqrt(lax.add(one, lax.square(ratio))))
    return where(is_infinite, infinity, where(both_zero, larger, length))


@library_jit(static_argnames=("axis",))
def unwrap(p: Any, discont: Any = None, axis: int = -1, period: Any = 2 * math.pi) -> Any:
    """Angles, with whole periods added so that no step along an axis is longer than half a period.

    Only steps from `discont` on are changed, which is half a period at least.

    >>> unwrap(np.array([0.0, 3.0, 6.0 - 2 * np.pi]))
    Array([0., 3., 6.], dtype=float32)
    """
    refuse_complex("jnp.unwrap", ValueError, p)
    refuse_keys("jnp.unwrap", p)
    if not typeof(p).ndim:
        raise IndexError("jnp.unwrap goes along an axis, and got a number. Give a row.")
    axis = known_axis("jnp.unwrap", axis, typeof(p).ndim)
    p, period = promote_dtypes(p, period)
    discont = divide(period, 2) if discont is None else discont
    is_whole = issubdtype(p.dtype, np.integer)
    interval = floor_divide(period, 2) if is_whole else divide(period, 2)
    steps = diff(p, axis=axis)
    short = remainder(steps + interval, period) - interval
    short = where(logical_and(short == -interval, steps > 0), interval, short)
    correction = where(promoting_abs(steps) < discont, 0, short - steps)
    size = p.shape[axis]
    first = lax.slice_in_dim(p, 0, 1, axis=axis)
    rest = lax.slice_in_dim(p, 1, size, axis=axis)
    return concatenate([first, rest + cumsum(correction, axis=axis)], axis)
