"""Operations that move elements: shapes, slices, windows at places that the program finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.elementwise_operations import Outs
from minijax.compiler.stablehlo.operation_rules import rule
from minijax.compiler.stablehlo.program_text import write_jaxpr
from minijax.compiler.stablehlo.tensor_types import array, integers
from minijax.compiler.stablehlo.text_builder import Builder, Value
from minijax.core.dtypes import issubdtype
from minijax.core.staging import Jaxpr


@rule("broadcast_in_dim")
def _broadcast(
    b: Builder, outs: Outs, x: Value, *, shape: tuple, broadcast_dimensions: tuple
) -> Value:
    return b.broadcast(x, shape, broadcast_dimensions)


@rule("empty2", keys=True)
def _empty(b: Builder, outs: Outs, *, dtype: Any) -> Value:
    return b.full(outs[0], 0)


@rule("reshape", "squeeze")
def _reshape(b: Builder, outs: Outs, x: Value, **_: Any) -> Value:
    return b.reshape(x, outs[0].shape)


@rule("transpose")
def _transpose(b: Builder, outs: Outs, x: Value, *, permutation: tuple) -> Value:
    return b.transpose(x, permutation)


@rule("rev")
def _rev(b: Builder, outs: Outs, x: Value, *, dimensions: tuple) -> Value:
    return b.op("reverse", x, attributes=f", dims = {integers(dimensions)}") if dimensions else x


@rule("iota")
def _iota(b: Builder, outs: Outs, *, dtype: Any, shape: tuple, dimension: int) -> Value:
    return b.iota(outs[0], dimension)


@rule("concatenate")
def _concatenate(b: Builder, outs: Outs, *xs: Value, dimension: int) -> Value:
    return b.concatenate(xs, dimension)


@rule("stack")
def _stack(b: Builder, outs: Outs, *xs: Value, axis: int) -> Value:
    shape = (*outs[0].shape[:axis], 1, *outs[0].shape[axis + 1 :])
    return b.concatenate([b.reshape(x, shape) for x in xs], axis)


@rule("unstack")
def _unstack(b: Builder, outs: Outs, x: Value, *, axis: int) -> list[Value]:
    return [b.reshape(b.index(x, axis, i, i + 1), out.shape) for i, out in enumerate(outs)]


@rule("split")
def _split(b: Builder, outs: Outs, x: Value, *, sizes: tuple, axis: int) -> list[Value]:
    ends = np.cumsum(sizes, dtype=int).tolist()
    return [b.index(x, axis, end - n, end) for n, end in zip(sizes, ends, strict=True)]


@rule("tile")
def _tile(b: Builder, outs: Outs, x: Value, *, reps: tuple) -> Value:
    shape = [n for pair in zip(reps, x.shape, strict=True) for n in pair]
    repeated = b.broadcast(x, shape, range(1, 2 * x.ndim, 2))
    return b.reshape(repeated, outs[0].shape)


@rule("slice")
def _slice(
    b: Builder, outs: Outs, x: Value, *, start_indices: tuple, limit_indices: tuple,
    strides: tuple | None,
) -> Value:  # fmt: skip
    return b.slice(x, start_indices, limit_indices, strides)


@rule("pad")
def _pad(b: Builder, outs: Outs, x: Value, value: Value, *, padding_config: tuple) -> Value:
    return b.pad(x, value, padding_config)


# At places that the program finds.


def places(b: Builder, x: Value) -> Value:
    """Integers as XLA takes them for places: of 32 bits, or 64."""
    if issubdtype(x.dtype, np.unsignedinteger) and x.dtype.itemsize == 8:
        x = b.op("minimum", x, b.full_like(x, np.iinfo(np.int64).max))
    is_wide = x.dtype.itemsize == 8 or x.dtype == np.uint32
    return b.convert(x, np.dtype(np.int64 if is_wide else np.int32))


@rule("dynamic_slice")
def _dynamic_slice(b: Builder, outs: Outs, x: Value, *starts: Value, slice_sizes: tuple) -> Value:
    return b.dynamic_slice(x, [places(b, i) for i in starts], slice_sizes) if starts else x


@rule("dynamic_update_slice")
def _dynamic_update_slice(
    b: Builder, outs: Outs, x: Value, update: Value, *starts: Value
) -> Value:
    return b.dynamic_update_slice(x, update, [places(b, i) for i in starts]) if starts else update


def _numbers(**lists: Sequence[int]) -> str:
    """name = [1, 2], ... without those that are empty."""
    return ", ".join(f"{name} = {integers(axes)}" for name, axes in lists.items() if axes)


def _inside(b: Builder, x: Value, indices: Value, mapped: Sequence[int], sizes: Any) -> tuple:
    """The largest start along each axis of an index, in the shape of the indices."""
    last = np.array([x.shape[d] - sizes[d] for d in mapped], indices.dtype)
    return b.full_like(indices, 0), b.broadcast(
        b.constant(last), indices.shape, [indices.ndim - 1]
    )


@rule("gather")
def _gather(
    b: Builder, outs: Outs, x: Value, indices: Value, *, dimension_numbers: Any,
    slice_sizes: tuple, unique_indices: bool, indices_are_sorted: bool, mode: Any, fill_value: Any,
) -> Value:  # fmt: skip
    """Windows outside are moved inside by StableHLO's, too."""
    indices, [out] = places(b, indices), outs
    if any(n < size for n, size in zip(x.shape, slice_sizes, strict=True)):
        return b.full(out, 0 if fill_value is None else fill_value)
    window, left_out, mapped, batch, indices_batch = dimension_numbers
    numbers = _numbers(
        offset_dims=window, collapsed_slice_dims=left_out, operand_batching_dims=batch,
        start_indices_batching_dims=indices_batch, start_index_map=mapped,
    )  # fmt: skip
    numbers = ", ".join(filter(None, [numbers, f"index_vector_dim = {indices.ndim - 1}"]))
    properties = [
        f"dimension_numbers = #stablehlo.gather<{numbers}>",
        f"indices_are_sorted = {truth(indices_are_sorted)}", f"slice_sizes = {array(slice_sizes)}",
    ]  # fmt: skip
    [found] = b.generic("gather", [x, indices], [out], properties)
    if mode.name != "FILL_OR_DROP":
        return found
    zero, last = _inside(b, x, indices, mapped, slice_sizes)
    inside = b.op("and", b.compare("GE", indices, zero), b.compare("LE", indices, last))
    inside = b.reduce("and", inside, True, [indices.ndim - 1])
    others = [d for d in range(out.ndim) if d not in window]
    inside = b.broadcast(inside, out.shape, others)
    return b.select(inside, found, b.full(out, fill_value))


