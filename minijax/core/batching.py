"""Batching: a function of one example becomes a function of many, without a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from minijax.core.arguments import check_axes, check_num_axes, flatten_axes, mapped_size, with_type
from minijax.core.calls import check_args, check_callable, debug_info, flatten_fun
from minijax.core.config import config
from minijax.core.errors import DebugInfo, api_boundary, check_types, wraps
from minijax.core.forward import find_rule
from minijax.core.primitives import (
    add_any_p, add_p, broadcast_in_dim, broadcast_in_dim_p, canonicalize_axis, contract,
    convert_element_type_p, cos_p, div_p, dot_general_p, eq_p, exp_p, expand_dims, gt_p,
    integer_pow_p, log_p, max_p, mul_p, neg_p, reduce_sum_p, remaining, reshape, reshape_p,
    select_n, select_n_p, sin_p, sub_p, transpose, transpose_p,
)
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.tracing import Primitive, Trace, Tracer, new_trace, trace_ctx, typeof, unzip2

not_mapped = None  # the batch dimension of a value that is the same for all examples

# The interpreter.


class AxisData(NamedTuple):
    """The axis that is mapped: its name, if any, its size; how a shard_map inside cuts it; and how
    it is cut already, where operands' types say it."""

    name: Any
    size: int
    spmd_name: Any = None
    cut: Any = None


class BatchTracer(Tracer):
    """All the examples in one array, and the axis that tells them apart."""

    __slots__ = ("val", "batch_dim", "aval")
    aval: Any

    def __init__(self, trace: BatchTrace, val: Any, batch_dim: int) -> None:
        super().__init__(trace)
        self.val, self.batch_dim = val, batch_dim
        self.aval = example_aval(typeof(val), batch_dim)

    def __repr__(self) -> str:
        return f"VmapTracer(aval={self.aval}, batched={typeof(self.val)})"


def example_aval(aval: Any, dim: int | None) -> Any:
    """The type of one example."""
    if dim is not_mapped:
        return aval
    return aval.spliced(dim, 1)


def batched_aval(aval: Any, size: int, dim: int | None, cut: Any = None) -> Any:
    """The type of all examples together."""
    if dim is not_mapped:
        return aval
    return aval.spliced(dim, 0, size) if cut is None else cut.with_axis(aval, dim, size)


def cut_of(vals: Sequence[Any], axes: Sequence[int | None]) -> Any:
    """How the mapped axis is cut among devices, where an operand's type says it."""
    cuts = (typeof(x).cut_along(d) for x, d in zip(vals, axes, strict=True) if d is not None)
    return next(filter(None, cuts), None)


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
        vals, dims = map(tuple, unzip2(map(self.to_batch_info, args)))
        active = primitive.active(params)
        if primitive in fancy_primitive_batchers:
            out, out_dims = fancy_primitive_batchers[primitive](
                self.axis_data, vals, dims, **active
            )
        elif all(dim is not_mapped for dim in dims):
            return primitive.bind(*vals, **params)
        else:
            rule = find_rule(primitive_batchers, primitive, "batching", "primitive_batchers")
            out, out_dims = rule(vals, dims, **active)
        if not primitive.multiple_results:
            out, out_dims = [out], [out_dims]
        if config.jax_enable_checks and primitive.has_types:
            got = [example_aval(typeof(x), d) for x, d in zip(out, out_dims, strict=True)]
            expected = primitive.out_avals(list(map(typeof, args)), params)
            check_types(primitive, "batching rule", got, expected)
        boxed = list(map(self.box, out, out_dims))
        return boxed if primitive.multiple_results else boxed[0]


# A rule maps values and batch dimensions to a value and its batch dimension. A fancy rule is told
# the axis too, and is asked even where nothing is batched.

primitive_batchers: dict[Primitive, Callable] = {}
fancy_primitive_batchers: dict[Primitive, Callable] = {}

# The rules, element by element.


def defvectorized(primitive: Primitive) -> None:
    """For one operand, element by element: the batch dimension stays where it is."""

    def vectorized_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
        return primitive.bind(*args, **params), dims[0]

    primitive_batchers[primitive] = vectorized_batcher


for _primitive in [neg_p, sin_p, cos_p, exp_p, log_p, integer_pow_p, convert_element_type_p]:
    defvectorized(_primitive)

# Moving the batch dimension.


def moveaxis(x: Any, source: int, destination: int) -> Any:
    """x with one axis moved, the others in their order."""
    ndim = typeof(x).ndim
    permutation = remaining(ndim, [source % ndim])
    permutation.insert(destination % ndim, source % ndim)
    return transpose(x, permutation)


def broadcast_axis(x: Any, size: int, axis: int) -> Any:
    """x repeated `size` times along a new axis."""
    old = typeof(x).shape
    axis = canonicalize_axis(axis, len(old) + 1)
    new = (*old[:axis], size, *old[axis:])
    return broadcast_in_dim(x, new, remaining(len(new), [axis]))


