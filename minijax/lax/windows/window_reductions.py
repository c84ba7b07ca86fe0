"""What is in a window becomes one number: their sum, the largest, the smallest, or any operation.

The sum is linear, and its transpose is a sum over windows again: each element gets the cotangents
of all windows that saw it. That of the largest is in `window_selections`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import Array, as_array
from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers
from minijax.core.calls import check_callable
from minijax.core.errors import typematch
from minijax.core.forward import (
    Zero,
    defjvp,
    instantiate_zeros,
    is_nonzero,
    jvp_flat,
    primitive_jvps,
)
from minijax.core.linearization import has_tangent
from minijax.core.primitives import (
    add,
    add_p,
    broadcast_in_dim,
    cast,
    check_kind,
    max_p,
    numpy_primitive,
    select,
    through_float32,
    zeros,
)
from minijax.core.primitives import max as lax_max
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.reverse import deflinear2
from minijax.core.staging import (
    Atom,
    ClosedJaxpr,
    Jaxpr,
    JaxprEqn,
    jaxpr_as_fun,
    stage,
    trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.elementwise.arithmetic import ge_p, le_p, min_p
from minijax.lax.elementwise.arithmetic import min as lax_min
from minijax.lax.kernel_parts import always
from minijax.lax.reductions.by_operation import each_element, monoid_of
from minijax.lax.reductions.extrema import dtype_bounds
from minijax.lax.shapes.slicing import pad
from minijax.lax.shapes.slicing import slice as lax_slice
from minijax.lax.windows.pooling_routines import reduce_window_part
from minijax.lax.windows.window_selections import select_and_gather_add_p
from minijax.lax.windows.window_shapes import Windows, check_windows, known_windows

# One primitive for each of the three operations that are the common ones.


def _window_type_rule(name: str, accepts: list[type], x: ShapedArray, **params: Any) -> ShapedArray:
    check_kind(name, accepts, x.dtype)
    windows = Windows(**params)
    check_windows(name, x.shape, windows, Windows._fields)
    return x.update(shape=windows.counts(x.shape))


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


def smallest(dtype: np.dtype) -> Any:
    return dtype_bounds(dtype)[0]


def largest(dtype: np.dtype) -> Any:
    return dtype_bounds(dtype)[1]


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
        return _window_type_rule(f"lax.{name}", accepts, x, **windows._asdict())

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

for _primitive, _combine, _start in [
    (reduce_window_sum_p, add_p, nothing),
    (reduce_window_max_p, max_p, smallest),
    (reduce_window_min_p, min_p, largest),
]:
    part = partial(reduce_window_part, combine=_combine, neutral=_start)
    register_lowering(_primitive, source=part, alone=always)
for _primitive in [reduce_window_max_p, reduce_window_min_p]:
    register_lowering(_primitive, on_halves="exact")

# Any operation, of one operand or several.


def _fold_rule(
    *avals: ShapedArray, jaxpr: Jaxpr, consts: tuple, **params: Any
) -> list[ShapedArray]:
    """`jaxpr` goes from two values of each operand to one; the operands come, then the inits."""
    size, name = len(avals) // 2, "lax.reduce_window"
    xs, inits = avals[:size], avals[size:]
    if any(init.shape for init in inits):
        raise TypeError(
            f"{name} starts from single numbers, and got init_value {inits[0]}. Give scalars."
        )
    if [x.dtype for x in xs] != [init.dtype for init in inits]:
        raise TypeError(
            f"{name} of {', '.join(map(str, xs))} got init_value of other dtypes,\n"
            f"{', '.join(map(str, inits))}. Convert them with x.astype(dtype)."
        )
    if len({x.shape for x in xs}) > 1:
        raise ValueError(
            f"{name} got operands of the shapes {', '.join(str(x.shape) for x in xs)}.\n"
            f"Give operands of one shape."
        )
    out = [v.aval for v in jaxpr.outvars]
    if len(out) != size or not all(map(typematch, out, [x.update(shape=()) for x in xs])):
        raise ValueError(
            f"{name} needs a computation that gives scalars like its init_value,\n"
            f"{', '.join(map(str, inits))}, and it gave {', '.join(map(str, out))}. Return such."
        )
    kinds = [np.bool_, np.number]
    return [_window_type_rule(name, kinds, x, **params).strip_weak_type() for x in xs]


def _folded(args: Sequence[Any], jaxpr: Jaxpr, consts: tuple, **params: Any) -> list[Any]:
    """The inits, combined with what is in the windows, row after row; gaps and edges are left out.

    Each step is one run of the program, batched, on the elements at one place in all windows.
    """
    size, windows = len(args) // 2, Windows(**params)
    shape = typeof(args[0]).shape
    counts = windows.counts(shape)
    combine = each_element(ClosedJaxpr(jaxpr, list(consts)), len(shape))
    xs = [x if windows.are_within else pad(x, init, windows.edges)
          for x, init in zip(args[:size], args[size:], strict=True)]  # fmt: skip
    totals = [broadcast_in_dim(init, counts, ()) for init in args[size:]]
    is_element = windows.padded(np.ones(shape, bool), False)
    for offset in windows.offsets() if math.prod(counts) else ():
        starts, limits = zip(*windows.ends(offset, counts), strict=True) if counts else ((), ())
        seen = [lax_slice(x, starts, limits, windows.window_strides) for x in xs]
        here = windows.seen(is_element, offset, counts)
        found = combine(*totals, *seen)
        if not here.all():
            found = [select(as_array(here), *pair) for pair in zip(found, totals, strict=True)]
        totals = found
    return [cast(x, typeof(x).dtype) for x in totals]


def _fold_impl(*args: Any, **params: Any) -> list[Array]:
    _fold_rule(*map(typeof, args), **params)
    return list(map(as_array, _folded(args, **params)))


PLACES = 64  # in a window, up to which a program is written out that goes through them


def _fold_call(eqn: JaxprEqn) -> tuple[ClosedJaxpr, list[Atom]] | None:
    """The steps as a program, for the compiler."""
    if math.prod(eqn.params["window_dimensions"]) > PLACES:
        return None
    avals = [x.aval for x in eqn.invars]
    return trace_to_jaxpr(lambda *xs: _folded(xs, **eqn.params), avals), eqn.invars


def _parts(values: Sequence[Any], sizes: Sequence[int]) -> list[Sequence[Any]]:
    ends = list(accumulate(sizes, initial=0))
    return [values[start:end] for start, end in pairwise(ends)]


def _fold_jvp(primals: Sequence, tangents: Sequence, *, jaxpr: Jaxpr, consts: tuple, **params: Any):
    """Values and their tangents are reduced together, by the computation and its derivative."""
    size = len(primals) // 2
    if any(map(is_nonzero, tangents[size:])):
        raise TypeError(
            "lax.reduce_window by a function of your own has no derivative in its init_value.\n"
            "Give a constant, and combine the result with the value itself."
        )
    xs, inits = primals[:size], primals[size:]
    fun = jaxpr_as_fun(ClosedJaxpr(jaxpr, list(consts)))
    moving = [k for k, x in enumerate(xs) if has_tangent(typeof(x))]  # floats, complex numbers

    def filled(dots: Sequence[Any], of: Sequence[Any]) -> list[Any]:
        all_dots = list(map(Zero.from_primal_value, of))
        for k, dot in zip(moving, dots, strict=True):
            all_dots[k] = dot
        return all_dots

    def with_tangents(*args: Any) -> list[Any]:
        xs, x_dots, ys, y_dots = _parts(args, (size, len(moving)) * 2)
        both = [*xs, *ys], [*filled(x_dots, xs), *filled(y_dots, ys)]
        out, out_dots = jvp_flat(fun, *both)
        return [*out, *(instantiate_zeros(out_dots[k]) for k in moving)]

    no_dots = [zeros(typeof(inits[k]).to_tangent_aval()) for k in moving]
    scalars = [typeof(x).strip_weak_type() for x in (*inits, *no_dots)]
    both = trace_to_jaxpr(with_tangents, [*scalars, *scalars])
    out = reduce_window_p.bind(
        *xs, *(instantiate_zeros(tangents[k]) for k in moving), *inits, *no_dots,
        jaxpr=both.jaxpr, consts=tuple(both.consts), **params,
    )  # fmt: skip
    return out[:size], filled(out[size:], out[:size])


def _fold_batcher(args: Sequence, dims: Sequence, *, jaxpr: Jaxpr, consts: tuple, **params: Any):
    size = len(args) // 2
    if any(d is not not_mapped for d in dims[size:]):
        raise NotImplementedError(
            "lax.reduce_window by a function of your own has no init_value for each example of "
            "vmap.\nGive the same for all, and combine the results with them."
        )
    length = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    xs = [bdim_at_front(x, d, length) for x, d in zip(args[:size], dims[:size], strict=True)]
    windows = Windows(**params).with_axis(0)
    out = reduce_window_p.bind(
        *xs, *args[size:], jaxpr=jaxpr, consts=consts, **windows._asdict()
    )
    return out, [0] * size


reduce_window_p = Primitive("reduce_window")
reduce_window_p.multiple_results = True
reduce_window_p.def_abstract_eval(_fold_rule)
reduce_window_p.def_impl(_fold_impl)
primitive_jvps[reduce_window_p] = _fold_jvp
primitive_batchers[reduce_window_p] = _fold_batcher
register_lowering(reduce_window_p, call=_fold_call)

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
