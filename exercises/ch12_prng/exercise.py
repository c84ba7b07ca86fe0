"""Exercises of chapter 12. README.md says what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random
from minijax.core.jitting import jit_p
from minijax.core.prng import (
    PARITY,
    ROTATIONS,
    Words,
    random_bits_p,
    random_clone_p,
    random_fold_in_p,
    random_split_p,
    words_of,
)
from minijax.core.staging import eval_jaxpr
from minijax.core.tracing import Trace, new_trace, set_current_trace, trace_ctx

# 12.1 Twenty rounds


def threefry_numpy(k1: Any, k2: Any, x1: Any, x2: Any) -> Words:
    """The two words that the key (k1, k2) makes of the words (x1, x2); all four broadcast.

    Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011), section
    4: 20 rounds mix the two words, with the key added before them and after every fourth.

    >>> threefry_numpy(*np.zeros((4, 1), np.uint32))
    (array([1797259609], dtype=uint32), array([2579123966], dtype=uint32))
    """
    raise NotImplementedError("12.1 threefry_numpy")


# 12.2 A watchman for keys


def watch_keys(fun):
    """fun, but it returns a pair: the result, and the primitives that used a key that had served.

    watch_keys(lambda key: random.normal(key) + random.normal(key))(random.key(0))[1]
    is ["random_bits"].
    """
    raise NotImplementedError("12.2 watch_keys")


# 12.3 What follows from a key
# The questions: python -m exercises questions ch12

answers_12_3 = [None, None, None]