def bdim_at_front(x: Any, bdim: int | None, size: int) -> Any:
    return broadcast_axis(x, size, 0) if bdim is not_mapped else moveaxis(x, bdim, 0)


def matchaxis(size: int, src: Any, dst: Any, x: Any) -> Any:
    """x with its batch dimension where the caller wants it."""
    if src == dst:
        return x
    if src is not_mapped:
        return broadcast_axis(x, size, dst)
    return moveaxis(x, src, dst)


# Several operands.


def defbroadcasting(primitive: Primitive) -> None:
    """For several operands, element by element: batch dimensions are brought together."""

    def broadcast_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple:
        shape, bdim = next(
            (typeof(x).shape, d) for x, d in zip(args, dims, strict=True) if d is not not_mapped
        )
        if _alike(args, dims, shape, bdim):
            return same_dim(primitive, primitive.bind(*args, **params), bdim)
        args = [
            bdim_at_front(x, d, 1) if typeof(x).shape else x
            for x, d in zip(args, dims, strict=True)
        ]
        ndim = len(max((typeof(x).shape for x in args), key=len))
        args = [  # a batch of scalars has its axis first, not last
            x if d is not_mapped else expand_dims(x, range(typeof(x).ndim, ndim))
            for x, d in zip(args, dims, strict=True)
        ]
        return same_dim(primitive, primitive.bind(*args, **params), 0)

    primitive_batchers[primitive] = broadcast_batcher


def _alike(args: Sequence[Any], dims: Sequence[Any], shape: tuple, bdim: int) -> bool:
    """Whether all operands are batched in one way, but for scalars that are not batched."""
    shapes_and_dims = [(typeof(x).shape, d) for x, d in zip(args, dims, strict=True)]
    return set(shapes_and_dims) <= {(shape, bdim), ((), not_mapped)}


def same_dim(primitive: Primitive, out: Any, dim: int) -> tuple[Any, Any]:
    """The results, all batched along one axis."""
    return out, [dim] * len(out) if primitive.multiple_results else dim


for _primitive in [add_p, add_any_p, sub_p, mul_p, div_p, max_p, eq_p, gt_p]:
    defbroadcasting(_primitive)

# Axes are renumbered around the batch dimension.


def shift_axes(axes: Sequence[int], bdim: int) -> tuple[int, ...]:
    """Axes of one example as axes of the batched value."""
    return tuple(d + (d >= bdim) for d in axes)


def defreducer(primitive: Primitive) -> None:
    """For a reduction over `axes`."""

    def reduction_batcher(args: Sequence, dims: Sequence, *, axes: tuple, **params: Any) -> tuple:
        (x,), (bdim,) = args, dims
        out = primitive.bind(x, axes=shift_axes(axes, bdim), **params)
        return out, bdim - sum(d < bdim for d in axes)

    primitive_batchers[primitive] = reduction_batcher


def _broadcast_in_dim_batcher(args, dims, *, shape, broadcast_dimensions):
    x = moveaxis(args[0], dims[0], 0)
    new_shape = (typeof(x).shape[0], *shape)
    return broadcast_in_dim(x, new_shape, (0, *(d + 1 for d in broadcast_dimensions))), 0


def _reshape_batcher(args, dims, *, new_sizes):
    x = moveaxis(args[0], dims[0], 0)
    return reshape(x, (typeof(x).shape[0], *new_sizes)), 0


def _transpose_batcher(args, dims, *, permutation):
    return transpose(args[0], (dims[0], *shift_axes(permutation, dims[0]))), 0


defreducer(reduce_sum_p)
primitive_batchers.update({
    broadcast_in_dim_p: _broadcast_in_dim_batcher, reshape_p: _reshape_batcher,
    transpose_p: _transpose_batcher,
})  # fmt: skip

# Choices and products.


def _select_n_batcher(args, dims):
    which, *cases = args
    which_dim, *case_dims = dims
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped)
    one_choice = which_dim is not_mapped and not typeof(which).shape
    found = {*case_dims} if one_choice else {which_dim, *case_dims}
    if len(found) > 1:
        which = which if one_choice else bdim_at_front(which, which_dim, size)
        cases = [bdim_at_front(x, d, size) for x, d in zip(cases, case_dims, strict=True)]
        found = {0}
    [dim] = found
    return select_n(_spread_which(which, dim, cases[0]), *cases), dim


def _spread_which(which: Any, bdim: int, case: Any) -> Any:
    """One choice for each example, as one for each element."""
    if typeof(which).ndim in (0, typeof(case).ndim):
        return which
    return broadcast_in_dim(which, typeof(case).shape, (bdim,))


