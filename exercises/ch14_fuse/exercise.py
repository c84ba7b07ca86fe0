"""Exercises of chapter 14. README.md says what is asked."""

from __future__ import annotations

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.kernels.elements import in_kernels, is_reduction, long_axes
from minijax.compiler.kernels.fuse import Grouping, add, begin, fuse, joined, leave, look_through
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.core.extend import ClosedJaxpr, JaxprEqn, Var

# 14.1 Into a kernel, and without a circle


def join(grouping: Grouping, eqn: JaxprEqn) -> bool:
    """Adds the equation to the last kernel that makes an operand of it, if that can be."""
    raise NotImplementedError("14.1 join")


# 14.2 The first axis and the last


def split_reductions(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program in which no reduction is left to NumPy because of its axes.

    `reduce_sum[axes=(0, 2)] a` of an f32[2,3,4] becomes `b = reduce_sum[axes=(2,)] a`, an
    f32[2,3], and `reduce_sum[axes=(0,)] b`.
    """
    raise NotImplementedError("14.2 split_reductions")


# 14.3 Which steps, and what do they read?
# The questions: python -m exercises questions ch14

answers_14_3 = [None, None, None, None]
