"""Exercises of chapter 02. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from minijax.core.arrays import (
    _LATTICE,
    _check_lone,
    _check_promotion,
    _weak_point,
    as_array,
    canonicalize_dtype,
)
from minijax.core.tracing import ShapedArray, typeof

# 02.1 The nearest point above


@cache
def _upper_bounds(point: Any) -> frozenset:
    """All the points that can be reached from this one, itself included."""
    raise NotImplementedError("02.1 _upper_bounds")


@cache
def _least_upper_bound(points: frozenset) -> Any:
    """Of those that can be reached from each, the point from which all the others can be."""
    raise NotImplementedError("02.1 _least_upper_bound")


def result_aval_type(avals: Sequence[ShapedArray]) -> tuple[np.dtype, bool]:
    """The dtype, and its weakness, of an operation on values of these types."""
    raise NotImplementedError("02.1 result_aval_type")


# 02.2 A float of 8 bits finds its place


def join(table, a, b):
    """The nearest upper bound of two points of a table of arrows.

    >>> join(_LATTICE, "int8", "uint8")
    'int16'
    """
    raise NotImplementedError("02.2 join")


def with_point(table, point, above, below=()):
    """A table with one point more; ValueError where it would be no lattice.

    >>> join(with_point({0: []}, 1, [], [0]), 0, 1)
    1
    """
    raise NotImplementedError("02.2 with_point")


FLOAT8_TABLE = None


# 02.3 Foretell the type
# The questions: python -m exercises questions ch02

answers_02_3 = [None, None, None, None, None, None]
