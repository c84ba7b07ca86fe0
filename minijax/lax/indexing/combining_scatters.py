"""Scatters that combine an update with the old element: by -, *, min, max, or a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.row_major import only_first
from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import primitive_batchers
from minijax.core.dtypes import with_signs_of_zeros
from minijax.core.forward import defjvp, instantiate_zeros, primitive_jvps
from minijax.core.primitives import (
    Shape,
    add,
    cast,
    div,
    eq,
    fill,
    gt,
    max,
    max_p,
    mul,
    mul_p,
    neg,
    reshape,
    select,
    sub,
    sub_p,
)
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import JaxprEqn, eval_jaxpr, trace_to_jaxpr
from minijax.core.tracing import Primitive, typeof
from minijax.lax.control_flow.scan_calls import scan
from minijax.lax.elementwise.arithmetic import min, min_p, shown
from minijax.lax.indexing.dimension_numbers import (
    GatherScatterMode,
    ScatterDimensionNumbers,
    update_program,
)
from minijax.lax.indexing.dynamic_slicing import dynamic_slice_p, dynamic_update_slice_p
from minijax.lax.indexing.gather_scatter import (
    bind_scatter,
    gather_back,
    linear_scatter_jvp,
    scatter_add,
    scatter_add_p,
    scatter_batcher,
    scatter_p,
    scatter_primitive,
    ufunc_at,
)
from minijax.lax.indexing.window_routines import scatter_part
from minijax.lax.kernel_parts import always
from minijax.lax.shapes.axes import full, iota


def extreme_at(ufunc: np.ufunc) -> Callable:
    """The updates, and then once more for the signs of zeros."""

    def changed(out: np.ndarray, places: Any, updates: np.ndarray) -> np.ndarray:
        out = out.copy()
        ufunc.at(out, places, updates)
        return out

    def at(out: np.ndarray, places: Any, updates: np.ndarray, program: Any) -> None:
        out[...] = with_signs_of_zeros(changed)(out, places, updates)

    return at


scatter_sub_p = scatter_primitive("scatter-sub", ufunc_at(np.subtract))
scatter_mul_p = scatter_primitive("scatter-mul", ufunc_at(np.multiply))
scatter_min_p = scatter_primitive("scatter-min", extreme_at(np.minimum))
scatter_max_p = scatter_primitive("scatter-max", extreme_at(np.maximum))

for _primitive, _combine in {
    scatter_sub_p: sub_p, scatter_mul_p: mul_p, scatter_min_p: min_p, scatter_max_p: max_p,
}.items():  # fmt: skip
    primitive_batchers[_primitive] = partial(scatter_batcher, _primitive)
    register_lowering(
        _primitive, source=partial(scatter_part, combine=_combine), alone=always,
        overwrites=only_first,
    )  # fmt: skip
for _primitive in [scatter_min_p, scatter_max_p]:
    register_lowering(_primitive, on_halves="exact")


def _scatter_function(primitive: Primitive, fun: Callable, doc: str) -> Callable:
    """The function with the arguments of `lax.scatter` that binds the primitive."""

    def scatter_fun(
        operand: Any, scatter_indices: Any, updates: Any,
        dimension_numbers: ScatterDimensionNumbers, *, indices_are_sorted: bool = False,
        unique_indices: bool = False, mode: str | GatherScatterMode | None = None,
    ) -> Any:  # fmt: skip
        program = update_program(fun, typeof(operand).dtype)
        return bind_scatter(
            primitive, program, operand, scatter_indices, updates, dimension_numbers,
            indices_are_sorted, unique_indices, mode,
        )  # fmt: skip

    scatter_fun.__name__ = scatter_fun.__qualname__ = primitive.name.replace("-", "_")
    scatter_fun.__doc__ = doc
    return scatter_fun


scatter_sub = _scatter_function(
    scatter_sub_p, sub, "Like `lax.scatter`, but the updates are subtracted from the elements."
)
scatter_mul = _scatter_function(
    scatter_mul_p, mul, "Like `lax.scatter`, but the elements are multiplied by the updates."
)
scatter_min = _scatter_function(
    scatter_min_p, min, "Like `lax.scatter`, but the smallest of element and updates stays."
)
scatter_max = _scatter_function(
    scatter_max_p, max, "Like `lax.scatter`, but the largest of element and updates stays."
)

# Differences and products.


def _scatter_sub_transpose(ct, x, indices, updates, **params):
    x_ct, _, updates_ct = primitive_transposes[scatter_add_p](ct, x, indices, updates, **params)
    return [x_ct, None, None if updates_ct is None else neg(updates_ct)]


primitive_jvps[scatter_sub_p] = partial(linear_scatter_jvp, scatter_sub_p)
primitive_transposes[scatter_sub_p] = _scatter_sub_transpose


def _scatter_mul_updates_jvp(g, x, indices, updates, *, update_jaxpr, update_consts, **how):
    if not how["unique_indices"]:
        raise NotImplementedError(
            "lax.scatter_mul has a derivative by its updates only where no two meet.\n"
            "Give unique_indices=True."
        )
    return mul(x, scatter_add(fill(typeof(x), 0), indices, g, **how))


def _multiply_cotangents(x: Any, y: Any) -> Any:
    return mul(x, y)


def _scatter_mul_transpose(ct, x, indices, updates, *, update_jaxpr, **params):
    program = update_program(_multiply_cotangents, typeof(ct).dtype)
    return [scatter_mul_p.bind(ct, indices, updates, update_jaxpr=program, **params), None, None]


defjvp(
    scatter_mul_p,
    lambda g, x, indices, updates, **params: scatter_mul_p.bind(g, indices, updates, **params),
    None,
    _scatter_mul_updates_jvp,
)
primitive_transposes[scatter_mul_p] = _scatter_mul_transpose

# Extremes.


def _scatter_extremal_jvp(primitive, primals, tangents, **params):
    """Of the old element and its updates, those that equal the result share the tangent there."""
    x, indices, updates = primals
    numbers, shape = params["dimension_numbers"], typeof(updates).shape
    ans = primitive.bind(x, indices, updates, **params)
    x_dot, updates_dot = instantiate_zeros(tangents[0]), instantiate_zeros(tangents[2])

    def read(values: Any) -> Any:
        return gather_back(values, indices, numbers, shape)

    def count(chosen: Callable) -> Any:
        """How many of the chosen updates meet, at the place of each."""
        nothing = fill(typeof(x), 0)
        return read(scatter_add(nothing, indices, chosen(), numbers))

    ones, nothing = partial(fill, typeof(updates), 1), partial(fill, typeof(updates), 0)
    before, after = read(x), read(ans)
    wins, stays = eq(updates, after), eq(before, after)
    winners, met = count(lambda: select(wins, ones(), nothing())), count(ones)
    updates_share, kept_share = _shares(wins, stays, winners, nothing)
    loss = div(add(_number(x, -1), kept_share), met)
    change = add(mul(read(x_dot), loss), mul(updates_dot, updates_share))
    how = {name: params[name] for name in ("indices_are_sorted", "unique_indices", "mode")}
    return ans, scatter_add(x_dot, indices, change, numbers, **how)


def _shares(wins: Any, stays: Any, winners: Any, nothing: Callable) -> tuple[Any, Any]:
    """The share of each update in the tangent, and the share of the old element."""
    one = _number(winners, 1)
    normalizer = select(stays, div(one, add(winners, one)), div(one, winners))
    updates_share = select(wins, normalizer, nothing())
    return updates_share, select(stays, div(one, add(winners, one)), nothing())


def _number(x: Any, number: float) -> Any:
    return cast(number, typeof(x).dtype)


for _primitive in [scatter_min_p, scatter_max_p]:
    primitive_jvps[_primitive] = partial(_scatter_extremal_jvp, _primitive)

# By any function: a loop over the numbers of the updates, for compiled programs.


def in_turn(
    combine: Callable, xs: Sequence[Any], indices: Any, updates: Sequence[Any], *,
    dimension_numbers: ScatterDimensionNumbers, mode: GatherScatterMode, **_: Any,
) -> list[Any]:  # fmt: skip
    """Arrays of one shape, as the updates of each have changed them: `combine` makes of a list of
    old numbers, one of each array, and a list of updates the list of new ones."""
    shape, clip = typeof(xs[0]).shape, GatherScatterMode.CLIP
    if 0 in shape:
        return list(xs)
    places = gather_back(
        reshape(iota(np.dtype(np.int32), typeof(xs[0]).size), shape), indices, dimension_numbers,
        typeof(updates[0]).shape, fill_value=-1,
        mode=clip if mode is clip else GatherScatterMode.FILL_OR_DROP,
    )  # fmt: skip

    def step(carry: list, item: tuple) -> tuple[list, None]:
        place, update = item
        old = [reshape(dynamic_slice_p.bind(x, place, slice_sizes=(1,)), ()) for x in carry]
        is_inside = gt(place, fill(typeof(place), -1))
        kept = [select(is_inside, *pair) for pair in zip(combine(old, update), old, strict=True)]
        return [dynamic_update_slice_p.bind(x, reshape(new, (1,)), place)
                for x, new in zip(carry, kept, strict=True)], None  # fmt: skip

    def flat(x: Any) -> Any:
        return reshape(x, (typeof(x).size,))

    items = flat(places), list(map(flat, updates))
    return [reshape(x, shape) for x in scan(step, list(map(flat, xs)), items)[0]]


def _written_out(eqn: JaxprEqn) -> tuple | None:
    """A scatter with a function, as that loop."""
    how = dict(eqn.params)
    program = how.pop("update_jaxpr")
    if program is None:
        return None

    def fun(x: Any, indices: Any, updates: Any) -> list[Any]:
        return in_turn(lambda old, new: eval_jaxpr(program, (), *old, *new), [x], indices,
                       [updates], **how)  # fmt: skip

    return trace_to_jaxpr(fun, [x.aval for x in eqn.invars]), eqn.invars


register_lowering(scatter_p, call=_written_out)

# A function of the old element.


def scatter_apply(
    operand: Any, scatter_indices: Any, func: Callable, dimension_numbers: ScatterDimensionNumbers,
    *, update_shape: Shape = (), indices_are_sorted: bool = False, unique_indices: bool = False,
    mode: str | GatherScatterMode | None = None,
) -> Any:  # fmt: skip
    """Like `lax.scatter`, but `func` of an element replaces it, as often as the element is indexed.

    `func` maps one element to one; `update_shape` is the shape that updates would have. TypeError
    if it isn't a function; NotImplementedError if it uses a traced value, and for the
    derivative.

    >>> first = ScatterDimensionNumbers((), (0,), (0,))
    >>> twice = np.array([[1], [1]])
    >>> scatter_apply(np.arange(3) + 1, twice, lambda x: 10 * x, first, update_shape=(2,))
    Array([  1, 200,   3], dtype=int32)
    """
    if not callable(func):
        raise TypeError(
            f"lax.scatter_apply takes a function of one element, and got {shown(func)}. Give one."
        )
    dtype = typeof(operand).dtype
    unused = full(update_shape, 0, dtype)
    program = update_program(func, dtype, applied=True)
    return bind_scatter(scatter_p, program, operand, scatter_indices, unused, dimension_numbers,
                        indices_are_sorted, unique_indices, mode)  # fmt: skip
