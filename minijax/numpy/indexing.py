"""x[...] and x.at[...] for indices that are known: integers, slices, None and Ellipsis.

Every such index is a `slice`, then a `rev` for negative steps, a `squeeze` for integers and a
`broadcast_in_dim` for None. An update is read with it, computed, padded into place and selected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minijax import lax
from minijax.core.arrays import Array, is_array_like, raw_value, result_aval_type
from minijax.core.batching import vmap
from minijax.core.dtypes import issubdtype
from minijax.core.errors import NonConcreteBooleanIndexError, warn
from minijax.core.primitives import cast
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise import shown
from minijax.lax.reductions import dtype_bounds
from minijax.numpy.arguments import is_array
from minijax.numpy.creation import new_array, ones_like
from minijax.numpy.promotion import promoting_add
from minijax.numpy.shapes import broadcast_to, ravel
from minijax.numpy.ufuncs import divide, power

# What an index means.


class StaticIndex(NamedTuple):
    """Which part of an array an index takes, axis by axis, and what happens to its axes."""

    starts: tuple[int, ...]
    limits: tuple[int, ...]
    strides: tuple[int, ...]
    reversed_axes: tuple[int, ...]
    squeezed_axes: tuple[int, ...]
    new_axes: tuple[int, ...]  # counted in the result
    in_bounds: bool  # False where an integer was out of range; starts and limits are clamped

    @property
    def result_shape(self) -> tuple[int, ...]:
        bounds = zip(self.starts, self.limits, self.strides, strict=True)
        sizes = [len(range(*bound)) for bound in bounds]
        shape = [n for axis, n in enumerate(sizes) if axis not in self.squeezed_axes]
        for axis in self.new_axes:
            shape.insert(axis, 1)
        return tuple(shape)


def parse_index(index: Any, shape: tuple[int, ...], wrap: bool = True) -> StaticIndex:
    """The meaning of `index` for an array of this shape; with `wrap`, -1 is the last element.

    >>> parse_index((0, slice(1, None)), (2, 4)).starts
    (0, 1)
    """
    entries = _expand_ellipsis(index if isinstance(index, tuple) else (index,), len(shape))
    starts, limits, strides, turned, squeezed, new = [], [], [], [], [], []
    in_bounds, result_ndim = True, 0
    for entry in entries:
        axis = len(starts)
        if entry is None:
            new.append(result_ndim)
            result_ndim += 1
            continue
        if isinstance(entry, slice):
            start, limit, stride, backwards = _slice_bounds(entry, shape[axis], axis)
            turned += [axis] if backwards else []
            result_ndim += 1
        else:
            start = entry + shape[axis] if entry < 0 and wrap else entry
            in_bounds = in_bounds and 0 <= start < shape[axis]
            start = min(max(start, 0), max(shape[axis] - 1, 0))
            limit, stride = start + 1, 1
            squeezed.append(axis)
        starts.append(start)
        limits.append(limit)
        strides.append(stride)
    return StaticIndex(*map(tuple, (starts, limits, strides, turned, squeezed, new)), in_bounds)


def _expand_ellipsis(index: tuple, ndim: int) -> list[Any]:
    """The index with one checked entry for every axis, and None for every new one."""
    entries = [_check_entry(entry) for entry in index]
    bools = [entry for entry in index if isinstance(entry, bool | np.bool_)]
    if len(bools) > 1 or (bools and any(isinstance(entry, int) for entry in entries)):
        raise NotImplementedError(
            f"x[{_shown(index)}], several bools or bools beside integers, is not here yet.\n"
            f"Index in two steps: x[...][...]."
        )
    used = sum(entry is not None and entry is not Ellipsis for entry in entries)
    if used > ndim:
        raise IndexError(
            f"x[{_shown(index)}] has more entries, {used}, than x has axes, {ndim}. Leave some out."
        )
    places = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(places) > 1:
        raise IndexError(f"x[{_shown(index)}] has more than one Ellipsis (...). Give one.")
    place = places[0] if places else len(entries)
    return entries[:place] + [slice(None)] * (ndim - used) + entries[place + 1 :]


def _check_entry(entry: Any) -> Any:
    """An int, a slice, None or Ellipsis; what else an index may hold is refused."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    if isinstance(entry, Tracer) and entry.to_concrete_value() is not None:
        entry = entry.to_concrete_value()
    if isinstance(entry, bool | np.bool_):
        return _check_bool(entry)
    if isinstance(entry, int | np.integer):
        return _known_index(entry)
    if isinstance(entry, list):
        raise TypeError(f"x[{shown(entry)}]: a list is no index. Give a tuple, axis by axis.")
    if isinstance(entry, str):
        raise TypeError(f"x[{shown(entry)}]: an array has no names to index by.\n{_KNOWN}")
    if not is_array(entry):
        error = TypeError if is_array_like(entry) else IndexError
        raise error(f"x[...] got {shown(entry)} as an index.\n{_KNOWN}")
    return _check_array_entry(entry)


