"""Exercises of chapter 30. README.md says what is asked."""

from __future__ import annotations

from typing import Any

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.staging import (
    ClosedJaxpr,
    JaxprEqn,
    Literal,
    enter_source,
    jaxpr_as_fun,
    keep_source,
)
from minijax.core.tracing import trace_ctx
from minijax.experimental import pallas as pl
from minijax.lax.references.discharge import discharge

# 30.1 The walk that takes references out


def run_discharged(closed: ClosedJaxpr, env: dict[Any, Any]) -> list[Any]:
    """The results of a program, of which `env` has the arguments; it then has all values, and for a
    reference what is in it at the end."""
    raise NotImplementedError("30.1 run_discharged")


# 30.2 A dry run


def dry_run(fun):
    """A function that tells what fun would return, and what would be in its references.

    >>> ref = jax.new_ref(1.0)
    >>> def double(ref):
    ...     ref[...] *= 2.0
    ...     return ref[...] + 1.0
    >>> result, contents = dry_run(double)(ref)
    >>> print(result, *contents, ref[...])
    3.0 2.0 1.0
    """
    raise NotImplementedError("30.2 dry_run")


# 30.3 A loss over very many classes


def losses(x, w, targets):
    """The cross entropy of each example, its scores x @ w never stored.

    >>> x, w = jnp.eye(2), jnp.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    >>> print(losses(x, w, jnp.array([1, 0])).round(3))
    [1.099 0.24 ]
    """
    raise NotImplementedError("30.3 losses")


# 30.4 What is in it, and who sees it
# The questions: python -m exercises questions ch30

answers_30_4 = [None, None, None, None, None]
