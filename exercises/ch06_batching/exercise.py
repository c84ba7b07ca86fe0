"""Exercises of chapter 06. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.batching import (
    bdim_at_front,
    example_aval,
    fancy_primitive_batchers,
    moveaxis,
    not_mapped,
    primitive_batchers,
)
from minijax.core.config import config
from minijax.core.errors import check_types
from minijax.core.forward import find_rule
from minijax.core.primitives import broadcast_in_dim, cast, numpy_primitive, reshape
from minijax.core.tracing import Primitive, typeof, unzip2

# 06.1 A primitive meets a batch


class BatchTrace:
    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError("06.1 BatchTrace.process_primitive")


# 06.2 Many tables, many questions


def lookup_type(table, indices):
    return table.update(shape=(*indices.shape, *table.shape[1:]))


def numpy_lookup(table, indices):
    inside = np.where(indices < len(table), indices.astype(np.int64), len(table) - 1)
    return table[np.maximum(inside, 0)]


lookup_p = numpy_primitive("lookup", lookup_type, numpy_lookup)


def lookup(table, indices):
    """The rows of the table that the indices name.

    >>> lookup(np.float32([5, 6, 7]), np.int32([[0, 2], [1, 9]]))
    Array([[5., 7.],
           [6., 7.]], dtype=float32)
    """
    return lookup_p.bind(table, indices)


def lookup_batcher(args, dims):
    """What (table, indices) hold, and the batch dimension of each -> the same of the result."""
    raise NotImplementedError("06.2 lookup_batcher")


primitive_batchers[lookup_p] = lookup_batcher


# 06.3 One example, or all?
# The questions: python -m exercises questions ch06

answers_06_3 = [None, None, None, None, None]
