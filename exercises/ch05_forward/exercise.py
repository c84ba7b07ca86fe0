"""Exercises of chapter 05. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.config import config
from minijax.core.forward import check_jvp, defjvp, defjvp2, is_nonzero, primitive_jvps
from minijax.core.primitives import naryop
from minijax.core.tracing import Primitive, typeof, unzip2

# 05.1 A primitive meets a pair


class JVPTrace:
    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError("05.1 JVPTrace.process_primitive")


# 05.2 A rule that holds to any order


def smooth_max(x, y, sharpness=1.0):
    """log(exp(s * x) + exp(s * y)) / s, element by element, where s is the sharpness.

    >>> smooth_max(np.float32(0), np.float32(0))
    Array(0.6931472, dtype=float32)
    """
    raise NotImplementedError("05.2 smooth_max")


# 05.3 What moves, and at which rate?
# The questions: python -m exercises questions ch05

answers_05_3 = [None, None, None, None, None]
