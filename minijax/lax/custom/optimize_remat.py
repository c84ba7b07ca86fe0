"""optimize_remat: where nobody uses a forward rule's residuals, the function runs in its place.

Which of the two runs is known only when a program is pruned. Until then an equation carries both:
the forward rule's program, which it runs, and a function that makes the function's own program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.core.extend import (
    AxisData,
    ClosedJaxpr,
    DebugInfo,
    JaxprEqn,
    Primitive,
    batch_flat,
    batch_jaxpr,
    choose,
    convert_constvars_jaxpr,
    dce_closed_jaxpr,
    dce_rules,
    extend_axis_env,
    fancy_primitive_batchers,
    instantiate_zeros,
    is_nonzero,
    jaxpr_as_fun,
    jvp_flat,
    jvp_jaxpr,
    pp_eqn_rules,
    primitive_jvps,
    put_zeros,
    trace_to_jaxpr,
    typeof,
)
from minijax.core.linearization import has_tangent
from minijax.core.programs import trace_with_aux
from minijax.lax.custom.rule_calls import without_address
from minijax.lax.typechecks import (
    FUNCTION,
    NATURAL,
    NUMBER_OF_OPERANDS,
    PROGRAM,
    called,
    def_typecheck,
)

# The equation. Its operands are `num_consts` constants of the forward rule, then the arguments;
# its results `num_res` residuals, then those of the function.

remat_opt_p = Primitive("remat_opt")
remat_opt_p.multiple_results = True


@remat_opt_p.def_impl
def _remat_opt_impl(*args: Any, fwd_jaxpr: ClosedJaxpr, **params: Any) -> list[Any]:
    return jaxpr_as_fun(fwd_jaxpr)(*args)


@remat_opt_p.def_effectful_abstract_eval
def _remat_opt_abstract_eval(*avals: Any, fwd_jaxpr: ClosedJaxpr, **params: Any) -> tuple:
    return called("remat_opt", fwd_jaxpr, avals)


def_typecheck(
    remat_opt_p, num_consts=NUMBER_OF_OPERANDS, num_res=NATURAL, fwd_jaxpr=PROGRAM,
    fun_jaxpr_thunk=FUNCTION,
)  # fmt: skip

register_lowering(remat_opt_p, call=lambda eqn: (eqn.params["fwd_jaxpr"], eqn.invars))
pp_eqn_rules[remat_opt_p] = lambda params: {
    **params, "fun_jaxpr_thunk": without_address(params["fun_jaxpr_thunk"]),
}  # fmt: skip


def optimize_remat(forward: Callable, flat_fun: Callable, info: DebugInfo) -> Callable:
    """The forward rule of leaves, run by a `remat_opt`."""

    def optimized(primals: Sequence[Any], nonzeros: Sequence[bool]) -> tuple:
        def fwd(*args: Any) -> tuple[list[Any], tuple]:
            out, residuals, backward = forward(args, nonzeros)
            places = {id(x): i for i, x in enumerate(args)}
            sources = [places.get(id(x)) for x in residuals]
            made = [x for x, i in zip(residuals, sources, strict=True) if i is None]
            return [*made, *out], (sources, backward)

        in_avals = list(map(typeof, primals))
        closed, (sources, backward) = trace_with_aux(fwd, in_avals, info)
        num_res = sources.count(None)
        out = _bind(
            closed, [], primals, num_res, _memoize(lambda: trace_to_jaxpr(flat_fun, in_avals, info))
        )
        made = iter(out[:num_res])
        residuals = [next(made) if i is None else primals[i] for i in sources]
        return out[num_res:], residuals, backward

    return optimized


def _bind(
    closed: ClosedJaxpr, consts: Sequence[Any], args: Sequence[Any], num_res: int, thunk: Callable
) -> list[Any]:
    """The program's own constants become operands, before the others."""
    program = ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), [])
    return remat_opt_p.bind(
        *closed.consts, *consts, *args, num_consts=len(closed.consts) + len(consts),
        num_res=num_res, fun_jaxpr_thunk=thunk, fwd_jaxpr=program,
    )  # fmt: skip


def _memoize(thunk: Callable) -> Callable:
    """The function is traced once, when its program is needed."""
    found: list[ClosedJaxpr] = []

    def memoized() -> ClosedJaxpr:
        if not found:
            found.append(thunk())
        return found[0]

    return memoized


# Both programs are transformed alike, so that the one can still take the other's place.


def _remat_opt_jvp(primals, tangents, *, num_consts, num_res, fwd_jaxpr, fun_jaxpr_thunk):
    """Residuals and their tangents are the residuals of the derivative."""
    consts, args = primals[:num_consts], primals[num_consts:]
    floats = tuple(has_tangent(typeof(x)) for x in args)
    out_floats = tuple(map(has_tangent, fwd_jaxpr.out_avals))
    consts_dot = list(filter(is_nonzero, tangents[:num_consts]))
    args_dot = choose(list(map(instantiate_zeros, tangents[num_consts:])), floats)
    num_out, num_res_dot = len(out_floats) - num_res, sum(out_floats[:num_res])

    nonzeros = (*map(is_nonzero, tangents[:num_consts]), *floats)
    closed, _ = jvp_jaxpr(fwd_jaxpr, nonzeros, out_floats)
    c, x, c_dot, x_dot = _split(closed.invars, [num_consts, len(args), len(consts_dot)])
    r, y, r_dot, y_dot = _split(closed.outvars, [num_res, num_out, num_res_dot])
    jaxpr = closed.jaxpr.replace(invars=[*c, *c_dot, *x, *x_dot], outvars=[*r, *r_dot, *y, *y_dot])

    def fun_jvp_jaxpr_thunk() -> ClosedJaxpr:
        return jvp_jaxpr(fun_jaxpr_thunk(), floats, out_floats[num_res:])[0]

    out = _bind(
        ClosedJaxpr(jaxpr, closed.consts), [*consts, *consts_dot], [*args, *args_dot],
        num_res + num_res_dot, fun_jvp_jaxpr_thunk,
    )  # fmt: skip
    res, res_dot, outs, outs_dot = _split(out, [num_res, num_res_dot, num_out])
    out_dot = put_zeros([*res_dot, *outs_dot], out_floats, fwd_jaxpr.out_avals)
    return [*res, *outs], out_dot


