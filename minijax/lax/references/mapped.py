"""References under vmap: all examples have one reference, along an axis of it.

One that is made inside is made for all examples, since each may write something else. Of one that
comes from outside and is not mapped there is no telling what it would hold if each example wrote to
it, so that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.batching import (
    AxisData,
    batched_aval,
    fancy_primitive_batchers,
    matchaxis,
    moveaxis,
    not_mapped,
    primitive_batchers,
)
from minijax.core.primitives import add, expand_dims, reshape, transpose
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_unflatten
from minijax.core.reverse import inverse
from minijax.core.tracing import typeof
from minijax.lax.indexing.sized_slices import Slice
from minijax.lax.references.indexers import NDIndexer, is_slice, stepping
from minijax.lax.references.operations import (
    addupdate_p,
    empty_ref_p,
    free_ref_p,
    freeze_p,
    get_p,
    new_ref_p,
    swap_p,
)
from minijax.lax.shapes.axes import iota


def _new_ref_batcher(axis_data: AxisData, vals: Sequence, dims: Sequence, **params: Any) -> tuple:
    return new_ref_p.bind(matchaxis(axis_data.size, dims[0], 0, vals[0]), **params), 0


def _empty_ref_batcher(axis_data: AxisData, vals: tuple, dims: tuple, *, ty, memory_space):
    return empty_ref_p.bind(ty=batched_aval(ty, axis_data.size, 0), memory_space=memory_space), 0


def _refuse_shared(name: str, ref: Any) -> None:
    raise Exception(
        f"{name} is mapped, and the {typeof(ref)} that it writes to is one for all examples. Give "
        f"the reference to the mapped function as an argument, with an axis for the examples."
    )


# An index of all examples has one entry more. That is the whole of their axis; or, where each
# example has an index of its own, the number of the example, beside arrays of these indices.


class Differing:
    """What differs in an index from example to example, along axis 0."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    shape = property(lambda self: typeof(self.value).shape[1:])
    ndim = property(lambda self: len(self.shape))


def differs(index: Any) -> bool:
    return type(index.start if is_slice(index) else index) is Differing


def index_of_all(
    indexer: NDIndexer, ref_dim: int | None, size: int
) -> tuple[NDIndexer, list[int]]:
    """The index that takes the parts of all examples; and the order of the axes of what it takes by
    which the examples come first, and the others as in the part of one."""
    rank = len(indexer.array_shape())
    # A slice that starts elsewhere for each example becomes an array, with an axis of its own.
    own = [axis for axis, i in enumerate(indexer.indices) if is_slice(i) and differs(i)]
    one_by_one = any(map(differs, indexer.indices))
    indices = [_of_all(i, axis, rank, own) for axis, i in enumerate(indexer.indices)]
    labels: list[Any] = list(range(len(indices)))
    shape = list(indexer.shape)
    if ref_dim is not None:
        whole = Slice(0, size, 1)
        indices.insert(ref_dim, _numbers(size, rank + len(own)) if one_by_one else whole)
        labels.insert(ref_dim, "examples")
        shape.insert(ref_dim, size)
    new = NDIndexer(indices, tuple(shape))
    of_arrays = [(None, i) for i in range(rank)]
    among = iter([*["examples"] * one_by_one, *of_arrays, *own])
    got = [next(among) if axis is None else labels[axis] for _, axis in new.axes_of_part()]
    among = iter(of_arrays)
    wanted = [next(among) if axis is None else axis for _, axis in indexer.axes_of_part()]
    return new, [got.index(label) for label in ("examples", *wanted)]


def _numbers(size: int, axes_behind: int) -> Any:
    """The number of each example, along the first of so many axes and one."""
    return expand_dims(iota(np.int32, size), range(1, 1 + axes_behind))


