"""What a collective does between devices: each brings an array, and takes one away.

A rule maps the arrays of all that meet, in the order of their numbers, to one for each. It is made
of other operations, so that arrays may be traced: `abreast.py` writes what devices do as one
program. Between processes NumPy's arrays go, and MPI has operations of its own for some.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.special_cases.python_calls import run_by_python, why_python
from minijax.core.arrays import Array, raw_value
from minijax.core.jitting import as_runtime_value
from minijax.core.primitives import add_p, expand_dims, max_p, reduce_sum
from minijax.core.tracing import Primitive, typeof
from minijax.lax.elementwise.arithmetic import min_p
from minijax.lax.reductions.extrema import reduce_max, reduce_min
from minijax.lax.shapes.axes import squeeze, zeros_of
from minijax.lax.shapes.slicing import concatenate, split
from minijax.lax.sharding.device_threads import meet
from minijax.lax.sharding.processes import Group

Arrays = Sequence[Any]


def meets(primitive: Primitive, combine: Callable) -> None:
    """Says of a collective what it does between devices: `combine(arrays, **params)`."""
    primitive.says_what_varies = True
    run_by_python.add(primitive)
    register_lowering(primitive, opaque=True)  # each device comes to it, at its turn
    why_python[primitive] = "devices meet: Python brings their arrays together"
    between[primitive] = combine


between: dict[Primitive, Callable] = {}


def take_part(
    primitive: Primitive, x: Any, names: Sequence, groups: Any = None, **params: Any
) -> Array:
    """This device's part in a collective along the named axes."""
    return meet(
        primitive.name, names, as_runtime_value(x), partial(between[primitive], **params), groups,
        partial(take_part_across, between[primitive], params),
    )  # fmt: skip


# Reductions.


def folded(primitive: Primitive, reduction: Callable) -> Callable:
    """Everybody gets the total, folded from the first to the last. Each may have axes of its own
    that are reduced as well."""
    def combine(values: Arrays, *, axes: tuple[int, ...] = ()) -> list:
        own = [reduction(x, axes) for x in values] if axes else values
        return [reduce(primitive.bind, own)] * len(values)

    return combine


summed = folded(add_p, reduce_sum)
greatest, least = folded(max_p, reduce_max), folded(min_p, reduce_min)


def scattered(values: Arrays, *, scatter_dimension: int, tiled: bool, axis_size: int) -> list:
    """Everybody gets a part of the sum."""
    total = summed(values)[0]
    parts = split(total, _equal(total, scatter_dimension, axis_size), scatter_dimension)
    return parts if tiled else [squeeze(part, [scatter_dimension]) for part in parts]


def _equal(x: Any, axis: int, count: int) -> list[int]:
    """The sizes of so many equal parts."""
    return [typeof(x).shape[axis] // count] * count


# Moves.


def gathered(values: Arrays, *, all_gather_dimension: int, tiled: bool, axis_size: int) -> list:
    """Everybody gets everybody's."""
    d = all_gather_dimension
    given = values if tiled else [expand_dims(x, [d]) for x in values]
    return [concatenate(given, d)] * len(values)


def permuted(values: Arrays, *, perm: tuple) -> list:
    """A target gets its source's, the others zeros."""
    sources = {target: source for source, target in perm}
    return [
        values[sources[i]] if i in sources else zeros_of(typeof(x)) for i, x in enumerate(values)
    ]


def exchanged(
    values: Arrays, *, split_axis: int, concat_axis: int, tiled: bool, axis_size: int
) -> list:
    """Each cuts its own in pieces, and gets one from each."""
    pieces = [split(x, _equal(x, split_axis, axis_size), split_axis) for x in values]
    return [concatenate(mine, concat_axis) for mine in zip(*pieces, strict=True)]


def from_one(values: Arrays, *, source: int) -> list:
    """Everybody gets the source's."""
    return [values[source]] * len(values)


# Between processes: of values, None stands for those of other processes.


def take_part_across(
    combine: Callable, params: dict, group: Group, what: str, values: Sequence, owners: Sequence
) -> list:  # fmt: skip
    """What the devices of this process take away, where others are those of other processes."""
    like = next(x for x in values if x is not None)
    given = [x if x is None else raw_value(x) for x in values]
    found = across[combine](group, what, given, owners, **params) if combine in across else None
    if found is None:
        everything = group.combined(what, given, owners)
        found = map(raw_value, combine([of_kind(x, like) for x in everything], **params))
    return [x if x is None else of_kind(x, like) for x in found]


def of_kind(value: np.ndarray, like: Array) -> Array:
    """An array of the same kind as another: of keys, the last axes of `value` are their words."""
    words = raw_value(like).ndim - like.ndim
    return Array(value, like.aval.update(shape=value.shape[: value.ndim - words]))


# What MPI has an operation for: (group, name, values, owners, **params) -> results, or None.
across: dict[Callable, Callable] = {}


def _reduced_by(combine: Callable, ufunc: np.ufunc) -> None:
    def way(group: Group, what: str, values: Sequence, owners: Sequence[int]) -> list:
        mine = reduce(ufunc, [x for x in values if x is not None])
        return [group.reduced(what, np.asarray(mine, group_dtype(values)), ufunc)] * len(values)

    across[combine] = way


def group_dtype(values: Sequence) -> np.dtype:
    return next(x.dtype for x in values if x is not None)


_reduced_by(summed, np.add)
_reduced_by(greatest, np.maximum)
_reduced_by(least, np.minimum)


def of_one_device_each(way: Callable) -> Callable:
    """The way of a value between processes, where each has one that meets; None elsewhere."""
    def across_processes(
        group: Group, what: str, values: Sequence, owners: Sequence[int], **params: Any
    ) -> list | None:
        if len(set(owners)) < len(owners):
            return None
        me = group.comm.rank
        return [way(group, what, x, **params) if i == me else x for i, x in enumerate(values)]

    return across_processes


def _scattered_across(
    group: Group, what: str, x: np.ndarray, *, scatter_dimension: int, tiled: bool, axis_size: int
) -> np.ndarray:
    parts = np.stack(np.split(x, axis_size, scatter_dimension))
    out = group.scattered(what, parts, np.add)
    return out if tiled else np.squeeze(out, scatter_dimension)


def _exchanged_across(
    group: Group, what: str, x: np.ndarray, *, split_axis: int, concat_axis: int, tiled: bool,
    axis_size: int,
) -> np.ndarray:  # fmt: skip
    pieces = np.stack(np.split(x, axis_size, split_axis))
    return np.concatenate(list(group.exchanged(what, pieces)), concat_axis)


def _permuted_across(group: Group, what: str, x: np.ndarray, *, perm: tuple) -> np.ndarray:
    return group.permuted(what, x, perm)


across |= {
    scattered: of_one_device_each(_scattered_across),
    exchanged: of_one_device_each(_exchanged_across),
    permuted: of_one_device_each(_permuted_across),
}
