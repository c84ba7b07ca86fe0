"""Exercises of chapter 09. README.md says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.dtypes import bfloat16
from minijax.core.forward import Zero, instantiate_zeros, is_nonzero
from minijax.core.linearization import (
    linearize_flat,
    primitive_linearizations,
    put_zeros,
    split_program,
)
from minijax.core.primitives import cast
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import ClosedJaxpr, dce_jaxpr, eval_jaxpr, jaxpr_as_fun, stage
from minijax.core.tracing import (
    Primitive,
    Trace,
    Tracer,
    set_current_trace,
    trace_ctx,
    typeof,
    unzip2,
)

# 09.1 Now or later


class SplitTrace:
    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        raise NotImplementedError("09.1 SplitTrace.process_primitive")


def dce_linear(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The linear program without what leads to no result, and without the consts for that."""
    raise NotImplementedError("09.1 dce_linear")


# 09.2 Residuals at half the price

thrifty_p = Primitive("thrifty")
thrifty_p.multiple_results = True
thrifty_p.def_impl(lambda *args, jaxpr: jaxpr_as_fun(jaxpr)(*args))
thrifty_p.def_abstract_eval(lambda *avals, jaxpr: jaxpr.out_avals)


def thrifty(fun):
    """fun, but its derivative keeps residuals of dtype float32 as bfloat16.

    jax.linearize(thrifty(lambda x: x * x), jnp.ones(3))[1] has one leaf, of dtype bfloat16.
    """

    def called(*args):
        staged, leaves = stage(fun, args, {}, "thrifty")
        out = thrifty_p.bind(*staged.consts, *leaves, jaxpr=staged.program)
        return tree_unflatten(staged.out_tree, out)

    return called


def thrifty_linearize(nonzeros, *primals, jaxpr):
    """(results, which have a tangent, residuals, linearized) of the program at these primals."""
    raise NotImplementedError("09.2 thrifty_linearize")


primitive_linearizations[thrifty_p] = thrifty_linearize


# 09.3 What is kept, what is written down
# The questions: python -m exercises questions ch09

answers_09_3 = [None, None, None]
