"""checkify: a function becomes one that also returns what checks have found wrong.

It is traced, and its equations are run one after the other, each by a rule that is handed the error
so far and hands on the error from there: (error, enabled kinds, *operands, **params) -> (error,
results). The rules of primitives that carry programs have these take and return the error, too. A
primitive without a rule finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from minijax.core.calls import check_callable, debug_info, flatten_fun
from minijax.core.config import derived
from minijax.core.errors import api_boundary
from minijax.core.forward import Zero
from minijax.core.jitting import jit_p
from minijax.core.primitives import expand_dims
from minijax.core.programs import dce_closed_jaxpr, trace_with_aux
from minijax.core.pytrees import PyTreeDef, tree_flatten, tree_structure, tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr,
    Literal,
    Var,
    convert_constvars_jaxpr,
    enter_source,
    jaxpr_as_fun,
    keep_source,
    trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, trace_ctx, typeof
from minijax.lax.control_flow.bodies import split3
from minijax.lax.control_flow.conditionals import Branches, cond_p
from minijax.lax.control_flow.scan import order_of, reordered, scan_p
from minijax.lax.control_flow.while_loop import while_p
from minijax.lax.custom.checkpoint import remat_p
from minijax.lax.custom.derivatives import custom_jvp_call_p, custom_vjp_call_p
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.outside.automatic_checks import nan_error_check, nan_primitives, operation_checks
from minijax.lax.outside.error_values import Error, check_p, init_error
from minijax.lax.outside.findings import (
    DivisionByZeroError,
    FailedCheckError,
    JaxException,
    NaNError,
    OOBError,
)
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.placed_types import pvary
from minijax.lax.sharding.shard_map import bind_body, in_mesh_order, inside, shard_map_p

ErrorCategory = type[JaxException]
Kinds = frozenset[ErrorCategory]

# Running a program with checks.

error_checks: dict[Primitive, Callable] = dict(operation_checks)


def run_checked(
    closed: ClosedJaxpr, enabled: Kinds, error: Error, args: Sequence[Any]
) -> tuple[Error, list[Any]]:
    """The error and the results of a program, whose operations are bound one after the other."""
    jaxpr = closed.jaxpr
    env = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))
    outer = keep_source()
    try:
        for eqn, dead in zip(jaxpr.eqns, jaxpr.last_uses, strict=True):
            enter_source(eqn, outer)
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            error, out = _checked(eqn.primitive, error, enabled, operands, eqn.params)
            outs = out if eqn.primitive.multiple_results else [out]
            env.update(zip(eqn.outvars, outs, strict=True))
            for v in dead:
                del env[v]
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    return error, [x.val if type(x) is Literal else env[x] for x in jaxpr.outvars]


def _checked(
    primitive: Primitive, error: Error, enabled: Kinds, operands: Sequence[Any], params: dict
) -> tuple[Error, Any]:
    """One operation with its checks."""
    if primitive in error_checks:
        return error_checks[primitive](error, enabled, *operands, **params)
    out = primitive.bind(*operands, **params)
    if primitive.name in nan_primitives:
        error = nan_error_check(primitive, error, enabled, out)
    return error, out


# Programs that take an error's leaves before their operands, and return such before their results.


@derived
def checked_jaxpr(
    closed: ClosedJaxpr, enabled: Kinds, tree: PyTreeDef, in_avals: tuple
) -> tuple[ClosedJaxpr, PyTreeDef]:
    """The program with checks, for an error of this structure; and the structure of the error that
    it returns."""
    size = tree.num_leaves

    def checked(*args: Any) -> tuple[list[Any], PyTreeDef]:
        error, out = run_checked(closed, enabled, tree_unflatten(tree, args[:size]), args[size:])
        leaves, out_tree = tree_flatten(error)
        return [*leaves, *out], out_tree

    return trace_with_aux(checked, in_avals, closed.jaxpr.debug_info)


class Carrying:
    """Programs of the same operands, with checks: they take errors of one structure, and return
    errors of the same one. It has room for whatever any of the programs may find."""

    def __init__(self, error: Error, enabled: Kinds, programs: Sequence[ClosedJaxpr]) -> None:
        found = (_error_of(tree) for _, tree in _each(programs, enabled, error))
        self.error = error.with_places(kind for other in found for kind in other._pred)
        pairs = _each(programs, enabled, self.error)
        self.programs = [program for program, _ in pairs]
        self.metadata = {code: tree for _, out_tree in pairs
                         for code, tree in _error_of(out_tree)._metadata.items()}  # fmt: skip
        self.leaves, self.tree = tree_flatten(self.error)
        self.size = len(self.leaves)

    def after(self, out: Sequence[Any]) -> tuple[Error, list[Any]]:
        """The error and the results, of what a program returned."""
        error = tree_unflatten(self.tree, out[: self.size])
        return error.with_metadata(self.metadata), list(out[self.size :])


def _each(programs: Sequence[ClosedJaxpr], enabled: Kinds, error: Error) -> list[tuple]:
    leaves, tree = tree_flatten(error)
    avals = tuple(map(typeof, leaves))
    return [checked_jaxpr(program, enabled, tree, (*avals, *program.in_avals))
            for program in programs]  # fmt: skip


def _error_of(tree: PyTreeDef) -> Error:
    return tree_unflatten(tree, range(tree.num_leaves))


# The rules of primitives that carry programs.


def _check_check(error, enabled, *args, err_tree, debug):
    """A check of the user's. One of a kind that is not asked for is left out."""
    found = tree_unflatten(err_tree, args)
    for kind, pred in found._pred.items():
        if kind.error_type in enabled:
            error = error.with_finding(kind, pred, found._code[kind], {}, found._payload[kind])
    return error.with_metadata(found._metadata), []


