"""associative_scan: all the running totals of an associative operation, in few large steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.core.errors import api_boundary
from minijax.core.primitives import add, cast
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.tracing import typeof
from minijax.lax.control_flow.bodies import check_same, flatten_operands
from minijax.lax.elementwise.bits import bitwise_or
from minijax.lax.shapes.axes import known_axis, rev
from minijax.lax.shapes.slicing import concatenate, pad, slice_in_dim


@api_boundary
def associative_scan(fn: Callable, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """The running totals of `elems`, a pytree of arrays, along an axis.

    `fn(a, b)` combines many elements at once: it takes two pytrees like `elems`, and returns one.
    It must be associative, as only then the order of the steps does not matter. `reverse` begins
    at the end. ValueError where the arrays have different sizes along the axis.

    Blelloch, Prefix sums and their applications (1990).

    >>> associative_scan(add, np.arange(5))
    Array([ 0,  1,  3,  6, 10], dtype=int32)
    """
    name = "lax.associative_scan"
    leaves, _ = flatten_operands(name, fn, (elems,))
    tree = tree_flatten(elems)[1]
    if not leaves:
        raise IndexError(f"{name} got no arrays in elems. Give at least one.")
    axis = known_axis(name, axis, typeof(leaves[0]).ndim)
    shapes = [typeof(x).shape for x in leaves]
    if len({shape[axis : axis + 1] for shape in shapes}) > 1:
        raise ValueError(
            f"{name} got elems of the shapes {shapes}. Give them one size along axis {axis}."
        )

    def combine(xs: list[Any], ys: list[Any]) -> list[Any]:
        out, out_tree = tree_flatten(fn(tree_unflatten(tree, xs), tree_unflatten(tree, ys)))
        check_same(
            f"{name} needs a function that returns what it takes", lambda: "elems",
            (tree, [typeof(x) for x in xs]), (out_tree, [typeof(x) for x in out]),
            ("before", "after"), "Return a pytree like the two that it combines.",
        )  # fmt: skip
        return out

    if reverse:
        leaves = [rev(x, [axis]) for x in leaves]
    totals = _totals(combine, leaves, axis)
    return tree_unflatten(tree, [rev(x, [axis]) for x in totals] if reverse else totals)


def _totals(combine: Callable, xs: list[Any], axis: int) -> list[Any]:
    """Those at odd places are the totals of neighbours, combined in pairs: half as many. Each of
    the others is one of these, and one element more."""
    size = typeof(xs[0]).shape[axis]
    if size < 2:
        return xs

    def part(values: list[Any], start: int, stop: int | None, stride: int = 1) -> list[Any]:
        return [slice_in_dim(x, start, stop, stride, axis) for x in values]

    odd = _totals(combine, combine(part(xs, 0, -1, 2), part(xs, 1, None, 2)), axis)
    before = part(odd, 0, -1) if size % 2 == 0 else odd
    even = combine(before, part(xs, 2, None, 2))
    first = part(xs, 0, 1)
    even = [concatenate([x, y], axis) for x, y in zip(first, even, strict=True)]
    return [_interleaved(x, y, axis) for x, y in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any, axis: int) -> Any:
    """The sum of the two, each spread out over the places that the other leaves free."""
    aval = typeof(even)
    as_many = aval.shape[axis] == typeof(odd).shape[axis]
    spread = [[(0, 0, 0)] * aval.ndim for _ in range(2)]
    spread[0][axis] = (0, 1 if as_many else 0, 1)
    spread[1][axis] = (1, 0 if as_many else 1, 1)
    join = bitwise_or if aval.dtype == np.bool_ else add
    return join(*(
        pad(x, cast(0, aval.dtype), config) for x, config in zip((even, odd), spread, strict=True)
    ))  # fmt: skip
