"""Collectives that reduce along a named axis: over the examples that `vmap` runs at once, or over
the devices of a mesh, each of which runs a `shard_map`'s body."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.special_cases.python_calls import run_by_python, why_python
from minijax.core.arrays import as_array
from minijax.core.batching import (
    AxisData,
    fancy_primitive_batchers,
    not_mapped,
    primitive_batchers,
    shift_axes,
)
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
from minijax.face.lazily import call_lazily
from minijax.lax.collectives.meetings import greatest, least, meets, summed, take_part
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.reductions.extrema import reduce_max_p, reduce_min_p
from minijax.lax.shapes.axes import iota
from minijax.lax.sharding.device_threads import axis_number, here
from minijax.lax.sharding.placed_types import check_no_sums, pvary, pvary_p, state_of, with_vma

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
                f"Name one where it is mapped: vmap(f, axis_name={shown(name)}), or in a mesh."
            )


def is_manual(names: Sequence) -> bool:
    """Whether these are axes of a mesh, along which devices run what is traced here."""
    return bool(names) and trace_ctx.manual is not None and set(names) <= {*trace_ctx.manual.axes}


def known_groups(fun_name: str, axis_name: AxisName, groups: Any) -> tuple | None:
    """`axis_index_groups` as tuples. ValueError where they don't have each number once."""
    if groups is None:
        return None
    if not is_manual(as_names(axis_name)):
        raise NotImplementedError(
            f"lax.{fun_name} takes no axis_index_groups under vmap. Leave them out."
        )
    groups, size = tuple(map(tuple, groups)), axis_size(axis_name)
    if sorted(number for group in groups for number in group) != list(range(size)):
        raise ValueError(
            f"lax.{fun_name} got the axis_index_groups {groups}. Give lists that have each number "
            f"from 0 to {size - 1} once."
        )
    return groups


def group_size(fun_name: str, axis_name: AxisName, groups: tuple | None) -> int:
    """How many devices meet. ValueError where some groups have more than others."""
    if groups is None:
        return axis_size(axis_name)
    if len(set(map(len, groups))) > 1:
        raise ValueError(
            f"lax.{fun_name} got the axis_index_groups {groups}. Give groups of one size."
        )
    return len(groups[0])


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


def _reduction(name: str, reduce: Callable, combine: Callable, of_copies: Callable) -> Primitive:
    """A reduction over named axes; `of_copies` is that of n equal values."""
    primitive = Primitive(name)

    @primitive.def_effectful_abstract_eval
    def type_rule(
        x: ShapedArray, *, axes: tuple, axis_index_groups: tuple | None = None
    ) -> tuple[ShapedArray, frozenset]:
        shape = [x.shape[d] for d in remaining(x.ndim, _positional(axes))]
        check_no_sums(f"lax.{name}", x, _named(axes))
        return ended(x, axes).update(shape=shape), axis_effects(_named(axes))

    @primitive.def_impl
    def impl(x: Any, *, axes: tuple, axis_index_groups: tuple | None = None) -> Any:
        check_bound(_named(axes))
        x = reduce(x, _positional(axes)) if _positional(axes) else x
        return take_part(primitive, x, _named(axes), axis_index_groups) if _named(axes) else x

    def batcher(
        axis_data: AxisData, args: Sequence, dims: Sequence, *, axes: tuple,
        axis_index_groups: tuple | None = None,
    ) -> tuple:  # fmt: skip
        (x,), (d,) = args, dims
        params = {"axis_index_groups": axis_index_groups}
        is_own = axis_data.name in _named(axes)
        if d is not_mapped:
            if is_own:
                x = of_copies(x, axis_data.size)
                axes = tuple(a for a in axes if a != axis_data.name)
            if is_own and not axes:
                return x, not_mapped
            return primitive.bind(x, axes=axes, **params), not_mapped
        numbered = tuple(d if a == axis_data.name else _shifted(a, d) for a in axes)
        out = primitive.bind(x, axes=numbered, **params)
        return out, not_mapped if is_own else d - sum(a < d for a in _positional(axes))

    fancy_primitive_batchers[primitive] = batcher
    meets(primitive, combine)
    return primitive


