"""Collectives that move values along a named axis, from one of `vmap`'s examples to another, or
from one device of a mesh to another."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np  # noqa: F401  (the examples use it)

from minijax.core.batching import (
    AxisData,
    bdim_at_front,
    example_aval,
    fancy_primitive_batchers,
    moveaxis,
    not_mapped,
)
from minijax.core.primitives import expand_dims, reduce_sum, reshape, zeros
from minijax.core.printing import pp_eqn_rules
from minijax.core.pytrees import tree_map
from minijax.core.reverse import deflinear2
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.face.lazily import call_lazily
from minijax.lax.collectives.meetings import (
    exchanged,
    gathered,
    meets,
    permuted,
    scattered,
    take_part,
)
from minijax.lax.collectives.reducing import (
    AxisName,
    as_names,
    axis_effects,
    check_bound,
    group_size,
    is_manual,
    known_groups,
)
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis, squeeze
from minijax.lax.shapes.slicing import concatenate, slice_in_dim
from minijax.lax.sharding.placed_types import (
    NOTHING_SAID,
    check_no_sums,
    pvary,
    said_of,
    state_of,
    with_said,
)

# Collectives with one operand and one named axis. `tiled` lays values end to end along an axis
# that they have, else they are stacked along a new one.


def collective(
    name: str, type_rule: Callable, along: Callable, transpose: Callable, combine: Callable,
    axis_params: Sequence[str] = (), state: str | None = None,
) -> Primitive:  # fmt: skip
    """A linear primitive: `along(x, **params)`, of x with the mapped axis first, does its work;
    between devices, `combine(arrays, **params)`.

    `axis_params` names the parameters that are axes: where another axis is mapped, it goes to
    the front, and these are one more. `state` is what results are along the axes, as types say,
    if it is not what operands are.
    """
    primitive = Primitive(name)

    @primitive.def_effectful_abstract_eval
    def effectful_rule(x: ShapedArray, *, axis_name: Any, **params: Any) -> tuple:
        axes, out = as_names(axis_name), type_rule(x, **params)
        if state is None:
            check_no_sums(f"lax.{name}", x, axes)
        elif said_of(x) != NOTHING_SAID:
            out = with_said(out, said_of(x).along(axes, state), x.names)
        return out, axis_effects(axes)

    @primitive.def_impl
    def impl(x: Any, *, axis_name: Any, axis_index_groups: Any = None, **params: Any) -> Any:
        check_bound(as_names(axis_name))
        return take_part(primitive, x, as_names(axis_name), axis_index_groups, **params)

    def batcher(
        axis_data: AxisData, args: Sequence, dims: Sequence, *, axis_name: Any, **params: Any
    ) -> tuple:
        (x,), (d,) = args, dims
        if (axis_data.name,) == as_names(axis_name):
            type_rule(example_aval(typeof(x), d), **params)  # refuses what does not fit
            return along(bdim_at_front(x, d, axis_data.size), **params)
        if d is not not_mapped:
            x, d = moveaxis(x, d, 0), 0
            params = {
                name: value + 1 if name in axis_params else value
                for name, value in params.items()
            }
        return primitive.bind(x, axis_name=axis_name, **params), d

    def transpose_rule(ct: Any, x: Any, **params: Any) -> list[Any]:
        return [transpose(ct, **params)]

    deflinear2(primitive, transpose_rule)
    fancy_primitive_batchers[primitive] = batcher
    meets(primitive, combine)
    return primitive


class _Along(NamedTuple):
    """Where a collective goes: names, groups of devices, how many meet."""

    names: tuple
    groups: tuple | None
    size: int


def known_axes(fun_name: str, axis_name: AxisName, groups: Any = None) -> _Along:
    """ValueError for groups that won't do, NotImplementedError for several axes of vmaps'."""
    groups, names = known_groups(fun_name, axis_name, groups), as_names(axis_name)
    if len(names) != 1 and not is_manual(names):
        raise NotImplementedError(
            f"lax.{fun_name} goes along one named axis, and got {shown(axis_name)}. Give one name."
        )
    return _Along(names, groups, group_size(fun_name, axis_name, groups))


def _resized(x: ShapedArray, d: int, size: int) -> ShapedArray:
    return x.update(shape=(*x.shape[:d], size, *x.shape[d + 1 :]))


def _join_axes(x: Any, d: int) -> Any:
    """x with the axes d and d + 1 as one."""
    shape = typeof(x).shape
    return reshape(x, (*shape[:d], shape[d] * shape[d + 1], *shape[d + 2 :]))


def _split_axis(x: Any, d: int, parts: int) -> Any:
    """x with the axis d as two: `parts` pieces, and their lengths."""
    shape = typeof(x).shape
    return reshape(x, (*shape[:d], parts, shape[d] // parts, *shape[d + 1 :]))


def _divided(fun_name: str, x: ShapedArray, d: int, parts: int) -> int:
    if not parts or x.shape[d] % parts:
        raise ValueError(
            f"lax.{fun_name} can't cut axis {d} of {x} into {parts} equal parts.\n"
            f"Give an axis whose size is a multiple of {parts}."
        )
    return x.shape[d] // parts


def _not_tiled(fun_name: str, d: int, x: ShapedArray, axis_size: int) -> ValueError:
    return ValueError(
        f"lax.{fun_name} needs axis {d} of {x} to have the named axis's size, {axis_size}.\n"
        f"Give such an array, or pass tiled=True."
    )


# Everybody gets everybody's value; and back: everybody gets a part of the sum.


def all_gather_rule(
    x: ShapedArray, *, all_gather_dimension: int, axis_index_groups: Any, axis_size: int,
    tiled: bool,
) -> ShapedArray:  # fmt: skip
    d = all_gather_dimension
    if tiled:
        return _resized(x, d, x.shape[d] * axis_size)
    return x.update(shape=(*x.shape[:d], axis_size, *x.shape[d:]))


def gather_along(
    x: Any, *, all_gather_dimension: int, axis_index_groups: Any, axis_size: int, tiled: bool
) -> tuple:
    x = moveaxis(x, 0, all_gather_dimension)
    return _join_axes(x, all_gather_dimension) if tiled else x, not_mapped


def scatter_rule(
    x: ShapedArray, *, scatter_dimension: int, axis_index_groups: Any, axis_size: int, tiled: bool
) -> ShapedArray:
    size = _divided("psum_scatter", x, scatter_dimension, axis_size)
    if tiled:
        return _resized(x, scatter_dimension, size)
    if size != 1:
        raise _not_tiled("psum_scatter", scatter_dimension, x, axis_size)
    return x.update(shape=[n for d, n in enumerate(x.shape) if d != scatter_dimension])


def scatter_along(
    x: Any, *, scatter_dimension: int, axis_index_groups: Any, axis_size: int, tiled: bool
) -> tuple:
    x, d = reduce_sum(x, [0]), scatter_dimension
    return _split_axis(x, d, axis_size) if tiled else x, d


def _gather_transpose(ct: Any, *, all_gather_dimension: int, **params: Any) -> Any:
    return reduce_scatter_p.bind(ct, scatter_dimension=all_gather_dimension, **params)


def _scatter_transpose(ct: Any, *, scatter_dimension: int, **params: Any) -> Any:
    return all_gather_p.bind(ct, all_gather_dimension=scatter_dimension, **params)


all_gather_p = collective(
    "all_gather", all_gather_rule, gather_along, _gather_transpose, gathered,
    ["all_gather_dimension"],
)  # fmt: skip
reduce_scatter_p = collective(
    "reduce_scatter", scatter_rule, scatter_along, _scatter_transpose, scattered,
    ["scatter_dimension"],
)  # fmt: skip


def all_gather(
    x: Any, axis_name: AxisName, *, axis_index_groups: Any = None, axis: int = 0,
    tiled: bool = False, to: str = "varying",
) -> Any:  # fmt: skip
    """All examples' values of a pytree of arrays, stacked along a new axis `axis`, for each.

    On the devices of a mesh the result's type says what `to` does: that it may vary, that it does
    not, or that it is reduced, so that its cotangents are a sum's terms. ValueError for another.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: all_gather(x, "i"), axis_name="i")(np.arange(2))
    Array([[0, 1],
           [0, 1]], dtype=int32)
    """
    names, groups, size = known_axes("all_gather", axis_name, axis_index_groups)
    if to not in ("varying", "reduced", "invarying"):
        raise ValueError(
            f"lax.all_gather can't make x {shown(to)}. Give to='varying', 'reduced' or 'invarying'."
        )

    def gather(leaf: Any) -> Any:
        d = known_axis("lax.all_gather", axis, typeof(leaf).ndim + (not tiled))
        if to != "varying":
            return _gathered_to(to, leaf, names, groups, d, size, tiled)
        return all_gather_p.bind(
            pvary(leaf, names), all_gather_dimension=d, axis_index_groups=groups, axis_name=names,
            axis_size=size, tiled=tiled,
        )  # fmt: skip

    return tree_map(gather, x)


def psum_scatter(
    x: Any, axis_name: AxisName, *, scatter_dimension: int = 0, axis_index_groups: Any = None,
    tiled: bool = False,
) -> Any:  # fmt: skip
    """Like `psum`, but each example keeps its own part of the sum, along `scatter_dimension`.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: psum_scatter(x, "i"), axis_name="i")(np.arange(4.0).reshape(2, 2))
    Array([2., 4.], dtype=float32)
    """
    names, groups, size = known_axes("psum_scatter", axis_name, axis_index_groups)

    def scatter(leaf: Any) -> Any:
        d = known_axis("lax.psum_scatter", scatter_dimension, typeof(leaf).ndim)
        if state_of("lax.psum_scatter", typeof(leaf), names) == "unreduced":
            return _scattered_terms(leaf, names, groups, d, size, tiled)
        return reduce_scatter_p.bind(
            pvary(leaf, names), scatter_dimension=d, axis_index_groups=groups, axis_name=names,
            axis_size=size, tiled=tiled,
        )  # fmt: skip

    return tree_map(scatter, x)


_gathered_to, _scattered_terms = (
    call_lazily(f"minijax.lax.collectives.type_changes.{name}")
    for name in ("gathered_to", "scattered_terms")
)

# Values move from one example to another.


def _permute_along(x: Any, *, perm: tuple) -> tuple:
    sources = {target: source for source, target in perm}
    size = typeof(x).shape[0]
    nothing = zeros(_resized(typeof(x), 0, 1))
    rows = [
        slice_in_dim(x, sources[i], sources[i] + 1) if i in sources else nothing
        for i in range(size)
    ]
    return concatenate(rows, 0), 0


def _permute_transpose(ct: Any, *, axis_name: Any, perm: tuple) -> Any:
    back = tuple((target, source) for source, target in perm)
    return ppermute_p.bind(ct, axis_name=axis_name, perm=back)


ppermute_p = collective(
    "ppermute", lambda x, *, perm: x, _permute_along, _permute_transpose, permuted
)


def ppermute(x: Any, axis_name: AxisName, perm: Sequence[tuple[int, int]]) -> Any:
    """For each (source, target) in `perm`, the target gets the source's value; the others zeros.

    ValueError where a source or a target stands twice, or is no number of an example.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: ppermute(x, "i", [(0, 1), (1, 0)]), axis_name="i")(np.array([5, 6]))
    Array([6, 5], dtype=int32)
    """
    names, _, size = known_axes("ppermute", axis_name)
    pairs = _pairs(perm)
    for numbers in zip(*pairs, strict=True):
        if len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(size)):
            raise ValueError(
                f"lax.ppermute got the pairs {pairs}.\n"
                f"Give each source and each target once, from 0 to {size - 1}."
            )
    return tree_map(
        lambda leaf: ppermute_p.bind(pvary(leaf, names), axis_name=names, perm=pairs), x
    )


def _pairs(perm: Any) -> tuple[tuple[int, int], ...]:
    """The pairs of `ppermute` as tuples of ints; TypeError for anything else."""
    try:
        return tuple((operator.index(source), operator.index(target)) for source, target in perm)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"lax.ppermute takes pairs (source, target) of ints, and got {shown(perm)}.\n"
            f"Give a list of them, as [(0, 1), (1, 0)]."
        ) from error


def _all_to_all_rule(
    x: ShapedArray, *, axis_index_groups: Any, concat_axis: int, split_axis: int, tiled: bool,
    axis_size: int,
) -> ShapedArray:  # fmt: skip
    cut = _resized(x, split_axis, _divided("all_to_all", x, split_axis, axis_size))
    return _resized(cut, concat_axis, cut.shape[concat_axis] * axis_size)


def _all_to_all_along(
    x: Any, *, split_axis: int, concat_axis: int, axis_index_groups: Any, tiled: bool,
    axis_size: int,
) -> tuple:  # fmt: skip
    """The axis of pieces becomes the mapped one, and the mapped one goes before `concat_axis`."""
    x = _split_axis(x, split_axis + 1, typeof(x).shape[0])
    x = moveaxis(moveaxis(x, split_axis + 1, 0), 1, concat_axis + 1)
    return _join_axes(x, concat_axis + 1), 0


def _all_to_all_transpose(
    ct: Any, *, axis_name: Any, split_axis: int, concat_axis: int, axis_size: int, **params: Any
) -> Any:
    return all_to_all(ct, axis_name, concat_axis, split_axis, **params)


all_to_all_p = collective(
    "all_to_all", _all_to_all_rule, _all_to_all_along, _all_to_all_transpose, exchanged,
    ["split_axis", "concat_axis"],
)  # fmt: skip
pp_eqn_rules[all_to_all_p] = lambda params: {
    name: value for name, value in params.items() if name != "axis_size"
}


def all_to_all(
    x: Any, axis_name: AxisName, split_axis: int, concat_axis: int, *,
    axis_index_groups: Any = None, tiled: bool = False,
) -> Any:  # fmt: skip
    """Each example cuts its value along `split_axis`, sends a piece to each, and joins what comes.

    Untiled, the axis that is cut has the named axis's size and goes; the pieces that come are
    stacked along a new axis `concat_axis`. ValueError where an axis can't be cut so.

    >>> from minijax.core.batching import vmap
    >>> vmap(lambda x: all_to_all(x, "i", 0, 0), axis_name="i")(np.arange(4).reshape(2, 2))
    Array([[0, 2],
           [1, 3]], dtype=int32)
    """
    names, groups, size = known_axes("all_to_all", axis_name, axis_index_groups)

    def exchange(leaf: Any) -> Any:
        leaf = pvary(leaf, names)
        ndim = typeof(leaf).ndim
        cut, join = (known_axis("lax.all_to_all", d, ndim) for d in (split_axis, concat_axis))
        if not tiled and typeof(leaf).shape[cut] != size:
            raise _not_tiled("all_to_all", cut, typeof(leaf), size)
        is_new = not tiled and cut != join
        if is_new:  # the new axis is there from the start, with size 1
            join += cut < join
            leaf = expand_dims(leaf, [join])
            cut += join <= cut
        moved = all_to_all_p.bind(
            leaf, axis_index_groups=groups, axis_name=names[0] if len(names) == 1 else names,
            concat_axis=join, split_axis=cut, tiled=tiled, axis_size=size,
        )  # fmt: skip
        return squeeze(moved, [cut]) if is_new else moved

    return tree_map(exchange, x)
