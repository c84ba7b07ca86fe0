"""A pytree of numbers as one vector, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.primitives import cast
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.numpy.arguments import check_arraylike

__all__ = ["ravel_pytree"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def ravel_pytree(pytree: Any) -> tuple[Any, Callable]:
    """All numbers of a pytree as one vector, of their common dtype, and the function back.

    The function takes as many numbers, else it raises ValueError. Where the leaves have several
    dtypes, each gets its own again, and the vector must have the common one, else TypeError;
    where they have one, the leaves get the vector's.

    >>> flat, unravel = ravel_pytree({"b": 1.0, "w": np.array([2.0, 3.0], np.float32)})
    >>> flat, unravel(2 * flat)["b"]
    (Array([1., 2., 3.], dtype=float32), Array(2., dtype=float32))
    """
    leaves, tree = tree_flatten(pytree)
    check_arraylike("flatten_util.ravel_pytree", *leaves)
    avals = list(map(typeof, leaves))
    if not leaves:
        return lax.full((0,), 0, np.float32), lambda arr: tree_unflatten(tree, [])
    dtypes = [aval.dtype for aval in avals]
    common = numpy.result_type(*dtypes)
    if all(dtype == common for dtype in dtypes):
        dtypes = []
    vectors = [
        lax.reshape(lax.convert_element_type(x, common) if dtypes else x, (aval.size,))
        for x, aval in zip(leaves, avals, strict=True)
    ]
    sizes, shapes = [aval.size for aval in avals], [aval.shape for aval in avals]

    def unravel(arr: Any) -> Any:
        _check_vector(arr, sum(sizes), common if dtypes else None)
        parts = map(numpy.reshape, lax.split(arr, sizes), shapes)
        if dtypes:
            parts = map(cast, parts, dtypes)
        return tree_unflatten(tree, parts)

    return lax.concatenate(vectors, 0), unravel


def _check_vector(arr: Any, size: int, dtype: Any) -> None:
    check_arraylike("unravel", arr)
    got = typeof(arr)
    if dtype is not None and got.dtype != dtype:
        raise TypeError(
            f"The unravel function takes {dtype}, and got {got.dtype}. Convert it: "
            f"x.astype({str(dtype)!r})."
        )
    if got.shape[:1] != (size,):
        raise ValueError(
            f"The unravel function takes {size} numbers, and got the shape {got.shape}.\n"
            f"Give a vector like that of ravel_pytree."
        )


guard(sys.modules[__name__])
