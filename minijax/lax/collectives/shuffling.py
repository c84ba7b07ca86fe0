"""Collectives that are others under another name, a permutation and an exchange of two axes; and
one that gives everybody one example's value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.batching import not_mapped
from minijax.core.primitives import eq, select, zeros
from minijax.core.pytrees import tree_map
from minijax.core.tracing import typeof
from minijax.lax.collectives.meetings import from_one
from minijax.lax.collectives.moving import all_to_all, collective, known_axes, ppermute
from minijax.lax.collectives.reducing import AxisName, axis_index, psum
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers, squeeze
from minijax.lax.shapes.slicing import slice_in_dim
from minijax.lax.sharding.placed_types import pvary


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


# One example's value for all.


def _pbroadcast_along(x: Any, *, source: int) -> tuple:
    return squeeze(slice_in_dim(x, source, source + 1), [0]), not_mapped


def _pbroadcast_transpose(ct: Any, *, axis_name: Any, source: int) -> Any:
    """The source gets what all of them contribute."""
    total, is_source = psum(ct, axis_name), eq(axis_index(axis_name), source)
    return select(is_source, total, zeros(typeof(total)))


pbroadcast_p = collective(
    "pbroadcast", lambda x, *, source: x, _pbroadcast_along, _pbroadcast_transpose, from_one
)


def pbroadcast(x: Any, axis_name: AxisName, source: int) -> Any:
    """For each example the value of the one with the number `source`, of a pytree of arrays.

    ValueError where there is no such number.

    >>> from minijax.core.batching import vmap
    >>> import numpy as np
    >>> vmap(lambda x: pbroadcast(x, "i", 1), axis_name="i")(np.array([5, 6, 7]))
    Array([6, 6, 6], dtype=int32)
    """
    names, _, size = known_axes("pbroadcast", axis_name)
    if not 0 <= source < size:
        raise ValueError(
            f"lax.pbroadcast got the source {shown(source)} along {shown(axis_name)}. Give a "
            f"number from 0 to {size - 1}."
        )
    name = names[0] if len(names) == 1 else names
    return tree_map(
        lambda leaf: pbroadcast_p.bind(pvary(leaf, names), axis_name=name, source=source), x
    )
