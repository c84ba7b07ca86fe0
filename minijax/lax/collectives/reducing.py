"""Collectives that reduce along a named axis, over the examples that `vmap` runs at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from minijax.core.batching import AxisData, fancy_primitive_batchers, not_mapped, shift_axes
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    add,
    broadcast_in_dim,
    canonicalize_axis,
    cast,
    div,
    fill,
    mul,
    reduce_sum_p,
    remaining,
)
from minijax.core.pytrees import tree_leaves, tree_map
from minijax.core.reverse import deflinear2
from minijax.core.tracing import NamedAxisEffect, Primitive, ShapedArray, Tracer, trace_ctx, typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.reductions.extrema import reduce_max_p, reduce_min_p
from minijax.lax.shapes.axes import iota

AxisName = Any  # a hashable name, or a tuple or list of them


def as_names(axis_name: AxisName) -> tuple:
    return tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)


def axis_size(axis_name: AxisName) -> int:
    """The size of a named axis; of several, the product. NameError where there is none, ValueError
    where an integer, which counts axes elsewhere, is no name.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: x / axis_size("i"), axis_name="i")(np.arange(2.0))
    Array([0. , 0.5], dtype=float32)
    """
    names = as_names(axis_name)
    check_bound(_named(names))
    for number in names:
        if number not in trace_ctx.axis_sizes:
            raise ValueError(
                f"lax.axis_size takes names of axes, and got {shown(number)}, which none has here. "
                f"Give\nthe name that vmap was given, or x.shape[{shown(number)}]."
            )
    return math.prod(trace_ctx.axis_sizes[name] for name in names)


def check_bound(names: Sequence) -> None:
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError(
                f"A named axis goes by a hashable name, and this is {shown(name)}. Give a string."
            )
        if name not in trace_ctx.axis_sizes:
            raise NameError(
                f"No axis is named {shown(name)} here; there are {list(trace_ctx.axis_sizes)}.\n"
                f"Name one where it is mapped: vmap(f, axis_name={shown(name)})."
            )


def refuse_groups(fun_name: str, axis_index_groups: Any) -> None:
    if axis_index_groups is not None:
        raise NotImplementedError(
            f"lax.{fun_name} takes no axis_index_groups under vmap. Leave them out."
        )


def axis_effects(names: Sequence) -> frozenset:
    check_bound(names)
    return frozenset(map(NamedAxisEffect, names))


# Reductions over a named axis. In `axes`, a name is an axis that is mapped, a number one that is
# not: vmap's rule puts the number of the batch axis in the place of its name.


def _named(axes: Sequence) -> tuple:
    return tuple(axis for axis in axes if not isinstance(axis, int))


def _positional(axes: Sequence) -> tuple[int, ...]:
    return tuple(axis for axis in axes if isinstance(axis, int))


def _shifted(axis: Any, bdim: int) -> Any:
    """A name as it is; an axis of one example as one of the batched value."""
    return shift_axes([axis], bdim)[0] if isinstance(axis, int) else axis


def _reduction(name: str, reduce: Callable, of_copies: Callable) -> Primitive:
    """A reduction over named axes; `of_copies` is that of n equal values."""
    primitive = Primitive(name, {"axis_index_groups": None})

    @primitive.def_effectful_abstract_eval
    def type_rule(x: ShapedArray, *, axes: tuple) -> tuple[ShapedArray, frozenset]:
        shape = [x.shape[d] for d in remaining(x.ndim, _positional(axes))]
        return x.update(shape=shape), axis_effects(_named(axes))

    @primitive.def_impl
    def impl(x: Any, *, axes: tuple) -> Any:
        check_bound(_named(axes))
        return reduce(x, axes)

    def batcher(axis_data: AxisData, args: Sequence, dims: Sequence, *, axes: tuple) -> tuple:
        (x,), (d,) = args, dims
        is_own = axis_data.name in _named(axes)
        if d is not_mapped:
            if is_own:
                x = of_copies(x, axis_data.size)
                axes = tuple(a for a in axes if a != axis_data.name)
            return primitive.bind(x, axes=axes) if axes or not is_own else x, not_mapped
        numbered = tuple(d if a == axis_data.name else _shifted(a, d) for a in axes)
        out = primitive.bind(x, axes=numbered)
        return out, not_mapped if is_own else d - sum(a < d for a in _positional(axes))

    fancy_primitive_batchers[primitive] = batcher
    return primitive


def _psum_transpose(ct: Any, x: Any, *, axes: tuple) -> list[Any]:
    """Each example gets what all of them contribute."""
    kept = remaining(x.aval.ndim, _positional(axes))
    ct = broadcast_in_dim(ct, x.aval.shape, kept)
    return [psum_p.bind(ct, axes=_named(axes)) if _named(axes) else ct]


def _times(x: Any, n: int) -> Any:
    return mul(fill(typeof(x).update(shape=()), n), x)


psum_p = _reduction("psum", lambda x, axes: reduce_sum_p.impl(x, axes=axes), _times)
pmax_p = _reduction("pmax", lambda x, axes: reduce_max_p.impl(x, axes=axes), lambda x, n: x)
pmin_p = _reduction("pmin", lambda x, axes: reduce_min_p.impl(x, axes=axes), lambda x, n: x)
deflinear2(psum_p, _psum_transpose)


def _over_leaves(fun_name: str, reduce: Callable, x: Any, axis_name: Any, groups: Any) -> Any:
    """`reduce(leaf, axes)` of each leaf of a pytree, after the checks that all of these make."""
    refuse_groups(fun_name, groups)
    axes = as_names(axis_name)
    check_bound(_named(axes))
    return tree_map(lambda leaf: reduce(leaf, axes), x)


def psum(x: Any, axis_name: AxisName, *, axis_index_groups: None = None) -> Any:
    """The sum of a pytree of arrays over all examples along a named axis, for each of them.

    A number that every example has is multiplied by their count. NameError where nothing is
    mapped under the name.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: x / psum(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    Array([0.25, 0.75], dtype=float32)
    """

    def sum_leaf(leaf: Any, axes: tuple) -> Any:
        if isinstance(leaf, int | float | complex):
            return leaf * axis_size(axis_name)
        if typeof(leaf).dtype == np.bool_:
            leaf = cast(leaf, np.dtype(np.int32))
        if not isinstance(leaf, Tracer):  # of what is known, numbers may count from the end
            numbers = [canonicalize_axis(d, typeof(leaf).ndim) for d in _positional(axes)]
            axes = (*_named(axes), *numbers)
        return psum_p.bind(leaf, axes=axes)

    return _over_leaves("psum", sum_leaf, x, axis_name, axis_index_groups)


def pmean(x: Any, axis_name: AxisName, *, axis_index_groups: None = None) -> Any:
    """The mean of a pytree of arrays over all examples along a named axis."""
    for leaf in tree_leaves(x):
        typeof(leaf)  # a TypeError for what is no array
    size = axis_size(axis_name)

    def mean(leaf: Any) -> Any:
        total = psum(leaf, axis_name, axis_index_groups=axis_index_groups)
        if isinstance(total, int | float | complex):
            return total / size
        if not issubdtype(typeof(total).dtype, np.inexact):
            total = cast(total, np.dtype(np.float32))
        return div(total, fill(typeof(total).update(shape=()), size))

    return tree_map(mean, x)


def pmax(x: Any, axis_name: AxisName, *, axis_index_groups: None = None) -> Any:
    """The maximum of a pytree of arrays over all examples along a named axis."""
    return _over_leaves(
        "pmax", lambda leaf, axes: pmax_p.bind(leaf, axes=axes), x, axis_name, axis_index_groups
    )


def pmin(x: Any, axis_name: AxisName, *, axis_index_groups: None = None) -> Any:
    """The minimum of a pytree of arrays over all examples along a named axis."""
    return _over_leaves(
        "pmin", lambda leaf, axes: pmin_p.bind(leaf, axes=axes), x, axis_name, axis_index_groups
    )


# Which example this is.

axis_index_p = Primitive("axis_index")


@axis_index_p.def_effectful_abstract_eval
def _axis_index_rule(*, axis_name: Any) -> tuple[ShapedArray, frozenset]:
    return ShapedArray((), np.int32), axis_effects([axis_name])


@axis_index_p.def_impl
def _axis_index_impl(*, axis_name: Any) -> None:
    check_bound([axis_name])


def _axis_index_batcher(
    axis_data: AxisData, args: Sequence, dims: Sequence, *, axis_name: Any
) -> tuple:
    if axis_data.name != axis_name:
        return axis_index_p.bind(axis_name=axis_name), not_mapped
    return iota(np.int32, axis_data.size), 0


fancy_primitive_batchers[axis_index_p] = _axis_index_batcher


def axis_index(axis_name: AxisName) -> Any:
    """The number of the example along a named axis, int32; of several axes, in row-major order.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: 10 * x + axis_index("i"), axis_name="i")(np.array([5, 5]))
    Array([50, 51], dtype=int32)
    """
    names = as_names(axis_name)
    check_bound(names)
    if not names:
        return fill(ShapedArray((), np.int32), 0)
    index = axis_index_p.bind(axis_name=names[0])
    for name in names[1:]:
        index = add(_times(index, axis_size(name)), axis_index_p.bind(axis_name=name))
    return index
