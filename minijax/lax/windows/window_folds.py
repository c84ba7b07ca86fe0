"""What is in a window combined by any operation, of one operand or several, two values at a time.

All windows go on at once, place by place. The derivative is that of the operation, applied to pairs
of values and tangents; so it goes forwards alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import Array, as_array
from minijax.core.batching import bdim_at_front, not_mapped, primitive_batchers
from minijax.core.errors import typematch
from minijax.core.forward import Zero, instantiate_zeros, is_nonzero, jvp_flat, primitive_jvps
from minijax.core.linearization import has_tangent
from minijax.core.primitives import broadcast_in_dim, cast, check_kind, select, zeros
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, jaxpr_as_fun, trace_to_jaxpr
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.lax.reductions.by_operation import check_operands, each_element
from minijax.lax.shapes.slicing import pad
from minijax.lax.shapes.slicing import slice as lax_slice
from minijax.lax.windows.window_shapes import Windows, check_windows


def window_type(name: str, accepts: list[type], x: ShapedArray, **params: Any) -> ShapedArray:
    check_kind(name, accepts, x.dtype)
    windows = Windows(**params)
    check_windows(name, x.shape, windows, Windows._fields)
    return x.update(shape=windows.counts(x.shape))


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
    check_operands(name, "init_value", xs, inits)
    out = [v.aval for v in jaxpr.outvars]
    if len(out) != size or not all(map(typematch, out, [x.update(shape=()) for x in xs])):
        raise ValueError(
            f"{name} needs a computation that gives scalars like its init_value,\n"
            f"{', '.join(map(str, inits))}, and it gave {', '.join(map(str, out))}. Return such."
        )
    kinds = [np.bool_, np.number]
    return [window_type(name, kinds, x, **params).strip_weak_type() for x in xs]


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