def _split(xs: Sequence[Any], sizes: Sequence[int]) -> list[list[Any]]:
    """Divides a sequence into parts of these sizes, and the rest."""
    rest = iter(xs)
    return [*(list(islice(rest, size)) for size in sizes), list(rest)]


primitive_jvps[remat_opt_p] = _remat_opt_jvp


def _remat_opt_batcher(
    axis_data: AxisData, vals: Sequence[Any], dims: Sequence[int | None], *, num_consts: int,
    num_res: int, fwd_jaxpr: ClosedJaxpr, fun_jaxpr_thunk: Callable,
) -> tuple:  # fmt: skip
    """Mapped results have the batch axis in front, those of the function like those of the rule."""
    dims = tuple(dims)
    _, found = batch_jaxpr(fwd_jaxpr, axis_data, dims)
    dims_out = tuple(None if d is None else 0 for d in found)
    closed, _ = batch_jaxpr(fwd_jaxpr, axis_data, dims, dims_out)

    def batched_fun() -> ClosedJaxpr:
        with extend_axis_env(axis_data):
            program = fun_jaxpr_thunk()
        wanted = dims_out[num_res:]
        program, places = batch_jaxpr(program, axis_data, dims[num_consts:], wanted)
        if places != wanted:
            raise ValueError(
                "A custom_vjp function's results are mapped by vmap, and those of its forward rule "
                "are not. Make them depend on what the function's depend on, or leave out "
                "optimize_remat."
            )
        return program

    consts, args = vals[:num_consts], vals[num_consts:]
    return _bind(closed, consts, args, num_res, _memoize(batched_fun)), dims_out


fancy_primitive_batchers[remat_opt_p] = _remat_opt_batcher

# Pruned: with a residual, all arguments stay, as the function may still need them. Without one it
# is a call of the function.


def _remat_opt_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple:
    params, outvars = eqn.params, choose(eqn.outvars, used_outputs)
    num_consts, num_res = params["num_consts"], params["num_res"]
    num_args = len(eqn.invars) - num_consts
    if not any(used_outputs[:num_res]):
        closed, used = dce_closed_jaxpr(params["fun_jaxpr_thunk"](), tuple(used_outputs[num_res:]))
        used = (*[False] * num_consts, *used)
        primitive, new_params = closed_call_p, {"call_jaxpr": closed}
    else:
        keep = (*[False] * num_consts, *[True] * num_args)
        closed, used = dce_closed_jaxpr(params["fwd_jaxpr"], tuple(used_outputs), keep)
        primitive, new_params = remat_opt_p, {
            **params, "fwd_jaxpr": closed, "num_consts": sum(used[:num_consts]),
            "num_res": sum(used_outputs[:num_res]),
        }  # fmt: skip
    invars = choose(eqn.invars, used)
    return used, JaxprEqn(invars, outvars, primitive, new_params, closed.effects, eqn.source_info)


dce_rules[remat_opt_p] = _remat_opt_dce

# A call of a program, which a transformation runs through. Constants may be tracers of an outer
# trace, so they are operands.


class CallPrimitive(Primitive):
    def bind(self, *args: Any, call_jaxpr: ClosedJaxpr) -> list[Any]:
        program = ClosedJaxpr(convert_constvars_jaxpr(call_jaxpr.jaxpr), [])
        return super().bind(*call_jaxpr.consts, *args, call_jaxpr=program)


closed_call_p = CallPrimitive("closed_call")
closed_call_p.multiple_results = True


@closed_call_p.def_impl
def _closed_call_impl(*args: Any, call_jaxpr: ClosedJaxpr) -> list[Any]:
    return jaxpr_as_fun(call_jaxpr)(*args)


@closed_call_p.def_effectful_abstract_eval
def _closed_call_abstract_eval(*avals: Any, call_jaxpr: ClosedJaxpr) -> tuple:
    return called("closed_call", call_jaxpr, avals)


def_typecheck(closed_call_p, call_jaxpr=PROGRAM)
register_lowering(closed_call_p, call=lambda eqn: (eqn.params["call_jaxpr"], eqn.invars))


def _closed_call_batcher(
    axis_data: AxisData, vals: Sequence[Any], dims: Sequence[int | None], *,
    call_jaxpr: ClosedJaxpr,
) -> tuple:  # fmt: skip
    return batch_flat(jaxpr_as_fun(call_jaxpr), axis_data, dims, vals)


def _closed_call_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple:
    closed, used = dce_closed_jaxpr(eqn.params["call_jaxpr"], tuple(used_outputs))
    return used, eqn._replace(
        invars=choose(eqn.invars, used), outvars=choose(eqn.outvars, used_outputs),
        params={"call_jaxpr": closed}, effects=eqn.effects & closed.effects,
    )  # fmt: skip


primitive_jvps[closed_call_p] = lambda primals, tangents, *, call_jaxpr: jvp_flat(
    jaxpr_as_fun(call_jaxpr), primals, tangents
)
fancy_primitive_batchers[closed_call_p] = _closed_call_batcher
dce_rules[closed_call_p] = _closed_call_dce
