"""In each window one element is chosen: what belongs to it is gathered, or something goes there.

The largest element of a window changes as the chosen one does. So the derivative of a maximum over
windows gathers tangents, and its transpose scatters cotangents. `select_prim` says of two elements
whether the first one stays chosen: with `ge` it is the first of the largest ones, with `le` of the
smallest. Where windows reach beyond the operand they see -inf, or inf, which may be chosen too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.compiler.maths.bounds import largest, smallest
from minijax.core.arrays import raw_value
from minijax.core.batching import bdim_at_front, primitive_batchers
from minijax.core.forward import defjvp
from minijax.core.primitives import cast, check_kind, numpy_primitive, through_float32
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import ClosedJaxpr, Jaxpr, JaxprEqn
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import ge_p, le_p
from minijax.lax.kernel_parts import always
from minijax.lax.reductions.by_operation import each_element
from minijax.lax.shapes.slicing import pad
from minijax.lax.shapes.slicing import slice as lax_slice
from minijax.lax.windows.pooling_routines import gather_part, scatter_part
from minijax.lax.windows.window_shapes import Windows, check_windows, numpy_pad


def _undilated(window_dimensions: tuple, window_strides: tuple, padding: tuple) -> Windows:
    ones = (1,) * len(window_dimensions)
    return Windows(window_dimensions, window_strides, padding, ones, ones)


def _beyond(select_prim: Primitive, dtype: np.dtype) -> Any:
    """What windows see around the operand: what any element is chosen over."""
    return smallest(dtype) if select_prim is ge_p else largest(dtype)


# On NumPy: the places in a window have numbers, in row-major order.


def _choose(
    keeps: Callable, x: np.ndarray, is_element: np.ndarray, windows: Windows, counts: tuple,
    first: Any = None,
) -> np.ndarray:  # fmt: skip
    """The number of the place that is chosen in each window, of those that show an element; -1
    where none does, or where `first`, which is there before, stays chosen."""
    place = np.full(counts, -1, np.intp)
    best = np.full(counts, 0 if first is None else first, x.dtype)
    for k, offset in enumerate(windows.offsets()):
        seen = windows.seen(x, offset, counts)
        is_new = ~keeps(best, seen)
        if first is None:
            is_new |= place < 0
        is_new &= windows.seen(is_element, offset, counts)
        best, place = np.where(is_new, seen, best), np.where(is_new, k, place)
    return place


def _scattered(
    keeps: Callable, combine: Callable, source: np.ndarray, x: np.ndarray, is_element: np.ndarray,
    windows: Windows, init: Any,
) -> np.ndarray:  # fmt: skip
    """For an operand with all around it: its own part of what the sources are combined into."""
    place = _choose(keeps, x, is_element, windows, source.shape)
    out = np.full(x.shape, init, source.dtype)
    for k, offset in enumerate(windows.offsets()):
        target = windows.seen(out, offset, source.shape)
        np.copyto(target, combine(target, source), where=place == k)
    return numpy_pad(out, init, [(-low, -high, 0) for low, high in windows.padding])


# Tangents of the chosen elements.


def _gather_rule(
    tangents: ShapedArray, x: ShapedArray, *, select_prim: Primitive, window_dimensions: tuple,
    window_strides: tuple, padding: tuple, base_dilation: tuple, window_dilation: tuple,
) -> ShapedArray:  # fmt: skip
    name = "lax.select_and_gather_add_p"
    windows = Windows(window_dimensions, window_strides, padding, base_dilation, window_dilation)
    check_kind(name, [np.bool_, np.integer, np.floating], x.dtype)
    check_windows(name, x.shape, windows, Windows._fields)
    if tangents.shape != x.shape or tangents.dtype != x.dtype:
        raise TypeError(f"{name} of {x} got tangents {tangents}. Give what is like the operand.")
    if select_prim not in (ge_p, le_p):
        raise ValueError(f"{name} got select_prim={select_prim}. Give lax.ge_p or lax.le_p.")
    return tangents.update(shape=windows.counts(x.shape))


def _numpy_gather(
    tangents: np.ndarray, x: np.ndarray, select_prim: Primitive, **params: Any
) -> np.ndarray:
    windows = Windows(**params)
    counts, beyond = windows.counts(x.shape), _beyond(select_prim, x.dtype)
    is_element = windows.padded(np.ones(x.shape, bool), False)
    x, tangents = windows.padded(x, beyond), windows.padded(tangents, 0)
    place = _choose(select_prim.numpy_fun, x, is_element, windows, counts, beyond)
    out = np.zeros(counts, tangents.dtype)
    for k, offset in enumerate(windows.offsets()):
        out = np.where(place == k, windows.seen(tangents, offset, counts), out)
    return out


def _gather_transpose(
    ct: Any, tangents: Any, x: Any, *, select_prim: Primitive, base_dilation: tuple,
    window_dilation: tuple, **params: Any,
) -> list[Any]:  # fmt: skip
    """With gaps in the operand, it is the transpose for the operand that has them filled."""
    if any(dilation > 1 for dilation in window_dilation):
        raise NotImplementedError(
            f"lax.reduce_window by lax.max or lax.min has no gradient with the window_dilation\n"
            f"{window_dilation}. Use jax.jvp, or windows without gaps."
        )
    has_gaps = any(dilation > 1 for dilation in base_dilation)
    if has_gaps:
        beyond = cast(_beyond(select_prim, typeof(x).dtype), typeof(x).dtype)
        x = pad(x, beyond, [(0, 0, dilation - 1) for dilation in base_dilation])
    out = select_and_scatter_add_p.bind(ct, x, select_prim=select_prim, **params)
    if has_gaps:
        shape = typeof(out).shape
        out = lax_slice(out, (0,) * len(shape), shape, base_dilation)
    return [out, None]


def _both_at_front(primitive: Primitive, args: Sequence, dims: Sequence, **params: Any) -> tuple:
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    args = [bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True)]
    neutral = {"padding": (0, 0)}
    params = {
        name: (neutral.get(name, 1), *values) if isinstance(values, tuple) else values
        for name, values in params.items()
    }
    return primitive.bind(*args, **params), 0


select_and_gather_add_p = numpy_primitive(
    "select_and_gather_add", _gather_rule, through_float32(_numpy_gather)
)
defjvp(
    select_and_gather_add_p,
    lambda g, tangents, x, **params: select_and_gather_add_p.bind(g, x, **params), None,
)  # fmt: skip
primitive_transposes[select_and_gather_add_p] = _gather_transpose
primitive_batchers[select_and_gather_add_p] = partial(_both_at_front, select_and_gather_add_p)

# Cotangents, to where the chosen elements are.


def _check_source(name: str, source: ShapedArray, x: ShapedArray, windows: Windows) -> None:
    check_windows(name, x.shape, windows, Windows._fields)
    if source.dtype != x.dtype:
        raise TypeError(f"{name} of {x} got a source {source}. Give one of the same dtype.")
    if source.shape != windows.counts(x.shape):
        raise ValueError(
            f"{name} of {x} got a source {source}. Give one number for each window, in the shape "
            f"{windows.counts(x.shape)}."
        )


def _scatter_rule(
    source: ShapedArray, x: ShapedArray, *, select_prim: Primitive, window_dimensions: tuple,
    window_strides: tuple, padding: tuple,
) -> ShapedArray:  # fmt: skip
    name = "lax.select_and_scatter_add_p"
    check_kind(name, [np.integer, np.floating], x.dtype)
    _check_source(name, source, x, _undilated(window_dimensions, window_strides, padding))
    return source.update(shape=x.shape)


def _numpy_scatter(
    source: np.ndarray, x: np.ndarray, select_prim: Primitive, **params: Any
) -> np.ndarray:
    windows, keeps = _undilated(**params), select_prim.numpy_fun
    x = windows.padded(x, _beyond(select_prim, x.dtype))
    return _scattered(keeps, np.add, source, x, np.ones(x.shape, bool), windows, 0)


def _scatter_transpose(
    ct: Any, source: Any, x: Any, *, select_prim: Primitive, **params: Any
) -> list[Any]:
    windows = _undilated(**params)
    return [
        select_and_gather_add_p.bind(ct, x, select_prim=select_prim, **windows._asdict()), None
    ]


select_and_scatter_add_p = numpy_primitive(
    "select_and_scatter_add", _scatter_rule, through_float32(_numpy_scatter)
)
defjvp(
    select_and_scatter_add_p,
    lambda g, source, x, **params: select_and_scatter_add_p.bind(g, x, **params), None,
)  # fmt: skip
primitive_transposes[select_and_scatter_add_p] = _scatter_transpose
primitive_batchers[select_and_scatter_add_p] = partial(_both_at_front, select_and_scatter_add_p)

# In kernels.


def _scatter_source(eqn: JaxprEqn) -> Any:
    params = {name: values for name, values in eqn.params.items() if name != "select_prim"}
    return scatter_part(eqn, _undilated(**params), _beyond)


register_lowering(
    select_and_gather_add_p, source=partial(gather_part, beyond=_beyond), alone=always,
    on_halves="exact",
)  # fmt: skip
register_lowering(select_and_scatter_add_p, source=_scatter_source, alone=always)

# By any two operations; as in JAX, without derivatives and without vmap.


def _general_rule(
    x: ShapedArray, source: ShapedArray, init: ShapedArray, *, select_jaxpr: Jaxpr,
    select_consts: tuple, scatter_jaxpr: Jaxpr, scatter_consts: tuple, window_dimensions: tuple,
    window_strides: tuple, padding: tuple,
) -> ShapedArray:  # fmt: skip
    name = "lax.select_and_scatter_p"
    _check_source(name, source, x, _undilated(window_dimensions, window_strides, padding))
    if init.shape or init.dtype != x.dtype:
        raise TypeError(f"{name} of {x} got an init_value {init}. Give a scalar of that dtype.")
    return x.strip_weak_type()


def _numpy_general(
    x: np.ndarray, source: np.ndarray, init: np.ndarray, select_jaxpr: Jaxpr, select_consts: tuple,
    scatter_jaxpr: Jaxpr, scatter_consts: tuple, **params: Any,
) -> np.ndarray:  # fmt: skip
    def of_elements(jaxpr: Jaxpr, consts: tuple) -> Callable:
        fun = each_element(ClosedJaxpr(jaxpr, list(consts)), x.ndim)
        return lambda a, b: raw_value(fun(a, b)[0])

    windows = _undilated(**params)
    keeps = of_elements(select_jaxpr, select_consts)
    combine = of_elements(scatter_jaxpr, scatter_consts)
    is_element = windows.padded(np.ones(x.shape, bool), False)
    return _scattered(
        keeps, combine, source, windows.padded(x, init), is_element, windows, init
    )


select_and_scatter_p = numpy_primitive("select_and_scatter", _general_rule, _numpy_general)
