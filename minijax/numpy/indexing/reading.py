"""x[...]: what the index takes of x.

Where integers and slices are known, it is a `slice`; with an integer that is traced, a
`dynamic_slice`; else a `gather`. What that leaves to do is a `rev` for negative steps, a `squeeze`
for integers and a `broadcast_in_dim` for None. Updates at an index are in `updates`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.arrays import is_array_like
from minijax.core.errors import ConcretizationTypeError
from minijax.core.tracing import Tracer, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.sizes import index_dtype
from minijax.numpy.creation import zeros_like
from minijax.numpy.indexing.as_gather import gather_index
from minijax.numpy.indexing.parsing import (
    Entry,
    MovingIndex,
    StaticIndex,
    moving_index,
    parse_index,
    static_index,
)
from minijax.numpy.indexing.paths import by_index


@by_index
def getitem(x: Any, index: Any) -> Any:
    """x[index]. An integer out of range takes the nearest element there is.

    >>> from minijax.numpy import arange
    >>> getitem(arange(6).reshape(2, 3), (1, slice(None, None, -1)))
    Array([5, 4, 3], dtype=int32)
    """
    if isinstance(x, Tracer) and x.aval.mutable:
        return x.aval.getitem(x, index)
    return read(x, index)


def read(
    x: Any, index: Any, mode: Any = None, fill_value: Any = None, wrap: bool = True,
    hints: tuple[bool, bool] = (False, False),
) -> Any:  # fmt: skip
    """x[index], with a gather's `mode`, and hints whether indices are in order, and distinct."""
    entries = parse_index(index, x.shape)
    modes = lax.GatherScatterMode
    parsed = modes.PROMISE_IN_BOUNDS if mode is None else modes.from_any(mode)
    if parsed in (modes.PROMISE_IN_BOUNDS, modes.CLIP):
        static = static_index(entries, x.shape, wrap, clip=parsed is modes.CLIP)
        if static is not None:
            return _read_static(x, static)
        moving = moving_index(entries, x.shape)
        if moving is not None:
            return _read_moving(x, moving, wrap)
    return _read_gather(x, entries, parsed, fill_value, wrap, hints)


def _read_static(x: Any, index: StaticIndex) -> Any:
    starts, limits, strides, *axes = index
    is_dense = all(stride == 1 for stride in strides)
    if not (is_dense and limits == x.shape and all(start == 0 for start in starts)):
        strides = None if is_dense else strides
        x = lax.slice(x, starts, limits, strides)
    return _arrange(x, *axes)


def _read_moving(x: Any, index: MovingIndex, wrap: bool) -> Any:
    starts, sizes, *axes = index
    if len(starts) > 1:
        dtype = index_dtype(x.shape)
        starts = [lax.convert_element_type(start, dtype) for start in starts]
    x = lax.dynamic_slice(x, starts, sizes, allow_negative_indices=wrap)
    return _arrange(x, *axes)


def _arrange(
    x: Any, reversed_axes: Sequence[int], squeezed_axes: Sequence[int], new_axes: Sequence[int]
) -> Any:
    x = lax.rev(x, reversed_axes) if reversed_axes else x
    x = lax.squeeze(x, squeezed_axes) if squeezed_axes else x
    return lax.expand_dims(x, new_axes) if new_axes else x


def _read_gather(
    x: Any, entries: Sequence[Entry], mode: Any, fill_value: Any, wrap: bool, hints: tuple
) -> Any:
    index = gather_index(entries, x.shape, wrap)
    starts = index.indices()
    fill_value = _check_fill_value(fill_value)
    x = lax.expand_dims(x, index.bool_axes) if index.bool_axes else x
    if 0 in index.result_shape:
        return zeros_like(x, shape=index.result_shape)
    if starts.size:
        x = lax.gather(
            x, starts, index.gather_dims(), index.window, mode=mode, fill_value=fill_value,
            **index.hints(*hints),
        )  # fmt: skip
    return _arrange(x, index.reversed_axes, (), index.new_axes)


def _check_fill_value(fill_value: Any) -> Any:
    """The number that stands for elements out of range, known while tracing."""
    if isinstance(fill_value, Tracer):
        value = fill_value.to_concrete_value()
        if value is None:
            raise ConcretizationTypeError(
                fill_value, "x.at[...].get needs its fill_value while tracing. Give a number."
            )
        fill_value = value
    if fill_value is None:
        return None
    if not is_array_like(fill_value):
        raise TypeError(
            f"x.at[...].get got {shown(fill_value)} as fill_value. Give a number."
        )
    if typeof(fill_value).ndim:
        raise ValueError(
            f"x.at[...].get got a fill_value of the shape {typeof(fill_value).shape}. Give one "
            f"number."
        )
    return fill_value.item() if isinstance(fill_value, np.ndarray) else fill_value


def iterate(x: Any) -> Iterator[Any]:
    """The parts of a tracer along its first axis."""
    if not x.ndim:
        raise TypeError(f"Iteration over {typeof(x)}, which has no axes. Give it one: x[None].")
    rest, ones = x.shape[1:], (1,) * x.ndim
    return (
        lax.squeeze(lax.slice(x, (i, *(0 for _ in rest)), (i + 1, *rest), ones), [0])
        for i in range(int(x.shape[0]))
    )
