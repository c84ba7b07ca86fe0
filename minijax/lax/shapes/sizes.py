"""Sizes that may be symbolic: what holds of them for certain, and which of two is the larger."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.dtypes import SymbolicDimension
from minijax.core.errors import InconclusiveDimensionOperation, safe_repr


def is_certain(question: Callable[[], bool]) -> bool:
    """The answer to a question about sizes; False where it depends on sizes that are not known."""
    try:
        return question()
    except InconclusiveDimensionOperation:
        return False


def max_dim(d1: Any, d2: Any) -> Any:
    """The larger of two sizes; an expression, where that depends on sizes that are not known."""
    if isinstance(d1, int) and isinstance(d2, int):
        return builtins.max(d1, d2)
    return _extreme("max", builtins.max, d1, d2)


def min_dim(d1: Any, d2: Any) -> Any:
    """The smaller of two sizes; an expression, where that depends on sizes that are not known."""
    if isinstance(d1, int) and isinstance(d2, int):
        return builtins.min(d1, d2)
    return _extreme("min", builtins.min, d1, d2)


def _extreme(name: str, of_ints: Callable, d1: Any, d2: Any) -> Any:
    for d in (d1, d2):
        if isinstance(d, SymbolicDimension):
            return d.extreme(name, d1, d2)
    try:
        return of_ints(operator.index(d1), operator.index(d2))
    except TypeError as error:
        raise TypeError(
            f"jax.core.{name}_dim takes sizes, and got {safe_repr(d1)} and {safe_repr(d2)}. Give "
            f"ints and symbolic dimensions."
        ) from error


def range_size(start: Any, stop: Any, step: Any) -> Any:
    """How many steps there are from start to stop: of a range, or of a slice with known bounds.

    >>> range_size(0, 5, 2), range_size(4, -1, -1)
    (3, 5)
    """
    distance, gap = (stop - start, step) if step > 0 else (start - stop, -step)
    return max_dim(0, distance + gap - 1) // gap


def index_dtype(sizes: Sequence[Any]) -> np.dtype:
    """The dtype that counts along axes: int64 where a size needs it. One that is symbolic, it is
    taken, does not."""
    largest = builtins.max((n for n in sizes if isinstance(n, int)), default=0)
    return np.dtype(np.int64 if largest >= 2**31 else np.int32)
