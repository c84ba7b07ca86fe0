"""The small algebra of stacks of matrices in which the derivatives are written."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    add,
    broadcast_in_dim,
    cast,
    contract,
    div,
    eq,
    expand_dims,
    fill,
    reduce_sum,
    select,
    transpose,
)
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import ge
from minijax.lax.elementwise.complex_numbers import conj
from minijax.lax.indexing.dimension_numbers import GatherDimensionNumbers
from minijax.lax.indexing.gather_scatter import gather
from minijax.lax.product_precisions import Precision
from minijax.lax.shapes.axes import broadcasted_iota, full_like
from minijax.lax.shapes.slicing import pad
from minijax.lax.shapes.slicing import slice as lax_slice


def swapped(x: Any) -> Any:
    """The transpose of each matrix."""
    ndim = typeof(x).ndim
    return transpose(x, (*range(ndim - 2), ndim - 1, ndim - 2))


def conjugated(x: Any) -> Any:
    """The conjugate; of real numbers, themselves."""
    return conj(x) if issubdtype(typeof(x).dtype, np.complexfloating) else x


def adjoint(x: Any) -> Any:
    """The conjugate of the transpose."""
    return conjugated(swapped(x))


def product(x: Any, y: Any) -> Any:
    """The matrix product, stack by stack."""
    ndim = typeof(x).ndim
    batch = tuple(range(ndim - 2))
    numbers = ((ndim - 1,), (ndim - 2,)), (batch, batch)
    return contract(x, y, numbers, precision=(Precision.HIGHEST, Precision.HIGHEST))


def symmetrized(fun_name: str, x: Any) -> Any:
    """The mean of each matrix and its adjoint, floats where these are integers; TypeError unless
    they are square."""
    aval = typeof(x)
    if aval.ndim < 2 or aval.shape[-1] != aval.shape[-2]:
        raise TypeError(f"{fun_name} needs square matrices, and got {aval}. Give (..., n, n).")
    if issubdtype(aval.dtype, np.bool_, np.integer):
        x = cast(x, np.dtype(np.float64 if aval.dtype.itemsize == 8 else np.float32))
    return half(add(x, adjoint(x)))


def half(x: Any) -> Any:
    return div(x, full_like(x, 2, shape=()))


def places(rows: int, columns: int, k: int = 0) -> tuple[Any, Any]:
    """The number of the row, moved by k, and of the column, at each place of a matrix."""
    integers, shape = np.dtype(np.int32), (rows, columns)
    row = add(broadcasted_iota(integers, shape, 0), cast(k, integers))
    return row, broadcasted_iota(integers, shape, 1)


def _on_or_below(x: Any, k: int) -> Any:
    """Which places lie on the k-th diagonal or below it."""
    shape = typeof(x).shape
    return _stacked(ge(*places(*shape[-2:], k)), shape)


def _stacked(x: Any, shape: tuple[int, ...]) -> Any:
    """One matrix, repeated for each of a stack."""
    ndim = len(shape)
    return broadcast_in_dim(x, shape, (ndim - 2, ndim - 1)) if ndim > 2 else x


def lower_part(x: Any, k: int = 0) -> Any:
    """Zeros above the k-th diagonal."""
    return select(_on_or_below(x, k), x, fill(typeof(x), 0))


def upper_part(x: Any, k: int = 0) -> Any:
    """Zeros below the k-th diagonal."""
    return select(_on_or_below(x, k - 1), fill(typeof(x), 0), x)


def identity(rows: int, columns: int, dtype: np.dtype) -> Any:
    """Ones on the diagonal, and zeros."""
    return cast(eq(*places(rows, columns)), dtype)


def identity_like(x: Any) -> Any:
    """An identity matrix in place of each matrix."""
    aval = typeof(x)
    return _stacked(identity(*aval.shape[-2:], aval.dtype), aval.shape)


def only_diagonal(x: Any) -> Any:
    """Zeros off the diagonal."""
    aval = typeof(x)
    return select(_stacked(eq(*places(*aval.shape[-2:])), aval.shape), x, fill(aval, 0))


def diagonal_of(x: Any) -> Any:
    """The diagonal of each square matrix."""
    return reduce_sum(only_diagonal(x), [typeof(x).ndim - 1])


# Parts.


def first_of(x: Any, rows: int, columns: int) -> Any:
    """The first rows and columns of each matrix."""
    shape = typeof(x).shape
    return lax_slice(x, [0] * len(shape), (*shape[:-2], rows, columns))


def grown(x: Any, rows: int, columns: int) -> Any:
    """Each matrix with zeros below and to the right."""
    *stack, old_rows, old_columns = typeof(x).shape
    margins = [(0, rows - old_rows, 0), (0, columns - old_columns, 0)]
    return pad(x, cast(0, typeof(x).dtype), [(0, 0, 0)] * len(stack) + margins)


def last_of(x: Any, row: int, column: int) -> Any:
    """The rows from one on, and the columns, of each matrix."""
    shape = typeof(x).shape
    return lax_slice(x, (*[0] * (len(shape) - 2), row, column), shape)


def rows_of(x: Any) -> Any:
    """Numbers for each column, to be multiplied with matrices: (..., n) becomes (..., 1, n)."""
    return expand_dims(x, [typeof(x).ndim - 1])


def columns_of(x: Any) -> Any:
    """Numbers for each row, to be multiplied with matrices: (..., n) becomes (..., n, 1)."""
    return expand_dims(x, [typeof(x).ndim])


def rows_in_order(x: Any, order: Any) -> Any:
    """The rows of each matrix at the places `order`, of shape (..., k), which are inside."""
    *stack, _, columns = typeof(x).shape
    n, batch = len(stack), tuple(range(len(stack)))
    numbers = GatherDimensionNumbers((n + 1,), (n,), (n,), batch, batch)
    return gather(x, expand_dims(order, [n + 1]), numbers, (*[1] * (n + 1), columns))


def columns_in_order(x: Any, order: Any) -> Any:
    """The columns of each matrix at the places `order`, of shape (..., k), which are inside."""
    return swapped(rows_in_order(swapped(x), order))
