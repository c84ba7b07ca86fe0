"""Convolutions, as the user asks for them: all are one `conv_general_dilated_p`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.core.primitives import add, broadcast_in_dim, cast, eq, reshape, transpose
from minijax.core.reverse import inverse
from minijax.core.tracing import typeof
from minijax.lax.elementwise.arithmetic import dtype_for
from minijax.lax.product_precisions import DotAlgorithm, DotAlgorithmPreset, canonicalize_precision
from minijax.lax.products import dot_general
from minijax.lax.shapes.axes import as_integer, as_integers, broadcasted_iota, rev
from minijax.lax.windows.convolution_numbers import (
    ConvGeneralDilatedDimensionNumbers,
    dimension_numbers_of,
    permuted,
    transposed_pads,
)
from minijax.lax.windows.convolutions import conv_general_dilated_p
from minijax.lax.windows.window_shapes import as_pads, named_pads, per_axis, spread


def conv_general_dilated(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None = None, rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None, feature_group_count: int = 1,
    batch_group_count: int = 1, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: None = None,
) -> Any:  # fmt: skip
    """The convolution of lhs with the kernel rhs, which isn't turned round.

    With the `dimension_numbers` ("NCHW", "OIHW", "NCHW"), which are those of None, lhs has the axes
    batch, features and spatial ones, rhs those of output and input features and spatial ones. A
    result is the sum, over input features and the places of the kernel, of products. Windows are
    `window_strides` apart; `padding` is "SAME", "SAME_LOWER", "VALID" or (low, high) for each
    spatial axis. Dilation spreads the elements of an operand out. With feature groups, each has its
    part of the features of lhs and of rhs's output features; with batch groups, its part of the
    batch and of the output features. `preferred_element_type` is the dtype in which products are
    added up, and of the result. TypeError or ValueError for what doesn't fit.

    >>> x, kernel = np.arange(5.0).reshape(1, 1, 5), np.ones((1, 1, 3))
    >>> conv_general_dilated(x, kernel, (1,), "VALID")
    Array([[[3., 6., 9.]]], dtype=float32)
    """
    name = "lax.conv_general_dilated"
    lhs_shape, rhs_shape = typeof(lhs).shape, typeof(rhs).shape
    numbers = dimension_numbers_of(name, lhs_shape, rhs_shape, dimension_numbers)
    ndim, kernel = len(lhs_shape) - 2, permuted(rhs_shape, numbers.rhs_spec)[2:]
    strides = as_integers(name, "window_strides", window_strides)
    lhs_dilation = per_axis(name, "lhs_dilation", lhs_dilation, ndim)
    rhs_dilation = per_axis(name, "rhs_dilation", rhs_dilation, ndim)
    if not all(kernel):
        raise ValueError(f"{name} got a kernel rhs of shape {rhs_shape}. Give one with elements.")
    if isinstance(padding, str):
        if any(dilation != 1 for dilation in lhs_dilation):
            raise ValueError(
                f"{name} with lhs_dilation={lhs_dilation} got padding={padding!r}.\n"
                f"Give (low, high) for each spatial axis, or use lax.conv_transpose."
            )
        reaches = list(map(spread, kernel, rhs_dilation))
        spatial = permuted(lhs_shape, numbers.lhs_spec)[2:]
        padding = named_pads(name, spatial, reaches, strides, padding)
    if preferred_element_type is not None:
        preferred_element_type = dtype_for(name, preferred_element_type)
    return conv_general_dilated_p.bind(
        lhs, rhs, window_strides=strides, padding=as_pads(name, padding, ValueError),
        lhs_dilation=lhs_dilation, rhs_dilation=rhs_dilation, dimension_numbers=numbers,
        feature_group_count=as_integer(name, "feature_group_count", feature_group_count),
        batch_group_count=as_integer(name, "batch_group_count", batch_group_count),
        precision=canonicalize_precision(name, precision),
        preferred_element_type=preferred_element_type,
    )  # fmt: skip


def conv(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """`conv_general_dilated` without dilation, of axes in the order "NCHW", "OIHW" and "NCHW"."""
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, precision=precision,
        preferred_element_type=preferred_element_type,
    )  # fmt: skip


def conv_with_general_padding(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None, rhs_dilation: Sequence[int] | None, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """`conv_general_dilated` of axes in the order "NCHW", "OIHW" and "NCHW"."""
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=precision,
        preferred_element_type=preferred_element_type,
    )  # fmt: skip


# The way back of a convolution, as a layer of its own.

_CHANNELS_LAST = {
    2: ("NC", "IO", "NC"), 3: ("NHC", "HIO", "NHC"), 4: ("NHWC", "HWIO", "NHWC"),
    5: ("NHWDC", "HWDIO", "NHWDC"),
}  # fmt: skip


def conv_transpose(
    lhs: Any, rhs: Any, strides: Sequence[int], padding: str | Sequence[tuple[int, int]],
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None, transpose_kernel: bool = False,
    precision: Any = None, preferred_element_type: Any = None, use_consistent_padding: bool = False,
) -> Any:  # fmt: skip
    """The convolution that makes an array larger, `strides` times along each spatial axis.

    That is one of lhs with its elements so far apart. `padding` "SAME" gives n * stride results,
    "VALID" so many that the convolution with these strides makes n of them again. (low, high) for
    each axis is put around lhs; with `use_consistent_padding` it is the padding of the convolution
    that this is to be the way back of. `dimension_numbers` None is ("NHWC", "HWIO", "NHWC"), for up
    to three spatial axes. With `transpose_kernel`, rhs is turned round and its features change
    places: it is then the kernel of the convolution that this is the transpose of. ValueError or
    TypeError for what doesn't fit.

    >>> x, kernel = np.arange(1.0, 4.0).reshape(1, 3, 1), np.ones((2, 1, 1))
    >>> conv_transpose(x, kernel, (2,), "SAME").reshape(-1)
    Array([1., 1., 2., 2., 3., 3.], dtype=float32)
    """
    name = "lax.conv_transpose"
    ndim = typeof(lhs).ndim
    if dimension_numbers is None:
        if ndim not in _CHANNELS_LAST:
            raise ValueError(
                f"{name} of {typeof(lhs)} needs dimension_numbers, which have a default for up to "
                f"three spatial axes.\nGive three strings, as ('NHWC', 'HWIO', 'NHWC')."
            )
        dimension_numbers = _CHANNELS_LAST[ndim]
    numbers = dimension_numbers_of(name, typeof(lhs).shape, typeof(rhs).shape, dimension_numbers)
    kernel = permuted(typeof(rhs).shape, numbers.rhs_spec)[2:]
    strides = as_integers(name, "strides", strides)
    rhs_dilation = per_axis(name, "rhs_dilation", rhs_dilation, len(kernel))
    reaches = list(map(spread, kernel, rhs_dilation))
    if isinstance(padding, str) and padding in ("SAME", "VALID"):
        padding = [transposed_pads(name, *pair, padding)
                   for pair in zip(reaches, strides, strict=False)]  # fmt: skip
    elif use_consistent_padding and not isinstance(padding, str):
        pads = zip(reaches, as_pads(name, padding, ValueError), strict=True)
        padding = [(n - 1 - low, n - 1 - high) for n, (low, high) in pads]
    if transpose_kernel:
        out_features, in_features, *spatial = numbers.rhs_spec
        for d in spatial:
            rhs = rev(rhs, (d,))
        order = list(range(ndim))
        order[out_features], order[in_features] = in_features, out_features
        rhs = transpose(rhs, order)
    return conv_general_dilated(
        lhs, rhs, (1,) * len(strides), padding, strides, rhs_dilation, numbers, precision=precision,
        preferred_element_type=preferred_element_type,
    )  # fmt: skip


# What the windows see.


def _identity(n: int, dtype: np.dtype) -> Any:
    rows = add(broadcasted_iota(np.int32, (n, n), 0), cast(0, np.dtype(np.int32)))
    return cast(eq(rows, broadcasted_iota(np.int32, (n, n), 1)), dtype)


def conv_general_dilated_patches(
    lhs: Any, filter_shape: Sequence[int], window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]], lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """What each window over lhs sees, as features: those of the input, and for each the places in
    a window of `filter_shape`, in row-major order.

    The other arguments are those of `conv_general_dilated`: it is one with a kernel of ones and
    zeros.

    >>> x = np.arange(4.0).reshape(1, 1, 4)
    >>> conv_general_dilated_patches(x, (2,), (1,), "VALID")
    Array([[[0., 1., 2.],
            [1., 2., 3.]]], dtype=float32)
    """
    name = "lax.conv_general_dilated_patches"
    filter_shape = as_integers(name, "filter_shape", filter_shape)
    shape, dtype = typeof(lhs).shape, typeof(lhs).dtype
    ones = (1,) * (len(filter_shape) + 2)
    numbers = dimension_numbers_of(name, shape, ones, dimension_numbers)
    size, features = math.prod(filter_shape), shape[numbers.lhs_spec[1]]
    kernel = broadcast_in_dim(_identity(size, dtype), (features, size, size), (1, 2))
    kernel = reshape(kernel, (features * size, 1, *filter_shape))
    order = inverse(numbers.rhs_spec)
    if order != list(range(len(order))):
        kernel = transpose(kernel, order)
    if precision is not None:
        precision = canonicalize_precision(name, precision)
        if not isinstance(precision, DotAlgorithm | DotAlgorithmPreset):
            precision = precision[0], "default"
    return conv_general_dilated(
        lhs, kernel, window_strides, padding, lhs_dilation, rhs_dilation, numbers, features,
        precision=precision, preferred_element_type=preferred_element_type,
    )  # fmt: skip


def conv_general_dilated_local(
    lhs: Any, rhs: Any, window_strides: Sequence[int], padding: str | Sequence[tuple[int, int]],
    filter_shape: Sequence[int], lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: ConvGeneralDilatedDimensionNumbers = None, precision: Any = None,
) -> Any:  # fmt: skip
    """Like `conv_general_dilated`, with a kernel of its own at each place of the result.

    rhs has the spatial axes of the result; its input features are those of
    `conv_general_dilated_patches`.

    >>> x, kernels = np.arange(4.0).reshape(1, 1, 4), np.ones((1, 2, 3))
    >>> conv_general_dilated_local(x, kernels, (1,), "VALID", (2,))
    Array([[[1., 3., 5.]]], dtype=float32)
    """
    name = "lax.conv_general_dilated_local"
    numbers = dimension_numbers_of(name, typeof(lhs).shape, typeof(rhs).shape, dimension_numbers)
    precision = canonicalize_precision(name, precision)
    patches = conv_general_dilated_patches(
        lhs, filter_shape, window_strides, padding, lhs_dilation, rhs_dilation, numbers, precision
    )
    lhs_spec, rhs_spec, out_spec = numbers
    pairs = ((out_spec[1],), (rhs_spec[1],)), (tuple(out_spec[2:]), tuple(rhs_spec[2:]))
    out = dot_general(patches, rhs, pairs, precision)
    ndim = len(lhs_spec)  # the product has the spatial axes first, then batch and features
    return transpose(out, inverse([*out_spec[2:], out_spec[0], out_spec[1]])) if ndim > 2 else out
