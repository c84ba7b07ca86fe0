"""Exercises of chapter 15. README.md says what is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.doors import as_function, compile_source
from minijax.compiler.kernels.elements import START, Place
from minijax.compiler.kernels.layout import Access

# 15.1 Where an element is, and which loops are needed


def access(name: str, shape: Sequence[int], places: Sequence[Place], ndim: int) -> Access:
    """The places in an array of this shape, in its flat, row-major form."""
    raise NotImplementedError("15.1 access")


def merged_axes(
    space: Sequence[int], borders: set[int | None], accesses: Sequence[Access]
) -> list[tuple[int, ...]]:
    """The axes of each loop, outermost first; no loop runs across a border."""
    raise NotImplementedError("15.1 merged_axes")


# 15.2 Softmax in two passes


def softmax_source(dtype: str) -> str:
    """The text of a kernel that computes the softmax of each row, in two passes over it.

    `as_function(softmax_source("float32"), "kernel", "<kernel>")` is a function in Python, and
    called with [0, 0, 1, 0] in `x0`, n1 = 2, lo = 0 and hi = 2 it writes [0.5, 0.5, 0.731, 0.269].
    """
    raise NotImplementedError("15.2 softmax_source")


# 15.3 How does the text look?
# The questions: python -m exercises questions ch15

answers_15_3 = [None, None, None, None]
