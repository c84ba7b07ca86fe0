"""Exercises of chapter 23. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.stablehlo.tensor_types import TensorType, numpy_of
from minijax.compiler.stablehlo.text_builder import Builder, Value, location
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, Literal

# 23.1 From equations to operations


def write_jaxpr(
    b: Builder, jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Value]
) -> list[Value]:
    """Writes a program's equations, for these arguments; its results. Constants stand in the text.

    NotImplementedError for a primitive that StableHLO can't say.
    """
    raise NotImplementedError("23.1 write_jaxpr")


def function_of(
    b: Builder, closed: ClosedJaxpr, name: str, types: Sequence[TensorType]
) -> tuple[str, list[TensorType]]:
    """The program as a function of its own, which is written once: its name and results' types."""
    raise NotImplementedError("23.1 function_of")


# 23.2 A program that needs NumPy alone

EXPRESSIONS = {
    "neg": "-{0}", "sin": "np.sin({0})", "exp": "np.exp({0})", "add": "{0} + {1}",
    "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "max": "np.maximum({0}, {1})",
    "gt": "{0} > {1}", "lt": "{0} < {1}",
}  # fmt: skip


def numpy_text(closed: ClosedJaxpr) -> str:
    """A module with a function `program` that does what `closed` does, and needs NumPy alone.

    >>> names = {}
    >>> exec(numpy_text(jax.make_jaxpr(lambda x: 2.0 * x)(1.0)), names)
    >>> print(*names["program"](np.float32(3)))
    6.0
    """
    raise NotImplementedError("23.2 numpy_text")


# 23.3 What is kept at each stage, and what is refused
# The questions: python -m exercises questions ch23

answers_23_3 = [None, None, None, None, None]
