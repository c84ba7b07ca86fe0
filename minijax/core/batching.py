"""Batching: a function of one example becomes a function of many, without a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple

import minijax.core.primitives as lax
from minijax.core.forward import check_args, check_callable, debug_info, find_rule, flatten_fun
from minijax.core.pytrees import flatten_axes, tree_flatten, tree_leaves, tree_unflatten
from minijax.core.tracing import (
    DebugInfo,
    Primitive,
    ShapedArray,
    Trace,
    Tracer,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
    unzip2,
)

not_mapped = None  # the batch dimension of a value that is the same for all examples


# Moving the batch dimension.


def moveaxis(x: Any, source: int, destination: int) -> Any:
    """x with one axis moved, the others in their order."""
    ndim = typeof(x).ndim
    permutation = lax.remaining(ndim, [source % ndim])
    permutation.insert(destination % ndim, source % ndim)
    return lax.transpose(x, permutation)


def broadcast_axis(x: Any, size: int, axis: int) -> Any:
    """x repeated `size` times along a new axis."""
    old = typeof(x).shape
    axis = lax.canonicalize_axis(axis, len(old) + 1)
    new = (*old[:axis], size, *old[axis:])
    return lax.broadcast_in_dim(x, new, lax.remaining(len(new), [axis]))


def bdim_at_front(x: Any, bdim: int | None, size: int) -> Any:
    return broadcast_axis(x, size, 0) if bdim is not_mapped else moveaxis(x, bdim, 0)


def matchaxis(size: int, src: int | None, dst: int | None, x: Any) -> Any:
    """x with its batch dimension where the caller wants it."""
    if src == dst:
        return x
    if src is not_mapped:
        return broadcast_axis(x, size, dst)
    return moveaxis(x, src, dst)


# The interpreter.


class AxisData(NamedTuple):
    """The axis that is mapped: its name, if it has one, and its size."""

    name: Any
    size: int


class BatchTracer(Tracer):
    """All the examples in one array, and the axis that tells them apart."""

    __slots__ = ("val", "batch_dim")

    def __init__(self, trace: BatchTrace, val: Any, batch_dim: int) -> None:
        self._trace, self.val, self.batch_dim = trace, val, batch_dim

    @property
    def aval(self) -> ShapedArray:
        """The type of one example."""
        aval = typeof(self.val)
        shape = aval.shape[: self.batch_dim] + aval.shape[self.batch_dim + 1 :]
        return aval.update(shape=shape)

    def __repr__(self) -> str:
        return f"VmapTracer(aval={self.aval}, batched={typeof(self.val)})"


class BatchTrace(Trace):
    """Runs every operation on all the examples at once."""

    def __init__(
        self, parent: Trace, axis_data: AxisData, debug_info: DebugInfo | None = None
    ) -> None:
        self.parent, self.axis_data, self.debug_info = parent, axis_data, debug_info

    def to_batch_info(self, x: Any) -> tuple[Any, int | None]:
        if isinstance(x, BatchTracer) and x._trace is self:
            return x.val, x.batch_dim
        return x, not_mapped

    def box(self, val: Any, bdim: int | None) -> Any:
        return val if bdim is not_mapped else BatchTracer(self, val, bdim)

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        vals, dims = unzip2(map(self.to_batch_info, args))
        if all(dim is not_mapped for dim in dims):
            return self.parent.process_primitive(primitive, vals, params)
        with set_current_trace(self.parent):
            out, dim_out = self.find_rule(primitive)(vals, dims, **params)
        if primitive.multiple_results:
            return list(map(self.box, out, dim_out))
        return self.box(out, dim_out)

    def find_rule(self, primitive: Primitive) -> Callable:
        if primitive in fancy_primitive_batchers:
            return partial(fancy_primitive_batchers[primitive], self.axis_data)
        return find_rule(primitive_batchers, primitive, "batching", "primitive_batchers")


# The rules. A rule maps values and batch dimensions to a value and its batch dimension; a fancy
# rule is told the size of the axis too.

primitive_batchers: dict[Primitive, Callable] = {}
fancy_primitive_batchers: dict[Primitive, Callable] = {}


def defvectorized(primitive: Primitive) -> None:
    """For one operand, element by element: the batch dimension stays where it is."""

    def vectorized_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
        return primitive.bind(*args, **params), dims[0]

    primitive_batchers[primitive] = vectorized_batcher


def _alike(args: Sequence[Any], dims: Sequence[Any], shape: tuple, bdim: int) -> bool:
    """Whether all operands are batched in one way, but for scalars that are not batched."""
    shapes_and_dims = [(typeof(x).shape, d) for x, d in zip(args, dims, strict=True)]
    return set(shapes_and_dims) <= {(shape, bdim), ((), not_mapped)}


def defbroadcasting(primitive: Primitive) -> None:
    """For several operands, element by element: batch dimensions are brought together."""

    def broadcast_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
        shape, bdim = next(
            (typeof(x).shape, d) for x, d in zip(args, dims, strict=True) if d is not not_mapped
        )
        if _alike(args, dims, shape, bdim):
            return primitive.bind(*args, **params), bdim
        args = [
            bdim_at_front(x, d, 1) if typeof(x).shape else x
            for x, d in zip(args, dims, strict=True)
        ]
        ndim = len(max((typeof(x).shape for x in args), key=len))
        args = [  # a batch of scalars has its axis first, not last
            x if d is not_mapped else lax.expand_dims(x, range(typeof(x).ndim, ndim))
            for x, d in zip(args, dims, strict=True)
        ]
        return primitive.bind(*args, **params), 0

    primitive_batchers[primitive] = broadcast_batcher


for _primitive in [*lax.unary_primitives, lax.convert_element_type_p]:
    defvectorized(_primitive)

for _primitive in lax.binary_primitives:
    defbroadcasting(_primitive)

# Axes are renumbered around the batch dimension.


def _shift(axes: Sequence[int], bdim: int) -> tuple[int, ...]:
    """Axes of one example as axes of the batched value."""
    return tuple(d + (d >= bdim) for d in axes)


def _reduction_batcher(primitive: Primitive, args: Sequence, dims: Sequence, axes, **params: Any):
    (x,), (bdim,) = args, dims
    out = primitive.bind(x, axes=_shift(axes, bdim), **params)
    return out, bdim - sum(d < bdim for d in axes)


for _primitive in [lax.reduce_sum_p, lax.reduce_max_p, lax.reduce_min_p]:
    primitive_batchers[_primitive] = partial(_reduction_batcher, _primitive)


def _broadcast_in_dim_batcher(args, dims, shape, broadcast_dimensions, sharding):
    x = moveaxis(args[0], dims[0], 0)
    new_shape = (typeof(x).shape[0], *shape)
    return lax.broadcast_in_dim(x, new_shape, (0, *(d + 1 for d in broadcast_dimensions))), 0


def _reshape_batcher(args, dims, new_sizes, **_):
    x = moveaxis(args[0], dims[0], 0)
    return lax.reshape(x, (typeof(x).shape[0], *new_sizes)), 0


def _transpose_batcher(args, dims, permutation):
    return lax.transpose(args[0], (dims[0], *_shift(permutation, dims[0]))), 0


def _squeeze_batcher(args, dims, dimensions):
    return lax.squeeze(moveaxis(args[0], dims[0], 0), [d + 1 for d in dimensions]), 0


def _rev_batcher(args, dims, dimensions):
    return lax.rev(args[0], _shift(dimensions, dims[0])), dims[0]


def _insert(values: Sequence[Any], position: int, value: Any) -> list[Any]:
    return [*values[:position], value, *values[position:]]


def _slice_batcher(args, dims, start_indices, limit_indices, strides):
    (x,), (bdim,) = args, dims
    starts = _insert(start_indices, bdim, 0)
    limits = _insert(limit_indices, bdim, typeof(x).shape[bdim])
    return lax.slice(x, starts, limits, strides and _insert(strides, bdim, 1)), bdim


def _pad_batcher(args, dims, padding_config):
    x, value = args
    bdim, value_dim = dims
    if value_dim is not_mapped:
        return lax.pad(x, value, _insert(padding_config, bdim, (0, 0, 0))), bdim
    size = typeof(value).shape[0]
    x = bdim_at_front(x, bdim, size)
    config = [(0, 0, 0), *padding_config]
    padded = lax.pad(x, lax.convert_element_type(0, typeof(x).dtype), config)
    inside = lax.pad(lax.broadcast_in_dim(True, typeof(x).shape, ()), False, config)
    return lax.select(inside, padded, lax.broadcast_in_dim(value, typeof(padded).shape, (0,))), 0


def _concatenate_batcher(args, dims, dimension):
    size = next(
        typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped
    )
    args = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    return lax.concatenate(args, dimension + 1), 0


primitive_batchers.update({
    lax.broadcast_in_dim_p: _broadcast_in_dim_batcher, lax.reshape_p: _reshape_batcher,
    lax.transpose_p: _transpose_batcher, lax.squeeze_p: _squeeze_batcher, lax.rev_p: _rev_batcher,
    lax.slice_p: _slice_batcher, lax.pad_p: _pad_batcher, lax.concatenate_p: _concatenate_batcher,
})  # fmt: skip

# Choices and products.


def _select_n_batcher(args, dims):
    which, *cases = args
    which_dim, *case_dims = dims
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped)
    if which_dim is not_mapped and not typeof(which).shape:
        if len(set(case_dims)) == 1:
            return lax.select_n(which, *cases), case_dims[0]
    elif all(d == which_dim for d in case_dims):
        return lax.select_n(_spread_which(which, which_dim, cases[0]), *cases), which_dim
    else:
        which = bdim_at_front(which, which_dim, size)
    cases = [bdim_at_front(x, d, size) for x, d in zip(cases, case_dims, strict=True)]
    return lax.select_n(_spread_which(which, 0, cases[0]), *cases), 0


def _spread_which(which: Any, bdim: int, case: Any) -> Any:
    """One choice for each example, as one for each element."""
    if typeof(which).ndim in (0, typeof(case).ndim):
        return which
    return lax.broadcast_in_dim(which, typeof(case).shape, (bdim,))


def _dot_general_batcher(args, dims, dimension_numbers, preferred_element_type, **_):
    """Mapped on both sides, a batch axis; mapped on one, a free axis of that side."""
    (x, y), (x_dim, y_dim) = args, dims
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    x_free = typeof(x).ndim - len(x_contract) - len(x_batch)
    if x_dim is not not_mapped:
        x_contract, x_batch = _shift(x_contract, x_dim), _shift(x_batch, x_dim)
    if y_dim is not not_mapped:
        y_contract, y_batch = _shift(y_contract, y_dim), _shift(y_batch, y_dim)
    if x_dim is not not_mapped and y_dim is not not_mapped:
        x_batch, y_batch, out_dim = (x_dim, *x_batch), (y_dim, *y_batch), 0
    elif x_dim is not not_mapped:
        out_dim = len(x_batch) + _rank_among_free(x_dim, x_contract, x_batch)
    else:
        out_dim = len(y_batch) + x_free + _rank_among_free(y_dim, y_contract, y_batch)
    numbers = (x_contract, y_contract), (x_batch, y_batch)
    return lax.dot_general(x, y, numbers, preferred_element_type=preferred_element_type), out_dim


def _rank_among_free(axis: int, contract: Sequence[int], batch: Sequence[int]) -> int:
    return sum(d not in contract and d not in batch for d in range(axis))


primitive_batchers[lax.select_n_p] = _select_n_batcher
primitive_batchers[lax.dot_general_p] = _dot_general_batcher

# What the user calls.


def batch_flat(
    flat_fun: Callable, axis_data: AxisData, dims: Sequence[int | None], vals: Sequence[Any],
    info: DebugInfo | None = None,
) -> tuple[list[Any], list[int | None]]:  # fmt: skip
    """Results and their batch dimensions, of a function of lists of leaves."""
    with new_trace(BatchTrace(trace_ctx.trace, axis_data, info)) as trace:
        return unzip2(map(trace.to_batch_info, flat_fun(*map(trace.box, vals, dims))))


def _mapped_size(info: DebugInfo, axis_size: int | None, vals: Sequence, axes: Sequence) -> int:
    """The one size of all mapped axes; ValueError where they differ or there is none."""

    def where(i: int | None) -> str:
        if i is None:
            return "axis_size"
        return f"axis {axes[i]} of {info.arg_name(i)}: {typeof(vals[i])}"

    first = {}  # where each size was found first
    for i, (x, axis) in enumerate(zip(vals, axes, strict=True)):
        if axis is not None:
            shape = typeof(x).shape
            if not -len(shape) <= axis < len(shape):
                raise ValueError(
                    f"vmap was to map axis {axis} of {info.arg_name(i)}, which has the shape "
                    f"{shape}. Give the argument more axes, or None in in_axes."
                )
            first.setdefault(shape[axis], i)
    if axis_size is not None:
        first.setdefault(axis_size, None)
    if len(first) > 1:
        found = "; ".join(f"{size} ({where(i)})" for size, i in first.items())
        raise ValueError(f"vmap needs mapped axes of one size, and found {found}.")
    if not first:
        raise ValueError("vmap has no axis to map: in_axes maps no array. Give it axis_size.")
    return next(iter(first))


def _check_axes(name: str, axes: Any, kinds: Any) -> None:
    if not isinstance(axes, kinds) or not all(type(axis) is int for axis in tree_leaves(axes)):
        raise TypeError(
            f"vmap takes {name} as an int, None, or a tuple of ints, None and containers of them, "
            f"one for each argument or result; got {axes!r}."
        )


def vmap(
    fun: Callable, in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None,
    axis_size: int | None = None,
) -> Callable:  # fmt: skip
    """`fun` on all slices of its arguments along `in_axes`, its results stacked along `out_axes`.

    `in_axes` is an int, None (not mapped) or a tuple of them, or of pytrees of them, one for
    each positional argument; keyword arguments are mapped along axis 0. `axis_name` is kept
    for collective operations. Raises ValueError for axes that are not there or differ in size.

    >>> import numpy as np
    >>> vmap(lambda x, y: x * y, in_axes=(0, None))(np.arange(3), 2)
    Array([0, 2, 4], dtype=int32)
    """
    check_callable(fun, "vmap")
    in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    _check_axes("in_axes", in_axes, int | tuple | None)
    _check_axes("out_axes", out_axes, object)

    @wraps(fun)
    def vmap_fun(*args: Any, **kwargs: Any) -> Any:
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            entries = f"vmap's in_axes {in_axes} has {len(in_axes)} entries"
            raise ValueError(f"{entries}, and there are {len(args)} positional arguments.")
        vals, in_tree = tree_flatten((args, kwargs))
        axes_flat = flatten_axes("vmap in_axes", in_tree, (in_axes, 0))
        info = debug_info("vmap", fun, args, kwargs)
        check_args(vals, info)
        axis_data = AxisData(axis_name, _mapped_size(info, axis_size, vals, axes_flat))
        dims = [
            axis if axis is None else lax.canonicalize_axis(axis, typeof(x).ndim)
            for x, axis in zip(vals, axes_flat, strict=True)
        ]
        flat_fun, out_tree = flatten_fun(fun, in_tree)
        vals_out, dims_out = batch_flat(flat_fun, axis_data, dims, vals, info)
        out_axes_flat = flatten_axes("vmap out_axes", out_tree(), out_axes)
        return tree_unflatten(out_tree(), [
            _match_out_axis(axis_data.size, *out)
            for out in zip(vals_out, dims_out, out_axes_flat, strict=True)
        ])  # fmt: skip

    return vmap_fun


def _match_out_axis(size: int, val: Any, dim: int | None, axis: int | None) -> Any:
    if axis is None and dim is not not_mapped:
        raise ValueError("vmap got out_axes=None for a mapped result; give it an axis.")
    if axis is None:
        return val
    ndim = typeof(val).ndim + (dim is not_mapped)
    if not -ndim <= axis < ndim:
        raise ValueError(f"vmap's out_axes: there is no axis {axis} among {ndim} of a result.")
    return matchaxis(size, dim, axis % ndim, val)
