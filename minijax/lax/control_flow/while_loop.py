"""A loop for as long as a condition holds: a primitive that carries two programs.

How often it runs is known only when it does: so it has a derivative forwards, and none backwards,
which would need what every step leaves behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.arrays import raw_value
from minijax.core.batching import fancy_primitive_batchers, matchaxis
from minijax.core.config import config, derived
from minijax.core.errors import ConcretizationTypeError, JaxprTypeError, typematch
from minijax.core.forward import is_nonzero, primitive_jvps
from minijax.core.jitting import as_runtime_value, running
from minijax.core.linearization import force_nonzero, primitive_linearizations, put_zeros
from minijax.core.programs import batch_jaxpr, choose, dce_closed_jaxpr, jvp_jaxpr
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_map, tree_unflatten
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import ClosedJaxpr, jaxpr_as_fun, trace_to_jaxpr
from minijax.core.tracing import Primitive, typeof
from minijax.lax.control_flow.bodies import (
    Body,
    as_value,
    check_functions,
    check_operands,
    check_same,
    first_name,
    flatten_operands,
    promote_weak,
    retyped,
    split3,
    trace_body,
)
from minijax.lax.control_flow.branches import forwarded, with_results
from minijax.lax.control_flow.conditionals import select_rows
from minijax.lax.control_flow.loop_texts import while_lines, while_overwrites
from minijax.lax.control_flow.scan import fixed_point, order_of, reordered
from minijax.lax.typechecks import NUMBER_OF_OPERANDS, PROGRAM, def_typecheck

while_p = Primitive("while")
while_p.multiple_results = True


@while_p.def_effectful_abstract_eval
def _while_abstract_eval(
    *avals: Any, cond_nconsts: int, cond_jaxpr: ClosedJaxpr, body_nconsts: int,
    body_jaxpr: ClosedJaxpr,
) -> tuple[list, frozenset]:  # fmt: skip
    cond_consts, body_consts, carry = split3(avals, cond_nconsts, body_nconsts)
    given = [*cond_consts, *carry, *body_consts, *carry, *carry]
    taken = [*cond_jaxpr.in_avals, *body_jaxpr.in_avals, *body_jaxpr.out_avals]
    holds = [aval.dtype for aval in cond_jaxpr.out_avals]
    fits = len(given) == len(taken) and all(map(typematch, given, taken))
    if not fits or holds != [np.bool_]:
        raise JaxprTypeError(
            f"while is given {list(avals)}; its condition takes {cond_jaxpr.in_avals}, its body "
            f"{body_jaxpr.in_avals} to {body_jaxpr.out_avals}. Make them agree."
        )
    return body_jaxpr.out_avals, cond_jaxpr.effects | body_jaxpr.effects


def_typecheck(
    while_p, cond_nconsts=NUMBER_OF_OPERANDS, cond_jaxpr=PROGRAM,
    body_nconsts=NUMBER_OF_OPERANDS, body_jaxpr=PROGRAM,
)  # fmt: skip


@while_p.def_impl
def _while_impl(*args, cond_nconsts, cond_jaxpr, body_nconsts, body_jaxpr):
    """If each example has its own condition, examples whose condition fails stay as they are."""
    operands = list(map(as_runtime_value, args))
    cond_consts, body_consts, carry = split3(operands, cond_nconsts, body_nconsts)
    is_batched = bool(cond_jaxpr.out_avals[0].shape)

    def holds() -> Any:
        return running.run(cond_jaxpr, [*cond_consts, *carry], "while_cond")[0]

    while raw_value(condition := holds()).any():
        new = running.run(body_jaxpr, [*body_consts, *carry], "while_body")
        if is_batched:
            new = [select_rows(condition, *pair) for pair in zip(carry, new, strict=True)]
        carry = new
    return list(map(retyped, carry, body_jaxpr.out_avals))


# Compiled: the loop is lines of a kernel; equations of its constants alone come before it.

register_lowering(
    while_p, loop=while_lines, overwrites=while_overwrites,
    steps=(("cond_jaxpr", "cond_nconsts"), ("body_jaxpr", "body_nconsts")),
)  # fmt: skip

# Forward: the condition does not see the tangents. A tangent that becomes non-zero in some step is
# non-zero from then on.


def _while_jvp(primals, tangents, **params):
    cond_nconsts, num_consts = params["cond_nconsts"], params["body_nconsts"]
    marks, (jvp, carried) = _marked(list(map(is_nonzero, tangents)), **params)
    dots = choose(force_nonzero(tangents[cond_nconsts:], marks), marks)
    kinds = [0] * num_consts + [2] * len(carried)
    order = order_of(kinds + [kind + 1 for kind in choose(kinds, marks)])
    operands = [*primals[cond_nconsts:], *dots]
    num_dots = sum(marks[:num_consts])
    ignored = tuple(map(typeof, dots[num_dots:]))
    out = while_p.bind(
        *primals[:cond_nconsts], *(operands[i] for i in order), cond_nconsts=cond_nconsts,
        cond_jaxpr=_ignoring(params["cond_jaxpr"], ignored), body_nconsts=num_consts + num_dots,
        body_jaxpr=reordered(jvp, order),
    )  # fmt: skip
    size = len(carried)
    return out[:size], put_zeros(out[size:], carried, params["body_jaxpr"].out_avals)


def _marked(nonzeros: Sequence[bool], *, cond_nconsts, body_nconsts, body_jaxpr, **_) -> tuple:
    """Which operands of the body have tangents; and its derivative for these, with which of its
    results have."""
    derive, num_carry = partial(jvp_jaxpr, body_jaxpr), len(body_jaxpr.out_avals)
    return fixed_point(derive, nonzeros[cond_nconsts:], body_nconsts, num_carry)


@derived
def _ignoring(closed: ClosedJaxpr, avals: tuple) -> ClosedJaxpr:
    """The program with further operands, which it does not use."""
    size = len(closed.in_avals)
    return trace_to_jaxpr(
        lambda *args: jaxpr_as_fun(closed)(*args[:size]), [*closed.in_avals, *avals],
        closed.jaxpr.debug_info,
    )  # fmt: skip


def _while_linearize(nonzeros, *primals, **params):
    """The values now; the derivative later, for which the loop runs once more."""

    def linearized(primals, *tangents):
        return _while_jvp(primals, tangents, **params)[1]

    _, (_, out_nonzeros) = _marked(nonzeros, **params)
    return while_p.bind(*primals, **params), out_nonzeros, primals, linearized


def _while_transpose(cts, *args, **params):
    raise ValueError(
        "Reverse mode (jax.grad, jax.vjp) does not go through lax.while_loop, nor through "
        "lax.fori_loop with traced bounds: how many steps there are to keep is not known.\n"
        "Use lax.scan, or lax.fori_loop with bounds that are Python ints; or forward mode, jax.jvp."
    )


primitive_jvps[while_p], primitive_transposes[while_p] = _while_jvp, _while_transpose
primitive_linearizations[while_p] = _while_linearize

# Batched: a carry that one step batches is batched from the start. If the condition is batched, all
# carries are: each example has an end of its own.


# Effects that examples can't have one by one in a loop: of an order, and of a number of times.
ordered_effects: list[type] = []
counted_effects: list[type] = []


def refuse_effects(effects: frozenset, refused: list[type], why: str) -> None:
    if any(isinstance(effect, tuple(refused)) for effect in effects):
        raise Exception(f"lax.while_loop, which has an effect, {why}. Use lax.scan.")


def _while_batcher(axis_data, vals, dims, *, cond_nconsts, cond_jaxpr, body_nconsts, body_jaxpr):
    effects = cond_jaxpr.effects | body_jaxpr.effects
    refuse_effects(effects, ordered_effects, "is mapped, and calls are ordered: examples have no "
                   "order")  # fmt: skip
    cond_dims, body_dims, carried = split3(tuple(dims), cond_nconsts, body_nconsts)
    found, dims_out = carried, None
    while found != dims_out:
        dims_out = tuple(None if d is None else 0 for d in found)
        _, found = batch_jaxpr(body_jaxpr, axis_data, body_dims + dims_out, dims_out)
    _, [holds_dim] = batch_jaxpr(cond_jaxpr, axis_data, cond_dims + dims_out)
    if holds_dim is not None:
        refuse_effects(effects, counted_effects, "ends for each example at another step, and all "
                       "examples run to the last: so there would be other calls")  # fmt: skip
    # Axes that the condition has already, of other maps, stay in front of the new one.
    rank = len(cond_jaxpr.out_avals[0].shape)
    new = tuple(
        0 if holds_dim is not None else None if d is None else rank for d in dims_out
    )
    batched_body, _ = batch_jaxpr(body_jaxpr, axis_data, body_dims + new, new)
    holds_dims = None if holds_dim is None else (0,)
    batched_cond, _ = batch_jaxpr(cond_jaxpr, axis_data, cond_dims + new, holds_dims)
    consts, carry = vals[: cond_nconsts + body_nconsts], vals[cond_nconsts + body_nconsts :]
    moves = zip(carried, new, carry, strict=True)
    carry = [matchaxis(axis_data.size, src, dst, x) for src, dst, x in moves]
    out = while_p.bind(
        *consts, *carry, cond_nconsts=cond_nconsts, cond_jaxpr=batched_cond,
        body_nconsts=body_nconsts, body_jaxpr=batched_body,
    )  # fmt: skip
    return out, new


fancy_primitive_batchers[while_p] = _while_batcher

# The function that a user calls.


def while_loop(cond_fun: Callable, body_fun: Callable, init_val: Any) -> Any:
    """`init_val` after as many steps `body_fun` as it takes for `cond_fun` to be False of it.

    The value is a pytree of arrays, and a step gives back the same structure, shapes and dtypes;
    `cond_fun` returns one bool. TypeError where that is not so. There is no derivative in reverse
    mode.

    >>> while_loop(lambda x: x < 100, lambda x: 2 * x, 3)
    Array(192, dtype=int32, weak_type=True)
    """
    check_functions("lax.while_loop", {"cond_fun": cond_fun, "body_fun": body_fun})
    leaves, in_tree = flatten_operands("lax.while_loop", body_fun, (init_val,))
    if config.jax_disable_jit:
        try:
            return _run_in_python(cond_fun, body_fun, init_val)
        except ConcretizationTypeError:
            pass  # the condition has no one value: mapped, say
    holds, body = _trace_both(cond_fun, body_fun, in_tree, leaves)
    if len(body.jaxpr.out_avals) == len(leaves):
        leaves = promote_weak(leaves, body.jaxpr.out_avals)
        holds, body = _trace_both(cond_fun, body_fun, in_tree, leaves)
    check_operands("lax.while_loop", [*holds.consts, *body.consts], leaves)
    tree, avals = tree_flatten(init_val)[1], list(map(typeof, leaves))
    check_same(
        "lax.while_loop's body_fun must return the types it takes",
        partial(first_name, body_fun, 1),
        (tree, avals), (body.out_tree, body.jaxpr.out_avals), ("at first", "after a step"),
        "Convert what it starts with, or what body_fun returns, with x.astype(dtype).",
    )  # fmt: skip
    return tree_unflatten(tree, _bind_while(holds, body, leaves))


def _trace_both(
    cond_fun: Callable, body_fun: Callable, in_tree: PyTreeDef, leaves: Sequence[Any]
) -> tuple[Body, Body]:
    avals = list(map(typeof, leaves))
    holds = trace_body("while_cond", cond_fun, in_tree, avals)
    out = holds.jaxpr.out_avals
    if holds.out_tree != tree_flatten(0)[1] or (out[0].shape, out[0].dtype) != ((), np.bool_):
        raise TypeError(
            f"lax.while_loop's cond_fun must return one bool, and it returned "
            f"{tree_unflatten(holds.out_tree, map(str, out))}.\nCompare numbers, or use x.any()."
        )
    return holds, trace_body("while_body", body_fun, in_tree, avals)


def _run_in_python(cond_fun: Callable, body_fun: Callable, init_val: Any) -> Any:
    val = tree_map(as_value, init_val)
    while cond_fun(val):
        val = tree_map(as_value, body_fun(val))
    return val


def _bind_while(holds: Body, body: Body, leaves: list[Any]) -> list[Any]:
    """Binds the loop. A carry that the body only passes on, and the condition doesn't read, becomes
    a constant of the body."""
    num_holds, num_body = len(holds.consts), len(body.consts)
    changed = [f != num_body + i for i, f in enumerate(forwarded(body.jaxpr))]
    cond_jaxpr, used = dce_closed_jaxpr(holds.jaxpr, (True,), (*[True] * num_holds, *changed))
    carried = used[num_holds:]
    handed_on = [not c for c in carried]
    new_consts = choose(leaves, handed_on)
    order = order_of([1] * num_body + [0 if h else 2 for h in handed_on])
    out = iter(while_p.bind(
        *holds.consts, *new_consts, *body.consts, *choose(leaves, carried),
        cond_nconsts=num_holds, cond_jaxpr=cond_jaxpr,
        body_nconsts=num_body + len(new_consts),
        body_jaxpr=reordered(with_results(body.jaxpr, carried), order),
    ))  # fmt: skip
    return [next(out) if c else x for x, c in zip(leaves, carried, strict=True)]
