"""Exercises of chapter 11. README.md says what is asked."""

from __future__ import annotations

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.batching import fancy_primitive_batchers, matchaxis
from minijax.core.config import derived
from minijax.core.forward import instantiate_zeros, is_nonzero, primitive_jvps
from minijax.core.jitting import jit_p
from minijax.core.linearization import linearize_flat, primitive_linearizations, put_zeros
from minijax.core.programs import (
    Flags,
    SplitJaxpr,
    as_flags,
    batch_jaxpr,
    choose,
    dce_closed_jaxpr,
    jvp_jaxpr,
    place_residuals,
    trace_with_aux,
)
from minijax.core.pytrees import tree_flatten, tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr,
    convert_constvars_jaxpr,
    jaxpr_as_fun,
    make_jaxpr,
    trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, typeof

# 11.1 A program in two halves


@derived
def linearize_jaxpr(
    closed: ClosedJaxpr, nonzeros: Flags, instantiate: bool | Flags = False
) -> SplitJaxpr:
    """Splits a jaxpr, by linearizing it while staging it.

    Residuals that are arguments or results are not returned a second time. Results marked in
    `instantiate` have a tangent in any case.
    """
    raise NotImplementedError("11.1 linearize_jaxpr")


def _jit_linearize(nonzeros, *primals, jaxpr, donated_invars, **params):
    raise NotImplementedError("11.1 _jit_linearize")


# 11.2 A block that can be undone

undo_p = Primitive("undo")
undo_p.multiple_results = True
undo_p.def_impl(lambda *args, jaxpr, inverse: jaxpr_as_fun(jaxpr)(*args))
undo_p.def_abstract_eval(lambda *avals, jaxpr, inverse: jaxpr.out_avals)


def undoable(fun, inverse):
    """fun, but its gradient keeps the results alone.

    jax.grad(undoable(lax.exp, lax.log))(2.0) is 7.389056, with exp(2.0) for its only residual.
    """

    def called(*args):
        jaxpr, shapes = make_jaxpr(fun, return_shape=True)(*args)
        leaves, tree = tree_flatten(shapes)
        back = make_jaxpr(inverse)(*leaves)
        return tree_unflatten(tree, undo_p.bind(*args, jaxpr=jaxpr, inverse=back))

    return called


def undo_jvp(primals, tangents, *, jaxpr, inverse):
    """(results, tangents of the results)."""
    raise NotImplementedError("11.2 undo_jvp")


def undo_batcher(axis_data, vals, dims, *, jaxpr, inverse):
    """(results, where each is batched)."""
    raise NotImplementedError("11.2 undo_batcher")


def undo_linearize(nonzeros, *primals, jaxpr, inverse):
    """(results, which have a tangent, residuals, linearized)."""
    raise NotImplementedError("11.2 undo_linearize")


primitive_jvps[undo_p] = undo_jvp
fancy_primitive_batchers[undo_p] = undo_batcher
primitive_linearizations[undo_p] = undo_linearize


# 11.3 Of programs, from programs
# The questions: python -m exercises questions ch11

answers_11_3 = [None, None, None]
