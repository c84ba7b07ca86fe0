"""Checkpointing: a derivative that computes values again, where keeping them would take memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from minijax.compiler.lowerings import register_lowering
from minijax.core.arguments import as_positions, as_tuple, flatten_axes
from minijax.core.errors import wraps
from minijax.core.extend import (
    ClosedJaxpr, JaxprEqn, Primitive, api_boundary, batch_jaxpr, choose, convert_constvars_jaxpr,
    dce_closed_jaxpr, dce_rules, derived, fancy_primitive_batchers, has_effect, is_nonzero,
    is_undefined_primal, jaxpr_as_fun, jvp_jaxpr, pp_eqn_rules, primitive_jvps,
    primitive_linearizations, primitive_transposes, put_zeros, transpose_jaxpr,
)
from minijax.core.programs import Flags
from minijax.core.pytrees import tree_unflatten
from minijax.lax.custom.checkpoint_calls import (
    check_options, shown_params, stage_checkpointed, written_out,
)
from minijax.lax.custom.recomputation import arranged, linearized_jaxpr, split_saved
from minijax.lax.typechecks import (
    FLAG, FLAG_OR_FLAGS, FUNCTION_OR_NONE, PROGRAM, called, def_typecheck,
)

remat_p = Primitive("remat2")
remat_p.multiple_results = True


@remat_p.def_impl
def _remat_impl(*args, jaxpr, prevent_cse, differentiated, policy):
    return jaxpr_as_fun(jaxpr)(*args)


@remat_p.def_effectful_abstract_eval
def _remat_abstract_eval(*avals, jaxpr, prevent_cse, differentiated, policy):
    return called("remat2", jaxpr, avals)


def_typecheck(
    remat_p, jaxpr=PROGRAM, prevent_cse=FLAG_OR_FLAGS, differentiated=FLAG,
    policy=FUNCTION_OR_NONE,
)  # fmt: skip

CSE = bool | tuple[bool, ...]  # one flag for all operands, or a flag for each


def _bind(closed: ClosedJaxpr, operands: Sequence[Any], prevent_cse: CSE, **params: Any) -> list:
    """Binds the primitive; the program's constants become its first operands."""
    if isinstance(prevent_cse, tuple):
        prevent_cse = (False,) * len(closed.consts) + prevent_cse
    program = _without_consts(closed) if closed.consts else closed
    return remat_p.bind(
        *closed.consts, *operands, jaxpr=program, prevent_cse=prevent_cse, **params
    )


@derived
def _without_consts(closed: ClosedJaxpr) -> ClosedJaxpr:
    return ClosedJaxpr(convert_constvars_jaxpr(closed.jaxpr), [])


def _cse_of(prevent_cse: CSE, kept: Sequence[bool], before: int = 0, after: int = 0) -> CSE:
    """The flags of the operands that are kept, and flags for new ones before and after them."""
    if isinstance(prevent_cse, bool):
        return prevent_cse
    return (True,) * before + tuple(choose(prevent_cse, kept)) + (True,) * after


pp_eqn_rules[remat_p] = shown_params
register_lowering(remat_p, call=written_out)

# Linearized: the forward program runs as if it were not checkpointed. The linear program is another
# checkpointed operation, and computes again the values that were not saved.


class RematSplit(NamedTuple):
    """`known` returns the results, then the saved values. `linear` takes the saved values, and then
    those primals and tangents that are marked in `used`."""

    known: ClosedJaxpr
    linear: ClosedJaxpr
    used: Flags
    out_nonzeros: Flags


@derived
def linearize_remat(closed: ClosedJaxpr, nonzeros: Flags, policy: Hashable) -> RematSplit:
    """The forward program and the linear program of a checkpointed one."""
    both, out_nonzeros = linearized_jaxpr(closed, nonzeros)
    known, again, _ = split_saved(both, policy, sum(nonzeros))
    num_out = len(closed.out_avals)
    num_saved = len(known.out_avals) - num_out
    tangents_out = (False,) * num_out + (True,) * sum(out_nonzeros)
    linear, used = dce_closed_jaxpr(again, tangents_out)
    needed = (True,) * num_out + used[:num_saved]
    known, _ = dce_closed_jaxpr(known, needed, instantiate=True)
    return RematSplit(*arranged(known, linear, num_out), used[num_saved:], out_nonzeros)


