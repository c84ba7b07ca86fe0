"""Discharge of what carries programs. Each takes a reference as the content of it, and what its
program writes is one more result: of a loop, one more carry."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from minijax.core.config import derived
from minijax.core.jitting import as_runtime_value, jit_p, running
from minijax.core.printing import programs_in_params
from minijax.core.programs import Flags, choose
from minijax.core.staging import ClosedJaxpr, JaxprEqn, jaxpr_as_fun, trace_to_jaxpr
from minijax.core.tracing import Primitive, typeof
from minijax.lax.control_flow.bodies import split3
from minijax.lax.control_flow.conditionals import cond_p, harmless_effects
from minijax.lax.control_flow.scan import order_of, reordered, scan_p
from minijax.lax.control_flow.while_loop import while_p
from minijax.lax.custom.checkpoint import remat_p
from minijax.lax.custom.derivatives import custom_jvp_call_p, custom_vjp_call_p
from minijax.lax.references.discharge import discharge, discharge_rules, run_discharged
from minijax.lax.references.types import Ref, RefEffect, is_ref

# What of its references a program writes, and the program that returns that.


@derived
def written(closed: ClosedJaxpr) -> Flags:
    """Which operands of a program are references that it writes."""
    pure = discharge(closed)
    contents = iter(pure.outvars[len(closed.outvars) :])
    pairs = zip(closed.invars, pure.invars, strict=True)
    return tuple(is_ref(v) and next(contents) is not old for v, old in pairs)


@derived
def returning(closed: ClosedJaxpr, which: Flags) -> ClosedJaxpr:
    """The program of values, whose last results are the contents of the operands marked."""
    pure, size = discharge(closed), len(closed.outvars)
    marks = [mark for v, mark in zip(closed.invars, which, strict=True) if is_ref(v)]
    outvars = [*pure.outvars[:size], *choose(pure.outvars[size:], marks)]
    return ClosedJaxpr(pure.jaxpr.replace(outvars=outvars), pure.consts)


def in_places(contents: Any, which: Flags) -> list[Any]:
    """The contents in the places of the operands marked, None elsewhere."""
    contents = iter(contents)
    return [next(contents) if mark else None for mark in which]


def _jit_discharged(eqn: JaxprEqn, *operands: Any) -> tuple:
    closed = eqn.params["jaxpr"]
    which, size = written(closed), len(closed.outvars)
    out = jit_p.bind(*operands, **{**eqn.params, "jaxpr": returning(closed, which)})
    return in_places(out[size:], which), out[:size]


def _cond_discharged(eqn: JaxprEqn, index: Any, *operands: Any) -> tuple:
    branches = eqn.params["branches"]
    which, size = tuple(map(any, zip(*map(written, branches), strict=True))), len(eqn.outvars)
    pure = tuple(returning(branch, which) for branch in branches)
    out = cond_p.bind(index, *operands, **{**eqn.params, "branches": pure})
    return [None, *in_places(out[size:], which)], out[:size]


def _scan_discharged(eqn: JaxprEqn, *operands: Any) -> tuple:
    """What a step writes becomes the first carries; of xs, the last ys."""
    params, closed = eqn.params, eqn.params["jaxpr"]
    num_consts, num_carry = params["num_consts"], params["num_carry"]
    which, num_ys = written(closed), len(closed.outvars) - num_carry
    num_written, rest = sum(which[:num_consts]), len(closed.invars) - num_consts
    num_slices = sum(which) - num_written  # references among the xs, of which each step has a part
    kinds = [int(mark) for mark in which[:num_consts]] + [2] * rest
    out_kinds = [1] * num_carry + [2] * num_ys + [0] * num_written + [3] * num_slices
    order, out_order = order_of(kinds), order_of(out_kinds)
    sizes = {"num_consts": num_consts - num_written, "num_carry": num_carry + num_written}
    step = reordered(returning(closed, which), order, out_order)
    out = scan_p.bind(*(operands[i] for i in order), **{**params, "jaxpr": step, **sizes})
    end = len(out) - num_slices
    return in_places([*out[:num_written], *out[end:]], which), out[num_written:end]


def _while_discharged(eqn: JaxprEqn, *operands: Any) -> tuple:
    """What a step writes becomes the first carries. The condition reads it there."""
    cond_nconsts, body_nconsts = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    holds, body = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
    if any(written(holds)):
        raise NotImplementedError(
            "lax.while_loop's cond_fun writes to a reference. Write in body_fun."
        )
    which = written(body)
    of_holds, of_body, _ = split3(eqn.invars, cond_nconsts, body_nconsts)
    holds_consts, body_consts, carry = split3(operands, cond_nconsts, body_nconsts)
    changing = choose(of_body, which[:body_nconsts])
    stays = [x not in changing for x in of_holds]
    kept, num_written = choose(holds_consts, stays), len(changing)

    def new_holds(*args: Any) -> list[Any]:
        known, contents, vals = split3(args, len(kept), num_written)
        values, places = iter(known), dict(zip(changing, contents, strict=True))
        consts = [next(values) if stay else places[x]
                  for x, stay in zip(of_holds, stays, strict=True)]  # fmt: skip
        return jaxpr_as_fun(pure_holds)(*consts, *vals)

    pure_holds = returning(holds, (False,) * len(holds.invars))
    contents = choose(body_consts, which[:body_nconsts])
    avals = list(map(typeof, [*kept, *contents, *carry]))
    order = order_of([int(mark) for mark in which[:body_nconsts]] + [2] * len(carry))
    out_order = order_of([1] * len(carry) + [0] * num_written)
    out = while_p.bind(
        *kept, *choose(body_consts, map(operator.not_, which[:body_nconsts])), *contents, *carry,
        cond_nconsts=len(kept), cond_jaxpr=trace_to_jaxpr(new_holds, avals),
        body_nconsts=body_nconsts - num_written,
        body_jaxpr=reordered(returning(body, which), order, out_order),
    )  # fmt: skip
    places = in_places(out[:num_written], which[:body_nconsts])
    return [*(None for _ in of_holds), *places, *(None for _ in carry)], out[num_written:]


discharge_rules |= {
    jit_p: _jit_discharged, cond_p: _cond_discharged, scan_p: _scan_discharged,
    while_p: _while_discharged,
}  # fmt: skip

# A call that is of interest to derivatives alone is written out.


def written_out(eqn: JaxprEqn, *operands: Any) -> tuple:
    """The equations of a call's program, in the place of the call."""
    program = next(programs_in_params(eqn.params))
    closed = program if isinstance(program, ClosedJaxpr) else ClosedJaxpr(program, [])
    env = dict(zip(closed.invars, operands, strict=True))
    out = run_discharged(closed, env)
    return [env[v] if is_ref(v) else None for v in closed.invars], out


