"""Collectives that are others under another name: a permutation, an exchange of two axes, and the
cast of a value to one that varies along more axes of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.pytrees import tree_map
from minijax.core.tracing import typeof
from minijax.lax.collectives.moving import all_to_all, ppermute
from minijax.lax.collectives.reducing import AxisName, as_names, check_bound
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers
from minijax.lax.sharding.placed_types import pvary, vma_of


def pshuffle(x: Any, axis_name: AxisName, perm: Sequence[int]) -> Any:
    """Each example i gets the value of example `perm[i]`.

    ValueError where perm is no permutation of the examples' numbers.

    >>> from minijax.core.batching import vmap
    >>> import numpy as np
    >>> vmap(lambda x: pshuffle(x, "i", [1, 2, 0]), axis_name="i")(np.array([5, 6, 7]))
    Array([6, 7, 5], dtype=int32)
    """
    perm = as_integers("lax.pshuffle", "perm", perm)
    if set(perm) != set(range(len(perm))) or len(set(perm)) < len(perm):
        raise ValueError(
            f"lax.pshuffle got the perm {shown(perm)}.\nGive each number from 0 on once."
        )
    return ppermute(x, axis_name, [(source, target) for target, source in enumerate(perm)])


def pswapaxes(
    x: Any, axis_name: AxisName, axis: int, *, axis_index_groups: Any = None
) -> Any:  # fmt: skip
    """The value with an axis and the named axis exchanged: they are of one size.

    ValueError where they are not, or where there is no such axis.

    >>> from minijax.core.batching import vmap
    >>> import numpy as np
    >>> vmap(lambda x: pswapaxes(x, "i", 0), axis_name="i")(np.arange(4).reshape(2, 2))
    Array([[0, 2],
           [1, 3]], dtype=int32)
    """
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def pcast(x: Any, axis_name: AxisName, *, to: str) -> Any:
    """The pytree, with a type that says that it varies along axes of a mesh: `to="varying"`.

    Inside of a shard_map, what each device has alike can be mixed with what differs only where
    types agree: as the first carry of a loop, for one. ValueError where it varies along such an
    axis already, and for another `to`.
    """
    axes = as_names(axis_name)
    check_bound(axes)
    if to != "varying":
        raise ValueError(f"lax.pcast can't make x {shown(to)}. Give to='varying'.")

    def cast(leaf: Any) -> Any:
        if again := sorted(map(str, vma_of(typeof(leaf)).intersection(axes))):
            raise ValueError(
                f"lax.pcast got a value of type {typeof(leaf)}, which varies along "
                f"{', '.join(again)} already. Leave that out of axis_name."
            )
        return pvary(leaf, axes)

    return tree_map(cast, x)
