"""How far to go in a direction: to where the function is lower, and its slope flatter.

These are Wolfe's conditions. A step is made longer until one lies between two that are known, and
then found between them. (Nocedal and Wright, Numerical optimization, 3.5 and 3.6.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from minijax import lax, numpy

ENOUGH_LOWER, ENOUGH_FLATTER = 1e-4, 0.9
GROWING, NARROWING, DONE = 0, 1, 2


class Found(NamedTuple):
    """The point, the function's value and gradient there, how often it was asked, and whether no
    step led down."""

    x: Any
    fun: Any
    jac: Any
    calls: Any
    failed: Any


class _State(NamedTuple):
    """`low` is the best step so far, `high` the other end; each with value, slope and gradient."""

    phase: Any
    step: Any  # that is tried next
    low: tuple
    high: tuple
    calls: Any


def line_search(
    both: Callable, x: Any, direction: Any, value: Any, jac: Any, before: Any, maxiter: int
) -> Found:
    """A step from x that meets Wolfe's conditions, or the best that `maxiter` trials found.

    `both` gives the function's value and gradient; `before` is its value a step ago, from which
    the length of the first trial is guessed.
    """
    slope = numpy.sum(jac * direction)
    slack = 8 * float(ml_dtypes.finfo(value.dtype).eps) * numpy.abs(value)

    def goes_on(state: _State) -> Any:
        return (state.phase != DONE) & (state.calls < 2 * maxiter)

    def try_one(state: _State) -> _State:
        new_value, new_jac = both(x + state.step * direction)
        new = state.step, new_value, numpy.sum(new_jac * direction), new_jac
        low, high = state.low, state.high
        is_higher = ~(new_value <= value + ENOUGH_LOWER * state.step * slope + slack)
        is_higher = is_higher | ((new_value > low[1] + slack) & (low[0] > 0))
        is_flat = ~is_higher & (numpy.abs(new[2]) <= -ENOUGH_FLATTER * slope)
        is_growing = state.phase == GROWING
        width = numpy.where(is_growing, 1, high[0] - low[0])
        rises = ~is_higher & (new[2] * width >= 0)
        next_high = _choose(is_higher, new, _choose(rises, low, high))
        next_low = _choose(is_higher, low, new)
        still_growing = is_growing & ~is_higher & ~rises
        between = _between(next_low, next_high)
        return _State(
            numpy.where(is_flat, DONE, numpy.where(still_growing, GROWING, NARROWING)),
            numpy.where(still_growing, 2 * state.step, between).astype(state.step.dtype),
            next_low, next_high, state.calls + 1,
        )  # fmt: skip

    guess = 1.01 * 2 * (value - before) / numpy.where(slope == 0, 1, slope)
    first = numpy.where((guess > 0) & (guess < 1), guess, 1).astype(x.dtype)
    origin = numpy.zeros_like(first), value, slope, jac
    start = _State(GROWING, first, origin, origin, 0)
    end = lax.while_loop(goes_on, try_one, start)
    step, new_value, _, new_jac = end.low
    return Found(x + step * direction, new_value, new_jac, end.calls, ~(step > 0))


def _choose(which: Any, first: tuple, second: tuple) -> tuple:
    return tuple(numpy.where(which, a, b) for a, b in zip(first, second, strict=True))


def _between(low: tuple, high: tuple) -> Any:
    """Where the parabola through both ends, with the slope at the one, is lowest; the middle, where
    that is near an end."""
    width = high[0] - low[0]
    bend = high[1] - low[1] - low[2] * width
    share = -low[2] * width / numpy.where(bend == 0, 1, 2 * bend)
    is_inside = (share > 0.1) & (share < 0.9) & (bend > 0) & (np.inf > bend)
    return low[0] + numpy.where(is_inside, share, 0.5) * width
