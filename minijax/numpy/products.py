"""Products of vectors, matrices and stacks of them: each is one `dot_general`.

`preferred_element_type` is the dtype in which products are added up, and of the result;
`precision` stands in the equation, as in JAX, and changes no number: NumPy has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import result_aval_type
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import lying, with_axes
from minijax.lax.shapes.axes import as_integer, known_axis
from minijax.numpy.arguments import (
    check_arraylike,
    library_jit,
    refuse_keys,
    refuse_out,
    user_dtype,
)
from minijax.numpy.promotion import promote_dtypes, promoting_mul, promoting_sub
from minijax.numpy.shapes.reshaping import moveaxis, ravel
from minijax.numpy.vectorizing import vectorize

Axes = Sequence[int]


def _contract(
    fun_name: str, x: Any, y: Any, contract: tuple[Axes, Axes], precision: Any, dtype: Any,
    batch: tuple[Axes, Axes] = ((), ()), out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The product, in `dtype`, or if that is None in the dtype that the operands promote to."""
    refuse_keys(fun_name, x, y, error=ValueError)
    x_shape, y_shape = typeof(x).shape, typeof(y).shape
    for i, j in zip(*contract, strict=True):
        if x_shape[i] != y_shape[j]:
            raise TypeError(
                f"{fun_name} sums over axis {i} of the shape {x_shape} and axis {j} of {y_shape}.\n"
                f"Give axes of one size."
            )
    promoted, weak_type = result_aval_type([typeof(x), typeof(y)])
    wanted = promoted if dtype is None else user_dtype(fun_name, dtype)
    product = lax.dot_general(x, y, (contract, batch), precision, wanted, out_sharding)
    return cast(product, wanted, weak_type and dtype is None)


