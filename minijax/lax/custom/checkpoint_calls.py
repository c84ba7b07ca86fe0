"""A call of a checkpointed function: its options, its program, and how the operation is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.arguments import split_static, within
from minijax.core.calls import check_callable
from minijax.core.config import derived
from minijax.core.errors import SourceInfo
from minijax.core.programs import Flags, as_flags, choose
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Staged, Var, stage
from minijax.core.tracing import no_effects, typeof
from minijax.lax.custom.barriers import optimization_barrier_p
from minijax.lax.custom.rule_calls import without_address
from minijax.lax.elementwise.arithmetic import shown


def check_options(fun: Any, prevent_cse: Any, concrete: Any) -> None:
    check_callable(fun, "checkpoint")
    if concrete is not None:
        raise NotImplementedError(
            "checkpoint has no `concrete` any more. Use static_argnums for arguments whose values "
            "Python needs."
        )
    if not isinstance(prevent_cse, bool | Sequence):
        raise TypeError(
            f"checkpoint takes prevent_cse as a bool or a sequence, and got {shown(prevent_cse)}. "
            f"Give True, or a flag for each argument."
        )


def stage_checkpointed(
    fun: Callable, args: tuple, kwargs: dict, static: tuple
) -> tuple[Staged, list]:
    """The program of the arguments that are not static. Where a static argument is not hashable,
    the function is traced at each call."""
    lacking = [i for i in static[0] if not within([i], len(args))]
    if lacking:
        raise ValueError(
            f"checkpoint was told of static arguments {lacking}, and the call has {len(args)}. "
            f"Count them from 0, or from the end with negative numbers."
        )
    rest = split_static(fun, args, kwargs, *static)
    if all(is_hashable(x) for _, x in rest[-1]):
        return stage(fun, args, kwargs, "checkpoint", static, aval_of=typeof)
    return stage(*rest[:-1], "checkpoint", aval_of=typeof)


def is_hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def shown_params(params: dict[str, Any]) -> dict[str, Any]:
    return {**params, "policy": without_address(params["policy"])}


# The second run stays a second run: its operands go through a barrier, so that its equations do not
# count as equal to those of the first run.


def written_out(eqn: JaxprEqn) -> tuple:
    """The program of a checkpointed call, for the compiler, and its operands."""
    program, flags = eqn.params["jaxpr"], as_flags(eqn.params["prevent_cse"], len(eqn.invars))
    flags = tuple(flag and type(x) is Var for flag, x in zip(flags, eqn.invars, strict=True))
    if eqn.params["differentiated"] and any(flags):
        program = _behind_barrier(program, flags)
    return program, eqn.invars


@derived
def _behind_barrier(closed: ClosedJaxpr, flags: Flags) -> ClosedJaxpr:
    inside = choose(closed.invars, flags)
    outside: dict[Any, Var] = {v: Var(v.aval) for v in inside}
    barrier = JaxprEqn(
        list(outside.values()), inside, optimization_barrier_p, {}, no_effects, SourceInfo(None, 0)
    )
    invars = [outside.get(v, v) for v in closed.invars]
    jaxpr = closed.jaxpr.replace(invars=invars, eqns=[barrier, *closed.eqns])
    return ClosedJaxpr(jaxpr, closed.consts)
