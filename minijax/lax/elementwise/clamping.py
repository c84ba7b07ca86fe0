"""Numbers held between two limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import for_kinds
from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers
from minijax.core.dtypes import maximum, minimum
from minijax.core.forward import defjvp2, spread
from minijax.core.primitives import broadcast_in_dim, check_kind, fill, gt, numpy_primitive, select
from minijax.core.tracing import ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import lt
from minijax.lax.elementwise.bits import bitwise_and


def _clamp_rule(min: ShapedArray, x: ShapedArray, max: ShapedArray) -> ShapedArray:
    if len({min.dtype, x.dtype, max.dtype}) > 1:
        raise TypeError(
            f"lax.clamp needs one dtype, and got {min.dtype}, {x.dtype}, {max.dtype}.\n"
            f"Use x.astype(dtype), or jnp.clip, which converts."
        )
    check_kind("lax.clamp", [np.bool_, np.number], x.dtype)
    if not {min.shape, max.shape} <= {(), x.shape}:
        raise TypeError(
            f"lax.clamp of {x} got limits of the shapes {min.shape} and {max.shape}.\n"
            f"Give numbers, or limits of x's shape; jnp.clip broadcasts."
        )
    return x.update(weak_type=min.weak_type and x.weak_type and max.weak_type)


def _numpy_clamp(min: np.ndarray, x: np.ndarray, max: np.ndarray) -> np.ndarray:
    """The upper limit goes before the lower one, where they cross."""
    return minimum(maximum(min, x), max)


def _where(holds: Any, g: Any, x: Any) -> Any:
    return select(holds, spread(g, x), fill(typeof(x), 0))


def _clamp_batcher(args, dims):
    """Limits of one number for each example are spread over its elements."""
    (min, x, max), (_, x_dim, _) = args, dims
    shapes = [typeof(a).shape for a in args]
    same_dim = len(set(dims)) == 1
    if x_dim is not not_mapped and (
        shapes[0] == shapes[2] == () or (same_dim and len(set(shapes)) == 1)
    ):
        return clamp_p.bind(min, x, max), x_dim
    if same_dim and len(shapes[0]) == len(shapes[2]) == 1:
        return clamp_p.bind(_along(min, x, x_dim), x, _along(max, x, x_dim)), x_dim
    size = next(s[d] for s, d in zip(shapes, dims, strict=True) if d is not not_mapped)
    min, max, x = (
        bdim_at_front(a, d, size) if typeof(a).shape else a
        for a, d in zip((min, max, x), (dims[0], dims[2], x_dim), strict=True)
    )
    if not typeof(x).shape:
        x = broadcast_in_dim(x, (size,), ())
        return clamp_p.bind(min, x, max), 0
    for ndim in (0, 1):
        min = _along(min, x, 0) if typeof(min).ndim == ndim else min
        max = _along(max, x, 0) if typeof(max).ndim == ndim else max
    return clamp_p.bind(min, x, max), 0


def _along(limit: Any, x: Any, dim: int) -> Any:
    """One number, or a limit for each example, as one for each element of x."""
    shape = typeof(x).shape
    if typeof(limit).shape == shape:
        return limit
    return broadcast_in_dim(limit, shape, (dim,) if typeof(limit).shape else ())


clamp_p = numpy_primitive("clamp", _clamp_rule, _numpy_clamp)
defjvp2(
    clamp_p,
    lambda g, ans, min, x, max: _where(bitwise_and(gt(min, x), lt(min, max)), g, ans),
    lambda g, ans, min, x, max: _where(bitwise_and(gt(x, min), lt(x, max)), g, ans),
    lambda g, ans, min, x, max: _where(lt(max, x), g, ans),
)
primitive_batchers[clamp_p] = _clamp_batcher
register_lowering(clamp_p, on_halves="exact", template=for_kinds(
    "minimum_{t}(maximum_{t}({0}, {1}), {2})", "min(max({0}, {1}), {2})", "({0} | {1}) & {2}"
))  # fmt: skip


def clamp(min: Any, x: Any, max: Any) -> Any:
    """x where it is between the limits, else the limit that it is beyond; all of one dtype.

    The limits are numbers, or arrays of x's shape. NaN where any of the three is.

    >>> clamp(0.0, np.array([-1.0, 0.5, 3.0], np.float32), 1.0)
    Array([0. , 0.5, 1. ], dtype=float32)
    """
    return clamp_p.bind(min, x, max)
