"""A call of a linear function whose transpose the user has written: `linear_call`.

The transpose of the call is a call of the user's transpose, with the function as its own. So a
function and its transpose may be what no program would find: two loops, or two callbacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minijax.compiler.lowerings import register_lowering
from minijax.core.errors import typematch
from minijax.core.extend import (
    AxisData,
    ClosedJaxpr,
    Primitive,
    Zero,
    batch_jaxpr,
    bdim_at_front,
    fancy_primitive_batchers,
    is_nonzero,
    is_undefined_primal,
    jaxpr_as_fun,
    pp_eqn_rules,
    primitive_jvps,
    primitive_transposes,
    typeof,
    zeros,
)
from minijax.core.linearization import has_tangent
from minijax.core.pytrees import tree_structure, tree_unflatten
from minijax.lax.control_flow.bodies import check_functions, flatten_operands, trace_body
from minijax.lax.custom.rule_calls import without_address
from minijax.lax.typechecks import FUNCTION, NUMBER_OF_OPERANDS, PROGRAM, called, def_typecheck


class Program(NamedTuple):
    """A program and its first operands: what the user's function closes over."""

    jaxpr: ClosedJaxpr
    consts: Sequence[Any]


linear_call_p = Primitive("linear_call")
linear_call_p.multiple_results = True


@linear_call_p.def_impl
def _linear_call_impl(*args: Any, callee: ClosedJaxpr, **params: Any) -> list[Any]:
    return jaxpr_as_fun(callee)(*args)


@linear_call_p.def_effectful_abstract_eval
def _linear_call_rule(
    *avals: Any, callee: ClosedJaxpr, transpose_thunk: Callable, num_callee_consts: int,
    num_res: int,
) -> tuple:  # fmt: skip
    return called("linear_call", callee, avals)


def_typecheck(
    linear_call_p, callee=PROGRAM, transpose_thunk=FUNCTION, num_callee_consts=NUMBER_OF_OPERANDS,
    num_res=NUMBER_OF_OPERANDS,
)  # fmt: skip
register_lowering(linear_call_p, call=lambda eqn: (eqn.params["callee"], eqn.invars))


pp_eqn_rules[linear_call_p] = lambda params: {
    k: without_address(v) if callable(v) else v for k, v in params.items()
}  # fmt: skip


def _memoize(thunk: Callable[[], Program]) -> Callable[[], Program]:
    """The thunk, which is run once."""
    found: list[Program] = []

    def memoized() -> Program:
        if not found:
            found.append(thunk())
        return found[0]

    return memoized


def _bind(
    callee: Program, transpose: Callable, residuals: Sequence[Any], linear: Sequence[Any]
) -> list[Any]:  # fmt: skip
    return linear_call_p.bind(
        *callee.consts, *residuals, *linear, callee=callee.jaxpr, transpose_thunk=transpose,
        num_callee_consts=len(callee.consts), num_res=len(residuals),
    )  # fmt: skip


def _linear_call_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, num_callee_consts: int, num_res: int,
    **params: Any,
) -> tuple:  # fmt: skip
    """A linear function is its own derivative, by what it is linear in."""
    params |= {"num_callee_consts": num_callee_consts, "num_res": num_res}
    fixed = num_callee_consts + num_res
    if any(map(is_nonzero, tangents[:fixed])):
        raise AssertionError(
            "linear_call is differentiated by its residuals, or by a value that its function "
            "closes over. Give such a value as one of linear_args."
        )
    out = linear_call_p.bind(*primals, **params)
    no_tangents = list(map(Zero.from_primal_value, out))
    if not any(map(is_nonzero, tangents)):
        return out, no_tangents
    pairs = zip(tangents[fixed:], primals[fixed:], strict=True)
    dots = [t if is_nonzero(t) else zeros(typeof(x)) for t, x in pairs]
    out_dot = linear_call_p.bind(*primals[:fixed], *dots, **params)
    return out, [
        t if has_tangent(typeof(t)) else zero
        for t, zero in zip(out_dot, no_tangents, strict=True)
    ]  # fmt: skip


def _linear_call_transpose_rule(
    cts: Sequence[Any], *args: Any, callee: ClosedJaxpr, transpose_thunk: Callable,
    num_callee_consts: int, num_res: int,
) -> list[Any]:  # fmt: skip
    """The user's transpose is called; its own transpose is the function."""
    fixed = num_callee_consts + num_res
    consts, residuals = args[:num_callee_consts], args[num_callee_consts:fixed]
    cts = [
        ct if is_nonzero(ct) else zeros(aval)
        for ct, aval in zip(cts, callee.out_avals, strict=True)
    ]  # fmt: skip

    def new_transpose_thunk() -> Program:
        return Program(callee, consts)

    out = _bind(transpose_thunk(), new_transpose_thunk, residuals, cts)
    pairs = zip(args[fixed:], out, strict=True)
    found = [ct if is_undefined_primal(x) else None for x, ct in pairs]
    return [None] * fixed + found


