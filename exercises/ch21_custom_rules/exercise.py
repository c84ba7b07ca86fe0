"""Exercises of chapter 21. README.md says what is asked."""

from __future__ import annotations

from functools import partial

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import is_nonzero, typeof
from minijax.lax.custom.derivatives import custom_lin_p, note_types
from minijax.lax.custom.rule_calls import from_rule, to_rule

# 21.1 A linear program that isn't there


def _custom_vjp_jvp(primals, tangents, *, call_jaxpr, fwd_jaxpr_thunk, bwd, num_consts,
                    symbolic_zeros):  # fmt: skip
    raise NotImplementedError("21.1 _custom_vjp_jvp")


def _custom_lin_transpose(cts, *args, num_res, bwd, in_zeros, symbolic_zeros, out_avals):
    raise NotImplementedError("21.1 _custom_lin_transpose")


# 21.2 The solution of an equation


def solve(f, start, *args):
    """The x with f(x, *args) = 0, by Newton's method, with a derivative that knows no steps.

    >>> f"{jax.grad(lambda a: solve(lambda x, a: x * x - a, 1.0, a))(4.0):.3f}"
    '0.250'
    """
    raise NotImplementedError("21.2 solve")


# 21.3 Which rule runs, and what it keeps
# The questions: python -m exercises questions ch21

answers_21_3 = [None, None, None, None, None]
