"""Convolutions: at each place of a window over lhs, its product with a kernel, rhs.

    out[n, o, i] = sum over c, k of lhs[n, c, i * stride + k] * rhs[o, c, k]

It is linear in both operands, and all that is needed for derivatives are convolutions again: with
the kernel turned round, or with the cotangents as the kernel. There are as many spatial axes i as
one likes. Feature groups are convolutions side by side, each with its part of the features of lhs
and of the result; so are batch groups, each with its part of the examples. `vmap` makes them too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import not_mapped, primitive_batchers
from minijax.core.dtypes import is_narrow, issubdtype
from minijax.core.forward import defjvp
from minijax.core.primitives import cast, check_kind, convert_numpy, numpy_primitive, reshape, zeros
from minijax.core.reverse import inverse, is_undefined_primal, primitive_transposes
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.custom.checkpoint_policies import convolutions
from minijax.lax.kernel_parts import always
from minijax.lax.shapes.axes import rev
from minijax.lax.windows.convolution_numbers import ConvDimensionNumbers, permuted, result_shape
from minijax.lax.windows.convolution_routines import conv_part
from minijax.lax.windows.window_shapes import Windows, numpy_pad

# Types.

NAME = "lax.conv_general_dilated"


def _check_groups(
    lhs: tuple[int, ...], rhs: tuple[int, ...], feature_group_count: int, batch_group_count: int
) -> None:
    """ValueError unless examples and features can be shared out among the groups."""
    counts = {"feature_group_count": feature_group_count, "batch_group_count": batch_group_count}
    for title, count in counts.items():
        if count < 1:
            raise ValueError(f"{NAME} got {title}={count}. Give a number from 1.")
        if rhs[0] % count:
            raise ValueError(
                f"{NAME} cannot share the {rhs[0]} output features of rhs out among {title}="
                f"{count}.\nGive a number of groups that divides them."
            )
    if feature_group_count > 1 and batch_group_count > 1:
        raise ValueError(
            f"{NAME} has feature groups or batch groups, and got feature_group_count="
            f"{feature_group_count} and\nbatch_group_count={batch_group_count}. Leave one at 1."
        )
    if lhs[0] % batch_group_count:
        raise ValueError(
            f"{NAME} cannot share a batch of {lhs[0]} out among batch_group_count="
            f"{batch_group_count}.\nGive a number of groups that divides it."
        )
    if lhs[1] // feature_group_count != rhs[1] or lhs[1] % feature_group_count:
        raise ValueError(
            f"{NAME} got lhs with {lhs[1]} features in feature_group_count={feature_group_count}, "
            f"and rhs for {rhs[1]}.\nGive a kernel for the features of a group."
        )


def _check_result_dtype(dtype: np.dtype, preferred: np.dtype) -> None:
    """TypeError where results of this dtype would lose something in the preferred one."""
    if dtype == np.bool_:
        return
    if issubdtype(dtype, np.integer):
        kinds = [np.integer, np.floating]
    else:
        kinds = [np.floating if issubdtype(dtype, np.floating) else np.complexfloating]
    loses_sign = issubdtype(dtype, np.signedinteger) and issubdtype(preferred, np.unsignedinteger)
    if not issubdtype(preferred, *kinds) or loses_sign or preferred.itemsize < dtype.itemsize:
        raise TypeError(
            f"{NAME} of {dtype} has no room in the preferred_element_type {preferred}.\n"
            f"Convert the result: .astype('{preferred}')."
        )


def _conv_rule(
    lhs: ShapedArray, rhs: ShapedArray, *, window_strides: tuple, padding: tuple,
    lhs_dilation: tuple, rhs_dilation: tuple, dimension_numbers: ConvDimensionNumbers,
    feature_group_count: int, batch_group_count: int, precision: Any, preferred_element_type: Any,
) -> ShapedArray:  # fmt: skip
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    specs = map(sorted, dimension_numbers)
    if lhs.ndim != rhs.ndim or any(axes != list(range(lhs.ndim)) for axes in specs):
        raise ValueError(
            f"{NAME} of {lhs} and {rhs} got the dimension_numbers {dimension_numbers}.\n"
            f"Name each axis of both operands once."
        )
    lhs_shape, rhs_shape = permuted(lhs.shape, lhs_spec), permuted(rhs.shape, rhs_spec)
    _check_groups(lhs_shape, rhs_shape, feature_group_count, batch_group_count)
    windows = Windows(rhs_shape[2:], window_strides, padding, lhs_dilation, rhs_dilation)
    steps = {
        "window_strides": window_strides, "lhs_dilation": lhs_dilation,
        "rhs_dilation": rhs_dilation,
    }  # fmt: skip
    for title, values in steps.items():
        if len(values) != lhs.ndim - 2:
            raise ValueError(
                f"{NAME} got {title} {values}. Give one number for each of {lhs.ndim - 2} spatial "
                f"axes."
            )
        if any(n < 1 for n in values):
            error = ValueError if title == "window_strides" else TypeError
            raise error(f"{NAME} got {title} {values}. Give numbers from 1.")
    shape = result_shape(NAME, lhs_shape, rhs_shape, windows, batch_group_count)
    for aval in (lhs, rhs):
        check_kind(NAME, [np.bool_, np.number], aval.dtype)
    if lhs.dtype != rhs.dtype:
        raise TypeError(
            f"{NAME} needs one dtype, and got {lhs.dtype} and {rhs.dtype}. Use x.astype(dtype)."
        )
    if preferred_element_type is not None:
        _check_result_dtype(lhs.dtype, preferred_element_type)
    weak_type = lhs.weak_type and rhs.weak_type
    dtype = lhs.dtype if preferred_element_type is None else preferred_element_type
    return ShapedArray(permuted(shape, inverse(out_spec)), dtype, weak_type)


# On NumPy: what the windows see, as a matrix, and one product for each group.

CHUNK = 1 << 23  # numbers of that matrix at a time, or those of one example


def _grouped(x: np.ndarray, feature_group_count: int, batch_group_count: int) -> np.ndarray:
    """Axes (batch, features, ...) as (group, its part of the batch, its features, ...)."""
    if batch_group_count > 1:
        return x.reshape(batch_group_count, x.shape[0] // batch_group_count, *x.shape[1:])
    features = x.shape[1] // feature_group_count
    x = x.reshape(x.shape[0], feature_group_count, features, *x.shape[2:])
    return np.moveaxis(x, 1, 0)


def _seen(x: np.ndarray, windows: Windows) -> np.ndarray:
    """Axes (group, batch, features, ...) as (group, batch, features, places, places in the window);
    a view."""
    axes = tuple(range(3, x.ndim))
    seen = np.lib.stride_tricks.sliding_window_view(x, windows.reaches, axes)
    steps = (*windows.window_strides, *windows.window_dilation)
    return seen[(..., *(slice(None, None, step) for step in steps))]


def _products(seen: np.ndarray, kernels: np.ndarray) -> np.ndarray:
    """(group, batch, features, places, window) and (group, out, features, window) as
    (group, batch, out, places)."""
    (groups, batch, features), spatial = seen.shape[:3], kernels.ndim - 3
    places, window = seen.shape[3 : 3 + spatial], seen.shape[3 + spatial :]
    rows, size = batch * math.prod(places), features * math.prod(window)
    axes = range(seen.ndim)
    if seen.strides[2] == seen.itemsize:  # features lie side by side
        order = (0, 1, *axes[3:], 2)
        lines = seen.transpose(order).reshape(groups, rows, size)
        columns = np.moveaxis(kernels, 2, -1).reshape(groups, -1, size).swapaxes(1, 2)
        out = _product(lines, columns).reshape(groups, batch, *places, -1)
        return np.moveaxis(out, -1, 2)
    order = (0, 2, *axes[3 + spatial :], 1, *axes[3 : 3 + spatial])
    columns = seen.transpose(order).reshape(groups, size, rows)
    out = _product(kernels.reshape(groups, -1, size), columns)
    return np.moveaxis(out.reshape(groups, -1, batch, *places), 2, 1)


def _product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of matrices. One product is no sum, which would make 0.0 of -0.0."""
    return x * y if x.shape[-1] == 1 else np.matmul(x, y)


