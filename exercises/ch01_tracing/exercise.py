"""Exercises of chapter 01. README.md says what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax
from minijax.core.tracing import (
    Trace,
    Tracer,
    eval_trace,
    new_trace,
    present,
    set_current_trace,
    trace_ctx,
    typeof,
    unknown_parameters,
    unzip2,
    user_source,
)

# 01.1 Who is in charge?


class Primitive:
    def bind(self, *args: Any, **params: Any) -> Any:
        """The results of the current trace. While it works, its parent is in charge."""
        raise NotImplementedError("01.1 Primitive.bind")


# 01.2 A trace that nests: the slice of a program


def slice_of(fun, *args):
    """fun(*args), and the names of the operations that lie between args and it.

    >>> slice_of(lambda x: lax.mul(lax.sin(x), x), 0.0)
    (Array(0., dtype=float32, weak_type=True), ['sin', 'mul'])
    """
    raise NotImplementedError("01.2 slice_of")


# 01.3 Who sees what?
# The questions: python -m exercises questions ch01

answers_01_3 = [None, None, None, None]
