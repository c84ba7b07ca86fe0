"""Exercises of chapter 10. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.forward import Zero, add_tangents, defjvp, primitive_jvps
from minijax.core.primitives import numpy_primitive
from minijax.core.reverse import (
    UndefinedPrimal,
    deflinear,
    deflinear2,
    is_undefined_primal,
    primitive_transposes,
    transpose_eqn,
)
from minijax.core.staging import Jaxpr, Literal, enter_source, keep_source
from minijax.core.tracing import ShapedArray, trace_ctx, typeof

# 10.1 The walk backwards


def backward_pass(
    jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Any], cts_out: Sequence[Any]
) -> list[Any]:
    """The cotangents of the inputs, from those of the results.

    The jaxpr is linear in the inputs whose `args` are UndefinedPrimal; the others are values.
    A cotangent that nothing flows into is a `Zero`.
    """
    raise NotImplementedError("10.1 backward_pass")


# 10.2 Pick, and put back


def pick(x, places):
    """The numbers of x at these places.

    pick(jnp.array([5.0, 6.0, 7.0]), jnp.array([2, 0, 2])) is [7, 5, 7].
    """
    raise NotImplementedError("10.2 pick")


def put_back(y, places, size):
    """A vector of so many zeros, with each number of y added at its place.

    put_back(jnp.array([1.0, 2.0, 4.0]), jnp.array([2, 0, 2]), 3) is [2, 0, 5].
    """
    raise NotImplementedError("10.2 put_back")


# 10.3 What flows back
# The questions: python -m exercises questions ch10

answers_10_3 = [None, None, None]
