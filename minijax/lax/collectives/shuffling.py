"""Collectives that are others under another name: a permutation, and an exchange of two axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.lax.collectives.moving import all_to_all, ppermute
from minijax.lax.collectives.reducing import AxisName
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integers


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
