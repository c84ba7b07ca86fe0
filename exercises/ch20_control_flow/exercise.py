"""Exercises of chapter 20. README.md says what is asked."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.lax.control_flow.bodies import split3

# 20.1 Marks that no step adds to


def fixed_point(derive: Callable, marks: Sequence, num_consts: int, num_carry: int) -> tuple:
    """The final marks of all operands, and what `derive` returned for them.

    `derive` takes the marks of all operands, and those of the carries alone. The last item of what
    it returns has marks of the results, first those of the carries.
    """
    raise NotImplementedError("20.1 fixed_point")


# 20.2 A while loop with a way back


def bounded_while(condition, body, carry, steps):
    """lax.while_loop with at most `steps` passes, and with derivatives of both kinds.

    >>> bounded_while(lambda x: x < 100, lambda x: 2 * x, jnp.int32(3), 50)
    Array(192, dtype=int32)
    """
    raise NotImplementedError("20.2 bounded_while")


# 20.3 What the loop carries, keeps and refuses
# The questions: python -m exercises questions ch20

answers_20_3 = [None, None, None, None, None]
