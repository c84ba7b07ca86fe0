"""Exercises of chapter 18. README.md says what is asked."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.maths.bounds import smallest
from minijax.core.dtypes import with_signs_of_zeros
from minijax.core.extend import (
    canonicalize_axis,
    cast,
    check_kind,
    defjvp,
    defjvp2,
    deflinear2,
    numpy_primitive,
    primitive_batchers,
    shift_axes,
    typeof,
)
from minijax.core.primitives import div, eq, mul, reduce_sum, reshape, through_float32

# 18.1 An extreme of nothing, and a tie


def _numpy_extreme(ufunc: np.ufunc, of_none: Callable) -> Callable:
    """`of_none` maps a dtype to the extreme of no values of it."""
    raise NotImplementedError("18.1 _numpy_extreme")


def _extreme_jvp(g: Any, ans: Any, x: Any, *, axes: tuple) -> Any:
    """The mean of the tangents of those elements that equal the extreme."""
    raise NotImplementedError("18.1 _extreme_jvp")


# 18.2 What the others come to


def sum_of_others(x, axis=0):
    """For each element, the sum of all others along an axis.

    >>> print(sum_of_others(jnp.array([1.0, 2.0, 4.0])))
    [6. 5. 3.]
    """
    raise NotImplementedError("18.2 sum_of_others")


def max_of_others(x, axis=0):
    """For each element, the largest of all others along an axis.

    >>> print(max_of_others(jnp.array([5, 8, 7])))
    [8 7 8]
    """
    raise NotImplementedError("18.2 max_of_others")


# 18.3 Which rule, which check
# The questions: python -m exercises questions ch18

answers_18_3 = [None, None, None, None, None]
