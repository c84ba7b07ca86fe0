"""Arrays with more at both ends of each axis: one number, or what follows from the elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import cast
from minijax.core.pytrees import tree_map
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_value
from minijax.numpy.arguments import check_arraylike, library_jit, refuse_keys
from minijax.numpy.creation import asarray, linspace
from minijax.numpy.elementwise.ufuncs import round
from minijax.numpy.reductions.extremes import max as max_of
from minijax.numpy.reductions.extremes import min as min_of
from minijax.numpy.reductions.quantiles import median
from minijax.numpy.reductions.totals import mean
from minijax.numpy.shapes.editing import apply_along_axis, repeat
from minijax.numpy.shapes.reshaping import broadcast_to, flip

Width = tuple[int, int]


def pad(array: Any, pad_width: Any, mode: str | Callable = "constant", **kwargs: Any) -> Any:
    """The array with `pad_width` elements more before and behind it, along each axis.

    `pad_width` is one number, a pair (before, behind), or a pair for each axis. Each `mode` says
    what the new elements are, and has options, which are one value, a pair, or a pair for each
    axis:

    - "constant": `constant_values`, 0; "empty": zeros, too;
    - "edge": the element at the end; "linear_ramp": straight from there to `end_values`, 0;
    - "maximum", "minimum", "mean", "median": that of all elements, or of `stat_length` at the end;
    - "reflect" and "symmetric": mirrored at the last element, or behind it; with `reflect_type`
      "odd", turned round that element as well;
    - "wrap": the array once more, as on a circle;
    - a function f(row, width, axis, kwargs), which is given every row with zeros at its ends, and
      returns what it is to be.

    >>> pad(np.array([1, 2, 3]), (1, 2))
    Array([0, 1, 2, 3, 0, 0], dtype=int32)
    >>> pad(np.array([1, 2, 3]), 2, "reflect")
    Array([3, 2, 1, 2, 3, 2, 1], dtype=int32)
    """
    name = "jnp.pad"
    check_arraylike(name, array)
    refuse_keys(name, array)
    ndim = typeof(array).ndim
    widths = _widths(name, "pad_width", pad_width, ndim)
    if callable(mode):
        return _by_function(asarray(array), widths, mode, kwargs)
    options = dict(_OPTIONS.get(mode, {}) if isinstance(mode, str) else {})
    if mode not in _OPTIONS:
        raise NotImplementedError(
            f"{name} knows no mode {shown(mode)}. Give one of\n{', '.join(_OPTIONS)}."
        )
    if other := set(kwargs) - set(options):
        raise ValueError(f"{name} with the mode {mode!r} takes no {min(other)}. Leave it out.")
    options.update(kwargs)
    if mode == "constant":
        return _pad(array, _values(name, options.popitem(), ndim), widths, mode)
    _check_not_empty(name, mode, typeof(array).shape, widths)
    if "end_values" in options:
        return _pad(array, _values(name, options.popitem(), ndim), widths, mode)
    if options.get("stat_length") is not None:
        lengths = _widths(name, "stat_length", options["stat_length"], ndim)
        if 0 in np.ravel(lengths):
            raise ValueError(f"{name} of a stat_length of 0 has no numbers. Give 1 or more.")
        options["stat_length"] = lengths
    if options.get("reflect_type", "even") not in ("even", "odd"):
        got = shown(options["reflect_type"])
        raise AssertionError(f"{name} knows no reflect_type {got}. Give 'even' or 'odd'.")
    return _pad(array, 0, widths, mode, **options)


_STATISTICS = {"maximum": max_of, "minimum": min_of, "mean": mean, "median": median}
_OPTIONS: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0}, "empty": {}, "edge": {}, "wrap": {},
    "linear_ramp": {"end_values": 0}, "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"}, **dict.fromkeys(_STATISTICS, {"stat_length": None}),
}  # fmt: skip


# What is asked for, as a pair for each axis.


def _widths(fun_name: str, what: str, given: Any, ndim: int) -> tuple[Width, ...]:
    known = tree_map(lambda n: known_value(fun_name, what, n), given)
    try:
        widths = np.array(tree_map(np.asarray, known))
    except ValueError:  # pairs of several lengths
        widths = np.array(None)
    if widths.size and widths.dtype.kind not in "iu":
        raise TypeError(f"{fun_name} takes integers as {what}, and got {shown(given)}. Give ints.")
    _check_pairs(fun_name, what, widths.shape, ndim)
    if (widths < 0).any():
        raise ValueError(f"{fun_name} takes a {what} from 0, and got {shown(given)}. Give such.")
    return tuple((int(a), int(b)) for a, b in np.broadcast_to(widths, (ndim, 2)))


def _values(fun_name: str, option: tuple[str, Any], ndim: int) -> Any:
    """One number, or an array with a pair for each axis."""
    what, values = option
    values = asarray(values) if isinstance(values, list | tuple) else values
    check_arraylike(fun_name, **{what: values})
    shape = typeof(values).shape
    _check_pairs(fun_name, what, shape, ndim)
    return broadcast_to(values, (ndim, 2)) if shape else values


def _check_pairs(fun_name: str, what: str, shape: tuple[int, ...], ndim: int) -> None:
    if shape not in ((), (1,), (2,), (1, 2), (ndim, 2)):
        raise ValueError(
            f"{fun_name} got a {what} of the shape {shape} for {ndim} axes.\n"
            f"Give one number, a pair, or a pair for each axis."
        )


def _check_not_empty(fun_name: str, mode: str, shape: tuple[int, ...], widths: Any) -> None:
    if mode not in ("empty", "mean"):
        for axis, (size, width) in enumerate(zip(shape, widths, strict=True)):
            if not size and any(width):
                raise ValueError(
                    f"{fun_name} has no element along axis {axis} to go by in the mode {mode!r}.\n"
                    f"Use the mode 'constant'."
                )


# One axis after the other.


@library_jit(checked=False, static_argnames=("widths", "mode", "stat_length", "reflect_type"))
def _pad(
    array: Any, values: Any, widths: tuple[Width, ...], mode: str, stat_length: Any = None,
    reflect_type: str = "even",
) -> Any:  # fmt: skip
    if mode == "constant":
        return _with_constants(array, values, widths)
    for axis, width in enumerate(widths):
        if not array.shape[axis] and not any(width):
            continue
        if mode in ("reflect", "symmetric"):
            array = _mirrored(array, axis, width, mode == "reflect", reflect_type == "odd")
            continue
        if mode in _STATISTICS:
            lengths = stat_length[axis] if stat_length else None
            parts = _statistics(array, axis, width, _STATISTICS[mode], lengths)
        elif mode == "linear_ramp":
            ends = [values[axis, i] if typeof(values).ndim else values for i in (0, 1)]
            parts = _ramps(array, axis, width, ends)
        else:
            parts = _PARTS[mode](array, axis, width)
        before, behind = parts
        array = lax.concatenate([*before, array, *behind], axis)
    return array


def _with_constants(array: Any, values: Any, widths: tuple[Width, ...]) -> Any:
    if not widths:
        return array
    values = cast(values, typeof(array).dtype, typeof(array).weak_type)
    if not typeof(values).ndim:
        return lax.pad(array, values, [(*width, 0) for width in widths])
    for axis, width in enumerate(widths):
        for side in (0, 1):
            if width[side]:
                config = [(0, 0, 0)] * len(widths)
                config[axis] = (width[0], 0, 0) if side == 0 else (0, width[1], 0)
                array = lax.pad(array, values[axis, side], config)
    return array


def _edge(array: Any, axis: int, width: Width) -> tuple[list, list]:
    size = array.shape[axis]
    first = lax.slice_in_dim(array, 0, 1, axis=axis)
    before = repeat(first, width[0], axis)
    last = lax.slice_in_dim(array, size - 1, size, axis=axis)
    return [before], [repeat(last, width[1], axis)]


def _empty(array: Any, axis: int, width: Width) -> tuple[list, list]:
    shapes = [(*array.shape[:axis], n, *array.shape[axis + 1 :]) for n in width]
    before, behind = (lax.full_like(array, 0, shape=shape) for shape in shapes)
    return [before], [behind]


def _wrapped(array: Any, axis: int, width: Width) -> tuple[list, list]:
    size = array.shape[axis]
    (full, left), (full_behind, left_behind) = (divmod(n, size) for n in width)
    before = [lax.slice_in_dim(array, size - left, size, axis=axis)] if left else []
    behind = [lax.slice_in_dim(array, 0, left_behind, axis=axis)] if left_behind else []
    return before + [array] * full, [array] * full_behind + behind


_PARTS = {"edge": _edge, "empty": _empty, "wrap": _wrapped}


def _ramps(array: Any, axis: int, width: Width, ends: list[Any]) -> tuple[list, list]:
    size, ramps = array.shape[axis], []
    edges = [lax.slice_in_dim(array, i, i + 1, axis=axis) for i in (0, size - 1)]
    for edge, n, end in zip(edges, width, ends, strict=True):
        edge = lax.squeeze(edge, [axis])
        ramp = linspace(end, edge, n, endpoint=False, dtype=array.dtype, axis=axis)
        ramps.append(cast(ramp, array.dtype, typeof(array).weak_type))
    return [ramps[0]], [flip(ramps[1], axis)]


def _statistics(
    array: Any, axis: int, width: Width, statistic: Callable, lengths: Width | None
) -> tuple[list, list]:
    size = array.shape[axis]
    if lengths is None:
        values = [statistic(array, axis=axis, keepdims=True)] * 2
    else:
        first, last = (min(n, size) for n in lengths)
        ends = (0, first), (size - last, size)
        values = [lax.slice_in_dim(array, *end, axis=axis) for end in ends]
        values = [statistic(x, axis=axis, keepdims=True) for x in values]
    if issubdtype(array.dtype, np.integer):
        values = [round(x) for x in values]
    values = [cast(x, array.dtype, typeof(array).weak_type) for x in values]
    before, behind = (repeat(x, n, axis) for x, n in zip(values, width, strict=True))
    return [before], [behind]


def _mirrored(array: Any, axis: int, width: Width, reflect: bool, odd: bool) -> Any:
    """The array with its mirror images: as often as they are needed, each of all elements."""
    size, skip = array.shape[axis], int(reflect)
    if reflect and size == 1:
        (before,), (behind,) = _edge(array, axis, width)
        return lax.concatenate([before, array, behind], axis)
    for is_behind, missing in enumerate(width):
        end = array.shape[axis] - 1 if is_behind else 0
        edge = lax.slice_in_dim(array, end, end + 1, axis=axis)
        while missing:
            n = min(missing, size - skip)
            start = array.shape[axis] - skip - n if is_behind else skip
            image = flip(lax.slice_in_dim(array, start, start + n, axis=axis), axis)
            if odd:
                image = lax.sub(2 * edge, image)
                end = n - 1 if is_behind else 0
                edge = lax.slice_in_dim(image, end, end + 1, axis=axis)
            array = lax.concatenate([array, image] if is_behind else [image, array], axis)
            missing -= n
    return array


def _by_function(array: Any, widths: tuple[Width, ...], fun: Callable, kwargs: dict) -> Any:
    array = lax.pad(array, cast(0, array.dtype), [(*width, 0) for width in widths])
    for axis, width in enumerate(widths):
        array = apply_along_axis(fun, axis, array, width, axis, kwargs)
    return array
