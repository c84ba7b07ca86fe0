"""What the compiler may write out: calls of programs that stand there only for their derivatives,
and the one branch of a choice that is known."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from minijax.compiler.rewriting import calls, choices, loops
from minijax.core.arrays import raw_value
from minijax.core.config import derived
from minijax.core.errors import SourceInfo
from minijax.core.programs import Flags, as_flags, choose
from minijax.core.staging import ClosedJaxpr, JaxprEqn, Literal, Var, trace_to_jaxpr
from minijax.core.tracing import no_effects
from minijax.lax.barriers import optimization_barrier_p
from minijax.lax.checkpoint import remat_p
from minijax.lax.control_flow.conditionals import cond_p
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.control_flow.while_loop import while_p
from minijax.lax.custom_rules import custom_jvp_call_p, custom_vjp_call_p
from minijax.lax.joining import unstack_p
from minijax.lax.shapes import squeeze
from minijax.lax.slicing import slice_in_dim, split_p

calls[custom_jvp_call_p] = lambda eqn: (eqn.params["call_jaxpr"], eqn.invars)
calls[custom_vjp_call_p] = lambda eqn: (eqn.params["call_jaxpr"], eqn.invars)


def _cond(eqn: JaxprEqn) -> tuple | None:
    """The branch, where the index is a number."""
    index, *operands = eqn.invars
    if type(index) is not Literal:
        return None
    branches = eqn.params["branches"]
    return branches[min(max(int(raw_value(index.val)), 0), len(branches) - 1)], operands


calls[cond_p] = _cond

# Several parts of an array are slices of it, which kernels read without a copy.


def _split(eqn: JaxprEqn) -> tuple:
    sizes, axis = eqn.params["sizes"], eqn.params["axis"]
    ends = list(accumulate(sizes))

    def parts(x: Any) -> list[Any]:
        return [slice_in_dim(x, end - n, end, axis=axis) for n, end in zip(sizes, ends, strict=True)]

    return trace_to_jaxpr(parts, [eqn.invars[0].aval]), eqn.invars


def _unstack(eqn: JaxprEqn) -> tuple:
    (x,), axis = eqn.invars, eqn.params["axis"]

    def parts(x: Any) -> list[Any]:
        places = range(x.shape[axis])
        return [squeeze(slice_in_dim(x, i, i + 1, axis=axis), (axis,)) for i in places]

    return trace_to_jaxpr(parts, [x.aval]), eqn.invars


calls[split_p] = _split
calls[unstack_p] = _unstack

# What is computed again for a derivative stays so: its operands come through a barrier, so that
# it is not the same as what was computed before.


def _remat(eqn: JaxprEqn) -> tuple:
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


calls[remat_p] = _remat

# Where the programs of loops and choices are.

choices[cond_p] = "branches"
loops[scan_p] = (("jaxpr", "num_consts"),)
loops[while_p] = (("cond_jaxpr", "cond_nconsts"), ("body_jaxpr", "body_nconsts"))
