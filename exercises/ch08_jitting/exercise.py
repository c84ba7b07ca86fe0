"""Exercises of chapter 08. README.md says what is asked."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax.core.arguments import donated_leaves
from minijax.core.config import config
from minijax.core.errors import api_boundary
from minijax.core.jitting import jit, jit_p
from minijax.core.pytrees import tree_flatten, tree_leaves, tree_map, tree_unflatten
from minijax.core.staging import stage
from minijax.core.tracing import typeof

# 08.1 A call of a jitted function


class JitFunction:
    def cache_miss(self, args: tuple, kwargs: dict) -> Any:
        """A call that is on no fast path."""
        raise NotImplementedError("08.1 JitFunction.cache_miss")


# 08.2 Any length, few programs


def bucketed(fun):
    """fun(padded, valid), jitted, as a function of trees of arrays of any length.

    >>> total = bucketed(lambda xs, valid: jnp.sum(jnp.where(valid, xs, 0)))
    >>> total(np.arange(5))
    Array(10, dtype=int32)
    """
    raise NotImplementedError("08.2 bucketed")


# 08.3 Which calls trace?
# The questions: python -m exercises questions ch08

answers_08_3 = [None, None, None, None, None]
