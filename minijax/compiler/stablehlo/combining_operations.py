"""Operations that combine many elements: reductions, running totals, windows, orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.maths.bounds import dtype_bounds
from minijax.compiler.stablehlo.elementwise_operations import (
    Outs, comes_first, extreme, is_complex, part,
)
from minijax.compiler.stablehlo.operation_rules import OF_AXES, no_text, rule, rules
from minijax.compiler.stablehlo.program_text import write_closed, write_jaxpr
from minijax.compiler.stablehlo.tensor_types import FLOAT32, INT32, array, matrix
from minijax.compiler.stablehlo.text_builder import Builder, Value
from minijax.core.dtypes import is_narrow, issubdtype
from minijax.core.staging import ClosedJaxpr, Jaxpr


def _neutral(name: str, dtype: np.dtype) -> Any:
    smallest, largest = dtype_bounds(dtype)
    known = {"add": 0, "multiply": 1, "maximum": smallest, "minimum": largest, "or": 0, "xor": 0}
    return known[name] if name in known else np.array(-1).astype(dtype)  # of `and`, all bits


# Reductions.


def general_reduce(
    b: Builder, xs: Sequence[Value], starts: Sequence[Value], axes: Sequence[int], combine: Callable
) -> list[Value]:
    """`combine` takes totals, then values, all scalars, and returns totals."""
    scalars = [x.type.shaped(()) for x in xs]
    kept = [n for d, n in enumerate(xs[0].shape) if d not in axes]
    return b.generic(
        "reduce", [*xs, *starts], [x.type.shaped(kept) for x in xs],
        [f"dimensions = {array(axes)}"], [([*scalars, *scalars], combine)],
    )  # fmt: skip


def _reduction(name: str, b: Builder, outs: Outs, x: Value, *, axes: tuple) -> Value:
    """Sums and products of narrow floats are rounded once, at the end."""
    if name in ("maximum", "minimum") and is_complex(x):
        start = b.constant(_neutral(name, x.dtype), x.dtype)
        [out] = general_reduce(b, [x], [start], axes, lambda y, z: [extreme(b, name, y, z)])
        return out
    wide = FLOAT32 if is_narrow(x.dtype) and name in ("add", "multiply") else x.dtype
    found = b.reduce(name, b.convert(x, wide), _neutral(name, wide), axes)
    return b.convert(found, x.dtype)


for _name, _operation in {
    "sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "and": "and", "or": "or",
    "xor": "xor",
}.items():  # fmt: skip
    rules[f"reduce_{_name}"] = partial(_reduction, _operation)


def _collective(
    name: str, operation: str, b: Builder, outs: Outs, x: Value, *, axes: tuple,
    axis_index_groups: None,
) -> Any:  # fmt: skip
    """What vmap has left of one: a reduction of the axes that were mapped, by their numbers."""
    if not all(isinstance(axis, int) for axis in axes):
        raise no_text(name, OF_AXES)
    return _reduction(operation, b, outs, x, axes=axes) if axes else x


for _name, _operation in {"psum": "add", "pmax": "maximum", "pmin": "minimum"}.items():
    rules[_name] = partial(_collective, _name, _operation)


@rule("reduce")
def _reduce(
    b: Builder, outs: Outs, *args: Value, computation: Any, jaxpr: ClosedJaxpr, dimensions: tuple
) -> list[Value]:
    size = len(args) // 2
    if not dimensions:
        return list(args[:size])
    return general_reduce(
        b, args[:size], args[size:], dimensions, lambda *xs: write_closed(b, jaxpr, xs)
    )


def _place_of(how: str, b: Builder, outs: Outs, x: Value, *, axes: tuple, index_dtype: Any) -> Any:
    """NaN comes before all, then of equal ones the first."""
    [axis] = axes
    index = b.iota(x.type.of(index_dtype), axis)
    worst = dtype_bounds(x.dtype)[0 if how == "GT" else 1]
    starts = [b.constant(worst, x.dtype), b.constant(0, index_dtype)]

    def better(best: Value, best_at: Value, new: Value, new_at: Value) -> list[Value]:
        wins = comes_first(b, how, best, new)
        wins = b.op("or", wins, b.compare("NE", best, best))
        tied = b.op("and", b.compare("EQ", best, new), b.compare("LT", best_at, new_at))
        return [b.select(wins, best, new), b.select(b.op("or", wins, tied), best_at, new_at)]

    return general_reduce(b, [x, index], starts, axes, better)[1]


rules["argmax"], rules["argmin"] = partial(_place_of, "GT"), partial(_place_of, "LT")


# Running totals: in each round those of twice as many elements.


def _running(
    name: str, b: Builder, outs: Outs, x: Value, *, axis: int, reverse: bool
) -> Value:
    wide = FLOAT32 if is_narrow(x.dtype) and name in ("add", "multiply") else x.dtype
    total = b.convert(x, wide)
    start, step = b.constant(_neutral(name, wide), wide), 1
    while step < x.shape[axis]:
        edges = [(0, 0, 0)] * x.ndim
        edges[axis] = (-step, step, 0) if reverse else (step, -step, 0)
        moved = b.pad(total, start, edges)
        total = extreme(b, name, total, moved) if name in ("maximum", "minimum") else (
            b.op(name, total, moved))  # fmt: skip
        step *= 2
    return b.convert(total, x.dtype)


for _name, _operation in {
    "sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum",
}.items():  # fmt: skip
    rules[f"cum{_name}"] = partial(_running, _operation)


# Windows.


def _window_properties(
    window_dimensions: tuple, window_strides: tuple, padding: tuple,
    base_dilation: tuple = (), window_dilation: tuple = (),
) -> list[str]:  # fmt: skip
    lists = {
        "base_dilations": base_dilation, "window_dilations": window_dilation,
        "window_dimensions": window_dimensions, "window_strides": window_strides,
    }  # fmt: skip
    found = [f"{name} = {array(values)}" for name, values in lists.items() if values]
    return [*found, f"padding = {matrix(padding)}"]


def reduce_windows(
    b: Builder, xs: Sequence[Value], starts: Sequence[Value], outs: Outs, combine: Callable,
    **windows: Any,
) -> list[Value]:  # fmt: skip
    scalars = [x.type.shaped(()) for x in xs]
    if not xs[0].ndim:
        return list(combine(*starts, *xs))
    properties = _window_properties(**windows)
    regions = [([*scalars, *scalars], combine)]
    return b.generic("reduce_window", [*xs, *starts], outs, properties, regions)


def _of_windows(name: str, b: Builder, outs: Outs, x: Value, **windows: Any) -> Value:
    wide = FLOAT32 if is_narrow(x.dtype) and name == "add" else x.dtype
    start = b.constant(_neutral(name, wide), wide)

    def combine(y: Value, z: Value) -> list[Value]:
        return [b.op("add", y, z) if name == "add" else extreme(b, name, y, z)]

    [out] = reduce_windows(
        b, [b.convert(x, wide)], [start], [outs[0].of(wide)], combine, **windows
    )
    return b.convert(out, x.dtype)


for _name, _operation in {"sum": "add", "max": "maximum", "min": "minimum"}.items():
    rules[f"reduce_window_{_name}"] = partial(_of_windows, _operation)


@rule("reduce_window")
def _reduce_window(
    b: Builder, outs: Outs, *args: Value, jaxpr: Jaxpr, consts: tuple, **windows: Any
) -> list[Value]:
    size = len(args) // 2
    return reduce_windows(
        b, args[:size], args[size:], outs, lambda *xs: write_jaxpr(b, jaxpr, consts, xs), **windows
    )


def _selected(b: Builder, select_prim: Any, x: Value, y: Value) -> Value:
    return b.compare("GE" if select_prim.name == "ge" else "LE", x, y)


@rule("select_and_scatter_add")
def _select_and_scatter_add(
    b: Builder, outs: Outs, source: Value, x: Value, *, select_prim: Any, **windows: Any
) -> Value:
    return _scattered(
        b, x, source, b.constant(0, source.dtype),
        lambda y, z: [_selected(b, select_prim, y, z)], lambda y, z: [b.op("add", y, z)], windows,
    )  # fmt: skip


@rule("select_and_scatter")
def _select_and_scatter(
    b: Builder, outs: Outs, x: Value, source: Value, init: Value, *, select_jaxpr: Jaxpr,
    select_consts: tuple, scatter_jaxpr: Jaxpr, scatter_consts: tuple, **windows: Any,
) -> Value:  # fmt: skip
    return _scattered(
        b, x, source, init, lambda *xs: write_jaxpr(b, select_jaxpr, select_consts, xs),
        lambda *xs: write_jaxpr(b, scatter_jaxpr, scatter_consts, xs), windows,
    )


def _scattered(
    b: Builder, x: Value, source: Value, init: Value, select: Callable, scatter: Callable,
    windows: dict[str, Any],
) -> Value:  # fmt: skip
    one = x.type.shaped(())
    [out] = b.generic(
        "select_and_scatter", [x, source, init], [x.type], _window_properties(**windows),
        [([one, one], select), ([one, one], scatter)],
    )  # fmt: skip
    return out


@rule("select_and_gather_add")
def _select_and_gather_add(
    b: Builder, outs: Outs, tangents: Value, x: Value, *, select_prim: Any, **windows: Any
) -> Value:
    """Both are reduced together: the tangent of the number that is selected."""
    worst = dtype_bounds(x.dtype)[0 if select_prim.name == "ge" else 1]
    starts = [b.constant(worst, x.dtype), b.constant(0, tangents.dtype)]

    def combine(best: Value, dot: Value, new: Value, new_dot: Value) -> list[Value]:
        stays = _selected(b, select_prim, best, new)
        return [b.select(stays, best, new), b.select(stays, dot, new_dot)]

    types = [outs[0].of(x.dtype), outs[0]]
    return reduce_windows(b, [x, tangents], starts, types, combine, **windows)[1]


# Orders.


def ordered(
    b: Builder, xs: Sequence[Value], axis: int, before: Callable, is_stable: bool = True
) -> list[Value]:
    """Arrays put in one order along an axis. `before` says of pairs of numbers, one pair for each
    array, whether the first of each come before the second."""
    scalars = [x.type.shaped(()) for x in xs for _ in (0, 1)]
    properties = [f"dimension = {axis} : i64", f"is_stable = {'true' if is_stable else 'false'}"]
    regions = [(scalars, lambda *pairs: [before(*zip(pairs[::2], pairs[1::2], strict=True))])]
    return b.generic("sort", xs, [x.type for x in xs], properties, regions)


def _sort_keys(b: Builder, x: Value) -> list[Value]:
    """Numbers to compare in their total order: zeros are equal, and so are all NaNs."""
    if is_complex(x):
        return [*_sort_keys(b, part(b, "real", x)), *_sort_keys(b, part(b, "imag", x))]
    if not issubdtype(x.dtype, np.floating):
        return [x]
    zero, nan = b.constant(0, x.dtype), b.constant(np.nan, x.dtype)
    x = b.select(b.compare("EQ", x, zero), zero, x)
    return [b.select(b.compare("NE", x, x), nan, x)]


def _total(b: Builder, how: str, x: Value, y: Value) -> Value:
    return b.compare(how, x, y, "TOTALORDER" if issubdtype(x.dtype, np.floating) else "")


def _less(b: Builder, keys: Sequence[tuple[Value, Value]]) -> Value:
    """Whether a list of numbers comes before another."""
    pairs = [p for x, y in keys for p in zip(_sort_keys(b, x), _sort_keys(b, y), strict=True)]
    result = None
    for x, y in reversed(pairs):
        less = _total(b, "LT", x, y)
        if result is not None:
            less = b.op("or", less, b.op("and", _total(b, "EQ", x, y), result))
        result = less
    return result


@rule("sort")
def _sort(
    b: Builder, outs: Outs, *xs: Value, dimension: int, is_stable: bool, num_keys: int
) -> list[Value]:
    before = lambda *pairs: _less(b, pairs[:num_keys])  # noqa: E731
    return ordered(b, xs, dimension, before, is_stable)


def _first(b: Builder, outs: Outs, x: Value, axis: int, before: Callable) -> list[Value]:
    """The first numbers in an order, and their places; as many as the results have."""
    index = b.iota(x.type.of(INT32), axis)
    found = ordered(b, [x, index], axis, before)
    size = outs[0].shape[axis]
    return [b.index(y, axis, 0, size) for y in found]


@rule("top_k")
def _top_k(b: Builder, outs: Outs, x: Value, *, k: int, axis: int) -> list[Value]:
    return _first(b, outs, x, axis % x.ndim, lambda xs, _: _total(b, "GT", *xs))


@rule("approx_top_k")
def _approx_top_k(
    b: Builder, outs: Outs, x: Value, *, k: int, reduction_dimension: int, is_max_k: bool, **_: Any
) -> list[Value]:
    """NaN comes before all, then of equal ones the first; where one only is asked for, the last."""

    def before(values: tuple[Value, Value], places: tuple[Value, Value]) -> Value:
        first, second = values
        better = b.compare("GT" if is_max_k else "LT", first, second)
        is_nan, is_number = b.compare("NE", first, first), b.compare("EQ", second, second)
        better = b.op("or", better, b.op("and", is_nan, is_number))
        if k != 1:
            return better
        tied = b.op("and", b.compare("EQ", first, second), b.compare("GT", *places))
        return b.op("or", better, tied)

    return _first(b, outs, x, reduction_dimension % x.ndim, before)

