"""Products of arrays, as the user asks for them: all are one `dot_general`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.primitives import dot_general_p, product_dtype
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import dtype_for, real_dtype, shown
from minijax.lax.elementwise.number_sizes import bits_of
from minijax.lax.out_sharding import lying, said
from minijax.lax.product_precisions import canonicalize_precision
from minijax.lax.shapes.axes import as_integers

_Pairs = tuple[Sequence[int], Sequence[int]]
DotDimensionNumbers = tuple[_Pairs, _Pairs]


def dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: Any = None,
    preferred_element_type: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The product that sums over pairs of contracted axes and goes along pairs of batch axes.

    `dimension_numbers` is ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch)). The result
    has the batch axes, then lhs's other axes, then rhs's. `preferred_element_type` is the dtype
    in which products are added up, and of the result; TypeError where it has fewer bits than
    integers or complex numbers need. The result lies on devices as `out_sharding` says.
    """
    if preferred_element_type is not None:
        preferred_element_type = dtype_for("lax.dot_general", preferred_element_type)
        _check_room(typeof(lhs).dtype, typeof(rhs).dtype, preferred_element_type)
    product = dot_general_p.bind(
        lhs, rhs, dimension_numbers=pairs_of_axes("lax.dot_general", dimension_numbers),
        precision=canonicalize_precision("lax.dot_general", precision),
        preferred_element_type=preferred_element_type, **said("lax.dot_general", out_sharding),
    )  # fmt: skip
    return lying("lax.dot_general", product, out_sharding)


def _bits(dtype: np.dtype) -> int:
    """Of a number; of a complex one, of each part."""
    return 1 if dtype == np.bool_ else bits_of(real_dtype(dtype))


def _check_room(lhs: np.dtype, rhs: np.dtype, preferred: np.dtype) -> None:
    dtype = product_dtype(lhs, rhs)
    needs_room = issubdtype(dtype, np.bool_, np.integer, np.complexfloating)
    if needs_room and _bits(preferred) < _bits(dtype):
        raise TypeError(
            f"lax.dot_general of {lhs} and {rhs} has no room in the preferred_element_type "
            f"{preferred}.\nConvert the result: .astype('{preferred}')."
        )


def pairs_of_axes(name: str, dimension_numbers: Any) -> tuple:
    """The axes that are contracted, and the batch axes: of each kind those of both operands."""
    try:
        (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name} got the dimension_numbers {shown(dimension_numbers)}.\n"
            f"Give ((lhs_contract, rhs_contract), (lhs_batch, rhs_batch)), four tuples of ints."
        ) from error
    axes = partial(as_integers, name, "dimension_numbers")
    return (axes(lhs_contract), axes(rhs_contract)), (axes(lhs_batch), axes(rhs_batch))


def dot(
    lhs: Any, rhs: Any, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """The product of two vectors, a matrix and a vector, or two matrices; it lies on devices as
    `out_sharding` says."""
    x, y = typeof(lhs), typeof(rhs)
    if not (x.ndim in (1, 2) and y.ndim in (1, 2) and x.shape[-1] == y.shape[0]):
        raise ValueError(
            f"lax.dot got {x} and {y}.\n"
            f"Give vectors or matrices that fit, or use lax.dot_general."
        )
    numbers = ((x.ndim - 1,), (0,)), ((), ())
    precision = canonicalize_precision("lax.dot", precision)
    if preferred_element_type is not None:
        preferred_element_type = dtype_for("lax.dot", preferred_element_type)
    return dot_general(lhs, rhs, numbers, precision, preferred_element_type, out_sharding)


def batch_matmul(lhs: Any, rhs: Any, precision: Any = None) -> Any:
    """The product of two stacks of matrices, one by one: all axes but the last two are alike.

    >>> batch_matmul(np.ones((5, 2, 3)), np.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    x, y = typeof(lhs), typeof(rhs)
    if x.ndim < 2 or x.ndim != y.ndim:
        raise ValueError(
            f"lax.batch_matmul got {x} and {y}.\nGive two stacks of matrices with as many axes."
        )
    batch = tuple(range(x.ndim - 2))
    numbers = ((x.ndim - 1,), (x.ndim - 2,)), (batch, batch)
    return dot_general(lhs, rhs, numbers, canonicalize_precision("lax.batch_matmul", precision))