def _check_bool(entry: Any) -> None:
    """True is a new axis."""
    if not entry:
        raise NotImplementedError(
            "x[False], an array of no elements, is not here yet. Write x[None][:0]."
        )


def _known_index(entry: Any) -> int:
    """The integer, in the dtype that an array of it has: OverflowError when it does not fit."""
    return int(raw_value(entry))


def _check_array_entry(entry: Any) -> int:
    dtype, traced = typeof(entry).dtype, isinstance(entry, Tracer)
    is_mask = dtype == np.bool_
    if is_mask and traced:
        raise NonConcreteBooleanIndexError(entry)
    if not issubdtype(dtype, np.bool_, np.integer):
        raise TypeError(f"x[...] got {shown(entry)} as an index.\n{_KNOWN}")
    if not is_mask and not traced and not typeof(entry).ndim:
        return _known_index(entry)
    what = "a mask" if is_mask else "a traced integer" if traced else "an array of integers"
    way_out = "Use jnp.where(mask, x, other)." if is_mask else _KNOWN
    raise NotImplementedError(f"x[...] by {what}, {typeof(entry)}, is not here yet.\n{way_out}")


_KNOWN = "Give integers and slices, known while tracing, None or `...`."


def _shown(index: tuple) -> str:
    """An index as it is written."""
    return ", ".join(
        "..." if entry is Ellipsis else
        ":".join("" if bound is None else shown(bound) for bound in (entry.start, entry.stop))
        + (f":{entry.step}" if entry.step is not None else "")
        if isinstance(entry, slice) else shown(entry)
        for entry in index
    )  # fmt: skip


def _slice_bounds(entry: slice, size: int, axis: int) -> tuple[int, int, int, bool]:
    """Start, limit and stride of a slice, forwards, and whether it runs backwards."""
    if any(isinstance(bound, Tracer) for bound in (entry.start, entry.stop, entry.step)):
        raise IndexError(
            f"A slice of axis {axis} has a traced bound, so the result's shape is not known:\n"
            f"x[{_shown((entry,))}]. Mark the bound static (jit's static_argnums), or choose with "
            f"jnp.where."
        )
    try:
        start, stop, step = entry.indices(size)
    except TypeError as error:
        raise TypeError(
            f"x[...] got a slice of axis {axis} with other bounds than integers:\n"
            f"{shown(entry.start)}, {shown(entry.stop)}, {shown(entry.step)}. Give ints or None."
        ) from error
    count = len(range(start, stop, step))
    if step > 0:
        return start, max(start, stop), step, False
    if not count:
        return start + 1, start + 1, -step, True
    return start + (count - 1) * step, start + 1, -step, True


# Reading.


def getitem(x: Any, index: Any) -> Any:
    """x[index]. An integer out of range takes the nearest element there is.

    >>> x = Array(np.arange(6, dtype=np.int32).reshape(2, 3))
    >>> getitem(x, (1, slice(None, None, -1)))
    Array([5, 4, 3], dtype=int32)
    """
    return _read(x, parse_index(index, x.shape))


