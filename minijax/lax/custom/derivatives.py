"""Custom derivatives: primitives that carry a user's function and a rule for its derivative.

Outside a program, the parameters are Python functions, and a call runs one of them. In a program,
the function is a program too; the rule stays a Python function, which runs when a derivative is
asked for.

The rules for vmap, for unused results, for printing and for the compiler are in
mapped_and_pruned.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from minijax.core.extend import (
    ClosedJaxpr, DebugInfo, JaxprTrace, Primitive, Zero, api_boundary, convert_constvars_jaxpr,
    custom_staging_rules, fancy_primitive_batchers, is_nonzero, jaxpr_as_fun, no_effects,
    primitive_jvps, primitive_transposes, trace_to_jaxpr, typeof,
)
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_unflatten
from minijax.lax.custom.rule_calls import (
    CustomCall, CustomVJPException, CustomVJPPrimal, check_pair, flatten_cotangents,
    flatten_tangents, from_rule, keep_constant, name_like, refuse_forward_mode, refuse_tracer,
    resolve_positions, rule_of_parts, to_rule,
)
from minijax.lax.typechecks import (
    FLAG, FUNCTION, NUMBER_OF_OPERANDS, PROGRAM, called, def_typecheck,
)

# The parameter call_jaxpr is a Python function of leaves, or its program.


class PythonProgram:
    """A Python function of leaves, which stands for a program until it is staged."""

    def __init__(self, fun: Callable, info: DebugInfo | None) -> None:
        self.fun, self.info = fun, info
        self.out_avals: list[Any] = []  # known once the function has run, or a rule for it


Program = PythonProgram | ClosedJaxpr


def as_fun(program: Program) -> Callable:
    return program.fun if isinstance(program, PythonProgram) else jaxpr_as_fun(program)


def note_types(program: Program, out_avals: Iterable[Any]) -> None:
    if isinstance(program, PythonProgram):
        program.out_avals = list(out_avals)


def stage_call(program: Program, args: Sequence[Any]) -> tuple[ClosedJaxpr, Sequence[Any]]:
    """The program as a jaxpr, and the values it closes over, which become its first operands."""
    if isinstance(program, ClosedJaxpr):
        return program, ()
    closed = trace_to_jaxpr(program.fun, list(map(typeof, args)), program.info)
    return ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), []), closed.consts


def custom_primitive(name: str) -> Primitive:
    """A primitive that runs the function where no derivative is asked for."""
    primitive = Primitive(name)
    primitive.says_what_varies = True  # the function does
    primitive.multiple_results = True

    @primitive.def_impl
    def impl(*args: Any, call_jaxpr: Program, **params: Any) -> Sequence[Any]:
        out = as_fun(call_jaxpr)(*args)
        note_types(call_jaxpr, map(typeof, out))
        return out

    @primitive.def_effectful_abstract_eval
    def abstract_eval(*in_avals: Any, call_jaxpr: Program, **params: Any) -> tuple:
        if isinstance(call_jaxpr, PythonProgram):
            return call_jaxpr.out_avals, no_effects
        return called(name, call_jaxpr, in_avals)

    return primitive


custom_jvp_call_p = custom_primitive("custom_jvp_call")
custom_vjp_call_p = custom_primitive("custom_vjp_call")

def_typecheck(
    custom_jvp_call_p, call_jaxpr=PROGRAM, jvp_jaxpr_fun=FUNCTION, num_consts=NUMBER_OF_OPERANDS,
    symbolic_zeros=FLAG,
)  # fmt: skip
def_typecheck(
    custom_vjp_call_p, call_jaxpr=PROGRAM, fwd_jaxpr_thunk=FUNCTION, bwd=FUNCTION,
    num_consts=NUMBER_OF_OPERANDS, symbolic_zeros=FLAG,
)  # fmt: skip

# The forward rule: (primals, tangents) -> (results, their tangents).


def _custom_jvp_jvp(primals, tangents, *, call_jaxpr, jvp_jaxpr_fun, num_consts, symbolic_zeros):
    given = [to_rule(t, symbolic_zeros) for t in tangents]
    out, out_dot = jvp_jaxpr_fun(primals, given)
    note_types(call_jaxpr, map(typeof, out))
    return out, list(map(from_rule, out_dot))


primitive_jvps[custom_jvp_call_p] = _custom_jvp_jvp


def _stage_custom_jvp(trace: JaxprTrace, args: Sequence[Any], params: dict) -> list[Any]:
    program, consts = stage_call(params["call_jaxpr"], args)
    rule, num_consts = params["jvp_jaxpr_fun"], len(consts)

    @wraps(rule)
    def without_consts(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        return rule(primals[num_consts:], tangents[num_consts:])

    new_params = {"call_jaxpr": program, "jvp_jaxpr_fun": without_consts, "num_consts": num_consts}
    return trace.record(custom_jvp_call_p, [*consts, *args], {**params, **new_params})


custom_staging_rules[custom_jvp_call_p] = _stage_custom_jvp

# The backward rule: (primals, which of them have a tangent) -> (results, residuals, backward), and
# backward(residuals, cotangents) -> cotangents of all primals. In place of a linear program of
# tangents stands a `custom_lin`, which can only be transposed. Its operands are the residuals, then
# the nonzero tangents.


def _custom_vjp_jvp(primals, tangents, *, call_jaxpr, fwd_jaxpr_thunk, bwd, num_consts,
                    symbolic_zeros):  # fmt: skip
    nonzeros = list(map(is_nonzero, tangents))
    out, residuals, backward = fwd_jaxpr_thunk(primals, nonzeros)
    note_types(call_jaxpr, map(typeof, out))
    out_dot = custom_lin_p.bind(
        *residuals, *filter(is_nonzero, tangents), num_res=len(residuals), bwd=backward,
        in_zeros=[not nonzero for nonzero in nonzeros], symbolic_zeros=symbolic_zeros,
        out_avals=[typeof(x).to_tangent_aval() for x in out],
    )  # fmt: skip
    return out, list(map(from_rule, out_dot))


primitive_jvps[custom_vjp_call_p] = _custom_vjp_jvp

custom_lin_p = Primitive("custom_lin")
custom_lin_p.says_what_varies = True
custom_lin_p.multiple_results = True
custom_lin_p.def_impl(refuse_forward_mode)
custom_lin_p.def_abstract_eval(lambda *avals, out_avals, **params: out_avals)
fancy_primitive_batchers[custom_lin_p] = refuse_forward_mode


def _custom_lin_transpose(cts, *args, num_res, bwd, in_zeros, symbolic_zeros, out_avals):
    given = [to_rule(ct, symbolic_zeros) for ct in cts]
    cts_in = map(from_rule, bwd(args[:num_res], given))
    return [None] * num_res + [
        ct for ct, zero in zip(cts_in, in_zeros, strict=True) if not zero
    ]


primitive_transposes[custom_lin_p] = _custom_lin_transpose


def _stage_custom_vjp(trace: JaxprTrace, args: Sequence[Any], params: dict) -> list[Any]:
    program, consts = stage_call(params["call_jaxpr"], args)
    rule, num_consts = params["fwd_jaxpr_thunk"], len(consts)
    zeros = [Zero.from_primal_value(x) for x in consts]

    @wraps(rule)
    def without_consts(primals: Sequence[Any], nonzeros: Sequence[bool]) -> tuple:
        if any(nonzeros[:num_consts]):
            raise CustomVJPException
        out, residuals, backward = rule(primals[num_consts:], nonzeros[num_consts:])
        return out, residuals, wraps(backward)(lambda *given: [*zeros, *backward(*given)])

    new_params = {"call_jaxpr": program, "fwd_jaxpr_thunk": without_consts}
    return trace.record(
        custom_vjp_call_p, [*consts, *args], {**params, **new_params, "num_consts": num_consts}
    )


custom_staging_rules[custom_vjp_call_p] = _stage_custom_vjp

# The decorators, and before each, how a user's rule becomes a rule of leaves.


def rule_of_leaves(jvp: Any, fixed: list, in_tree: PyTreeDef, outcome: Any) -> Callable:
    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        both = (tree_unflatten(in_tree, xs) for xs in (primals, tangents))
        out, out_dot = check_pair(jvp(*fixed, *both), jvp, outcome, "its tangent")
        return outcome.flatten(out, jvp), flatten_tangents(out_dot, jvp, outcome)

    return name_like(rule, jvp)


class custom_jvp(CustomCall):  # noqa: N801
    """A function with a rule for its derivative, which is given by `defjvp`.

    Arguments at `nondiff_argnums`, or with the names `nondiff_argnames`, are passed on as they are,
    and come first in the rule's arguments. A call without a rule raises AttributeError.

    >>> f = custom_jvp(lambda x: x * x)
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return x * x, 100 * t
    >>> import minijax
    >>> minijax.grad(f)(3.0)
    Array(100., dtype=float32, weak_type=True)
    """

    jvp: Callable | None = None

    def defjvp(self, jvp: Callable, symbolic_zeros: bool = False) -> Callable:
        """Sets the rule: (primals, tangents), both tuples, to a pair (result, its tangent).

        With `symbolic_zeros`, tangents that are zero are given as SymbolicZero.
        """
        self.jvp, self.symbolic_zeros = jvp, symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Callable | None) -> None:
        """Sets a rule for each argument: (tangent, result, *primals) to its part of the tangent.

        None stands for a part that is zero. TypeError if there are nondiff_argnums.
        """
        if self.nondiff_argnums:
            raise TypeError("defjvps takes no nondiff_argnums. Use defjvp, with one rule for all.")
        self.defjvp(rule_of_parts(self, jvps))

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        jvp = self.jvp
        self.need("defjvp", jvp)
        fixed, args, join = self.split(resolve_positions(self.fun, args, kwargs), keep_constant)
        leaves, in_tree, flat_fun, outcome, info = self.flatten(args, join, "custom_jvp")

        out = custom_jvp_call_p.bind(
            *leaves, call_jaxpr=PythonProgram(flat_fun, info),
            jvp_jaxpr_fun=rule_of_leaves(jvp, fixed, in_tree, outcome), num_consts=0,
            symbolic_zeros=self.symbolic_zeros,
        )  # fmt: skip
        return tree_unflatten(outcome.tree, out)


def forward_of_leaves(custom: custom_vjp, join: Callable, fixed: list, flat: tuple) -> Callable:
    fwd, bwd, symbolic_zeros = custom.fwd, custom.bwd, custom.symbolic_zeros
    leaves, in_tree, flat_fun, outcome, info = flat
    in_avals = list(map(typeof, leaves))

    def forward(primals: Sequence[Any], nonzeros: Sequence[bool]) -> tuple:
        if symbolic_zeros:
            primals = list(map(CustomVJPPrimal, primals, nonzeros))
        pair = fwd(*join(tree_unflatten(in_tree, primals)))
        out, residuals = check_pair(pair, fwd, outcome, "residuals for the backward rule")
        out, (res_leaves, res_tree) = outcome.flatten(out, fwd), tree_flatten(residuals)
        # Python's own numbers reach bwd as they are: it may decide by them.
        kept = () if custom.optimize_remat else (bool, int, float, complex)
        numbers = [x if type(x) in kept else None for x in res_leaves]

        def backward(res: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
            arrays = iter(res)
            res = [next(arrays) if number is None else number for number in numbers]
            both = tree_unflatten(res_tree, res), tree_unflatten(outcome.tree, cts)
            return flatten_cotangents(bwd(*fixed, *both), in_tree, in_avals, bwd)

        arrays = [x for x, number in zip(res_leaves, numbers, strict=True) if number is None]
        return out, arrays, name_like(backward, bwd)

    if custom.optimize_remat:
        from minijax.lax.custom.optimize_remat import optimize_remat  # its rules serve nothing else

        forward = optimize_remat(forward, flat_fun, info)
    return name_like(forward, fwd)


class custom_vjp(CustomCall):  # noqa: N801
    """A function with a rule for reverse mode, which is given by `defvjp`.

    The arguments are those of `custom_jvp`. A call without a rule raises AttributeError, and
    forward mode raises TypeError.

    >>> f = custom_vjp(lambda x: x * x)
    >>> f.defvjp(lambda x: (f(x), x), lambda x, ct: (100 * ct,))
    >>> import minijax
    >>> minijax.grad(f)(3.0)
    Array(100., dtype=float32, weak_type=True)
    """

    fwd: Callable | None = None
    bwd: Callable | None = None
    optimize_remat = False

    def defvjp(
        self, fwd: Callable, bwd: Callable, symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:  # fmt: skip
        """Sets the rules: fwd(*args) returns (result, residuals), and bwd(residuals, cotangent) a
        tuple of cotangents, one for each argument, None for zero. Residuals are any pytree.

        With `symbolic_zeros`, fwd gets a CustomVJPPrimal for each leaf of its arguments, and bwd
        a SymbolicZero for each cotangent that is zero.

        With `optimize_remat`, a jitted or checkpointed program that needs no residuals but
        arguments runs the function, and not fwd. Elsewhere a second `grad` raises ValueError.
        """
        if symbolic_zeros and optimize_remat:
            raise NotImplementedError("defvjp has optimize_remat or symbolic_zeros. Choose one.")
        self.fwd, self.bwd, self.symbolic_zeros = fwd, bwd, symbolic_zeros
        self.optimize_remat = optimize_remat

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.need("defvjp", self.fwd, self.bwd)
        fixed, args, join = self.split(resolve_positions(self.fun, args, kwargs), refuse_tracer)
        flat = leaves, _, flat_fun, outcome, info = self.flatten(args, join, "custom_vjp")
        forward = forward_of_leaves(self, join, fixed, flat)
        out = custom_vjp_call_p.bind(
            *leaves, call_jaxpr=PythonProgram(flat_fun, info), fwd_jaxpr_thunk=forward,
            bwd=self.bwd, num_consts=0, symbolic_zeros=self.symbolic_zeros,
        )  # fmt: skip
        return tree_unflatten(outcome.tree, out)
