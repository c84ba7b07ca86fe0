"""Differences of neighbours, slopes, and the integral that undoes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.tracing import typeof
from minijax.lax.shapes.axes import known_axis, known_integer
from minijax.numpy.arguments import (
    canonical_axes,
    check_arraylike,
    is_several,
    library_jit,
    refuse_keys,
)
from minijax.numpy.creation import asarray
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.shapes.joining import concatenate
from minijax.numpy.shapes.reshaping import broadcast_to, moveaxis, ravel


def _edge(fun_name: str, edge: Any, a: Any, axis: int) -> Any:
    """An array to lay beside `a`; of one number, one that fits."""
    check_arraylike(fun_name, edge)
    shape = typeof(a).shape
    if typeof(edge).ndim:
        return edge
    return broadcast_to(edge, (*shape[:axis], 1, *shape[axis + 1 :]))


@library_jit(static_argnames=("n", "axis"))
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along an axis, n times over; of bools, whether they differ.

    `prepend` and `append`, numbers or arrays, come before and behind the elements first.

    >>> diff(np.array([1, 4, 9]))
    Array([3, 5], dtype=int32)
    """
    n = known_integer("jnp.diff", "n", n)
    refuse_keys("jnp.diff", a)
    if n < 0 or (n and not typeof(a).ndim):
        raise ValueError(
            f"jnp.diff got n = {n} and {typeof(a)}. Give n from 0, and an array that has an axis."
        )
    if not n:
        return a
    axis = known_axis("jnp.diff", axis, typeof(a).ndim)
    parts = [] if prepend is None else [_edge("jnp.diff", prepend, a, axis)]
    parts += [a] if append is None else [a, _edge("jnp.diff", append, a, axis)]
    a = concatenate(parts, axis) if len(parts) > 1 else a
    subtract = lax.ne if typeof(a).dtype == np.bool_ else lax.sub
    before = [slice(None)] * axis
    for _ in range(n):
        a = subtract(a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a


@library_jit
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """The differences of neighbours among all elements in a row, with more at the ends.

    >>> ediff1d(np.array([1, 4, 9]), to_begin=0)
    Array([0, 3, 5], dtype=int32)
    """
    refuse_keys("jnp.ediff1d", ary)
    flat = ravel(ary)
    result = lax.sub(flat[1:], flat[:-1])
    if to_begin is not None:
        result = concatenate([_in_row(to_begin, flat), result])
    if to_end is not None:
        result = concatenate([result, _in_row(to_end, flat)])
    return result


def _in_row(x: Any, like: Any) -> Any:
    return ravel(lax.convert_element_type(x, typeof(like).dtype))


@library_jit(static_argnames=("axis",))
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral along an axis of what goes straight from value to value, by the trapezoid rule.

    The values are at the places x, or at a distance of `dx`.

    >>> trapezoid(np.array([0.0, 1.0, 2.0]))
    Array(2., dtype=float32)
    """
    refuse_keys("jnp.trapezoid", y)
    if x is None:
        (y,), steps = promote_dtypes_inexact(y), asarray(dx)
        if steps.ndim:
            steps = lax.expand_dims(steps, range(y.ndim - steps.ndim))
            steps = moveaxis(steps, axis, -1)
    else:
        y, x = promote_dtypes_inexact(y, x)
        steps = diff(x) if x.ndim == 1 else moveaxis(diff(x, axis=axis), axis, -1)
    y = moveaxis(y, axis, -1)
    if not steps.ndim or steps.shape[-1] == 1:  # all steps are alike
        step = steps[..., 0] if steps.ndim else steps
        return step * (y.sum(-1) - 0.5 * (y[..., 0] + y[..., -1]))
    return 0.5 * (steps * (y[..., 1:] + y[..., :-1])).sum(-1)


@library_jit(checked=False, static_argnames=("axis", "edge_order"))
def gradient(
    f: Any, *varargs: Any, axis: int | Sequence[int] | None = None, edge_order: int | None = None
) -> Any:
    """The slope along each axis, or along some: inside by both neighbours, at the ends by one.

    The elements are at a distance of 1, or of a number for each axis, or at places, a row for each
    axis. The result is an array for one axis, else a list.

    >>> gradient(np.array([1.0, 4.0, 9.0]))
    Array([3., 4., 5.], dtype=float32)
    """
    name = "jnp.gradient"
    if edge_order is not None:
        raise NotImplementedError(f"{name} has no edge_order. Leave it out.")
    check_arraylike(name, f, *varargs)
    refuse_keys(name, f, *varargs)
    f, *steps = promote_dtypes_inexact(f, *varargs)
    axes = canonical_axes(name, axis, typeof(f).ndim)
    if len(steps) not in (0, 1, len(axes)):
        raise TypeError(
            f"{name} got {len(steps)} distances for {len(axes)} axes. Give one, or one for each."
        )
    steps = steps * len(axes) if len(steps) == 1 else steps or [1.0] * len(axes)
    slopes = [_slope(name, f, axis, step) for axis, step in zip(axes, steps, strict=True)]
    is_one = axis is not None and not is_several(axis) or len(slopes) == 1
    return slopes[0] if is_one else slopes


def _slope(fun_name: str, f: Any, axis: int, step: Any) -> Any:
    size = typeof(f).shape[axis]
    if size < 2:
        raise ValueError(
            f"{fun_name} of {size} elements along axis {axis} has no neighbours. Give two or more."
        )
    if typeof(step).ndim > 1 or typeof(step).shape not in ((), (size,)):
        raise ValueError(
            f"{fun_name} got the distances {typeof(step)} for an axis of {size} elements.\n"
            f"Give one number, or a row of as many places."
        )

    def part(x: Any, start: int, stop: int) -> Any:
        return lax.slice_in_dim(x, start, size + stop if stop < 1 else stop, axis=axis)

    first = part(f, 1, 2) - part(f, 0, 1)
    last = part(f, size - 1, 0) - part(f, size - 2, -1)
    if not typeof(step).ndim:
        inner = (part(f, 2, 0) - part(f, 0, -2)) * 0.5 / step
        last = last / step
        return concatenate([first / step, inner, last], axis)
    x = lax.reshape(step, [size if d == axis else 1 for d in range(typeof(f).ndim)])
    first = first / (part(x, 1, 2) - part(x, 0, 1))
    last = last / (part(x, size - 1, 0) - part(x, size - 2, -1))
    # The slope of the parabola through three neighbours, in the middle.
    before, behind = part(x, 1, -1) - part(x, 0, -2), part(x, 2, 0) - part(x, 1, -1)
    of_first = -behind / (before * (before + behind))
    of_middle = (behind - before) / (before * behind)
    of_last = before / (behind * (before + behind))
    inner = of_first * part(f, 0, -2) + of_middle * part(f, 1, -1) + of_last * part(f, 2, 0)
    return concatenate([first, inner, last], axis)