def _read(x: Any, index: StaticIndex) -> Any:
    if any(size == 0 for axis, size in enumerate(x.shape) if axis in index.squeezed_axes):
        raise IndexError(
            f"x[...] takes an element along an axis that has none, of {typeof(x)}. Give a slice."
        )
    x = _read_slices(x, index)
    x = lax.squeeze(x, index.squeezed_axes)
    return lax.expand_dims(x, index.new_axes) if index.new_axes else x


def _read_slices(x: Any, index: StaticIndex) -> Any:
    strides = None if all(stride == 1 for stride in index.strides) else index.strides
    whole = not any(index.starts) and index.limits == x.shape and strides is None
    if not whole:
        x = lax.slice(x, index.starts, index.limits, strides)
    return lax.rev(x, index.reversed_axes) if index.reversed_axes else x


def iterate(x: Any) -> Any:
    """The parts of a tracer along its first axis."""
    if not x.ndim:
        raise TypeError(f"Iteration over {typeof(x)}, which has no axes. Give it one: x[None].")
    rest, ones = x.shape[1:], (1,) * x.ndim
    return (
        lax.squeeze(lax.slice(x, (i, *(0 for _ in rest)), (i + 1, *rest), ones), [0])
        for i in range(x.shape[0])
    )


# Writing: a new array, with one part replaced.


def _write(x: Any, index: StaticIndex, values: Any) -> Any:
    """x with `values`, which have the shape of x[index], in that place."""
    starts, limits, strides, reversed_axes, squeezed_axes, new_axes, _ = index
    values = lax.squeeze(values, new_axes)
    values = lax.expand_dims(values, squeezed_axes) if squeezed_axes else values
    values = lax.rev(values, reversed_axes) if reversed_axes else values
    if not values.size:
        return x
    config = [
        (start, size - (start + (count - 1) * stride + 1), stride - 1)
        for start, stride, size, count in zip(starts, strides, x.shape, values.shape, strict=True)
    ]
    if values.shape == x.shape:
        return values
    there = lax.pad(lax.full(values.shape, True), False, config)
    return lax.select(there, lax.pad(values, cast(0, x.dtype), config), x)


_HINTS = ("indices_are_sorted", "unique_indices", "out_sharding")
_MODES = (None, "drop", "fill", "clip", "promise_in_bounds")


