"""Products of vectors, matrices and stacks of them: each is one `dot_general`.

`preferred_element_type` is the dtype in which products are added up, and of the result;
`precision` stands in the equation, as in JAX, and changes no number: NumPy has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.core.arrays import result_aval_type
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import cast
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.shapes.axes import as_integer, known_axis
from minijax.numpy.arguments import check_arraylike, refuse_keys, user_dtype
from minijax.numpy.promotion import promote_dtypes, promoting_mul
from minijax.numpy.shapes.reshaping import ravel

Axes = Sequence[int]


def _contract(
    fun_name: str, x: Any, y: Any, contract: tuple[Axes, Axes], precision: Any, dtype: Any,
    batch: tuple[Axes, Axes] = ((), ()),
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
    product = lax.dot_general(x, y, (contract, batch), precision, wanted)
    return cast(product, wanted, weak_type and dtype is None)


@by_types
def dot(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The sum over the last axis of `a` and the last but one of `b` (the only one of a vector).

    Shapes (..., n) and (..., n, m) give (..., ..., m); a number scales. TypeError when the sizes
    that are summed over differ.

    >>> dot(np.array([1, 2]), np.array([[1, 0], [0, 2]]))
    Array([1, 4], dtype=int32)
    """
    check_arraylike("jnp.dot", a, b)
    a_ndim, b_ndim = typeof(a).ndim, typeof(b).ndim
    if not a_ndim or not b_ndim:
        return _contract("jnp.dot", a, b, ((), ()), precision, preferred_element_type)
    contract = (a_ndim - 1,), (max(b_ndim - 2, 0),)
    return _contract("jnp.dot", a, b, contract, precision, preferred_element_type)


@by_types
def matmul(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None
) -> Any:  # fmt: skip
    """The matrix product, which is what `a @ b` calls; leading axes are broadcast.

    Shapes (..., k, n) and (..., n, m) give (..., k, m); a vector has no k, or no m. ValueError for
    a number, or for leading axes that do not broadcast; TypeError when the sizes n differ.

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
    product = _contract(
        "jnp.matmul", a, b, contract, precision, preferred_element_type, batch_axes
    )
    labels = batch + [label for label in a_labels + b_labels if label not in [*batch, "n"]]

    leading = sorted(a_sizes | b_sizes)
    order = [label for label in [*leading, "k", "m"] if label in labels]
    product = lax.transpose(product, [labels.index(label) for label in order])
    ones = [place for place, label in enumerate(leading) if label not in labels]
    return lax.expand_dims(product, ones) if ones else product


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
    """The sum of the products of all elements, whatever the shapes.

    >>> vdot(np.ones((2, 3)), np.arange(6))
    Array(15., dtype=float32)
    """
    check_arraylike("jnp.vdot", a, b)
    if issubdtype(typeof(a).dtype, np.complexfloating):
        raise NotImplementedError(
            "jnp.vdot of complex numbers, which conjugates, is not here yet.\nGive real numbers."
        )
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
def outer(a: Any, b: Any) -> Any:
    """Every element of `a` times every one of `b`, as a matrix.

    >>> outer(np.array([1, 2]), np.array([3, 4, 5]))
    Array([[ 3,  4,  5],
           [ 6,  8, 10]], dtype=int32)
    """
    check_arraylike("jnp.outer", a, b)
    refuse_keys("jnp.outer", a, b, error=ValueError)
    a, b = promote_dtypes(a, b)
    return promoting_mul(lax.expand_dims(ravel(a), [1]), lax.expand_dims(ravel(b), [0]))


@by_types
def tensordot(
    a: Any, b: Any, axes: int | Sequence = 2, *, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """The sum over the last `axes` axes of `a` and the first of `b`, or over pairs of axes.

    `axes` is a number of axes, or (axes of a, axes of b).

    >>> tensordot(np.ones((2, 3)), np.ones((2, 3)), ((0, 1), (0, 1)))
    Array(6., dtype=float32)
    """
    check_arraylike("jnp.tensordot", a, b)
    contract = _axis_pairs(axes, typeof(a).ndim, typeof(b).ndim)
    return _contract("jnp.tensordot", a, b, contract, precision, preferred_element_type)


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
