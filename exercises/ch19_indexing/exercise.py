"""Exercises of chapter 19. README.md says what is asked."""

from __future__ import annotations

import math

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.primitives import Shape
from minijax.lax.indexing.dimension_numbers import GatherDimensionNumbers, Numbers

# 19.1 Where each window starts


def _starts(
    x: np.ndarray, indices: np.ndarray, numbers: Numbers, sizes: Shape
) -> tuple[np.ndarray, np.ndarray]:
    """Where each window starts along each axis, clamped; and whether it was inside without that."""
    raise NotImplementedError("19.1 _starts")


# 19.2 A softmax within segments


def segment_softmax(x, ids, count):
    """The softmax of x along axis 0, within each of `count` segments; 0 where there is none.

    >>> segment_softmax(jnp.zeros(3), jnp.array([0, 1, 0]), 2)
    Array([0.5, 1. , 0.5], dtype=float32)
    """
    raise NotImplementedError("19.2 segment_softmax")


# 19.3 Which place, and which primitive?
# The questions: python -m exercises questions ch19

answers_19_3 = [None, None, None, None, None]