class _IndexUpdateHelper:
    """x.at: x.at[index] is where an update goes."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> _IndexUpdateRef:
        return _IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r})"


class _IndexUpdateRef:
    """x.at[index]: its methods give new arrays; x stays as it is.

    `values` are broadcast to the shape of x[index] and converted to x's dtype. An update out of
    range is dropped, unless mode="clip" moves it to the nearest element there is.
    """

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: Any) -> None:
        self.array, self.index = array, index

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r}, {self.index!r})"

    def get(self, *, mode: str | None = None, fill_value: Any = None, **hints: Any) -> Any:
        """x[index]; with mode "fill" or "drop", `fill_value` (NaN, for floats) out of range."""
        x, index = self.array, self._parse(mode, **hints)
        result = _read(x, index)
        if mode not in ("fill", "drop") or index.in_bounds:
            return result
        return lax.full_like(result, _fill_value(x.dtype) if fill_value is None else fill_value)

    def set(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with `values` in place of x[index]."""
        index = self._parse(mode, **hints)
        return self._put(index, self._broadcast(values, index), mode)

    def add(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with x[index] + values in place of x[index]."""
        return self._update(promoting_add, values, mode, hints)

    def subtract(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with x[index] - values in place of x[index]."""
        return self._update(lax.sub, values, mode, hints)

    def multiply(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with x[index] * values in place of x[index]."""
        return self._update(lax.mul, values, mode, hints)

    mul = multiply

    def divide(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with x[index] / values in place of x[index], as floats."""
        return divide(self.array, self._amid_ones(values, mode, hints))

    def power(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with x[index] ** values in place of x[index]."""
        return power(self.array, self._amid_ones(values, mode, hints))

    def min(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with the smaller of x[index] and values in place of x[index]."""
        return self._update(lax.min, values, mode, hints)

    def max(self, values: Any, *, mode: str | None = None, **hints: Any) -> Any:
        """x with the larger of x[index] and values in place of x[index]."""
        return self._update(lax.max, values, mode, hints)

    def apply(self, func: Callable, *, mode: str | None = None, **hints: Any) -> Any:
        """x with func(element) in place of each element of x[index]."""
        index = self._parse(mode, **hints)
        elements = ravel(_read(self.array, index))
        if not elements.size:
            return self.array

        def checked(element: Any) -> Any:
            new = func(element)
            if not is_array_like(new) or typeof(new).shape or typeof(new).dtype != element.dtype:
                raise ValueError(
                    f"x.at[...].apply was given a function that returned {shown(new)}.\n"
                    f"Give one from an element to another, both of type {element.dtype}[]."
                )
            return new

        return self._put(index, lax.reshape(vmap(checked)(elements), index.result_shape), mode)

    def _parse(
        self, mode: str | None, wrap_negative_indices: bool = True, **hints: Any
    ) -> StaticIndex:
        """What the index means. Hints of how indices lie change nothing here."""
        if mode not in _MODES:
            raise ValueError(
                f"x.at[...] knows no mode {shown(mode)}. Give one of\n"
                f"{', '.join(map(repr, _MODES))}."
            )
        unknown = [name for name in hints if name not in _HINTS]
        if unknown:
            known = ("mode", "fill_value (of get)", "wrap_negative_indices", *_HINTS)
            raise TypeError(
                f"x.at[...] has no option {unknown[0]}. Give some of\n{', '.join(known)}."
            )
        return parse_index(self.index, self.array.shape, wrap_negative_indices)

    def _amid_ones(self, values: Any, mode: str | None, hints: dict) -> Any:
        return _IndexUpdateRef(ones_like(self.array), self.index).set(values, mode=mode, **hints)

    def _update(self, combine: Callable, values: Any, mode: str | None, hints: dict) -> Any:
        index = self._parse(mode, **hints)
        values = self._broadcast(values, index)
        return self._put(index, combine(_read(self.array, index), values), mode)

    def _broadcast(self, values: Any, index: StaticIndex) -> Any:
        values = _as_update(self.array, values)
        try:
            return broadcast_to(values, index.result_shape)
        except ValueError as error:
            raise ValueError(
                f"x.at[...] got values of the shape {values.shape} for a place of "
                f"{index.result_shape}.\nGive values that broadcast to that."
            ) from error

    def _put(self, index: StaticIndex, values: Any, mode: str | None) -> Any:
        weak_type = typeof(self.array).weak_type
        if not index.in_bounds and mode != "clip":
            return self.array
        return cast(_write(self.array, index, values), self.array.dtype, weak_type)


def _as_update(x: Any, values: Any) -> Any:
    """The values in x's dtype; a warning where that loses something."""
    if not is_array_like(values):
        values = new_array("x.at[...]", values)
    if result_aval_type([typeof(x), typeof(values)])[0] != x.dtype:
        warn(
            f"x.at[...] puts values of type {typeof(values)} into an array of {x.dtype}, which "
            f"does not hold\nthem all. Convert one of them with x.astype(dtype).",
            FutureWarning,
        )
    if not isinstance(values, Array):
        values = raw_value(values)  # so that an integer too large for x wraps round
    return cast(values, x.dtype)


def _fill_value(dtype: np.dtype) -> Any:
    """What stands for a missing element."""
    if issubdtype(dtype, np.inexact):
        return np.nan
    smallest, largest = dtype_bounds(dtype)
    return smallest if issubdtype(dtype, np.signedinteger) else largest
