"""Discharge: a program with references becomes a program of values.

A reference that comes in is its content instead, and what is in it at the end is one more result.
One that is made inside is a value from then on. To read is to take a part of the value that is
there now; to write gives a new one, which takes its place. So the order that was kept by effects is
one of operands and results, and no equation has an effect on a reference any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.config import derived
from minijax.core.primitives import zeros
from minijax.core.printing import jaxprs_in_params
from minijax.core.programs import choose, dce_closed_jaxpr
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import (
    ClosedJaxpr, Jaxpr, JaxprEqn, Literal, enter_source, keep_source, trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, trace_ctx
from minijax.lax.references.indexers import read_at
from minijax.lax.references.operations import (
    added, addupdate_p, empty_ref_p, free_ref_p, freeze_p, get_p, new_ref_p, put, swap_p,
)
from minijax.lax.references.types import is_ref

# A rule maps an equation, and the values of its operands (of a reference, its content), to the new
# contents of those operands, None for what stays as it is, and the results.

discharge_rules: dict[Primitive, Callable] = {}
# Operations on arrays whose programs take references that the operation makes itself.
makes_references: set[Primitive] = set()


def _get_discharged(eqn: JaxprEqn, content: Any, *leaves: Any) -> tuple:
    value = read_at(content, tree_unflatten(eqn.params["tree"], leaves))
    return [None] * len(eqn.invars), [value]


def _swap_discharged(eqn: JaxprEqn, content: Any, x: Any, *leaves: Any) -> tuple:
    indexers = tree_unflatten(eqn.params["tree"], leaves)
    new = put(content, indexers, x)
    return [new, None, *(None for _ in leaves)], [read_at(content, indexers)]


def _addupdate_discharged(eqn: JaxprEqn, content: Any, x: Any, *leaves: Any) -> tuple:
    new = added(content, tree_unflatten(eqn.params["tree"], leaves), x)
    return [new, None, *(None for _ in leaves)], []


discharge_rules |= {
    new_ref_p: lambda eqn, x: ([None], [x]),
    empty_ref_p: lambda eqn: ([], [zeros(eqn.params["ty"])]),
    get_p: _get_discharged,
    swap_p: _swap_discharged,
    addupdate_p: _addupdate_discharged,
    freeze_p: lambda eqn, content: ([None], [content]),
    free_ref_p: lambda eqn, content: ([None], []),
}

# The pass.


def discharge_state(jaxpr: Jaxpr, consts: Sequence[Any]) -> tuple[Jaxpr, list[Any]]:
    """The program of values, and its constants. It takes the contents of the references among the
    arguments, and returns, after the results, what is in them at the end.

    >>> import minijax as jax
    >>> def count(ref):
    ...     ref[...] = ref[...] + 1
    ...     return ref[...]
    >>> closed = jax.make_jaxpr(count)(jax.new_ref(jax.numpy.zeros(2)))
    >>> closed
    { lambda ; a:Ref{f32[2]}. let
        b:f32[2] <- a[...]
        c:f32[2] = add b 1.0:f32[]
        a[...] <- c
        d:f32[2] <- a[...]
      in (d,) }
    >>> discharge_state(closed.jaxpr, closed.consts)[0]
    { lambda ; a:f32[2]. let b:f32[2] = add a 1.0:f32[] in (b, b) }
    """
    closed = discharge(ClosedJaxpr(jaxpr, list(consts)))
    return closed.jaxpr, closed.consts


@derived
def discharge(closed: ClosedJaxpr) -> ClosedJaxpr:
    """`discharge_state` of a program with its constants, none of which is a reference."""
    refs = [is_ref(v) for v in closed.invars]

    def of_values(*args: Any) -> list[Any]:
        contents: dict[Any, Any] = dict(zip(closed.invars, args, strict=True))
        out = run_discharged(closed, contents)
        return [*out, *(contents[v] for v in choose(closed.invars, refs))]

    in_avals = [v.aval.inner_aval if is_ref(v) else v.aval for v in closed.invars]
    pure = trace_to_jaxpr(of_values, in_avals, closed.jaxpr.debug_info)
    return dce_closed_jaxpr(pure, (True,) * len(pure.outvars), instantiate=True)[0]


def run_discharged(closed: ClosedJaxpr, env: dict[Any, Any]) -> list[Any]:
    """The results of a program, of which `env` has the arguments; it then has all values, and for a
    reference what is in it at the end."""
    env.update(zip(closed.constvars, closed.consts, strict=True))
    outer = keep_source()
    try:
        for eqn in closed.eqns:
            enter_source(eqn, outer)
            operands = [x.val if type(x) is Literal else env[x] for x in eqn.invars]
            contents, out = discharged(eqn, operands)
            env.update(zip(eqn.outvars, out, strict=True))
            pairs = zip(eqn.invars, contents, strict=True)
            env.update((x, content) for x, content in pairs if content is not None)
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    return [x.val if type(x) is Literal else env[x] for x in closed.outvars]


def discharged(eqn: JaxprEqn, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """The new contents of the operands of one equation, and its results."""
    primitive = eqn.primitive
    if any(map(is_ref, (*eqn.invars, *eqn.outvars))):
        if primitive not in discharge_rules:
            raise NotImplementedError(
                f"{primitive} takes no references in a program that is run. Give it what is in "
                f"them: ref[...]."
            )
        return discharge_rules[primitive](eqn, *operands)
    params = eqn.params
    if carries_references(eqn):
        params = with_programs(params, discharge)
    out = primitive.bind(*operands, **params)
    return [None] * len(operands), out if primitive.multiple_results else [out]


def has_references(jaxpr: Jaxpr) -> bool:
    """Whether a program takes a reference or makes one, itself or inside."""
    return any(map(is_ref, jaxpr.invars)) or any(
        any(map(is_ref, eqn.outvars)) or carries_references(eqn) for eqn in jaxpr.eqns
    )


def carries_references(eqn: JaxprEqn) -> bool:
    """Whether programs of an equation have references."""
    if eqn.primitive in makes_references:
        return False
    return any(map(has_references, jaxprs_in_params(eqn.params)))