def _jit_check(error, enabled, *args, jaxpr, donated_invars, **params):
    carrying = Carrying(error, enabled, [jaxpr])
    donated = (False,) * carrying.size + tuple(donated_invars)
    [program] = carrying.programs
    return carrying.after(
        jit_p.bind(*carrying.leaves, *args, jaxpr=program, donated_invars=donated, **params)
    )


def _cond_check(error, enabled, index, *args, branches, **params):
    carrying = Carrying(error, enabled, branches)
    checked: Branches = tuple(carrying.programs)
    return carrying.after(cond_p.bind(index, *carrying.leaves, *args, branches=checked, **params))


def _behind_constants(carrying: Carrying, num_consts: int) -> ClosedJaxpr:
    """The program of a loop's step, which has the error among its carries."""
    [program] = carrying.programs
    size, rest = carrying.size, len(program.in_avals) - carrying.size - num_consts
    if any(x.shape != y.shape for x, y in zip(carrying.leaves, program.out_avals, strict=False)):
        raise TypeError(
            "checkify does not go through a loop of lax that calls a function with checks on "
            "several devices: each of them has an error of its own. Call checkify of that function "
            "in the loop, and checkify.check_error."
        )
    return reordered(program, order_of([1] * size + [0] * num_consts + [2] * rest))


def _scan_check(error, enabled, *args, jaxpr, num_consts, num_carry, **params):
    carrying = Carrying(error, enabled, [jaxpr])
    return carrying.after(scan_p.bind(
        *args[:num_consts], *carrying.leaves, *args[num_consts:],
        jaxpr=_behind_constants(carrying, num_consts), num_consts=num_consts,
        num_carry=carrying.size + num_carry, **params,
    ))  # fmt: skip


def _while_check(error, enabled, *args, cond_nconsts, cond_jaxpr, body_nconsts, body_jaxpr):
    """The condition is checked before the first step, and then as the end of each step."""
    if cond_jaxpr.out_avals[0].shape:
        raise ValueError(
            "checkify does not go through a lax.while_loop that vmap has mapped, with a condition "
            "for each example. Call vmap of the function that checkify made."
        )
    holds_consts, consts, carry = split3(args, cond_nconsts, body_nconsts)
    error, _ = run_checked(cond_jaxpr, enabled, error, [*holds_consts, *carry])
    step = _step_and_condition(body_jaxpr, cond_jaxpr, cond_nconsts, body_nconsts)
    carrying, num_consts = Carrying(error, enabled, [step]), cond_nconsts + body_nconsts
    types = tuple(map(typeof, carrying.leaves))
    return carrying.after(while_p.bind(
        *holds_consts, *holds_consts, *consts, *carrying.leaves, *carry,
        cond_nconsts=cond_nconsts, body_nconsts=num_consts,
        cond_jaxpr=_condition_alone(cond_jaxpr, enabled, cond_nconsts, types),
        body_jaxpr=_behind_constants(carrying, num_consts),
    ))  # fmt: skip


