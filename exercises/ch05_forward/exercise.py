"""Exercises of chapter 05: README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
from minijax import lax
from minijax.core.extend import Primitive, ShapedArray, defjvp, typeof

# 05.1 A primitive meets a pair


class JVPTrace:
    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError("05.1 JVPTrace.process_primitive")


# 05.2 A rule of your own: softplus

softplus_p = Primitive("softplus")


def softplus(x):
    """log(1 + exp(x)), for numbers of any size."""
    raise NotImplementedError("05.2 softplus")


# 05.3 Which tangents?
# The questions: python -m exercises questions ch05

answers_05_3 = [None, None, None]
