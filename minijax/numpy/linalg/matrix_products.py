"""Products of matrices and vectors, powers, and what the array API's `linalg` has of `jnp` itself.

These are `jnp`'s functions on the last two axes: what takes a stack of matrices has them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import known_axis
from minijax.numpy import products
from minijax.numpy.arguments import check_arraylike, check_broadcast, library_jit
from minijax.numpy.creation import eye
from minijax.numpy.linalg.equations import inv
from minijax.numpy.shapes import reshaping, triangles


def matmul(
    x1: Any, x2: Any, /, *, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The matrix product; see `jnp.matmul`.

    >>> matmul(np.eye(2), np.array([1.0, 2.0]))
    Array([1., 2.], dtype=float32)
    """
    return products.matmul(
        x1, x2, precision=precision, preferred_element_type=preferred_element_type
    )


def tensordot(
    x1: Any, x2: Any, /, *, axes: int | Sequence = 2, precision: Any = None,
    preferred_element_type: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The sum over several axes of both; see `jnp.tensordot`."""
    return products.tensordot(
        x1, x2, axes, precision=precision, preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )  # fmt: skip


def outer(x1: Any, x2: Any, /) -> Any:
    """Every element of a vector times every one of another. ValueError for other arrays.

    >>> outer(np.array([1, 2]), np.array([3, 4]))
    Array([[3, 4],
           [6, 8]], dtype=int32)
    """
    check_arraylike("jnp.linalg.outer", x1, x2)
    if typeof(x1).ndim != 1 or typeof(x2).ndim != 1:
        got = f"{typeof(x1)} and {typeof(x2)}"
        raise ValueError(f"jnp.linalg.outer takes vectors, and got {got}. Use jnp.ravel(x).")
    return products.outer(x1, x2)


def matrix_transpose(x: Any, /) -> Any:
    """The transposes of matrices (..., m, n); see `jnp.matrix_transpose`."""
    return reshaping.matrix_transpose(x)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The diagonals of matrices (..., m, n), or those beside them; see `jnp.diagonal`.

    >>> diagonal(np.array([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int32)
    """
    return triangles.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the numbers that `diagonal` gives; see `jnp.trace`."""
    return triangles.trace(x, offset=offset, axis1=-2, axis2=-1, dtype=dtype)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The vectors at right angles to two others, of three numbers along `axis`.

    Other axes are broadcast. ValueError for vectors of other lengths.

    >>> cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    Array([0, 0, 1], dtype=int32)
    """
    name = "jnp.linalg.cross"
    check_arraylike(name, x1, x2)
    sizes = [_size_along(name, x, axis) for x in (x1, x2)]
    if sizes != [3, 3]:
        raise ValueError(
            f"{name} takes vectors of three numbers, and got {sizes} along {axis}. Give such."
        )
    return products.cross(x1, x2, axis=axis)


def _size_along(fun_name: str, x: Any, axis: int) -> int:
    ndim = typeof(x).ndim
    return typeof(x).shape[known_axis(fun_name, axis, ndim, error=IndexError)]


def vecdot(
    x1: Any, x2: Any, /, *, axis: int = -1, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """The sum of conj(x1) * x2 along `axis`, of one size in both; other axes are broadcast.

    >>> vecdot(np.array([1j, 2]), np.array([1j, 1]))
    Array(3.+0.j, dtype=complex64)
    """
    name = "jnp.linalg.vecdot"
    check_arraylike(name, x1, x2)
    if _size_along(name, x1, axis) != _size_along(name, x2, axis):
        raise ValueError(
            f"{name} sums along axis {axis} of {typeof(x1)} and {typeof(x2)}. Give one size there."
        )
    shapes = [typeof(reshaping.moveaxis(x, axis, -1)).shape[:-1] for x in (x1, x2)]
    check_broadcast(name, shapes, ValueError)
    how = {"precision": precision, "preferred_element_type": preferred_element_type}
    return products.vecdot(x1, x2, axis=axis, **how)


@library_jit(static_argnames=("n",))
def matrix_power(a: Any, n: int) -> Any:
    """The product of n copies of square matrices (..., m, m); below 0, of their inverses.

    It takes as many products as n has bits, or twice as many. TypeError where n is no integer, or
    where `a` is not square.

    >>> matrix_power(np.array([[1, 1], [1, 0]]), 10)
    Array([[89, 55],
           [55, 34]], dtype=int32)
    """
    name = "jnp.linalg.matrix_power"
    if not isinstance(n, int | np.integer):
        raise TypeError(f"{name} takes an integer as n, and got {shown(n)}. Give an int.")
    shape = typeof(a).shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise TypeError(f"{name} needs square matrices, and got {typeof(a)}. Give (..., m, m).")
    if n == 0:
        return reshaping.broadcast_to(eye(shape[-1], dtype=typeof(a).dtype), shape)
    power, n, result = inv(a) if n < 0 else a, abs(n), None
    if n == 3:
        return products.matmul(products.matmul(power, power), power)
    while True:
        if n % 2:
            result = power if result is None else products.matmul(result, power)
        n //= 2
        if not n:
            return result
        power = products.matmul(power, power)


def multi_dot(arrays: Sequence[Any], *, precision: Any = None) -> Any:
    """The product of several matrices, multiplied in the order that takes the fewest steps.

    The first and the last may be vectors. ValueError for other arrays, or sizes that do not fit.

    >>> multi_dot([np.ones((2, 5)), np.ones((5, 1)), np.ones((1, 3))]).shape
    (2, 3)
    """
    name = "jnp.linalg.multi_dot"
    arrays = list(arrays)
    check_arraylike(name, *arrays)
    shapes = [typeof(x).shape for x in arrays]
    ndims = list(map(len, shapes))
    if len(arrays) < 2 or {*ndims[1:-1]} - {2} or {ndims[0], ndims[-1]} - {1, 2}:
        raise ValueError(
            f"{name} takes two arrays or more: matrices, and the first and the last may be vectors;"
            f"\nit got the shapes {', '.join(map(str, shapes[:4]))}. Give such."
        )
    if any(x[-1] != y[0] for x, y in zip(shapes, shapes[1:], strict=False)):
        raise ValueError(
            f"{name} cannot multiply {', '.join(map(str, shapes))} in turn. Give sizes that fit."
        )
    sizes = [shapes[0][0] if ndims[0] == 2 else 1, *(shape[0] for shape in shapes[1:])]
    sizes.append(shapes[-1][-1] if ndims[-1] == 2 else 1)
    split = _best_splits(sizes)

    def multiplied(first: int, last: int) -> Any:
        if first == last:
            return arrays[first]
        middle = split[first, last]
        parts = multiplied(first, middle), multiplied(middle + 1, last)
        return products.dot(*parts, precision=precision)

    return multiplied(0, len(arrays) - 1)


def _best_splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """After which matrix to split each run of matrices, where the i-th is sizes[i] by sizes[i + 1]
    (Cormen and others, Introduction to Algorithms, matrix-chain multiplication)."""
    count = len(sizes) - 1
    steps, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length

            def cost(middle: int, first: int = first, last: int = last) -> int:
                product = sizes[first] * sizes[middle + 1] * sizes[last + 1]
                return steps[first, middle] + steps[middle + 1, last] + product

            split[first, last] = best = min(range(first, last), key=cost)
            steps[first, last] = cost(best)
    return split
