"""Calls with custom rules under vmap, and without unused results; printed, and compiled.

The primitives and their derivatives are in derivatives.py. Here a call becomes another call: of a
function that is mapped or returns less, with rules that are mapped or return less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from minijax.compiler.lowerings import register_lowering
from minijax.core.batching import BatchTracer
from minijax.core.extend import (
    AxisData,
    BatchTrace,
    JaxprEqn,
    Primitive,
    Zero,
    backward_pass,
    batched_aval,
    choose,
    dce_closed_jaxpr,
    dce_rules,
    example_aval,
    extend_axis_env,
    fancy_primitive_batchers,
    matchaxis,
    new_trace,
    pp_eqn_rules,
    primitive_transposes,
    trace_ctx,
    typeof,
    unzip2,
)
from minijax.core.primitives import reduce_sum
from minijax.lax.custom.derivatives import (
    Program,
    PythonProgram,
    as_fun,
    custom_jvp_call_p,
    custom_lin_p,
    custom_vjp_call_p,
    note_types,
)
from minijax.lax.custom.rule_calls import SymbolicZero, from_rule, function_name, to_rule

# Under vmap: the function and its rules are mapped, each when it runs.


class SameAxisTrace(BatchTrace):
    """A further trace of a vmap that is under way. Tracers of the vmap's other traces count as its
    own, since the function may close over them."""

    def to_batch_info(self, x: Any) -> tuple[Any, int | None]:
        mine = isinstance(x, BatchTracer) and x._trace.axis_data is self.axis_data
        return (x.val, x.batch_dim) if mine else (x, None)

    def box(self, val: Any, bdim: int | None) -> Any:
        if type(val) is SymbolicZero:
            return SymbolicZero(example_aval(val.aval, bdim))
        return super().box(val, bdim)


class Mapping:
    """The vmap of one call. The function or the rule, whichever runs first, settles the batch axes
    of the results (`out_dims`); the results of the other are then moved there.

    A symbolic zero is batched like any value.
    """

    def __init__(self, axis_data: AxisData) -> None:
        self.axis_data, self.out_dims = axis_data, None

    def run(self, fun: Callable, vals: Sequence[Any], dims: Sequence[int | None]) -> tuple:
        with new_trace(SameAxisTrace(trace_ctx.trace, self.axis_data)) as trace:
            with extend_axis_env(self.axis_data):
                out = fun(*map(trace.box, vals, dims))
                return unzip2(map(trace.to_batch_info, out))

    def settle(self, dims: Sequence[int | None]) -> None:
        self.out_dims = dims if self.out_dims is None else self.out_dims

    def place(self, vals: Sequence[Any], dims: Sequence[int | None]) -> list[Any]:
        """Results, with their batch axes moved to the settled places."""
        return [self.move(x, *pair) for x, *pair in zip(vals, dims, self.out_dims, strict=True)]

    def move(self, x: Any, source: int | None, to: int | None) -> Any:
        if type(x) in (SymbolicZero, Zero):
            return type(x)(batched_aval(x.aval, self.axis_data.size, to))
        if to is None and source is not None:
            raise TypeError(
                "A custom rule's results are mapped by vmap, and the function's own are not. "
                "Make the function's result depend on what the rule's depends on."
            )
        return matchaxis(self.axis_data.size, source, to, x)

    def backward(self, rule: Callable, res_dims: Sequence[int | None], dims: Sequence[int | None]):
        """The backward rule, mapped. The cotangent of an argument that is not mapped is the sum
        over the examples."""

        @wraps(rule)
        def mapped(residuals: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
            def flat_rule(*args: Any) -> Any:
                return rule(args[: len(res_dims)], args[len(res_dims) :])

            both, both_dims = [*residuals, *cts], [*res_dims, *self.out_dims]
            cts_in, found = self.run(flat_rule, both, both_dims)
            return [
                reduce_sum(ct, [source]) if to is None and source is not None
                else self.move(ct, source, to)
                for ct, source, to in zip(cts_in, found, dims, strict=True)
            ]  # fmt: skip

        return mapped


def map_function(mapping: Mapping, program: Program, dims: Sequence[int | None]) -> PythonProgram:
    def mapped(*args: Any) -> list[Any]:
        out, out_dims = mapping.run(as_fun(program), args, dims)
        mapping.settle(out_dims)
        return mapping.place(out, out_dims)

    python = isinstance(program, PythonProgram)
    return PythonProgram(mapped, program.info if python else program.jaxpr.debug_info)


def bind_mapped(
    primitive: Primitive, mapping: Mapping, call_jaxpr: Program, vals: Sequence[Any],
    dims: Sequence[int | None], params: dict,
) -> tuple:  # fmt: skip
    program = map_function(mapping, call_jaxpr, dims)
    out = primitive.bind(*vals, call_jaxpr=program, **params)
    pairs = zip(out, mapping.out_dims, strict=True)
    note_types(call_jaxpr, (example_aval(typeof(x), d) for x, d in pairs))
    return out, mapping.out_dims


def _custom_jvp_batcher(axis_data, vals, dims, *, call_jaxpr, jvp_jaxpr_fun, **params):
    mapping = Mapping(axis_data)

    def flat_rule(*args: Any) -> list[Any]:
        out, out_dot = jvp_jaxpr_fun(args[: len(dims)], args[len(dims) :])
        return [*out, *map(from_rule, out_dot)]

    @wraps(jvp_jaxpr_fun)
    def mapped(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        both, found = mapping.run(flat_rule, [*primals, *tangents], [*dims, *dims])
        size = len(both) // 2
        pairs = zip(found[:size], found[size:], strict=True)
        mapping.settle([tangent if primal is None else primal for primal, tangent in pairs])
        return mapping.place(both[:size], found[:size]), mapping.place(both[size:], found[size:])

    params["jvp_jaxpr_fun"] = mapped
    return bind_mapped(custom_jvp_call_p, mapping, call_jaxpr, vals, dims, params)


def _custom_vjp_batcher(axis_data, vals, dims, *, call_jaxpr, fwd_jaxpr_thunk, **params):
    mapping = Mapping(axis_data)

    @wraps(fwd_jaxpr_thunk)
    def mapped(primals: Sequence[Any], nonzeros: Sequence[bool]) -> tuple:
        ends: list[tuple] = []

        def flat_rule(*args: Any) -> list[Any]:
            out, residuals, backward = fwd_jaxpr_thunk(args, nonzeros)
            ends.append((len(residuals), backward))
            return [*residuals, *out]

        both, found = mapping.run(flat_rule, primals, dims)
        size, backward = ends[0]
        mapping.settle(found[size:])
        out = mapping.place(both[size:], found[size:])
        return out, both[:size], mapping.backward(backward, found[:size], dims)

    params["fwd_jaxpr_thunk"] = mapped
    return bind_mapped(custom_vjp_call_p, mapping, call_jaxpr, vals, dims, params)


fancy_primitive_batchers[custom_jvp_call_p] = _custom_jvp_batcher
fancy_primitive_batchers[custom_vjp_call_p] = _custom_vjp_batcher

# Without the results that nobody uses: the rules leave them out, too. All operands stay, since a
# rule may need an operand that the function does not.


def _prune(eqn: JaxprEqn, used: tuple[bool, ...], **params: Any) -> tuple:
    program, _ = dce_closed_jaxpr(eqn.params["call_jaxpr"], used, instantiate=True)
    new_eqn = eqn._replace(
        outvars=choose(eqn.outvars, used), effects=eqn.effects & program.effects,
        params={**eqn.params, **params, "call_jaxpr": program},
    )  # fmt: skip
    return [True] * len(eqn.invars), new_eqn


def _custom_jvp_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple:
    rule, used = eqn.params["jvp_jaxpr_fun"], tuple(used_outputs)

    @wraps(rule)
    def pruned(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        out, out_dot = rule(primals, tangents)
        return choose(out, used), choose(out_dot, used)

    return _prune(eqn, used, jvp_jaxpr_fun=pruned)


def _custom_vjp_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple:
    rule, used = eqn.params["fwd_jaxpr_thunk"], tuple(used_outputs)
    symbolic_zeros = eqn.params["symbolic_zeros"]

    @wraps(rule)
    def pruned(primals: Sequence[Any], nonzeros: Sequence[bool]) -> tuple:
        out, residuals, backward = rule(primals, nonzeros)
        zeros = [to_rule(Zero.from_primal_value(x), symbolic_zeros) for x in out]

        @wraps(backward)
        def pruned_backward(residuals: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
            given = iter(cts)
            all_cts = [next(given) if u else z for u, z in zip(used, zeros, strict=True)]
            return backward(residuals, all_cts)

        return choose(out, used), residuals, pruned_backward

    return _prune(eqn, used, fwd_jaxpr_thunk=pruned)


dce_rules[custom_jvp_call_p] = _custom_jvp_dce
dce_rules[custom_vjp_call_p] = _custom_vjp_dce

# A call of a linear function is transposed as the function is, without its rule.


def _custom_jvp_transpose(cts, *args, call_jaxpr, **params):
    return backward_pass(call_jaxpr.jaxpr, call_jaxpr.consts, args, cts)


primitive_transposes[custom_jvp_call_p] = _custom_jvp_transpose

# Printed: a rule is shown by its name.


_RULES = {"jvp_jaxpr_fun": "jvp", "fwd_jaxpr_thunk": "fwd", "bwd": "bwd"}


def _pp_call(params: dict) -> dict:
    shown = {
        _RULES.get(key, key): function_name(value) if key in _RULES else value
        for key, value in params.items() if key != "num_consts" or value
    }  # fmt: skip
    return {"name": params["call_jaxpr"].jaxpr.debug_info.func_name, **shown}


pp_eqn_rules[custom_jvp_call_p] = pp_eqn_rules[custom_vjp_call_p] = _pp_call
pp_eqn_rules[custom_lin_p] = lambda params: {
    key: function_name(value) if key == "bwd" else value
    for key, value in params.items() if key != "out_avals"
}  # fmt: skip

# Compiled: the call is replaced by the function's program.

for _primitive in (custom_jvp_call_p, custom_vjp_call_p):
    register_lowering(_primitive, call=lambda eqn: (eqn.params["call_jaxpr"], eqn.invars))
