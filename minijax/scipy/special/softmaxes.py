"""Exponentials whose sum is 1, over all axes where none is named."""

from __future__ import annotations

from typing import Any

from minijax.nn import distributions
from minijax.numpy.arguments import Axis


def softmax(x: Any, /, *, axis: Axis = None) -> Any:
    """exp(x) / sum(exp(x)) over some axes, or all: positive numbers whose sum is 1.

    >>> import minijax.numpy as jnp
    >>> softmax(jnp.zeros(2))
    Array([0.5, 0.5], dtype=float32)
    """
    return distributions.softmax(x, axis)


def log_softmax(x: Any, /, *, axis: Axis = None) -> Any:
    """log(softmax(x)), without loss for small ones."""
    return distributions.log_softmax(x, axis)
