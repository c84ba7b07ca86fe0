"""Running totals: at each place, the sum (product, maximum, ...) of all elements up to there.

A total is the same however its terms are bracketed. The derivatives use that: they are those of an
`associative_scan`, whose few steps combine many pairs at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.batching import primitive_batchers
from minijax.core.dtypes import issubdtype, with_signs_of_zeros
from minijax.core.forward import instantiate_zeros, jvp_flat, primitive_jvps
from minijax.core.primitives import (
    add_p,
    check_kind,
    max_p,
    mul,
    mul_p,
    numpy_primitive,
    through_float32,
)
from minijax.core.primitives import max as lax_max
from minijax.core.reverse import deflinear2
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import Primitive, ShapedArray
from minijax.lax.control_flow.associative import associative_scan
from minijax.lax.elementwise.arithmetic import min as lax_min
from minijax.lax.elementwise.arithmetic import min_p
from minijax.lax.kernel_parts import always
from minijax.lax.shapes.array_routines import cumulative_part
from minijax.lax.shapes.axes import as_integer
from minijax.lax.special.log_sums import logaddexp


def _running_jvp(
    fun: Callable, primals: Sequence[Any], tangents: Sequence[Any], *, axis: int, reverse: bool
) -> tuple:
    totals = partial(associative_scan, fun, reverse=reverse, axis=axis)
    (out,), (out_dot,) = jvp_flat(
        lambda x: [totals(x)], primals, list(map(instantiate_zeros, tangents))
    )
    return out, out_dot


# The primitives.


def _cumulative(
    name: str, accepts: list[type], accumulate: Callable, doc: str
) -> tuple[Primitive, Callable]:
    """A primitive, and the function that binds it; `accumulate` takes an array and an axis."""

    def type_rule(x: ShapedArray, *, axis: int, reverse: bool) -> ShapedArray:
        check_kind(f"lax.{name}", accepts, x.dtype)
        if not 0 <= axis < x.ndim:
            raise ValueError(
                f"lax.{name} found no axis {axis} in {x}. Count axes from 0, and not from the end."
            )
        return x

    def numpy_fun(x: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
        out = accumulate(np.flip(x, axis) if reverse else x, axis)
        return np.flip(out, axis) if reverse else out

    def batcher(args: Sequence, dims: Sequence, *, axis: int, reverse: bool) -> tuple:
        (x,), (d,) = args, dims
        return primitive.bind(x, axis=axis + (axis >= d), reverse=reverse), d

    def fun(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        axis = as_integer(f"lax.{name}", "axis", axis)
        return primitive.bind(operand, axis=axis, reverse=bool(reverse))

    primitive = numpy_primitive(name, type_rule, through_float32(numpy_fun))
    primitive_batchers[primitive] = batcher
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"{doc} up to each place along `axis`; from the end if `reverse`."
    return primitive, fun


def _by(ufunc: np.ufunc) -> Callable:
    return lambda x, axis: ufunc.accumulate(x, axis, x.dtype)


def _extremes(ufunc: np.ufunc) -> Callable:
    return with_signs_of_zeros(lambda x, axis: ufunc.accumulate(x, axis))


def _accumulate_sum(x: np.ndarray, axis: int) -> np.ndarray:
    """Begins with 0, so that -0.0 gives 0.0."""
    return np.add.accumulate(x, axis, x.dtype) + x.dtype.type(0)


cumsum_p, cumsum = _cumulative("cumsum", [np.number], _accumulate_sum, "The sum of the elements")
deflinear2(cumsum_p, lambda ct, x, *, axis, reverse: [cumsum(ct, axis, not reverse)])

cumprod_p, cumprod = _cumulative(
    "cumprod", [np.number], _by(np.multiply), "The product of the elements"
)
primitive_jvps[cumprod_p] = partial(_running_jvp, mul)

cummax_p, cummax = _cumulative("cummax", [np.number], _extremes(np.maximum), "The largest element")
primitive_jvps[cummax_p] = partial(_running_jvp, lax_max)

cummin_p, cummin = _cumulative("cummin", [np.number], _extremes(np.minimum), "The smallest element")
primitive_jvps[cummin_p] = partial(_running_jvp, lax_min)


def _half_turn(x: np.ndarray) -> np.ndarray:
    """Complex numbers with imaginary parts from -pi to pi: a logarithm has many."""
    return (x.real + 1j * ((x.imag + np.pi) % (2 * np.pi) - np.pi)).astype(x.dtype)


def _accumulate_logaddexp(x: np.ndarray, axis: int) -> np.ndarray:
    if not issubdtype(x.dtype, np.complexfloating):
        return np.logaddexp.accumulate(x, axis, x.dtype) + x.dtype.type(0)
    out = np.moveaxis(_half_turn(x), axis, 0)
    for place in range(1, len(out)):
        before, here = out[place - 1], out[place]
        larger = np.maximum(before, here)
        out[place] = _half_turn(larger + np.log1p(np.exp(before + here - 2 * larger)))
    return np.moveaxis(out, 0, axis)


cumlogsumexp_p, cumlogsumexp = _cumulative(
    "cumlogsumexp", [np.inexact], _accumulate_logaddexp, "The logarithm of the sum of exponentials"
)
primitive_jvps[cumlogsumexp_p] = partial(_running_jvp, logaddexp)
simpler_programs[cumlogsumexp_p] = partial(associative_scan, logaddexp)

# In kernels.


def _has_columns(eqn: JaxprEqn) -> bool:
    """Whether there are several totals at a time: one alone takes as long as NumPy's."""
    return math.prod(eqn.invars[0].aval.shape[eqn.params["axis"] + 1 :]) > 1


_parts = {
    cumsum_p: partial(cumulative_part, combine=lowerings[add_p].template, neutral="0"),
    cumprod_p: partial(cumulative_part, combine=lowerings[mul_p].template),
    cummax_p: partial(cumulative_part, combine=lowerings[max_p].template),
    cummin_p: partial(cumulative_part, combine=lowerings[min_p].template),
    cumlogsumexp_p: partial(
        cumulative_part, combine="logaddexp_{t}({0}, {1})", neutral="-np.inf"
    ),
}
for _primitive, _part in _parts.items():
    is_alone = _has_columns if _primitive is cumlogsumexp_p else always
    register_lowering(_primitive, source=_part, alone=is_alone)
for _primitive in [cummax_p, cummin_p]:
    register_lowering(_primitive, on_halves="exact")
