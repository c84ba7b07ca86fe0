"""What is in a window becomes one number: their sum, the largest, the smallest, or any operation.

The sum is linear, and its transpose is a sum over windows again: each element gets the cotangents
of all windows that saw it. That of the largest is in `window_selections`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.bounds import largest, smallest
from minijax.core.batching import primitive_batchers
from minijax.core.calls import check_callable
from minijax.core.forward import defjvp
from minijax.core.primitives import add, add_p, cast, max_p, numpy_primitive, through_float32
from minijax.core.primitives import max as lax_max
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import deflinear2
from minijax.core.staging import stage
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import ge_p, le_p, min_p
from minijax.lax.elementwise.arithmetic import min as lax_min
from minijax.lax.kernel_parts import always
from minijax.lax.reductions.by_operation import monoid_of
from minijax.lax.shapes.slicing import pad
from minijax.lax.windows.pooling_routines import reduce_window_part
from minijax.lax.windows.window_folds import reduce_window_p, window_type
from minijax.lax.windows.window_selections import select_and_gather_add_p
from minijax.lax.windows.window_shapes import Windows, known_windows

# One primitive for each of the three operations that are the common ones.


def _axis_by_axis(combine: Callable, neutral: Callable, x: np.ndarray, **params: Any) -> np.ndarray:
    """A window is a box: what is in it is combined along one axis after the other."""
    windows = Windows(**params)
    counts = windows.counts(x.shape)
    x = windows.padded(x, neutral(x.dtype))
    for d in range(x.ndim):
        along = [slice(None)] * x.ndim
        found = None
        for k in range(windows.window_dimensions[d]):
            offset = [0] * x.ndim
            offset[d] = k * windows.window_dilation[d]
            along[d] = slice(*list(windows.ends(offset, counts))[d], windows.window_strides[d])
            seen = x[tuple(along)]
            found = seen if found is None else combine(found, seen)
        x = found
    return x


def nothing(dtype: np.dtype) -> Any:
    return 0


def _sum_in_windows(x: np.ndarray, **params: Any) -> np.ndarray:
    """Begins with 0, so that -0.0 gives 0.0."""
    return _axis_by_axis(np.add, nothing, x, **params) + x.dtype.type(0)


def _batcher(primitive: Primitive, args: Sequence, dims: Sequence, **params: Any) -> tuple:
    (x,), (d,) = args, dims
    return primitive.bind(x, **Windows(**params).with_axis(d)._asdict()), d


def _reduce_window(name: str, accepts: list[type], numpy_fun: Callable) -> Primitive:
    def type_rule(
        x: ShapedArray, *, window_dimensions: tuple, window_strides: tuple, padding: tuple,
        base_dilation: tuple, window_dilation: tuple,
    ) -> ShapedArray:  # fmt: skip
        windows = Windows(
            window_dimensions, window_strides, padding, base_dilation, window_dilation
        )
        return window_type(f"lax.{name}", accepts, x, **windows._asdict())

    primitive = numpy_primitive(name, type_rule, through_float32(numpy_fun))
    primitive_batchers[primitive] = partial(_batcher, primitive)
    return primitive


reduce_window_sum_p = _reduce_window("reduce_window_sum", [np.number], _sum_in_windows)
reduce_window_max_p = _reduce_window(
    "reduce_window_max", [np.bool_, np.number],
    partial(_axis_by_axis, max_p.numpy_fun, smallest),
)  # fmt: skip
reduce_window_min_p = _reduce_window(
    "reduce_window_min", [np.bool_, np.number], partial(_axis_by_axis, min_p.numpy_fun, largest)
)  # fmt: skip


def _sum_transpose(ct: Any, x: Any, **params: Any) -> list[Any]:
    """The windows, over the cotangents: those lie a stride apart, with nothing in between."""
    windows = Windows(**params)
    pads, strides = windows.transposed_padding(x.aval.shape), windows.window_strides
    edges = [(low, high, stride - 1) for (low, high), stride in zip(pads, strides, strict=True)]
    back = windows._replace(
        window_strides=windows.base_dilation, padding=((0, 0),) * len(pads),
        base_dilation=(1,) * len(pads),
    )  # fmt: skip
    spread_out = pad(ct, cast(0, typeof(ct).dtype), edges)
    return [reduce_window_sum_p.bind(spread_out, **back._asdict())]


def _extreme_jvp(wins: Primitive, g: Any, x: Any, **params: Any) -> Any:
    return select_and_gather_add_p.bind(g, x, select_prim=wins, **params)


deflinear2(reduce_window_sum_p, _sum_transpose)
defjvp(reduce_window_max_p, partial(_extreme_jvp, ge_p))
defjvp(reduce_window_min_p, partial(_extreme_jvp, le_p))

# In kernels.

_parts = {
    reduce_window_sum_p: partial(reduce_window_part, combine=add_p, neutral=nothing),
    reduce_window_max_p: partial(reduce_window_part, combine=max_p, neutral=smallest),
    reduce_window_min_p: partial(reduce_window_part, combine=min_p, neutral=largest),
}
for _primitive, _part in _parts.items():
    register_lowering(_primitive, source=_part, alone=always)
for _primitive in [reduce_window_max_p, reduce_window_min_p]:
    register_lowering(_primitive, on_halves="exact")

# What the user calls.

_CHOSEN = {add: reduce_window_sum_p, lax_max: reduce_window_max_p, lax_min: reduce_window_min_p}


def reduce_window(
    operand: Any, init_value: Any, computation: Callable, window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: str | Sequence[tuple[int, int]] = "VALID",
    base_dilation: Sequence[int] | None = None, window_dilation: Sequence[int] | None = None,
) -> Any:  # fmt: skip
    """What each window sees of the operand, combined into one by `computation`, two at a time.

    There are as many windows along each axis as fit, `window_strides` apart, into the operand with
    `padding` around it: "SAME", "SAME_LOWER", "VALID", or (low, high) for each axis. `operand` and
    `init_value` may be pytrees, of arrays of one shape and of scalars; `computation` maps two
    pytrees of scalars to one. It must be associative, and `init_value` must change nothing.
    `lax.add`, `lax.max` and `lax.min` have derivatives in both modes, other computations forwards
    alone. TypeError or ValueError for operands, results or numbers that don't fit.

    >>> reduce_window(np.array([3.0, 1.0, 2.0, 5.0]), -np.inf, lax_max, (2,), (2,))
    Array([3., 5.], dtype=float32)
    """
    name = "lax.reduce_window"
    xs, tree = tree_flatten(operand)
    inits, init_tree = tree_flatten(init_value)
    if tree != init_tree:
        raise ValueError(
            f"{name} got an operand of the structure {tree}, and an init_value of {init_tree}.\n"
            f"Give each array one."
        )
    if not xs:
        raise ValueError(f"{name} got no operands. Give at least one array.")
    windows = known_windows(
        name, typeof(xs[0]).shape, window_dimensions, window_strides, padding, base_dilation,
        window_dilation,
    )  # fmt: skip
    monoid = monoid_of(computation, inits[0]) if len(inits) == 1 else None
    if monoid in _CHOSEN:
        return tree_unflatten(tree, [_CHOSEN[monoid].bind(xs[0], **windows._asdict())])
    check_callable(computation, name)
    avals = tree_unflatten(tree, [typeof(init).strip_weak_type() for init in inits])
    staged, _ = stage(computation, (avals, avals), {}, "reduce_window", aval_of=lambda aval: aval)
    if staged.tracers:
        raise NotImplementedError(
            f"{name} takes a computation that uses no traced values but its arguments.\n"
            f"Give such values as operands."
        )
    if staged.closed.consts:
        raise TypeError(
            f"{name} takes a computation of its arguments and of known numbers, and got one that "
            f"uses other arrays.\nGive such values as operands."
        )
    if staged.out_tree != tree:
        raise ValueError(
            f"{name} needs a computation that returns what is like the operand, {tree},\nand it "
            f"returned {staged.out_tree}. Return the same structure."
        )
    out = reduce_window_p.bind(
        *xs, *inits, jaxpr=staged.closed.jaxpr, consts=(), **windows._asdict()
    )
    return tree_unflatten(tree, out)