for _primitive in (custom_jvp_call_p, custom_vjp_call_p, remat_p):
    discharge_rules[_primitive] = written_out
harmless_effects.append(RefEffect)  # of references that a branch made itself

# Outside of programs, with references as operands: the operation is a program of one equation.


def with_refs(primitive: Primitive) -> Callable:
    """How an operation that carries programs runs, of arrays and of references."""
    of_arrays = primitive.impl

    def impl(*operands: Any, **params: Any) -> list[Any]:
        if not any(type(x) is Ref for x in operands):
            return of_arrays(*operands, **params)
        first = next(programs_in_params(params))
        given = {id(x): x for x in operands}  # a while_loop's two programs may hold one reference
        places = tuple(list(given).index(id(x)) for x in operands)
        avals = tuple(map(typeof, given.values()))
        closed = _as_program(first, primitive, places, avals, tuple(params.items()))
        return running.run(closed, list(map(as_runtime_value, given.values())), primitive.name)

    return impl


@derived
def _as_program(
    _: ClosedJaxpr, primitive: Primitive, places: tuple, avals: tuple, params: tuple
) -> ClosedJaxpr:
    def program(*xs: Any) -> list[Any]:
        return primitive.bind(*(xs[i] for i in places), **dict(params))

    return trace_to_jaxpr(program, avals)


for _primitive in (cond_p, remat_p, scan_p, while_p):
    _primitive.impl = with_refs(_primitive)