@derived
def _step_and_condition(
    body: ClosedJaxpr, condition: ClosedJaxpr, cond_nconsts: int, body_nconsts: int
) -> ClosedJaxpr:
    """A step that also computes the next condition, for its checks alone."""

    def step(*args: Any) -> list[Any]:
        holds_consts, consts, carry = split3(args, cond_nconsts, body_nconsts)
        carry = jaxpr_as_fun(body)(*consts, *carry)
        jaxpr_as_fun(condition)(*holds_consts, *carry)
        return carry

    in_avals = [*condition.in_avals[:cond_nconsts], *body.in_avals]
    return trace_to_jaxpr(step, in_avals, body.jaxpr.debug_info)


@derived
def _condition_alone(
    condition: ClosedJaxpr, enabled: Kinds, cond_nconsts: int, types: tuple
) -> ClosedJaxpr:
    """The condition without its checks. It is given an error of these types, and ignores it."""
    checked, _ = checked_jaxpr(
        condition, enabled, tree_structure(init_error), tuple(condition.in_avals)
    )
    used = (*(False,) * (len(checked.out_avals) - 1), True)
    bare, _ = dce_closed_jaxpr(checked, used, instantiate=True)
    consts, carry = bare.invars[:cond_nconsts], bare.invars[cond_nconsts:]
    return ClosedJaxpr(
        bare.jaxpr.replace(invars=[*consts, *map(Var, types), *carry]), bare.consts
    )


def _remat_check(error, enabled, *args, jaxpr, prevent_cse, **params):
    """The program has no constants of its own: they become its first operands."""
    carrying = Carrying(error, enabled, [jaxpr])
    [program] = carrying.programs
    if isinstance(prevent_cse, tuple):
        added = len(program.consts) + carrying.size
        prevent_cse = (False,) * added + prevent_cse
    without = ClosedJaxpr(convert_constvars_jaxpr(program.jaxpr), [])
    return carrying.after(remat_p.bind(
        *program.consts, *carrying.leaves, *args, jaxpr=without, prevent_cse=prevent_cse, **params
    ))  # fmt: skip


def _shard_map_check(error, enabled, *args, jaxpr, in_specs, out_specs, **params):
    """Each device has an error of its own: they are put together along a first axis."""
    names = in_mesh_order(params["mesh"], params["newly_manual_axes"])
    with inside(**params):
        carrying = Carrying(error, enabled, [jaxpr])
        [program] = carrying.programs
        program = _with_first_axis(program, carrying.size, names if params["check_vma"] else ())
    size = carrying.size
    return carrying.after(bind_body(
        program, [*carrying.leaves, *args], (P(),) * size + in_specs,
        out_specs=(P(names),) * size + out_specs, **params,
    ))  # fmt: skip


@derived
def _with_first_axis(closed: ClosedJaxpr, size: int, names: tuple) -> ClosedJaxpr:
    """The body, of which the first results have one more axis, and vary along these of the mesh."""

    def body(*args: Any) -> list[Any]:
        out = jaxpr_as_fun(closed)(*args)
        return [*(pvary(expand_dims(x, [0]), names) for x in out[:size]), *out[size:]]

    return trace_to_jaxpr(body, closed.in_avals, closed.jaxpr.debug_info)


# Custom rules for derivatives are not checked: they hand on the error that came in.


