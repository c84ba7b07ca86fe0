"""Exercises of chapter 07. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.errors import check_types
from minijax.core.staging import (
    DynamicJaxprTracer,
    Jaxpr,
    JaxprEqn,
    Literal,
    Var,
    enter_source,
    keep_source,
    trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, current_source, trace_ctx, typeof

# 07.1 Write it down, and run it


def eval_jaxpr(jaxpr: Jaxpr, consts: Sequence[Any], *args: Any) -> list[Any]:
    """The results of a jaxpr, by binding its primitives one after the other.

    Each value is dropped after its last use. What the equations make comes from their lines.

    >>> closed = make_jaxpr(lambda x: 2 * x)(3)
    >>> eval_jaxpr(closed.jaxpr, closed.consts, 5)
    [Array(10, dtype=int32, weak_type=True)]
    """
    raise NotImplementedError("07.1 eval_jaxpr")


class JaxprTrace:
    def record(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError("07.1 JaxprTrace.record")


# 07.2 A program with other words


def rewritten(closed, rules):
    """The program with each equation of a primitive in `rules` replaced by what its rule does.

    >>> halves = jax.make_jaxpr(lambda x: x / 2.0)(1.0)
    >>> rewritten(halves, {lax.div_p: lambda x, y: lax.mul(x, lax.integer_pow(y, -1))})
    { lambda ; a:f32[]. let
        b:f32[] = integer_pow[y=-1] 2.0:f32[]
        c:f32[] = mul a b
      in (c,) }
    """
    raise NotImplementedError("07.2 rewritten")


# 07.3 What is written down?
# The questions: python -m exercises questions ch07

answers_07_3 = [None, None, None, None, None]
