"""cond: a choice while the program runs. The primitive carries all branches, and runs one of them.

All branches return the same types. So do the branches that are derived from them: where one returns
a tangent, a batch or a residual, all do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.extend import (
    AxisData, ClosedJaxpr, JaxprEqn, JaxprTypeError, NamedAxisEffect, Primitive, batch_jaxpr,
    bdim_at_front, choose, dce_closed_jaxpr, dce_rules, derived, fancy_primitive_batchers,
    has_effect, is_nonzero, jaxpr_as_fun, jvp_jaxpr, linearize_jaxpr, moveaxis, no_effects,
    primitive_jvps, primitive_linearizations, primitive_transposes, put_zeros, raw_value, running,
    transpose_jaxpr, typematch, typeof,
)
from minijax.core.jitting import as_runtime_value
from minijax.core.primitives import broadcast_in_dim, select_n
from minijax.core.programs import Flags, linear_and_known
from minijax.lax.control_flow.bodies import retyped
from minijax.lax.control_flow.loop_texts import cond_lines, cond_overwrites, known_branch
from minijax.lax.control_flow.residual_slots import with_same_residuals
from minijax.lax.elementwise.arithmetic import eq, stop_gradient
from minijax.lax.typechecks import PROGRAMS, TUPLE_OR_NONE, def_typecheck

Branches = tuple[ClosedJaxpr, ...]

cond_p = Primitive("cond")
cond_p.multiple_results = True


@cond_p.def_effectful_abstract_eval
def _cond_abstract_eval(
    index: Any, *operands: Any, branches: Branches, branches_platforms: tuple | None = None
) -> tuple[list, frozenset]:
    types, first = [index, *operands], branches[0]
    for branch in branches:
        expected = [index.update(shape=(), dtype=np.int32), *branch.in_avals]
        if not _alike_types(types, expected) or not _alike_types(branch.out_avals, first.out_avals):
            raise JaxprTypeError(
                f"cond is given {types}, and a branch takes {expected} to {branch.out_avals}, "
                f"another to {first.out_avals}. Make them agree."
            )
    return first.out_avals, effects_of(branches)


def _alike_types(first: Sequence[Any], second: Sequence[Any]) -> bool:
    return len(first) == len(second) and all(map(typematch, first, second))


def_typecheck(cond_p, may_lack=("branches_platforms",), branches=PROGRAMS,
              branches_platforms=TUPLE_OR_NONE)  # fmt: skip


def effects_of(branches: Branches) -> frozenset:
    return no_effects.union(*(branch.effects for branch in branches))


@cond_p.def_impl
def _cond_impl(index: Any, *operands: Any, branches: Branches, **platforms: Any) -> list[Any]:
    branch = branches[min(max(int(raw_value(index)), 0), len(branches) - 1)]
    out = running.run(branch, list(map(as_runtime_value, operands)), "cond")
    return list(map(retyped, out, branches[0].out_avals))


# Branches derived from branches, which again return the same types.


def _derive(derive: Callable, branches: Branches, *args: Any) -> tuple[list[Any], Flags]:
    """`derive` of each branch, told by flags to return what any of the branches returns; and these
    flags."""
    found = [derive(branch, *args)[-1] for branch in branches]
    flags = tuple(map(any, zip(*found, strict=True)))
    return [derive(branch, *args, flags) for branch in branches], flags


def _firsts(derived_branches: list[tuple]) -> Branches:
    return tuple(closed for closed, *_ in derived_branches)


def _cond_jvp(primals, tangents, *, branches, **params):
    nonzeros = tuple(map(is_nonzero, tangents[1:]))
    jvps, out_nonzeros = _derive(jvp_jaxpr, branches, nonzeros)
    operands = [*primals, *choose(tangents[1:], nonzeros)]
    out = cond_p.bind(*operands, branches=_firsts(jvps), **params)
    size = len(out_nonzeros)
    return out[:size], put_zeros(out[size:], out_nonzeros, branches[0].out_avals)


def _cond_transpose(cts, index, *operands, branches, **params):
    (linear, known), nonzero_cts = linear_and_known(operands), tuple(map(is_nonzero, cts))
    transposed, nonzeros = _derive(transpose_jaxpr, branches, linear, nonzero_cts)
    given = [index, *known, *filter(is_nonzero, cts)]
    out = cond_p.bind(*given, branches=_firsts(transposed), **params)
    return [None, *put_zeros(out, nonzeros, branches[0].in_avals)]


def _cond_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple[list[bool], JaxprEqn | None]:
    reduced, used = _derive(dce_closed_jaxpr, eqn.params["branches"], tuple(used_outputs))
    branches, used_inputs = _firsts(reduced), [True, *used]
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, used_inputs), outvars=choose(eqn.outvars, used_outputs),
        params={**eqn.params, "branches": branches}, effects=eqn.effects & effects_of(branches),
    )  # fmt: skip
    return used_inputs, new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


primitive_jvps[cond_p], primitive_transposes[cond_p] = _cond_jvp, _cond_transpose
dce_rules[cond_p] = _cond_dce

# Many examples: one choice for all, or a choice for each of them among all branches' results.


def _cond_batcher(axis_data, vals, dims, *, branches, **params):
    if dims[0] is not None:
        return _choose_for_each(axis_data, vals, dims, branches), [0] * len(branches[0].out_avals)
    operands = [moveaxis(x, d, 0) if d else x for x, d in zip(vals, dims, strict=True)]
    batched = tuple(None if d is None else 0 for d in dims[1:])
    batches, out_batched = _derive(_batch, branches, axis_data, batched)
    out = cond_p.bind(*operands, branches=_firsts(batches), **params)
    return out, [0 if b else None for b in out_batched]


def _batch(
    closed: ClosedJaxpr, axis_data: AxisData, dims: tuple, batched: Flags | None = None
) -> tuple[ClosedJaxpr, Flags]:
    """The program for all examples, and which of its results are batched, along axis 0."""
    dims_out = batched and tuple(0 if b else None for b in batched)
    new, found = batch_jaxpr(closed, axis_data, dims, dims_out)
    return new, tuple(d is not None for d in found)


# Effects that a branch may have even for an example that does not take it.
harmless_effects: list[type] = [NamedAxisEffect]


def _choose_for_each(
    axis_data: AxisData, vals: Sequence[Any], dims: Sequence[Any], branches: Branches
) -> list[Any]:
    is_harmless = all(isinstance(e, tuple(harmless_effects)) for e in effects_of(branches))
    if not is_harmless or any(typeof(x).mutable for x in vals):
        raise NotImplementedError(
            "lax.cond got a mapped predicate, so that every branch runs, and one has an effect.\n"
            "Give vmap in_axes=None for the predicate."
        )
    index, *operands = map(partial(bdim_at_front, size=axis_data.size), vals, dims)
    outs = []
    for i, branch in enumerate(branches):
        # An example that does not take the branch has no derivative through it.
        taken, kept = eq(index, np.int32(i)), map(stop_gradient, operands)
        args = [select_rows(taken, *pair) for pair in zip(kept, operands, strict=True)]
        everywhere = (0,) * len(operands), (0,) * len(branch.out_avals)
        outs.append(jaxpr_as_fun(batch_jaxpr(branch, axis_data, *everywhere)[0])(*args))
    return [select_rows(index, *cases) for cases in zip(*outs, strict=True)]


def select_rows(which: Any, *cases: Any) -> Any:
    """`select_n`, where `which` has only the first axes of the cases."""
    shape, ndim = typeof(cases[0]).shape, typeof(which).ndim
    spread = which if ndim == len(shape) else broadcast_in_dim(which, shape, range(ndim))
    return select_n(spread, *cases)


fancy_primitive_batchers[cond_p] = _cond_batcher

# The value now, the derivative later: the forward branches return residuals, all in the same slots,
# and the linear branches take them.


def _cond_linearize(nonzeros, index, *operands, branches, **params):
    forward, linear, out_nonzeros = _linearized(branches[0], branches[1:], tuple(nonzeros[1:]))
    out = cond_p.bind(index, *operands, branches=forward, **params)

    def linearized(residuals, *tangents):
        out_dot = cond_p.bind(*residuals, *filter(is_nonzero, tangents), branches=linear, **params)
        return put_zeros(out_dot, out_nonzeros, branches[0].out_avals)

    size = len(out_nonzeros)
    return out[:size], out_nonzeros, [index, *out[size:]], linearized


@derived
def _linearized(
    first: ClosedJaxpr, others: Branches, nonzeros: Flags
) -> tuple[Branches, Branches, Flags]:
    splits, out_nonzeros = _derive(linearize_jaxpr, (first, *others), nonzeros)
    forward, linear, _ = with_same_residuals(splits, len(out_nonzeros))
    return forward, linear, out_nonzeros


primitive_linearizations[cond_p] = _cond_linearize

# Compiled: where the index is known, its branch takes the choice's place; else the branches are
# lines of a kernel.

register_lowering(
    cond_p, call=known_branch, branches="branches", loop=cond_lines, overwrites=cond_overwrites
)