@rule("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max")
def _scatter(
    b: Builder, outs: Outs, x: Value, indices: Value, updates: Value, *, update_jaxpr: Any,
    update_consts: tuple, dimension_numbers: Any, indices_are_sorted: bool, unique_indices: bool,
    mode: Any,
) -> Value:  # fmt: skip
    """Windows outside are left out by StableHLO's, too."""
    indices = places(b, indices)
    window, left_out, mapped, batch, indices_batch = dimension_numbers
    if mode.name == "CLIP":
        inside = [d for d in range(x.ndim) if d not in (*left_out, *batch)]
        sizes = {d: updates.shape[w] for d, w in zip(inside, window, strict=True)}
        sizes |= dict.fromkeys((*left_out, *batch), 1)
        zero, last = _inside(b, x, indices, mapped, sizes)
        indices = b.op("clamp", zero, indices, last)
    numbers = _numbers(
        update_window_dims=window, inserted_window_dims=left_out, input_batching_dims=batch,
        scatter_indices_batching_dims=indices_batch, scatter_dims_to_operand_dims=mapped,
    )  # fmt: skip
    numbers = ", ".join(filter(None, [numbers, f"index_vector_dim = {indices.ndim - 1}"]))
    properties = [
        f"indices_are_sorted = {truth(indices_are_sorted)}",
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>",
        f"unique_indices = {truth(unique_indices)}",
    ]

    def combine(old: Value, new: Value) -> Sequence[Value]:
        if update_jaxpr is None:
            return [new]
        jaxpr = update_jaxpr if isinstance(update_jaxpr, Jaxpr) else update_jaxpr.jaxpr
        return write_jaxpr(b, jaxpr, update_consts, [old, new])

    one = x.type.shaped(())
    [out] = b.generic("scatter", [x, indices, updates], outs, properties, [([one, one], combine)])
    return out


def truth(flag: Any) -> str:
    return "true" if flag else "false"

