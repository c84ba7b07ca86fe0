"""Complex numbers that are combined one after the other, in compiled loops: loops over pairs.

A product or an extreme of pairs needs both parts of both numbers. So a reduction, a running total
or a scatter that combines becomes a loop of its own, in the order in which NumPy goes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.special_cases.complex_pairs import Pair, register_pairs
from minijax.core.primitives import add, fill, remaining, reshape, sub, transpose
from minijax.core.tracing import Primitive
from minijax.lax.control_flow.scan_calls import scan
from minijax.lax.elementwise.arithmetic import ne
from minijax.lax.elementwise.bits import bitwise_and, bitwise_not, bitwise_or
from minijax.lax.elementwise.complex_rules import (
    chosen,
    exponential,
    is_before,
    logarithm_of_1_plus,
    product,
)
from minijax.lax.indexing.combining_scatters import (
    in_turn,
    scatter_max_p,
    scatter_min_p,
    scatter_mul_p,
)
from minijax.lax.reductions.by_operation import reduce_prod_p
from minijax.lax.reductions.cumulative import cumlogsumexp_p, cummax_p, cummin_p, cumprod_p
from minijax.lax.reductions.extrema import reduce_max_p, reduce_min_p
from minijax.lax.shapes.axes import squeeze
from minijax.lax.shapes.slicing import concatenate, slice_in_dim
from minijax.lax.special.log_sums import wrap_between


def _each(fun: Callable, *xs: Pair) -> Pair:
    return Pair(*map(fun, *xs))


# NumPy's extremes of several numbers: the first that has a NaN, if one has; of equals the first.


def _is_nan(x: Pair) -> Any:
    return bitwise_or(*(ne(part, part) for part in x))


def _kept(x: Pair, y: Pair, is_beaten: Any) -> Pair:
    is_beaten = bitwise_and(bitwise_or(is_beaten, _is_nan(y)), bitwise_not(_is_nan(x)))
    return chosen(is_beaten, y, x)


def _largest(x: Pair, y: Pair) -> Pair:
    return _kept(x, y, is_before(x, y))


def _smallest(x: Pair, y: Pair) -> Pair:
    return _kept(x, y, is_before(y, x))


# Along axes.


def _reduced(x: Pair, *, axes: Sequence[int], combine: Callable, start: float) -> Pair:
    shape = x.re.aval.shape
    kept = remaining(len(shape), axes)
    sizes = [shape[d] for d in kept]
    rows = (math.prod(shape[d] for d in axes), *sizes)
    first = Pair(*(fill(x.re.aval.update(shape=sizes), number) for number in (start, 0)))
    xs = _each(lambda part: reshape(transpose(part, (*axes, *kept)), rows), x)
    return scan(lambda total, row: (combine(total, row), None), first, xs)[0]


def _running(x: Pair, *, axis: int, reverse: bool, combine: Callable) -> Pair:
    """The first total is the first number."""
    shape, size = x.re.aval.shape, x.re.aval.shape[axis]
    if not math.prod(shape):
        return x
    order = [axis, *remaining(len(shape), [axis])]
    rows = _each(lambda part: transpose(part, order), x)
    start, rest = (size - 1, (0, size - 1)) if reverse else (0, (1, size))
    first = _each(lambda part: slice_in_dim(part, start, start + 1), rows)
    others = _each(lambda part: slice_in_dim(part, *rest), rows)

    def step(total: Pair, row: Pair) -> tuple[Pair, Pair]:
        total = combine(total, row)
        return total, total

    begin = _each(lambda part: squeeze(part, (0,)), first)
    totals = scan(step, begin, others, reverse=reverse)[1]
    pieces = zip(*((totals, first) if reverse else (first, totals)), strict=True)
    back = [order.index(d) for d in range(len(order))]
    return Pair(*(transpose(concatenate(both, 0), back) for both in pieces))


def _half_turn(x: Pair) -> Pair:
    """An imaginary part from -pi to pi: a logarithm has many."""
    return Pair(x.re, wrap_between(x.im, math.pi))


def _log_of_sum(x: Pair, y: Pair) -> Pair:
    """log(exp(x) + exp(y)), by the exponential of the smaller one less the larger."""
    largest = _largest(x, y)
    two = Pair(fill(x.re.aval, 2), fill(x.re.aval, 0))
    power = exponential(_each(sub, _each(add, x, y), product(two, largest)))
    return _half_turn(_each(add, largest, logarithm_of_1_plus(power)))


def _running_log_of_sums(x: Pair, **how: Any) -> Pair:
    return _running(_half_turn(x), **how)


# By indices.


def _scattered(x: Pair, indices: Any, updates: Pair, *, combine: Callable, **how: Any) -> Pair:
    return Pair(*in_turn(lambda old, new: list(combine(Pair(*old), Pair(*new))), x, indices,
                         updates, **how))  # fmt: skip


# The table.


def _in_loops(rule: Callable, combines: dict[Primitive, Callable]) -> None:
    for primitive, combine in combines.items():
        rule_of_one = partial(rule, combine=combine)
        register_pairs(primitive, arithmetic=rule_of_one, only_in_loops=True)


_in_loops(partial(_reduced, start=1), {reduce_prod_p: product})
_in_loops(partial(_reduced, start=-np.inf), {reduce_max_p: _largest})
_in_loops(partial(_reduced, start=np.inf), {reduce_min_p: _smallest})
_in_loops(_running, {cumprod_p: product, cummax_p: _largest, cummin_p: _smallest})
_in_loops(_running_log_of_sums, {cumlogsumexp_p: _log_of_sum})
_in_loops(
    _scattered, {scatter_mul_p: product, scatter_max_p: _largest, scatter_min_p: _smallest}
)