def ended(x: ShapedArray, axes: Sequence) -> ShapedArray:
    """The type of what does not vary along these axes any more."""
    return with_vma(x, x.vma.difference(axes), x.names) if x.vma else x


def _psum_transpose(
    ct: Any, x: Any, *, axes: tuple, axis_index_groups: tuple | None = None
) -> list[Any]:
    """Each example gets what all of them contribute."""
    kept = remaining(x.aval.ndim, _positional(axes))
    ct = broadcast_in_dim(ct, x.aval.shape, kept)
    if not _named(axes):
        return [ct]
    return [psum_p.bind(ct, axes=_named(axes), axis_index_groups=axis_index_groups)]


def _times(x: Any, n: int) -> Any:
    return mul(fill(typeof(x).update(shape=()), n), x)


def _itself(x: Any, n: int) -> Any:
    return x


psum_p = _reduction("psum", lambda x, axes: reduce_sum_p.impl(x, axes=axes), summed, _times)
pmax_p = _reduction("pmax", lambda x, axes: reduce_max_p.impl(x, axes=axes), greatest, _itself)
pmin_p = _reduction("pmin", lambda x, axes: reduce_min_p.impl(x, axes=axes), least, _itself)
deflinear2(psum_p, _psum_transpose)

# Where types say what varies, psum ends the variation. Its transpose begins it, and costs nothing:
# everybody has the cotangent of the total already.

psum_invariant_p = Primitive("psum_invariant")


@psum_invariant_p.def_effectful_abstract_eval
def _psum_invariant_rule(x: ShapedArray, *, axes: tuple) -> tuple[ShapedArray, frozenset]:
    check_no_sums("lax.psum", x, axes)
    return ended(x, axes), axis_effects(axes)


@psum_invariant_p.def_impl
def _psum_invariant_impl(x: Any, *, axes: tuple) -> Any:
    check_bound(axes)
    return take_part(psum_invariant_p, x, axes)


meets(psum_invariant_p, summed)
primitive_batchers[psum_invariant_p] = lambda args, dims, *, axes: (
    psum_invariant_p.bind(*args, axes=axes), dims[0]
)  # fmt: skip
deflinear2(psum_invariant_p, lambda ct, x, *, axes: [pvary(ct, axes)])
deflinear2(pvary_p, lambda ct, x, *, axes: [psum_invariant_p.bind(ct, axes=axes)])


def _over_leaves(fun_name: str, reduce: Callable, x: Any, axis_name: Any, groups: Any) -> Any:
    """`reduce(leaf, axes, groups)` of each leaf of a pytree, after the checks that all of these
    make."""
    axes = as_names(axis_name)
    check_bound(_named(axes))
    groups = known_groups(fun_name, axis_name, groups)
    return tree_map(lambda leaf: reduce(leaf, axes, groups), x)


def _sum_over(x: Any, axes: tuple, groups: tuple | None) -> Any:
    """The sum over named axes: over checked ones of a mesh by psum_invariant, else by psum; of a
    sum's terms by unreduced_psum."""
    checked = trace_ctx.manual.varies(_named(axes)) if trace_ctx.manual else ()
    if not checked:
        return psum_p.bind(x, axes=axes, axis_index_groups=groups)
    if groups is None and state_of("lax.psum", typeof(x), axes) == "unreduced":
        return _sum_of_terms(x, axes)
    if groups is not None:
        raise NotImplementedError(
            "lax.psum takes no axis_index_groups where check_vma=True: groups have sums of their "
            "own, and no type says so. Give shard_map check_vma=False."
        )
    others = tuple(axis for axis in axes if axis not in checked)
    x = psum_p.bind(x, axes=others, axis_index_groups=None) if others else x
    named = tuple(axis for axis in axes if axis in checked)
    return psum_invariant_p.bind(pvary(x, checked), axes=named)


