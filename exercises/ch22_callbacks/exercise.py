"""Exercises of chapter 22. README.md says what is asked."""

from __future__ import annotations

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.special_cases.python_calls import run_by_python
from minijax.core.extend import (
    bdim_at_front,
    not_mapped,
    primitive_batchers,
    primitive_jvps,
    typeof,
)
from minijax.core.tracing import Primitive
from minijax.lax.custom.recomputation import split_rules
from minijax.lax.outside.debugging import DebugEffect, split_looking
from minijax.lax.shapes.slicing import index_in_dim

# 22.1 Whoever looks changes nothing


def _looking_primitive(name: str) -> Primitive:
    """A primitive without results; what it does, and its type rule, are still to come."""
    raise NotImplementedError("22.1 _looking_primitive")


# 22.2 A look at chosen examples


def watch(fun, x, when):
    """Calls fun(index, value) for each example of x for which `when` holds.

    >>> f = jax.vmap(lambda x: watch(lambda i, x: print(i, x), x, x < 0))
    >>> f(jnp.array([1.0, -2.0, 3.0, -4.0]))
    (1,) -2.0
    (3,) -4.0
    """
    raise NotImplementedError("22.2 watch")


# 22.3 How often, and with what
# The questions: python -m exercises questions ch22

answers_22_3 = [None, None, None, None, None]