def _linear_call_batcher(
    axis_data: AxisData, vals: Sequence[Any], dims: Sequence[int | None], *, callee: ClosedJaxpr,
    transpose_thunk: Callable, num_callee_consts: int, num_res: int,
) -> tuple:  # fmt: skip
    """All linear operands are batched, and all results, so that both programs fit each other."""
    if all(d is None for d in dims) and axis_data.name is None:
        out = linear_call_p.bind(
            *vals, callee=callee, transpose_thunk=transpose_thunk,
            num_callee_consts=num_callee_consts, num_res=num_res,
        )  # fmt: skip
        return out, [None] * len(out)
    fixed = num_callee_consts + num_res
    size, front = axis_data.size, [None if d is None else 0 for d in dims[:fixed]]
    front += [0] * (len(dims) - fixed)
    moved = [
        x if to is None else bdim_at_front(x, d, size)
        for x, d, to in zip(vals, dims, front, strict=True)
    ]  # fmt: skip
    num_out = len(callee.out_avals)
    batched, _ = batch_jaxpr(callee, axis_data, tuple(front), (0,) * num_out)

    @_memoize
    def transpose() -> Program:
        one = transpose_thunk()
        places = (*[None] * len(one.consts), *front[num_callee_consts:fixed], *[0] * num_out)
        num_linear = len(one.jaxpr.out_avals)
        return Program(batch_jaxpr(one.jaxpr, axis_data, places, (0,) * num_linear)[0], one.consts)

    consts = moved[:num_callee_consts]
    residuals, linear = moved[num_callee_consts:fixed], moved[fixed:]
    return _bind(Program(batched, consts), transpose, residuals, linear), [0] * num_out


primitive_jvps[linear_call_p] = _linear_call_jvp
primitive_transposes[linear_call_p] = _linear_call_transpose_rule
fancy_primitive_batchers[linear_call_p] = _linear_call_batcher


def linear_call(
    fun: Callable, fun_transpose: Callable, residual_args: Any, linear_args: Any
) -> Any:  # fmt: skip
    """`fun(residual_args, linear_args)`, where `fun` is linear in the second, a pytree, and
    `fun_transpose(residual_args, ct)` is its transpose: from what is like `fun`'s result to what is
    like `linear_args`.

    The derivative by `linear_args` is `fun` again; reverse mode calls `fun_transpose`, and the
    transpose of that is `fun`. There is no derivative by the residuals: AssertionError. TypeError
    where the transpose returns another structure than `linear_args` have, ValueError for others
    of their shapes and dtypes.

    >>> import minijax
    >>> divide = lambda x, by: linear_call(lambda r, x: x / r, lambda r, ct: ct / r, by, x)
    >>> divide(6.0, 3.0), minijax.grad(divide)(6.0, 4.0)
    (Array(2., dtype=float32, weak_type=True), Array(0.25, dtype=float32, weak_type=True))
    """
    name = "custom_derivatives.linear_call"
    check_functions(name, {"fun": fun, "fun_transpose": fun_transpose})
    leaves, in_tree = flatten_operands(name, fun, (residual_args, linear_args))
    residual_tree, linear_tree = map(tree_structure, (residual_args, linear_args))
    num_res, avals = residual_tree.num_leaves, list(map(typeof, leaves))
    body = trace_body("linear_call fun", fun, in_tree, avals)

    @_memoize
    def transpose_thunk() -> Program:
        out = tree_unflatten(body.out_tree, body.jaxpr.out_avals)
        tree = tree_structure((tree_unflatten(residual_tree, avals[:num_res]), out))
        in_avals = [*avals[:num_res], *body.jaxpr.out_avals]
        back = trace_body("linear_call fun_transpose", fun_transpose, tree, in_avals)
        found, wanted = back.jaxpr.out_avals, avals[num_res:]
        is_like = back.out_tree == linear_tree
        if not is_like or not all(map(typematch, found, wanted)):
            got = tree_unflatten(back.out_tree, map(str, found))
            raise (ValueError if is_like else TypeError)(
                f"{name} has linear_args {tree_unflatten(linear_tree, map(str, wanted))} and a "
                f"fun_transpose that returns {got}.\nReturn what is like the first."
            )
        return Program(back.jaxpr, back.consts)

    out = _bind(Program(body.jaxpr, body.consts), transpose_thunk, leaves[:num_res],
                leaves[num_res:])  # fmt: skip
    return tree_unflatten(body.out_tree, out)