def _remat_linearize(nonzeros, *primals, jaxpr, prevent_cse, differentiated, policy):
    split = linearize_remat(jaxpr, tuple(nonzeros), policy)
    out = jaxpr_as_fun(split.known)(*primals)
    saved, num_out = out[len(jaxpr.out_avals) :], len(jaxpr.out_avals)
    used, used_dots = split.used[: len(primals)], split.used[len(primals) :]

    def linearized(residuals, *tangents):
        given = choose(list(filter(is_nonzero, tangents)), used_dots)
        cse = _cse_of(prevent_cse, used, before=len(saved), after=len(given))
        operands = [*residuals, *given]
        out_dot = _bind(split.linear, operands, cse, differentiated=True, policy=policy)
        return put_zeros(out_dot, split.out_nonzeros, jaxpr.out_avals)

    return out[:num_out], split.out_nonzeros, [*saved, *choose(primals, used)], linearized


primitive_linearizations[remat_p] = _remat_linearize

# The other rules derive another program, as jit's rules do.


def _remat_jvp(primals, tangents, *, jaxpr, prevent_cse, **params):
    nonzeros = tuple(map(is_nonzero, tangents))
    new_jaxpr, out_nonzeros = jvp_jaxpr(jaxpr, nonzeros)
    cse = _cse_of(prevent_cse, (True,) * len(primals), after=sum(nonzeros))
    out = _bind(new_jaxpr, [*primals, *choose(tangents, nonzeros)], cse, **params)
    size = len(jaxpr.out_avals)
    return out[:size], put_zeros(out[size:], out_nonzeros, jaxpr.out_avals)


primitive_jvps[remat_p] = _remat_jvp


def _remat_transpose(cts, *args, jaxpr, prevent_cse, **params):
    linear, nonzero_cts = tuple(map(is_undefined_primal, args)), tuple(map(is_nonzero, cts))
    new_jaxpr, ct_nonzeros = transpose_jaxpr(jaxpr, linear, nonzero_cts)
    known = [not lin for lin in linear]
    cse = _cse_of(prevent_cse, known, after=sum(nonzero_cts))
    out = _bind(new_jaxpr, [*choose(args, known), *choose(cts, nonzero_cts)], cse, **params)
    return put_zeros(out, ct_nonzeros, jaxpr.in_avals)


primitive_transposes[remat_p] = _remat_transpose


def _remat_batcher(axis_data, vals, dims, *, jaxpr, prevent_cse, **params):
    """Batched results have the batch axis in front."""
    _, found = batch_jaxpr(jaxpr, axis_data, tuple(dims))
    dims_out = tuple(None if d is None else 0 for d in found)
    new_jaxpr, _ = batch_jaxpr(jaxpr, axis_data, tuple(dims), dims_out)
    return _bind(new_jaxpr, vals, prevent_cse, **params), dims_out


fancy_primitive_batchers[remat_p] = _remat_batcher


def _remat_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple[Flags, JaxprEqn | None]:
    jaxpr, used_inputs = dce_closed_jaxpr(eqn.params["jaxpr"], tuple(used_outputs))
    cse = _cse_of(eqn.params["prevent_cse"], used_inputs)
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, used_inputs), outvars=choose(eqn.outvars, used_outputs),
        params={**eqn.params, "jaxpr": jaxpr, "prevent_cse": cse},
        effects=eqn.effects & jaxpr.effects,
    )  # fmt: skip
    return used_inputs, new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[remat_p] = _remat_dce

# The function that a user calls.


@api_boundary
def checkpoint(
    fun: Callable, *, prevent_cse: bool | Sequence = True, policy: Callable | None = None,
    static_argnums: int | Iterable[int] = (), static_argnames: str | Iterable[str] = (),
    concrete: Any = None,
) -> Callable:  # fmt: skip
    """`fun`, with a derivative that keeps only the arguments of the forward run.

    The other values that the derivative needs are computed again on the way back, in a second run
    that computes nothing else. That takes less memory, and at most one more forward run. `policy`,
    one of `jax.checkpoint_policies`, says which values may be kept all the same. `prevent_cse`, a
    bool or a tree of bools for the arguments, keeps the compiler from merging the two runs. Static
    arguments are passed to `fun` as they are: ValueError where a call lacks one.

    >>> from minijax.core.reverse import grad
    >>> grad(checkpoint(lambda x: x * x * x))(2.0)
    Array(12., dtype=float32, weak_type=True)
    """
    check_options(fun, prevent_cse, concrete)
    static = as_positions("checkpoint", static_argnums), as_tuple(static_argnames)

    @api_boundary
    @wraps(fun)
    def fun_remat(*args: Any, **kwargs: Any) -> Any:
        staged, leaves = stage_checkpointed(fun, args, kwargs, static)
        cse = prevent_cse
        if not isinstance(cse, bool):
            tree = staged.in_tree if kwargs else staged.in_tree._children[0]
            cse = tuple(flatten_axes("checkpoint's prevent_cse", tree, tuple(cse)))
        params = {"differentiated": False, "policy": policy}
        return tree_unflatten(staged.out_tree, _bind(staged.closed, leaves, cse, **params))

    return fun_remat
