"""The core's functions that JAX's lax gives one keyword more: `out_sharding`, how a result lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core import primitives
from minijax.core.dtypes import integers
from minijax.core.primitives import canonicalize_shape, reduce_sum_p, reshape_p, transpose
from minijax.lax.out_sharding import lying, said


def reshape(
    operand: Any, new_sizes: Any, dimensions: Sequence[int] | None = None, out_sharding: Any = None
) -> Any:
    """The same elements, in row-major order, in another shape; axes first put in an order. The
    result lies on devices as `out_sharding` says, if anything.

    TypeError for another number of elements.
    """
    if out_sharding is None:
        return primitives.reshape(operand, new_sizes, dimensions)
    operand = operand if dimensions is None else transpose(operand, dimensions)
    how = said("lax.reshape", out_sharding, "sharding")
    out = reshape_p.bind(operand, new_sizes=canonicalize_shape(new_sizes), **how)
    return lying("lax.reshape", out, out_sharding)


def reduce_sum(operand: Any, axes: Sequence[int], *, out_sharding: Any = None) -> Any:
    """The sum over `axes`. The result lies on devices as `out_sharding` says, if anything."""
    if out_sharding is None:
        return primitives.reduce_sum(operand, axes)
    how = said("lax.reduce_sum", out_sharding)
    out = reduce_sum_p.bind(operand, axes=integers(axes), **how)
    return lying("lax.reduce_sum", out, out_sharding)
