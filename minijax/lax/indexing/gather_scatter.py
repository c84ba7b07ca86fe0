"""Gather and scatter: many windows of an array, at places that only the running program knows.

A gather reads a window of the operand at each of many starts, and a scatter updates one at each.
Each is in the other's transpose. x[...] and x.at[...] with arrays of integers are made of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.row_major import only_first
from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import raw_value
from minijax.core.batching import bdim_at_front, moveaxis, not_mapped, primitive_batchers, vmap
from minijax.core.forward import defjvp, instantiate_zeros, primitive_jvps
from minijax.core.primitives import (
    Shape, add, add_p, broadcast_in_dim, cast, eq, fill, numpy_primitive, reshape, select,
)
from minijax.core.reverse import is_undefined_primal, primitive_transposes
from minijax.core.staging import Jaxpr, eval_jaxpr
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.indexing.dimension_numbers import (
    GatherDimensionNumbers, GatherScatterMode, Numbers, ScatterDimensionNumbers, as_numbers,
    check_indices, check_numbers, check_sizes, fill_value_for, update_program, window_sizes,
    windows_shape,
)
from minijax.lax.indexing.window_routines import gather_part, gather_rows, scatter_part
from minijax.lax.kernel_parts import always
from minijax.lax.shapes.axes import iota, known_shape

# Reading: where each window starts, and its elements.


def _starts(
    x: np.ndarray, indices: np.ndarray, numbers: Numbers, sizes: Shape
) -> tuple[np.ndarray, np.ndarray]:
    """Where each window starts along each axis, clamped; and whether it was inside without that."""
    (_, _, mapped, batch, indices_batch), (*where, entries) = numbers, indices.shape
    count = math.prod(where)
    starts, inside = np.zeros((x.ndim, count), np.intp), np.ones(count, np.bool_)
    for d, axis in zip(batch, indices_batch, strict=True):
        starts[d] = np.unravel_index(np.arange(count), where)[axis]
    for d, column in zip(mapped, indices.reshape(count, entries).T, strict=True):
        last = x.shape[d] - sizes[d]
        inside &= (column >= 0) & (column <= last)
        starts[d] = column
        starts[d][column > last] = last
        starts[d][column < 0] = 0
    return starts, inside


def _windows(x: np.ndarray, starts: np.ndarray, sizes: Shape) -> np.ndarray:
    """The windows one after the other: an array of shape (how many, *sizes)."""
    shape = (starts.shape[-1], *sizes)
    if 0 in shape:
        return np.empty(shape, x.dtype)
    of_bytes = x.view(np.uint8) if x.dtype.itemsize == 1 else x  # a view of others NumPy refuses
    everywhere = np.lib.stride_tricks.sliding_window_view(of_bytes, sizes)
    return np.broadcast_to(everywhere[tuple(starts)], shape).view(x.dtype)


def _gather_rule(
    x: ShapedArray, indices: ShapedArray, *, dimension_numbers: GatherDimensionNumbers,
    slice_sizes: tuple, unique_indices: bool, indices_are_sorted: bool, mode: GatherScatterMode,
    fill_value: Any,
) -> ShapedArray:  # fmt: skip
    name, numbers = "lax.gather", dimension_numbers
    check_numbers(name, numbers, x, indices, len(numbers.offset_dims) + indices.ndim - 1)
    check_sizes(name, numbers, x, indices, slice_sizes)
    check_indices(name, indices)
    return x.update(shape=windows_shape(numbers, indices.shape[:-1], slice_sizes))


def _numpy_gather(
    x: np.ndarray, indices: np.ndarray, dimension_numbers: GatherDimensionNumbers,
    slice_sizes: tuple, mode: GatherScatterMode, fill_value: Any, **promises: bool,
) -> np.ndarray:  # fmt: skip
    starts, inside = _starts(x, indices, dimension_numbers, slice_sizes)
    out = _windows(x, starts, slice_sizes)
    if mode is GatherScatterMode.FILL_OR_DROP and not inside.all():
        out = out.copy()
        out[~inside] = fill_value if x.dtype.names else np.asarray(fill_value).astype(x.dtype)
    where, window = indices.shape[:-1], dimension_numbers.offset_dims
    shape = windows_shape(dimension_numbers, where, slice_sizes)
    out = out.reshape((*where, *(shape[d] for d in window)))
    return np.moveaxis(out, range(len(where), out.ndim), window)


gather_p = numpy_primitive("gather", _gather_rule, _numpy_gather)


def gather(
    operand: Any, start_indices: Any, dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Shape, *, unique_indices: bool = False, indices_are_sorted: bool = False,
    mode: str | GatherScatterMode | None = None, fill_value: Any = None,
) -> Any:  # fmt: skip
    """The windows of the operand that start at `start_indices`, integers of shape (..., k).

    The result has all axes of the indices but the last, and at `offset_dims` the axes of a window
    of `slice_sizes`. A window that starts out of bounds is moved inside, or with mode "fill" filled
    with `fill_value`: by default NaN, the smallest signed integer, the largest unsigned one, or
    True. TypeError where numbers or sizes do not fit, ValueError for indices that aren't integers.

    >>> rows = GatherDimensionNumbers((1,), (0,), (0,))
    >>> gather(np.arange(6).reshape(3, 2), np.array([[2], [0]]), rows, (1, 2))
    Array([[4, 5],
           [0, 1]], dtype=int32)
    """
    mode = GatherScatterMode.from_any("promise_in_bounds" if mode is None else mode)
    if mode is GatherScatterMode.ONE_HOT:
        raise ValueError("lax.gather has no mode 'one_hot'. Give 'clip', 'fill' or another.")
    known = None
    if mode is GatherScatterMode.FILL_OR_DROP:
        known = fill_value_for(typeof(operand).dtype, fill_value)
    return gather_p.bind(
        operand, start_indices, mode=mode, fill_value=known,
        dimension_numbers=as_numbers("lax.gather", dimension_numbers, GatherDimensionNumbers),
        slice_sizes=known_shape("lax.gather", slice_sizes), unique_indices=bool(unique_indices),
        indices_are_sorted=bool(indices_are_sorted),
    )  # fmt: skip


# Writing: many windows replaced, or added to.


def _scatter_rule(
    name: str, x: ShapedArray, indices: ShapedArray, updates: ShapedArray, *, update_jaxpr: Any,
    update_consts: tuple, dimension_numbers: ScatterDimensionNumbers, indices_are_sorted: bool,
    unique_indices: bool, mode: GatherScatterMode,
) -> ShapedArray:  # fmt: skip
    numbers = dimension_numbers
    check_numbers(name, numbers, x, indices, updates.ndim)
    sizes = window_sizes(numbers, updates.shape, x.ndim)
    check_sizes(name, numbers, x, indices, sizes)
    shape = windows_shape(numbers, indices.shape[:-1], sizes)
    if updates.shape != shape or updates.dtype != x.dtype:
        raise TypeError(
            f"{name} of {x} got updates {updates}.\n"
            f"Give them the shape {shape}, which the indices {indices} ask for, and {x.dtype}."
        )
    check_indices(name, indices)
    return x


def _numpy_scatter(
    update_at: Callable, x: np.ndarray, indices: np.ndarray, updates: np.ndarray,
    update_jaxpr: Any, dimension_numbers: ScatterDimensionNumbers, mode: GatherScatterMode,
    **promises: Any,
) -> np.ndarray:  # fmt: skip
    """The operand after `update_at`, which gets the flat operand, the places in it that are written
    to, and an update for each place."""
    sizes = window_sizes(dimension_numbers, updates.shape, x.ndim)
    starts, inside = _starts(x, indices, dimension_numbers, sizes)
    steps = np.array([math.prod(x.shape[d + 1 :]) for d in range(x.ndim)], np.intp)
    places = np.add.outer(steps @ starts, np.tensordot(steps, np.indices(sizes), 1))
    window = dimension_numbers.update_window_dims
    updates = np.moveaxis(updates, window, range(updates.ndim - len(window), updates.ndim))
    updates = updates.reshape(places.shape)
    if mode is not GatherScatterMode.CLIP or not x.size:
        places, updates = places[inside], updates[inside]
    out = x.flatten()
    update_at(out, places.reshape(-1), updates.reshape(-1), update_jaxpr)
    return out.reshape(x.shape)


def scatter_primitive(name: str, update_at: Callable) -> Primitive:
    """A scatter that writes with `update_at(flat operand, places, updates, program)`."""
    fun_name = "lax." + name.replace("-", "_")
    rule, numpy_fun = partial(_scatter_rule, fun_name), partial(_numpy_scatter, update_at)
    return numpy_primitive(name, rule, numpy_fun)


def _set_at(out: np.ndarray, places: np.ndarray, updates: np.ndarray, program: Any) -> None:
    """Replaces elements. Of several updates of one place the last one stays. With a program, each
    update of a place computes the element from the one before.

    The program runs on many places at once: on each place once, then on those that occur again.
    """
    if program is None:
        out[places] = updates
        return
    run = vmap(lambda x, y: eval_jaxpr(program, (), x, y)[0])
    while places.size:
        now, first = np.unique(places, return_index=True)
        out[now] = raw_value(run(out[now], updates[first]))
        places, updates = np.delete(places, first), np.delete(updates, first)


def ufunc_at(ufunc: np.ufunc) -> Callable:
    """Makes the updates one after the other: of two at one place, the second sees the first."""
    return lambda out, places, updates, program: ufunc.at(out, places, updates)


def bind_scatter(
    primitive: Primitive, program: Jaxpr | None, operand: Any, indices: Any, updates: Any,
    dimension_numbers: Any, indices_are_sorted: bool, unique_indices: bool, mode: Any,
) -> Any:  # fmt: skip
    """Binds a scatter. `program` computes an element from the old one and the update; None puts the
    update in its place."""
    name = "lax." + primitive.name.replace("-", "_")
    return primitive.bind(
        operand, indices, updates, mode=GatherScatterMode.from_any(mode), update_jaxpr=program,
        update_consts=(), indices_are_sorted=indices_are_sorted, unique_indices=unique_indices,
        dimension_numbers=as_numbers(name, dimension_numbers, ScatterDimensionNumbers),
    )


scatter_p = scatter_primitive("scatter", _set_at)
scatter_add_p = scatter_primitive("scatter-add", ufunc_at(np.add))


def scatter(
    operand: Any, scatter_indices: Any, updates: Any, dimension_numbers: ScatterDimensionNumbers, *,
    indices_are_sorted: bool = False, unique_indices: bool = False,
    mode: str | GatherScatterMode | None = None,
) -> Any:  # fmt: skip
    """The operand with `updates`, of its dtype, in the place of the windows at `scatter_indices`.

    Indices and updates have the shapes of the indices and the result of a gather. Where updates
    meet, the last one stays. A window that is not inside is left out, or moved inside with mode
    "clip". TypeError where numbers or shapes do not fit, ValueError unless indices are integers.

    >>> rows = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter(np.arange(3), np.array([[2], [7]]), np.array([8, 9]), rows)
    Array([0, 1, 8], dtype=int32)
    """
    return bind_scatter(scatter_p, None, operand, scatter_indices, updates, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)  # fmt: skip


def scatter_add(
    operand: Any, scatter_indices: Any, updates: Any, dimension_numbers: ScatterDimensionNumbers, *,
    indices_are_sorted: bool = False, unique_indices: bool = False,
    mode: str | GatherScatterMode | None = None,
) -> Any:  # fmt: skip
    """Like `scatter`, but the updates are added to the elements. Where several meet, all count."""
    program = update_program(add, typeof(operand).dtype)
    return bind_scatter(scatter_add_p, program, operand, scatter_indices, updates,
                        dimension_numbers, indices_are_sorted, unique_indices, mode)  # fmt: skip


# Derivatives. The gather with a scatter's numbers reads the windows that the scatter writes.


def gather_back(x: Any, indices: Any, numbers: Numbers, shape: Shape, **how: Any) -> Any:
    """The windows of x that a scatter of updates of this shape would write to."""
    sizes = window_sizes(numbers, shape, typeof(x).ndim)
    return gather(x, indices, GatherDimensionNumbers(*numbers), sizes, **how)


def _gather_jvp(x_dot, x, indices, *, fill_value, **params):
    return gather_p.bind(x_dot, indices, fill_value=None if fill_value is None else 0, **params)


def _add_cotangents(x: Any, y: Any) -> Any:
    """`add`, as a new program for each transpose: JAX prints it so."""
    return add(x, y)


def _gather_transpose(ct, x, indices, *, dimension_numbers, slice_sizes, fill_value, **params):
    dtype, numbers = typeof(ct).dtype, ScatterDimensionNumbers(*dimension_numbers)
    nothing = broadcast_in_dim(cast(0, dtype), x.aval.shape, ())
    program = update_program(_add_cotangents, dtype)
    return [scatter_add_p.bind(nothing, indices, ct, dimension_numbers=numbers,
                               update_jaxpr=program, update_consts=(), **params), None]  # fmt: skip


def linear_scatter_jvp(primitive: Primitive, primals: Any, tangents: Any, **params: Any) -> tuple:
    """A scatter that is linear in operand and updates together: the same scatter, of tangents."""
    x, indices, updates = primals
    ans = primitive.bind(x, indices, updates, **params)
    x_dot, updates_dot = instantiate_zeros(tangents[0]), instantiate_zeros(tangents[2])
    return ans, primitive.bind(x_dot, indices, updates_dot, **params)


def _scatter_add_transpose(ct, x, indices, updates, *, dimension_numbers, mode, **params):
    updates_ct = None
    if is_undefined_primal(updates):
        shape = updates.aval.shape
        updates_ct = gather_back(ct, indices, dimension_numbers, shape, mode=mode, fill_value=0)
    return [ct if is_undefined_primal(x) else None, None, updates_ct]


defjvp(gather_p, _gather_jvp, None)
primitive_transposes[gather_p] = _gather_transpose
primitive_jvps[scatter_add_p] = partial(linear_scatter_jvp, scatter_add_p)
primitive_transposes[scatter_add_p] = _scatter_add_transpose

# A scatter that replaces is linear only where no two updates meet.


def _scatter_jvp(primals, tangents, *, update_jaxpr, **params):
    if update_jaxpr is not None:
        raise NotImplementedError(
            "lax.scatter_apply has no derivative.\nUse lax.scatter of values that you gather."
        )
    x_dot, updates_dot = instantiate_zeros(tangents[0]), instantiate_zeros(tangents[2])
    dots = x_dot, None, updates_dot
    if params["unique_indices"]:
        return linear_scatter_jvp(scatter_p, primals, dots, update_jaxpr=None, **params)
    return _winners_jvp(primals, dots, **params)


def _winners_jvp(primals, dots, *, update_consts, dimension_numbers, **how):
    """Scatters the numbers 1, 2, ... in place of the updates. An element that then holds 0 kept its
    value, and an update that finds its own number has won. All other elements, updates and tangents
    become 0; what is left is a scatter_add."""
    x, indices, updates = primals
    x_dot, _, updates_dot = dots
    numbers, shape = dimension_numbers, typeof(updates).shape
    ones = [1 if d in numbers.update_window_dims else n for d, n in enumerate(shape)]
    count = reshape(iota(np.uint32, math.prod(ones)), ones)
    own = add(count, fill(ShapedArray(shape, np.uint32), 1))
    nobody = fill(ShapedArray(typeof(x).shape, np.uint32), 0)
    winner = scatter(nobody, indices, own, numbers, **how)
    found = gather_back(winner, indices, numbers, shape)

    def kept(values: Any, mine: Any, theirs: Any) -> Any:
        theirs = fill(typeof(mine), 0) if theirs is None else theirs
        return select(eq(mine, theirs), values, fill(typeof(values), 0))

    parts = [(x, updates), (x_dot, updates_dot)]
    masked = [(kept(a, winner, None), kept(b, own, found)) for a, b in parts]
    return tuple(scatter_add(a, indices, b, numbers, **how) for a, b in masked)


def _scatter_transpose(ct, x, indices, updates, *, dimension_numbers, mode, **params):
    if not params["unique_indices"]:
        raise NotImplementedError(
            "lax.scatter has a transpose only where no two updates meet. Give unique_indices=True."
        )
    aval = updates.aval if is_undefined_primal(updates) else typeof(updates)
    x_ct = updates_ct = None
    if is_undefined_primal(x):
        nothing = broadcast_in_dim(cast(0, typeof(ct).dtype), aval.shape, ())
        x_ct = scatter_p.bind(
            ct, indices, nothing, dimension_numbers=dimension_numbers, mode=mode, **params
        )
    if is_undefined_primal(updates):
        shape = aval.shape
        updates_ct = gather_back(ct, indices, dimension_numbers, shape, mode=mode, fill_value=0)
    return [x_ct, None, updates_ct]


primitive_jvps[scatter_p] = _scatter_jvp
primitive_transposes[scatter_p] = _scatter_transpose

# Many examples. If they share the indices, the batch axis becomes an axis of the windows. If each
# has indices of its own, it becomes a pair of batching axes.


def _shifted(axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(d + 1 for d in axes)


def _shared(numbers: Numbers) -> Numbers:
    """The numbers, for examples along axis 0 of the operand and of the windows."""
    window, left_out, mapped, batch, indices_batch = numbers
    return type(numbers)((0, *_shifted(window)), *map(_shifted, (left_out, mapped, batch)),
                         indices_batch)  # fmt: skip


def _paired(numbers: Numbers) -> Numbers:
    """The numbers, for examples along axis 0 of operand, indices and windows."""
    window, left_out, mapped, batch, indices_batch = map(_shifted, numbers)
    return type(numbers)(window, left_out, mapped, (0, *batch), (0, *indices_batch))


def gather_batcher(args, dims, *, dimension_numbers, slice_sizes, **params):
    (x, indices), (x_dim, indices_dim), numbers = args, dims, dimension_numbers
    x = x if x_dim is not_mapped else moveaxis(x, x_dim, 0)
    indices = indices if indices_dim is not_mapped else moveaxis(indices, indices_dim, 0)
    if indices_dim is not_mapped:
        numbers, slice_sizes = _shared(numbers), (typeof(x).shape[0], *slice_sizes)
    elif x_dim is not not_mapped:
        numbers, slice_sizes = _paired(numbers), (min(1, typeof(x).shape[0]), *slice_sizes)
    else:
        window, *of_operand, indices_batch = numbers
        numbers = type(numbers)(_shifted(window), *of_operand, _shifted(indices_batch))
        params |= {"unique_indices": False, "indices_are_sorted": False}
    return gather_p.bind(
        x, indices, dimension_numbers=numbers, slice_sizes=slice_sizes, **params
    ), 0


def scatter_batcher(primitive, args, dims, *, dimension_numbers, **params):
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped)
    x, indices, updates = args
    x, updates = bdim_at_front(x, dims[0], size), bdim_at_front(updates, dims[2], size)
    if dims[1] is not_mapped:
        numbers = _shared(dimension_numbers)
    else:
        indices, numbers = moveaxis(indices, dims[1], 0), _paired(dimension_numbers)
    return primitive.bind(x, indices, updates, dimension_numbers=numbers, **params), 0


primitive_batchers[gather_p] = gather_batcher
for _primitive in [scatter_p, scatter_add_p]:
    primitive_batchers[_primitive] = partial(scatter_batcher, _primitive)

# As a kernel: a loop over the indices. A scatter may write its result over its operand.

register_lowering(
    gather_p, source=gather_part, alone=always, rows=gather_rows, on_halves="exact"
)
register_lowering(
    scatter_p, source=scatter_part, alone=always, overwrites=only_first, on_halves="exact"
)
register_lowering(
    scatter_add_p, source=partial(scatter_part, combine=add_p), alone=always, overwrites=only_first
)
