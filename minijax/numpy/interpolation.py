"""Values between known ones, on straight lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import real_dtype
from minijax.numpy.arguments import check_arraylike, library_jit, refuse_keys
from minijax.numpy.elementwise.comparisons import where as choose
from minijax.numpy.elementwise.ufuncs import clip, remainder
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.searching import searchsorted
from minijax.numpy.shapes.joining import concatenate


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:  # fmt: skip
    """At each place x, the value on the straight line between its neighbours among the places xp,
    which grow, where the values are fp.

    Beyond the ends, `left` and `right`, which are the first and last values, or "extrapolate": on
    the line of the last two. With a `period`, places are counted modulo that, in any order.
    ValueError for complex places, and where xp and fp are not rows of one size.

    >>> interp(np.array([0.5, 7.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 10.0, 40.0]))
    Array([ 5., 40.], dtype=float32)
    """
    name = "jnp.interp"
    extrapolate = []
    for what, value in (("left", left), ("right", right)):
        if isinstance(value, str) and value != "extrapolate":
            raise ValueError(f'{name} got {what}={value!r}. Give a number, or "extrapolate".')
        extrapolate.append(isinstance(value, str))
    left, right = (None if isinstance(end, str) else end for end in (left, right))
    given = {"left": left, "right": right, "period": period}
    check_arraylike(name, x, xp, fp, **{k: v for k, v in given.items() if v is not None})
    refuse_keys(name, x, xp, fp)
    shapes = typeof(xp).shape, typeof(fp).shape
    if len(shapes[0]) != 1 or shapes[0] != shapes[1]:
        raise ValueError(
            f"{name} takes rows of one size as xp and fp, and got the shapes {shapes[0]} and "
            f"{shapes[1]}.\nUse jax.vmap for several."
        )
    if not shapes[0][0]:
        raise IndexError(f"{name} got no known values. Give one at least.")
    for place in (x, xp):
        if issubdtype(typeof(place).dtype, np.complexfloating):
            raise ValueError(f"{name} takes real places, and got {typeof(place)}. Use jnp.real.")
    if period is not None and typeof(period).ndim:
        raise ValueError(f"{name} takes one number as period, and got {typeof(period)}. Give one.")
    return _interp(x, xp, fp, left, right, period, extrapolate=tuple(extrapolate))


@library_jit(checked=False, static_argnames=("extrapolate",))
def _interp(
    x: Any, xp: Any, fp: Any, left: Any, right: Any, period: Any, extrapolate: tuple[bool, bool]
) -> Any:
    x, xp = promote_dtypes_inexact(x, xp)
    (fp,) = promote_dtypes_inexact(fp)
    if period is not None:
        x, xp, fp = _on_a_circle(x, xp, fp, lax.abs(period))
    places = clip(searchsorted(xp, x, side="right"), 1, typeof(xp).size - 1)
    rise, run = fp[places] - fp[places - 1], xp[places] - xp[places - 1]
    along = x - xp[places - 1]
    # Neighbours at one place, or as good as one, have no line.
    smallest = np.spacing(np.finfo(real_dtype(typeof(xp).dtype)).eps)
    at_one_place = lax.le(lax.abs(run), lax.convert_element_type(smallest, typeof(run).dtype))
    start = fp[places - 1]
    on_line = fp[places - 1] + along / choose(at_one_place, 1, run) * rise
    value = choose(at_one_place, start, on_line)
    if period is None:
        if not extrapolate[0]:
            left = fp[0] if left is None else left
            value = choose(x < xp[0], left, value)
        if not extrapolate[1]:
            right = fp[-1] if right is None else right
            value = choose(x > xp[-1], right, value)
    return value


def _on_a_circle(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """The places within one period, in order, with a neighbour from the next one on each side."""
    x, xp = remainder(x, period), remainder(xp, period)
    xp, fp = lax.sort([xp, fp], num_keys=1)
    xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, concatenate([fp[-1:], fp, fp[:1]])
