"""Exercises of chapter 13. README.md says what is asked."""

from __future__ import annotations

import math

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.passes.rewriting import Draft, changed, forward, maker_of
from minijax.core.extend import Array, ClosedJaxpr, JaxprEqn, Literal, ShapedArray, Var, issubdtype
from minijax.core.primitives import broadcast_in_dim_p, mul_p, reduce_sum_p, reshape_p

# 13.1 The same thing once


def share(closed: ClosedJaxpr) -> ClosedJaxpr:
    """One equation for all that compute the same: common subexpressions."""
    raise NotImplementedError("13.1 share")


def _key(eqn: JaxprEqn) -> tuple:
    """What two equations have in common that compute the same. 0.0 is not -0.0."""
    raise NotImplementedError("13.1 _key")


# 13.2 The sum of what is repeated


def sum_of_repeated(draft: Draft, eqn: JaxprEqn) -> Var | JaxprEqn | None:
    """What takes the place of a sum over axes along which its operand was repeated, or None.

    Of `reduce_sum[axes=(0,)] b`, where b is `broadcast_in_dim[shape=(5,)] a` of an int32,
    it is `mul a 5`.
    """
    raise NotImplementedError("13.2 sum_of_repeated")


# 13.3 What is left?
# The questions: python -m exercises questions ch13

answers_13_3 = [None, None, None, None]