def _numpy_conv(
    x: np.ndarray, y: np.ndarray, window_strides: tuple, padding: tuple, lhs_dilation: tuple,
    rhs_dilation: tuple, dimension_numbers: ConvDimensionNumbers, feature_group_count: int,
    batch_group_count: int, precision: Any, preferred_element_type: Any,
) -> np.ndarray:  # fmt: skip
    wanted = x.dtype if preferred_element_type is None else preferred_element_type
    wide = np.dtype(np.float32) if is_narrow(wanted) else wanted
    x, y = (a if a.dtype == wide else convert_numpy(a, wide) for a in (x, y))
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    x, y = x.transpose(lhs_spec), y.transpose(rhs_spec)
    windows = Windows(y.shape[2:], window_strides, padding, lhs_dilation, rhs_dilation)
    shape = result_shape(NAME, x.shape, y.shape, windows, batch_group_count)
    out = np.zeros(shape, wide)
    if out.size and y.size:
        if not windows.are_within:
            x = numpy_pad(x, np.zeros((), wide), [(0, 0, 0), (0, 0, 0), *windows.edges])
        x = _grouped(x, feature_group_count, batch_group_count)
        groups = x.shape[0]
        seen = _seen(x, windows)
        parts = out.reshape(shape[0], groups, -1, *shape[2:]).swapaxes(0, 1)
        kernels = y.reshape(groups, -1, *y.shape[1:])
        at_once = max(CHUNK * shape[0] // seen.size, 1)
        for start in range(0, shape[0], at_once):
            part = slice(start, start + at_once)
            parts[:, part] = _products(seen[:, part], kernels)
    out = out.transpose(inverse(out_spec))
    return out if wide == wanted else convert_numpy(out, wanted)


conv_general_dilated_p = numpy_primitive(
    "conv_general_dilated", _conv_rule, _numpy_conv, {"out_sharding": None}
)

register_lowering(conv_general_dilated_p, source=conv_part, alone=always)
convolutions.add(conv_general_dilated_p)

# Derivatives. Both operands are padded and spread out so that the sums run over the right pairs.


def _turned(spec: Sequence[int]) -> tuple[int, ...]:
    """The specification with batch and features, or both features, in each other's place."""
    return (spec[1], spec[0], *spec[2:])


def _axis_into(source: int, target: int, x: Any) -> Any:
    """An axis is put in front of another, and becomes one with it; the target is counted without
    the source."""
    order = [d for d in range(typeof(x).ndim) if d != source]
    order.insert(target, source)
    sizes = [typeof(x).shape[d] for d in order]
    merged = [*sizes[:target], sizes[target] * sizes[target + 1], *sizes[target + 2 :]]
    return reshape(x, merged, None if order == sorted(order) else order)


def _from_axis(d: int, groups: int, x: Any) -> Any:
    """An axis becomes two: the groups that it consists of, and what is in each."""
    shape = typeof(x).shape
    return reshape(x, [*shape[:d], groups, shape[d] // groups, *shape[d + 1 :]])


def _windows(lhs: ShapedArray, rhs: ShapedArray, params: dict[str, Any]) -> Windows:
    kernel = permuted(rhs.shape, params["dimension_numbers"].rhs_spec)[2:]
    return Windows(kernel, *(params[name] for name in (
        "window_strides", "padding", "lhs_dilation", "rhs_dilation"
    )))  # fmt: skip


def _aval(x: Any) -> ShapedArray:
    return x.aval if is_undefined_primal(x) else typeof(x)


def _in_dtype(x: Any, dtype: np.dtype) -> Any:
    return x if typeof(x).dtype == dtype else cast(x, dtype)


def _conv_transpose(ct: Any, lhs: Any, rhs: Any, **params: Any) -> list[Any]:
    windows = _windows(_aval(lhs), _aval(rhs), params)
    if is_undefined_primal(lhs):
        return [_lhs_cotangent(ct, lhs.aval, rhs, windows, **params), None]
    return [None, _rhs_cotangent(ct, lhs, rhs.aval, windows, **params)]


def _lhs_cotangent(
    ct: Any, lhs: ShapedArray, rhs: Any, windows: Windows, *, window_strides: tuple, padding: tuple,
    lhs_dilation: tuple, dimension_numbers: ConvDimensionNumbers, feature_group_count: int,
    batch_group_count: int, **params: Any,
) -> Any:  # fmt: skip
    """Each element gets, from each window that saw it, the cotangent times the kernel there."""
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    groups = max(feature_group_count, batch_group_count)
    if groups > 1:
        rhs = _axis_into(rhs_spec[0], rhs_spec[1], _from_axis(rhs_spec[0], groups, rhs))
    pads = windows.transposed_padding(permuted(lhs.shape, lhs_spec)[2:])
    out = conv_general_dilated_p.bind(
        ct, _in_dtype(rev(rhs, rhs_spec[2:]), typeof(ct).dtype), window_strides=lhs_dilation,
        padding=tuple(pads), lhs_dilation=window_strides, feature_group_count=groups,
        dimension_numbers=ConvDimensionNumbers(out_spec, _turned(rhs_spec), lhs_spec),
        batch_group_count=1, **params,
    )  # fmt: skip
    if batch_group_count > 1:
        out = _axis_into(lhs_spec[1], lhs_spec[0], _from_axis(lhs_spec[1], groups, out))
    return _in_dtype(out, lhs.dtype)


def _rhs_cotangent(
    ct: Any, lhs: Any, rhs: ShapedArray, windows: Windows, *, window_strides: tuple, padding: tuple,
    lhs_dilation: tuple, rhs_dilation: tuple, dimension_numbers: ConvDimensionNumbers,
    feature_group_count: int, batch_group_count: int, **params: Any,
) -> Any:  # fmt: skip
    """Each number of the kernel gets the sum, over all windows and examples, of the cotangent times
    what was seen there: features are what is gone through, and examples what is summed over."""
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    pads = windows.kernel_padding(permuted(typeof(lhs).shape, lhs_spec)[2:])
    out = conv_general_dilated_p.bind(
        _in_dtype(lhs, typeof(ct).dtype), ct, window_strides=rhs_dilation, padding=tuple(pads),
        lhs_dilation=lhs_dilation, rhs_dilation=window_strides,
        dimension_numbers=ConvDimensionNumbers(*map(_turned, (lhs_spec, out_spec, rhs_spec))),
        feature_group_count=batch_group_count, batch_group_count=feature_group_count, **params,
    )  # fmt: skip
    return _in_dtype(out, rhs.dtype)


defjvp(
    conv_general_dilated_p,
    lambda g, lhs, rhs, **params: conv_general_dilated_p.bind(g, rhs, **params),
    lambda g, lhs, rhs, **params: conv_general_dilated_p.bind(lhs, g, **params),
)
primitive_transposes[conv_general_dilated_p] = _conv_transpose

# Many examples: as more of the batch, as more features of the kernel, or as groups.


def _conv_batcher(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple[Any, int]:
    (lhs, rhs), (lhs_dim, rhs_dim) = args, dims
    one = _conv_rule(_of_one(lhs, lhs_dim), _of_one(rhs, rhs_dim), **params)
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not not_mapped)
    if not size:
        return zeros(one.update(shape=(0, *one.shape))), 0
    if lhs_dim is not not_mapped and rhs_dim is not not_mapped:
        return _batched_both(lhs, rhs, lhs_dim, rhs_dim, size, **params)
    if lhs_dim is not not_mapped:
        return _batched_lhs(lhs, rhs, lhs_dim, size, **params)
    return _batched_rhs(lhs, rhs, rhs_dim, size, **params)


def _of_one(x: Any, dim: int | None) -> ShapedArray:
    aval = typeof(x)
    return aval.update(shape=[n for d, n in enumerate(aval.shape) if d != dim])


def _grouped_into(x: Any, dim: int, target: int, groups: int) -> Any:
    """The examples as more of what `target` has, within each of the groups that it consists of."""
    if groups == 1:
        return _axis_into(dim, target, x)
    x = _from_axis(target + (dim <= target), groups, x)
    x = _axis_into(dim + (target < dim), target + 1, x)
    return _axis_into(target, target, x)


def _batched_both(
    lhs: Any, rhs: Any, lhs_dim: int, rhs_dim: int, size: int, *,
    dimension_numbers: ConvDimensionNumbers, feature_group_count: int, batch_group_count: int,
    **params: Any,
) -> tuple[Any, int]:  # fmt: skip
    """Each example is a group of its own, or as many as it consists of."""
    (batch, features, *_), (out_features, *_), out_spec = dimension_numbers
    by_batch = batch_group_count > 1
    out = conv_general_dilated_p.bind(
        _axis_into(lhs_dim, batch if by_batch else features, lhs),
        _axis_into(rhs_dim, out_features, rhs), dimension_numbers=dimension_numbers,
        feature_group_count=feature_group_count * (1 if by_batch else size),
        batch_group_count=batch_group_count * (size if by_batch else 1), **params,
    )  # fmt: skip
    return _from_axis(out_spec[1], size, out), out_spec[1]


def _batched_lhs(
    lhs: Any, rhs: Any, dim: int, size: int, *, dimension_numbers: ConvDimensionNumbers,
    batch_group_count: int, **params: Any,
) -> tuple[Any, int]:  # fmt: skip
    """There is more of the batch."""
    lhs_spec, _, out_spec = dimension_numbers
    out = conv_general_dilated_p.bind(
        _grouped_into(lhs, dim, lhs_spec[0], batch_group_count), rhs,
        dimension_numbers=dimension_numbers, batch_group_count=batch_group_count, **params,
    )  # fmt: skip
    return _from_axis(out_spec[0], size, out), out_spec[0]


def _batched_rhs(
    lhs: Any, rhs: Any, dim: int, size: int, *, dimension_numbers: ConvDimensionNumbers,
    feature_group_count: int, batch_group_count: int, **params: Any,
) -> tuple[Any, int]:  # fmt: skip
    """There are more features of the result."""
    groups = max(feature_group_count, batch_group_count)
    out = conv_general_dilated_p.bind(
        lhs, _grouped_into(rhs, dim, dimension_numbers.rhs_spec[0], groups),
        dimension_numbers=dimension_numbers, feature_group_count=feature_group_count,
        batch_group_count=batch_group_count, **params,
    )  # fmt: skip
    features = dimension_numbers.out_spec[1]
    if groups == 1:
        return _from_axis(features, size, out), features
    out = _from_axis(features + 1, size, _from_axis(features, groups, out))
    return _axis_into(features, features + 1, out), features


primitive_batchers[conv_general_dilated_p] = _conv_batcher