def _of_all(index: Any, axis: int, rank: int, own: list[int]) -> Any:
    """The entry of one axis. Arrays have the axes: examples, those of one example's, those of
    `own`."""
    if is_slice(index):
        if axis not in own:
            return index
        start = expand_dims(index.start.value, range(1, 1 + rank + len(own)))
        sizes = [1] * (1 + rank) + [index.size if a == axis else 1 for a in own]
        return add(start, reshape(stepping(Slice(np.int32(0), index.size, index.stride)), sizes))
    behind = range(np.ndim(index), np.ndim(index) + len(own))
    if not differs(index):
        return expand_dims(index, behind) if np.ndim(index) and own else index
    value = expand_dims(index.value, range(1, 1 + rank - index.ndim))
    return expand_dims(value, range(1 + rank, 1 + rank + len(own)))


def indices_of_all(
    ref: Any, ref_dim: int | None, leaves: Sequence, dims: Sequence, tree: PyTreeDef, size: int
) -> tuple[list, PyTreeDef, list[int]]:
    """The same, of the indices of one operation, as operands and their structure."""
    marked = [
        x if d is not_mapped else Differing(moveaxis(x, d, 0))
        for x, d in zip(leaves, dims, strict=True)
    ]
    indexers, found, dim = tree_unflatten(tree, marked), [], ref_dim
    for i, indexer in enumerate(indexers):
        if dim is None and i + 1 < len(indexers) and any(map(differs, indexer.indices)):
            raise NotImplementedError(
                "An index of a part, ref.at[i][j], differs between the examples of vmap. Give one "
                "index: ref[i, j]."
            )
        if dim is None and not any(map(differs, indexer.indices)):
            found.append(indexer)
            continue
        new, order = index_of_all(indexer, dim, size)
        found.append(new)
        dim = order[0]
        if i + 1 < len(indexers) and order[1:] != [k for k in range(len(order)) if k != dim]:
            raise NotImplementedError(
                "An index of a part, ref.at[i][j], has arrays between slices under vmap. Give one "
                "index: ref[i, j]."
            )
    if not indexers:
        ndim = typeof(ref).ndim
        order = [ref_dim, *(k for k in range(ndim) if k != ref_dim)]
    return *tree_flatten(tuple(found)), order


def _ordered(x: Any, order: Sequence[int]) -> Any:
    return transpose(x, order) if list(order) != sorted(order) else x


def _get_batcher(axis_data, vals, dims, *, tree):
    ref, *leaves = vals
    leaves, tree, order = indices_of_all(ref, dims[0], leaves, dims[1:], tree, axis_data.size)
    return _ordered(get_p.bind(ref, *leaves, tree=tree), order), 0


def _swap_batcher(axis_data, vals, dims, *, tree):
    ref, x, leaves, tree, order = _written("set", axis_data.size, vals, dims, tree)
    return _ordered(swap_p.bind(ref, x, *leaves, tree=tree), order), 0


def _addupdate_batcher(axis_data, vals, dims, *, tree):
    ref, x, leaves, tree, _ = _written("addupdate", axis_data.size, vals, dims, tree)
    return addupdate_p.bind(ref, x, *leaves, tree=tree), []


def _written(name: str, size: int, vals: Sequence, dims: Sequence, tree: PyTreeDef) -> tuple:
    """The operands of a write for all examples, whose value has the axes of the part."""
    (ref, x, *leaves), (ref_dim, x_dim, *leaf_dims) = vals, dims
    if ref_dim is not_mapped:
        _refuse_shared(name, ref)
    leaves, tree, order = indices_of_all(ref, ref_dim, leaves, leaf_dims, tree, size)
    return ref, _ordered(matchaxis(size, x_dim, 0, x), inverse(order)), leaves, tree, order


fancy_primitive_batchers |= {
    new_ref_p: _new_ref_batcher, empty_ref_p: _empty_ref_batcher, swap_p: _swap_batcher,
    addupdate_p: _addupdate_batcher,
}  # fmt: skip
primitive_batchers[get_p] = lambda vals, dims, **params: _get_batcher(
    AxisData(None, _size(vals, dims)), vals, dims, **params
)
primitive_batchers[freeze_p] = lambda vals, dims: (freeze_p.bind(*vals), dims[0])
primitive_batchers[free_ref_p] = lambda vals, dims: (free_ref_p.bind(*vals), [])


def _size(vals: Sequence, dims: Sequence) -> int:
    """How many examples there are."""
    return next(typeof(x).shape[d] for x, d in zip(vals, dims, strict=True) if d is not not_mapped)