@by_types
def dot(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The sum over the last axis of `a` and the last but one of `b` (the only one of a vector).

    Shapes (..., n) and (..., n, m) give (..., ..., m); a number scales. TypeError when the sizes
    that are summed over differ. `out_sharding` says how it lies on devices.

    >>> dot(np.array([1, 2]), np.array([[1, 0], [0, 2]]))
    Array([1, 4], dtype=int32)
    """
    check_arraylike("jnp.dot", a, b)
    a_ndim, b_ndim = typeof(a).ndim, typeof(b).ndim
    is_product = a_ndim and b_ndim
    contract = ((a_ndim - 1,), (max(b_ndim - 2, 0),)) if is_product else ((), ())
    return _contract(
        "jnp.dot", a, b, contract, precision, preferred_element_type, out_sharding=out_sharding
    )


@by_types
def matmul(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The matrix product, which is what `a @ b` calls; leading axes are broadcast.

    Shapes (..., k, n) and (..., n, m) give (..., k, m); a vector has no k, or no m. ValueError for
    a number, or for leading axes that do not broadcast; TypeError when the sizes n differ.
    `out_sharding` says how it lies on devices.

    >>> matmul(np.ones((5, 2, 3)), np.ones((3, 4))).shape
    (5, 2, 4)
    """
    check_arraylike("jnp.matmul", a, b)
    for position, x in enumerate((a, b)):
        if not typeof(x).ndim:
            raise ValueError(
                f"jnp.matmul takes vectors and matrices, and argument {position} is a number, "
                f"{typeof(x)}.\nMultiply with * instead."
            )
    a_sizes, b_sizes = _leading_sizes(a), _leading_sizes(b)
    _check_leading(a, b, a_sizes, b_sizes)
    a, a_labels = _labelled(a, a_sizes, b_sizes, ["k", "n"][-typeof(a).ndim :])
    b, b_labels = _labelled(b, b_sizes, a_sizes, ["n", "m"][: typeof(b).ndim])

    batch = [label for label in a_labels if label in b_labels and label != "n"]
    contract = ([a_labels.index("n")], [b_labels.index("n")])
    batch_axes = [a_labels.index(i) for i in batch], [b_labels.index(i) for i in batch]
    labels = batch + [label for label in a_labels + b_labels if label not in [*batch, "n"]]

    leading = sorted(a_sizes | b_sizes)
    order = [label for label in [*leading, "k", "m"] if label in labels]
    ones = [place for place, label in enumerate(leading) if label not in labels]
    result = [label for label in [*leading, "k", "m"] if label in labels or label in leading]
    axes = [result.index(label) for label in labels]
    product = _contract(
        "jnp.matmul", a, b, contract, precision, preferred_element_type, batch_axes,
        with_axes(out_sharding, axes),
    )  # fmt: skip
    product = lax.transpose(product, [labels.index(label) for label in order])
    product = lax.expand_dims(product, ones) if ones else product
    return lying("jnp.matmul", product, out_sharding)


def _leading_sizes(x: Any) -> dict[int, int]:
    """The sizes of the axes before the matrix, each labelled by its place from the back."""
    sizes = typeof(x).shape[:-2]
    return {i - len(sizes): n for i, n in enumerate(sizes)}


def _check_leading(a: Any, b: Any, a_sizes: dict, b_sizes: dict) -> None:
    for label in a_sizes.keys() & b_sizes.keys():
        if len({a_sizes[label], b_sizes[label]} - {1}) > 1:
            raise ValueError(
                f"jnp.matmul cannot broadcast the leading axes of {typeof(a)} and {typeof(b)}.\n"
                f"Give axes before the last two of one size, or of size 1."
            )


def _labelled(x: Any, sizes: dict, other_sizes: dict, matrix: list[str]) -> tuple[Any, list]:
    """x without the leading axes of size 1 that the other operand repeats, and its axes' labels."""
    dropped = [label for label, n in sizes.items() if n == 1 and label in other_sizes]
    labels = [label for label in sizes if label not in dropped]
    if dropped:
        x = lax.squeeze(x, [len(sizes) + label for label in dropped])
    return x, labels + matrix


@by_types
def vdot(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The sum of the products of all elements, whatever the shapes; those of `a` are conjugated.

    >>> vdot(np.ones((2, 3)), np.arange(6))
    Array(15., dtype=float32)
    """
    check_arraylike("jnp.vdot", a, b)
    if issubdtype(typeof(a).dtype, np.complexfloating):
        a = lax.conj(a)
    a, b = ravel(a), ravel(b)
    return _contract("jnp.vdot", a, b, ((0,), (0,)), precision, preferred_element_type)


@by_types
def inner(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The sum over the last axes of both.

    Shapes (..., n) and (..., n) give (..., ...).

    >>> inner(np.ones((2, 3)), np.arange(3))
    Array([3., 3.], dtype=float32)
    """
    check_arraylike("jnp.inner", a, b)
    if not typeof(a).ndim or not typeof(b).ndim:
        if preferred_element_type is not None:
            dtype = user_dtype("jnp.inner", preferred_element_type)
            a, b = (lax.convert_element_type(x, dtype) for x in (a, b))
        return promoting_mul(a, b)
    contract = (typeof(a).ndim - 1,), (typeof(b).ndim - 1,)
    return _contract("jnp.inner", a, b, contract, precision, preferred_element_type)


@by_types
def outer(a: Any, b: Any, out: None = None) -> Any:
    """Every element of `a` times every one of `b`, as a matrix. NotImplementedError for `out`.

    >>> outer(np.array([1, 2]), np.array([3, 4, 5]))
    Array([[ 3,  4,  5],
           [ 6,  8, 10]], dtype=int32)
    """
    refuse_out("jnp.outer", out)
    check_arraylike("jnp.outer", a, b)
    refuse_keys("jnp.outer", a, b, error=ValueError)
    a, b = promote_dtypes(a, b)
    return promoting_mul(lax.expand_dims(ravel(a), [1]), lax.expand_dims(ravel(b), [0]))


@by_types
def tensordot(
    a: Any, b: Any, axes: int | Sequence = 2, *, precision: Any = None,
    preferred_element_type: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The sum over the last `axes` axes of `a` and the first of `b`, or over pairs of axes.

    `axes` is a number of axes, or (axes of a, axes of b); `out_sharding` says how the result lies
    on devices.

    >>> tensordot(np.ones((2, 3)), np.ones((2, 3)), ((0, 1), (0, 1)))
    Array(6., dtype=float32)
    """
    check_arraylike("jnp.tensordot", a, b)
    contract = _axis_pairs(axes, typeof(a).ndim, typeof(b).ndim)
    return _contract(
        "jnp.tensordot", a, b, contract, precision, preferred_element_type,
        out_sharding=out_sharding,
    )  # fmt: skip


def _axis_pairs(axes: Any, a_ndim: int, b_ndim: int) -> tuple[Axes, Axes]:
    """The axes that tensordot sums over, of its first operand and of its second."""
    if isinstance(axes, int | np.integer):
        if not 0 <= axes <= min(a_ndim, b_ndim):
            raise TypeError(
                f"jnp.tensordot cannot sum over {axes} axes of arrays with {a_ndim} and {b_ndim}.\n"
                f"Give a number from 0 to {min(a_ndim, b_ndim)}."
            )
        return range(a_ndim - axes, a_ndim), range(axes)
    pair = axes if isinstance(axes, list | tuple) else ()
    pair = [d if isinstance(d, list | tuple) else [d] for d in pair]
    if len(pair) != 2 or len(pair[0]) != len(pair[1]):
        raise TypeError(
            f"jnp.tensordot cannot sum over the axes {shown(axes)}.\n"
            f"Give a number of axes, or (axes of a, axes of b), as many of each."
        )
    a_axes, b_axes = pair
    return (
        [known_axis("jnp.tensordot", d, a_ndim, read=as_integer) for d in a_axes],
        [known_axis("jnp.tensordot", d, b_ndim, read=as_integer) for d in b_axes],
    )


# Vectors along one axis, matrices along two; the axes before are broadcast.


def vecdot(
    x1: Any, x2: Any, /, *, axis: int = -1, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """The sum of the products of two vectors along an axis; those of `x1` are conjugated.

    >>> vecdot(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    Array([3, 7], dtype=int32)
    """
    name = "jnp.vecdot"
    check_arraylike(name, x1, x2)
    places = [known_axis(name, axis, typeof(x).ndim, IndexError) for x in (x1, x2)]
    sizes = [typeof(x).shape[d] for x, d in zip((x1, x2), places, strict=True)]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"{name} got vectors of {sizes[0]} and {sizes[1]} elements. Give as many."
        )
    x1, x2 = (moveaxis(x, d, -1) for x, d in zip((x1, x2), places, strict=True))
    options = {"precision": precision, "preferred_element_type": preferred_element_type}
    return vectorize(partial(vdot, **options), signature="(n),(n)->()")(x1, x2)


@library_jit
def matvec(x1: Any, x2: Any, /) -> Any:
    """The product of matrices and vectors: shapes (..., n, m) and (..., m) give (..., n).

    >>> matvec(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    Array([3, 7], dtype=int32)
    """
    _check_core("jnp.matvec", x1, 2, x2, 1, lambda a, x: a[1] == x[0])
    return vectorize(matmul, signature="(n,m),(m)->(n)")(x1, x2)


@library_jit
def vecmat(x1: Any, x2: Any, /) -> Any:
    """The product of vectors and matrices: shapes (..., n) and (..., n, m) give (..., m).

    The elements of `x1` are conjugated.

    >>> vecmat(np.array([1, 1]), np.array([[1, 2], [3, 4]]))
    Array([4, 6], dtype=int32)
    """
    _check_core("jnp.vecmat", x1, 1, x2, 2, lambda x, a: x[0] == a[0])
    if issubdtype(typeof(x1).dtype, np.complexfloating):
        x1 = lax.conj(x1)
    return vectorize(matmul, signature="(n),(n,m)->(m)")(x1, x2)


def _check_core(fun_name: str, x: Any, ndim: int, y: Any, other: int, fits: Callable) -> None:
    """ValueError unless both have so many axes at least, and the last ones fit."""
    refuse_keys(fun_name, x, y, error=ValueError)
    x_shape, y_shape = typeof(x).shape, typeof(y).shape
    enough = len(x_shape) >= ndim and len(y_shape) >= other
    if not enough or not fits(x_shape[-ndim:], y_shape[-other:]):
        raise ValueError(
            f"{fun_name} got {typeof(x)} and {typeof(y)}, which do not fit.\n"
            f"Give {ndim} axes and {other}, or more, with one size where they are summed over."
        )


@library_jit(static_argnames=("axisa", "axisb", "axisc", "axis"))
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """The vector product along an axis: of three numbers each, or of two, whose third is 0; of two
    and two, that third number alone.

    `axisa` and `axisb` are the vectors' axes, `axisc` that of the result; `axis` stands for all.

    >>> cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    Array([0, 0, 1], dtype=int32)
    """
    name = "jnp.cross"
    refuse_keys(name, a, b)
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a = moveaxis(a, known_axis(name, axisa, typeof(a).ndim), -1)
    b = moveaxis(b, known_axis(name, axisb, typeof(b).ndim), -1)
    sizes = a.shape[-1], b.shape[-1]
    if not {*sizes} <= {2, 3}:
        raise ValueError(
            f"{name} got vectors of {sizes[0]} and {sizes[1]} numbers. Give two or three each."
        )
    if sizes == (2, 2):
        return promoting_sub(
            promoting_mul(a[..., 0], b[..., 1]), promoting_mul(a[..., 1], b[..., 0])
        )
    first = [a[..., i] for i in range(sizes[0])] + [0] * (3 - sizes[0])
    second = [b[..., i] for i in range(sizes[1])] + [0] * (3 - sizes[1])
    minors = []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        one, other = promoting_mul(first[i], second[j]), promoting_mul(first[j], second[i])
        minors.append(promoting_sub(one, other))
    axisc = known_axis(name, axisc, typeof(minors[0]).ndim + 1)
    result = lax.concatenate([lax.expand_dims(x, [axisc]) for x in minors], axisc)
    return cast(result, result.dtype)  # strong, of numbers too


@library_jit
def kron(a: Any, b: Any) -> Any:
    """The Kronecker product: every element of `a` is replaced by that element times `b`.

    >>> kron(np.array([1, 10]), np.array([[1, 2], [3, 4]]))
    Array([[ 1,  2, 10, 20],
           [ 3,  4, 30, 40]], dtype=int32)
    """
    refuse_keys("jnp.kron", a, b)
    a, b = promote_dtypes(a, b)
    ndim = max(a.ndim, b.ndim)
    a, b = (lax.expand_dims(x, range(ndim - x.ndim)) if x.ndim < ndim else x for x in (a, b))
    shape = [m * n for m, n in zip(a.shape, b.shape, strict=True)]
    a = lax.expand_dims(a, range(1, 2 * ndim, 2))
    b = lax.expand_dims(b, range(0, 2 * ndim, 2))
    return lax.reshape(lax.mul(a, b), shape)
