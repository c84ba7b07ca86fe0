"""Exercises of chapter 24. README.md says what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.passes.cuts import Cut, Cuts, Names, joined
from minijax.compiler.passes.factors import (
    Axes,
    Factors,
    Letter,
    carried,
    letters_of,
    on_devices,
    placed,
)
from minijax.compiler.passes.moves import reason
from minijax.compiler.passes.partition import Split, Writer
from minijax.core.primitives import add, cast
from minijax.core.staging import JaxprEqn
from minijax.core.tracing import typeof

# 24.1 From letters to the equation of one device


def split_by(names: dict[Letter, Names], found: Factors, cuts: Cuts) -> Split:
    raise NotImplementedError("24.1 split_by")


def write_eqn(writer: Writer, eqn: JaxprEqn) -> None:
    """Most equations are bound with their parts, and with parameters for these."""
    raise NotImplementedError("24.1 write_eqn")


# 24.2 A sum around the ring


def ring_sum(x, axis_name):
    """The sum of the devices' x over an axis of the mesh, by ppermute alone.

    >>> mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    >>> total = jax.shard_map(
    ...     lambda x: ring_sum(x, "d"), mesh=mesh, in_specs=jax.P("d"), out_specs=jax.P("d")
    ... )
    >>> print(total(jnp.arange(4.0)))
    [6. 6. 6. 6.]
    """
    raise NotImplementedError("24.2 ring_sum")


# 24.3 What is where, and what has to be moved
# The questions: python -m exercises questions ch24

answers_24_3 = [None, None, None, None, None]
