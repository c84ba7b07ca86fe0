"""Automatic checks: NaNs, divisors and indices, each looked at beside the operation that meets it.

A rule maps (error, enabled kinds, *operands, **params) to (error, result).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.core.dtypes import issubdtype
from minijax.core.primitives import broadcast_in_dim, cast, div_p, eq, gt, reshape
from minijax.core.tracing import Primitive, current_source, typeof
from minijax.lax.elementwise.arithmetic import lt, ne, rem
from minijax.lax.elementwise.bits import bitwise_or
from minijax.lax.indexing.combining_scatters import scatter_max_p, scatter_min_p, scatter_mul_p
from minijax.lax.indexing.dimension_numbers import window_sizes
from minijax.lax.indexing.dynamic_slicing import (
    dynamic_index_in_dim,
    dynamic_slice_p,
    dynamic_update_slice_p,
)
from minijax.lax.indexing.gather_scatter import gather_p, scatter_add_p, scatter_p
from minijax.lax.outside.error_values import Error, assert_func
from minijax.lax.outside.findings import DivisionByZeroError, NaNError, OOBError
from minijax.lax.reductions.argminmax import argmax
from minijax.lax.reductions.by_operation import reduce_or
from minijax.lax.shapes.stacking import stack

# NaNs. The primitives are known by name: most are in modules that a program may never need.

nan_primitives = frozenset("""
    acos acosh add asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt conv_general_dilated cos
    cosh cumlogsumexp cummax cummin cumprod cumsum custom_linear_solve digamma dot_general erf
    erf_inv erfc exp expm1 fft igamma igamma_grad_a igammac integer_pow lgamma log log1p logistic
    mul pad pow psum reduce reduce_prod reduce_sum reduce_window reduce_window_sum
    regularized_incomplete_beta rem rng_uniform rsqrt sin sinh sqrt sub tan tanh
""".split())  # fmt: skip


def nan_error_check(primitive: Primitive, error: Error, enabled: frozenset, out: Any) -> Error:
    """The error, once it has been looked whether one of a primitive's results has a NaN."""
    if NaNError not in enabled:
        return error
    outs = out if primitive.multiple_results else [out]
    found = [_any(ne(x, x)) for x in outs if issubdtype(typeof(x).dtype, np.inexact)]
    if not found:
        return error
    has_nan = found[0]
    for other in found[1:]:
        has_nan = bitwise_or(has_nan, other)
    return assert_func(error, has_nan, NaNError(current_source(), (primitive.name,)))


def _any(x: Any) -> Any:
    return reduce_or(x, range(typeof(x).ndim))


def _div_check(error: Error, enabled: frozenset, x: Any, y: Any) -> tuple[Error, Any]:
    """The divisor, then the quotient."""
    out = div_p.bind(x, y)
    if DivisionByZeroError in enabled:
        zero = typeof(y).dtype.type(0)
        is_zero = eq(y, broadcast_in_dim(zero, typeof(y).shape, ()))
        error = assert_func(error, _any(is_zero), DivisionByZeroError(current_source()))
    return nan_error_check(div_p, error, enabled, out), out


# Indices. Each runs along an axis of the array, up to a last place from which a window of some size
# still fits. They are compared as they stand, whatever the operation does with one out of bounds.


def _index_check(
    name: str, error: Error, x: Any, indices: Any, axes: Sequence[int], sizes: Sequence[int]
) -> Error:
    """Looks at indices whose last axis has one for each of the array's `axes`; `sizes` are those of
    a window."""
    shape, count = typeof(x).shape, len(axes)
    if not typeof(indices).size:
        return error
    indices = _as_signed(indices)
    aval = typeof(indices)
    top = np.iinfo(aval.dtype).max
    last = np.array([min(shape[d] - sizes[d], top) for d in axes], aval.dtype)
    too_large = gt(indices, broadcast_in_dim(last, aval.shape, (aval.ndim - 1,)))
    too_small = lt(indices, broadcast_in_dim(aval.dtype.type(0), aval.shape, ()))
    outside = reshape(bitwise_or(too_small, too_large), (aval.size,))
    place = argmax(outside, 0, np.int32)
    column = rem(place, np.int32(count))
    payload = stack([
        _item(reshape(indices, (aval.size,)), place),
        _item(np.array(axes, np.int32), column),
        _item(np.array([shape[d] for d in axes], np.int32), column),
    ])  # fmt: skip
    return assert_func(error, _any(outside), OOBError(current_source(), (shape, name), payload))


def _item(values: Any, place: Any) -> Any:
    item = dynamic_index_in_dim(values, place, 0, False, allow_negative_indices=False)
    return cast(item, np.dtype(np.int32))


def _as_signed(indices: Any) -> Any:
    """Unsigned integers as signed ones, of a size that holds all sizes of axes."""
    dtype = typeof(indices).dtype
    if issubdtype(dtype, np.signedinteger) and dtype.itemsize >= 4:
        return indices
    return cast(indices, np.dtype("int64" if dtype.itemsize == 8 else "int32"))


def _in_one(starts: Sequence[Any]) -> Any:
    """The indices of a window's start, as one array."""
    return stack([_as_signed(x) for x in starts])


def _dynamic_slice_check(
    error: Error, enabled: frozenset, x: Any, *starts: Any, slice_sizes: tuple
) -> tuple[Error, Any]:
    out = dynamic_slice_p.bind(x, *starts, slice_sizes=slice_sizes)
    if OOBError in enabled and starts:
        axes = range(len(starts))
        error = _index_check("dynamic_slice", error, x, _in_one(starts), axes, slice_sizes)
    return error, out


def _dynamic_update_slice_check(
    error: Error, enabled: frozenset, x: Any, update: Any, *starts: Any
) -> tuple[Error, Any]:
    out, name = dynamic_update_slice_p.bind(x, update, *starts), "dynamic_update_slice"
    if OOBError in enabled and starts:
        sizes, axes = typeof(update).shape, range(len(starts))
        error = _index_check(name, error, x, _in_one(starts), axes, sizes)
    return error, out


def _gather_check(
    error: Error, enabled: frozenset, x: Any, indices: Any, **params: Any
) -> tuple[Error, Any]:
    out = gather_p.bind(x, indices, **params)
    if OOBError in enabled:
        axes = params["dimension_numbers"].start_index_map
        error = _index_check("gather", error, x, indices, axes, params["slice_sizes"])
    return error, out


def _scatter_check(
    primitive: Primitive, error: Error, enabled: frozenset, x: Any, indices: Any, updates: Any,
    **params: Any,
) -> tuple[Error, Any]:  # fmt: skip
    """As in JAX, its result is looked at for NaNs only where indices are checked too."""
    out, numbers = primitive.bind(x, indices, updates, **params), params["dimension_numbers"]
    if OOBError in enabled:
        sizes = window_sizes(numbers, typeof(updates).shape, typeof(x).ndim)
        axes = numbers.scatter_dims_to_operand_dims
        error = _index_check(primitive.name, error, x, indices, axes, sizes)
        error = nan_error_check(primitive, error, enabled, out)
    return error, out


operation_checks: dict[Primitive, Callable] = {
    div_p: _div_check, dynamic_slice_p: _dynamic_slice_check,
    dynamic_update_slice_p: _dynamic_update_slice_check, gather_p: _gather_check,
}  # fmt: skip
for _primitive in (scatter_p, scatter_add_p, scatter_mul_p, scatter_min_p, scatter_max_p):
    operation_checks[_primitive] = partial(_scatter_check, _primitive)