def _dot_general_batcher(args, dims, *, dimension_numbers, **params):
    """Mapped on both sides, a batch axis; mapped on one, a free axis of that side."""
    (x, y), (x_dim, y_dim) = args, dims
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    if x_dim is not not_mapped:
        x_contract, x_batch = shift_axes(x_contract, x_dim), shift_axes(x_batch, x_dim)
    if y_dim is not not_mapped:
        y_contract, y_batch = shift_axes(y_contract, y_dim), shift_axes(y_batch, y_dim)
    x_free = remaining(typeof(x).ndim, x_contract, x_batch)
    y_free = remaining(typeof(y).ndim, y_contract, y_batch)
    if x_dim is not not_mapped and y_dim is not not_mapped:
        x_batch, y_batch, out_dim = (x_dim, *x_batch), (y_dim, *y_batch), 0
    elif x_dim is not not_mapped:
        out_dim = len(x_batch) + x_free.index(x_dim)
    else:
        out_dim = len(x_batch) + len(x_free) + y_free.index(y_dim)
    numbers = (x_contract, y_contract), (x_batch, y_batch)
    return contract(x, y, numbers, **params), out_dim


primitive_batchers[select_n_p] = _select_n_batcher
primitive_batchers[dot_general_p] = _dot_general_batcher

# What the user calls.


def batch_flat(
    flat_fun: Callable, axis_data: AxisData, dims: Sequence[int | None], vals: Sequence[Any],
    info: DebugInfo | None = None,
) -> tuple[list[Any], list[int | None]]:  # fmt: skip
    """Results and their batch dimensions, of a function of lists of leaves."""
    with new_trace(BatchTrace(trace_ctx.trace, axis_data, info)) as trace:
        with extend_axis_env(axis_data):
            return unzip2(map(trace.to_batch_info, flat_fun(*map(trace.box, vals, dims))))


@contextmanager
def extend_axis_env(axis_data: AxisData) -> Iterator[None]:
    """Puts a named axis in scope, for whoever asks for its size."""
    outer = trace_ctx.axis_sizes
    if axis_data.name is not None:
        trace_ctx.axis_sizes = {**outer, axis_data.name: axis_data.size}
    try:
        yield
    finally:
        trace_ctx.axis_sizes = outer


def vmap(
    fun: Callable, in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None,
    axis_size: int | None = None, spmd_axis_name: Any = None,
) -> Callable:  # fmt: skip
    """`fun` on all slices of its arguments along `in_axes`, its results stacked along `out_axes`.

    `in_axes` is an int, None (not mapped) or a tuple of them, or of pytrees of them, one for each
    positional argument, and 0 for keyword arguments. Collectives call the axis `axis_name`; a
    shard_map cuts it along `spmd_axis_name`. ValueError for axes that are not there or differ.

    >>> import numpy as np
    >>> vmap(lambda x, y: x * y, in_axes=(0, None))(np.arange(3), 2)
    Array([0, 2, 4], dtype=int32)
    """
    check_callable(fun, "vmap")
    in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    check_axes("in_axes", in_axes, int | tuple | None)
    check_axes("out_axes", out_axes, object)

    @api_boundary
    @wraps(fun)
    def vmap_fun(*args: Any, **kwargs: Any) -> Any:
        vals, in_tree = tree_flatten((args, kwargs))
        check_num_axes(in_axes, args)
        axes = flatten_axes("vmap in_axes", tree_flatten(args)[1], in_axes)
        axes += [0] * (len(vals) - len(axes))  # those of keyword arguments
        info = debug_info("vmap", fun, args, kwargs)
        check_args([0 if d is None else x for x, d in zip(vals, axes, strict=True)], info)
        size = mapped_size(info, axis_size, vals, axes)
        axis_data = AxisData(axis_name, size, spmd_axis_name, cut_of(vals, axes))
        dims = [axis if axis is None else canonicalize_axis(axis, typeof(x).ndim)
                for x, axis in zip(vals, axes, strict=True)]  # fmt: skip
        vals = [x if d is None else with_type(x) for x, d in zip(vals, dims, strict=True)]
        flat_fun, out_tree = flatten_fun(fun, in_tree, "vmap()")
        vals_out, dims_out = batch_flat(flat_fun, axis_data, dims, vals, info)
        out_axes_flat = flatten_axes("vmap out_axes", out_tree(), out_axes)
        return tree_unflatten(out_tree(), [
            _match_out_axis(axis_data.size, *out)
            for out in zip(vals_out, dims_out, out_axes_flat, strict=True)
        ])  # fmt: skip

    return vmap_fun


def _match_out_axis(size: int, val: Any, dim: int | None, axis: int | None) -> Any:
    if axis is None and dim is not not_mapped:
        raise ValueError("vmap got out_axes=None for a mapped result. Give it an axis.")
    if axis is None:
        return val
    ndim = typeof(val).ndim + (dim is not_mapped)
    if not -ndim <= axis < ndim:
        way_out = f"Give one from {-ndim} to {ndim - 1}."
        raise ValueError(f"vmap's out_axes has no axis {axis} among {ndim} of a result. {way_out}")
    return matchaxis(size, dim, axis % ndim, val)