_sum_of_terms = call_lazily("minijax.lax.collectives.type_changes.sum_of_terms")


def psum(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The sum of a pytree of arrays over all examples along a named axis, for each of them.

    A number that every example has is multiplied by their count. NameError where nothing is
    mapped under the name.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: x / psum(x, "i"), axis_name="i")(np.array([1.0, 3.0]))
    Array([0.25, 0.75], dtype=float32)
    """

    def sum_leaf(leaf: Any, axes: tuple, groups: tuple | None) -> Any:
        if isinstance(leaf, int | float | complex):
            return leaf * group_size("psum", axis_name, groups)
        if typeof(leaf).dtype == np.bool_:
            leaf = cast(leaf, np.dtype(np.int32))
        if is_manual(axes) and not isinstance(leaf, Tracer):
            return _times(leaf, group_size("psum", axis_name, groups))
        if not isinstance(leaf, Tracer):  # of what is known, numbers may count from the end
            numbers = [canonicalize_axis(d, typeof(leaf).ndim) for d in _positional(axes)]
            axes = (*_named(axes), *numbers)
        return _sum_over(leaf, axes, groups)

    return _over_leaves("psum", sum_leaf, x, axis_name, axis_index_groups)


def pmean(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The mean of a pytree of arrays over all examples along a named axis."""
    for leaf in tree_leaves(x):
        typeof(leaf)  # a TypeError for what is no array
    groups = known_groups("pmean", axis_name, axis_index_groups)
    size = group_size("pmean", axis_name, groups)

    def mean(leaf: Any) -> Any:
        total = psum(leaf, axis_name, axis_index_groups=axis_index_groups)
        if isinstance(total, int | float | complex):
            return total / size
        if not issubdtype(typeof(total).dtype, np.inexact):
            total = cast(total, np.dtype(np.float32))
        return div(total, fill(typeof(total).update(shape=()), size))

    return tree_map(mean, x)


def _extreme_over(primitive: Primitive, x: Any, axes: tuple, groups: tuple | None) -> Any:
    return primitive.bind(pvary(x, _named(axes)), axes=axes, axis_index_groups=groups)


def pmax(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The maximum of a pytree of arrays over all examples along a named axis."""
    return _over_leaves("pmax", partial(_extreme_over, pmax_p), x, axis_name, axis_index_groups)


def pmin(x: Any, axis_name: AxisName, *, axis_index_groups: Any = None) -> Any:
    """The minimum of a pytree of arrays over all examples along a named axis."""
    return _over_leaves("pmin", partial(_extreme_over, pmin_p), x, axis_name, axis_index_groups)


# Which example this is.

axis_index_p = Primitive("axis_index")


@axis_index_p.def_effectful_abstract_eval
def _axis_index_rule(*, axis_name: Any) -> tuple[ShapedArray, frozenset]:
    effects, manual = axis_effects([axis_name]), trace_ctx.manual
    varying = manual.varies([axis_name]) if manual else ()
    return with_vma(ShapedArray((), np.int32), varying, manual.names if manual else ()), effects


@axis_index_p.def_impl
def _axis_index_impl(*, axis_name: Any) -> Any:
    check_bound([axis_name])
    return as_array(np.int32(axis_number(here.place, [axis_name])))


axis_index_p.says_what_varies = True
run_by_python.add(axis_index_p)
register_lowering(axis_index_p, opaque=True)
why_python[axis_index_p] = "it asks which device this is"


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
    if not isinstance(axis_name, tuple | list):
        return axis_index_p.bind(axis_name=axis_name)
    index, inner = fill(ShapedArray((), np.int32), 0), 1
    for name in reversed(names):
        number = axis_index_p.bind(axis_name=name)
        index = add(index, mul(number, fill(ShapedArray((), np.int32), inner)))
        inner *= axis_size(name)
    return index