def _custom_jvp_check(error, enabled, *args, call_jaxpr, jvp_jaxpr_fun, num_consts, **params):
    carrying = Carrying(error, enabled, [call_jaxpr])
    size = carrying.size

    @wraps(jvp_jaxpr_fun)
    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        out, out_dot = jvp_jaxpr_fun(primals[size:], tangents[size:])
        return [*primals[:size], *out], [*tangents[:size], *out_dot]

    return carrying.after(custom_jvp_call_p.bind(
        *carrying.leaves, *args, call_jaxpr=carrying.programs[0], jvp_jaxpr_fun=rule,
        num_consts=size + num_consts, **params,
    ))  # fmt: skip


def _custom_vjp_check(error, enabled, *args, call_jaxpr, fwd_jaxpr_thunk, num_consts, **params):
    carrying = Carrying(error, enabled, [call_jaxpr])
    size, zeros = carrying.size, list(map(Zero.from_primal_value, carrying.leaves))

    @wraps(fwd_jaxpr_thunk)
    def forward(primals: Sequence[Any], nonzeros: Sequence[bool]) -> tuple:
        out, residuals, backward = fwd_jaxpr_thunk(primals[size:], nonzeros[size:])

        @wraps(backward)
        def rule(residuals: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
            return [*zeros, *backward(residuals, cts[size:])]

        return [*primals[:size], *out], residuals, rule

    return carrying.after(custom_vjp_call_p.bind(
        *carrying.leaves, *args, call_jaxpr=carrying.programs[0], fwd_jaxpr_thunk=forward,
        num_consts=size + num_consts, **params,
    ))  # fmt: skip


error_checks |= {
    check_p: _check_check, jit_p: _jit_check, cond_p: _cond_check, scan_p: _scan_check,
    while_p: _while_check, remat_p: _remat_check, custom_jvp_call_p: _custom_jvp_check,
    custom_vjp_call_p: _custom_vjp_check, shard_map_p: _shard_map_check,
}  # fmt: skip

# What a user calls.

user_checks: Kinds = frozenset({FailedCheckError})
nan_checks: Kinds = frozenset({NaNError})
index_checks: Kinds = frozenset({OOBError})
div_checks: Kinds = frozenset({DivisionByZeroError})
float_checks: Kinds = nan_checks | div_checks
automatic_checks: Kinds = float_checks | index_checks
all_checks: Kinds = automatic_checks | user_checks


@api_boundary
def checkify(f: Callable, errors: Kinds = user_checks) -> Callable:
    """`f`, as a function that returns a pair: an `Error`, and what `f` returns.

    The error holds the first of `f`'s checks that failed. `errors` says what is checked, a set:
    `user_checks`, the calls of `check`; `nan_checks`, that no operation gives a NaN; `div_checks`,
    divisors; `index_checks`, indices; or the union of several. The function is pure: it can be
    jitted, mapped and differentiated. TypeError for what is no function and no such set.

    >>> import minijax
    >>> import minijax.numpy as jnp
    >>> f = minijax.jit(checkify(jnp.log, errors=float_checks | index_checks))
    >>> error, out = f(-1.0)
    >>> error.get(), out
    ('nan generated by primitive: log.', Array(nan, dtype=float32, weak_type=True))
    """
    check_callable(f, "checkify")
    enabled = _as_kinds(errors)

    @api_boundary
    def checked_fun(*args: Any, **kwargs: Any) -> tuple[Error, Any]:
        # Arguments are constants: whether they are known is for what is around to say.
        call = wraps(f)(lambda: f(*args, **kwargs))
        flat_fun, out_tree = flatten_fun(call, tree_structure(((), {})))
        closed = trace_to_jaxpr(flat_fun, [], debug_info("checkify", f, args, kwargs, ()))
        error, out = run_checked(closed, enabled, init_error, [])
        return error, tree_unflatten(out_tree(), out)

    return checked_fun


def _as_kinds(errors: Any) -> Kinds:
    kinds = errors if isinstance(errors, set | frozenset) else None
    if kinds is None or not all(isinstance(x, type) and issubclass(x, JaxException) for x in kinds):
        raise TypeError(
            f"checkify takes errors as a set of kinds, and got {shown(errors)}.\nGive "
            f"checkify.float_checks, or another one, or the union of several: a | b."
        )
    return frozenset(kinds)
