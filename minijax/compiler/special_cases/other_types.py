"""Values of types that kernels don't have, as values that they do have: what such passes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minijax.compiler.named_in_text import array_of
from minijax.compiler.passes.rewriting import Draft
from minijax.compiler.passes.simplify import copy
from minijax.core.arrays import raw_value
from minijax.core.config import bounded_cache
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import (
    Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Var, enter_source, keep_source, trace_to_jaxpr,
)
from minijax.core.tracing import Primitive, trace_ctx


def viewing(name: str, type_rule: Callable, numpy_fun: Callable) -> Primitive:
    """A primitive that only looks at memory in another way: it has no need of NumPy's settings."""
    primitive, type_of = Primitive(name), bounded_cache(type_rule)
    primitive.numpy_fun, primitive.is_viewing = numpy_fun, True
    primitive.def_abstract_eval(type_of)
    primitive.def_impl(lambda x, **params: array_of(
        numpy_fun(raw_value(x), **params), type_of(x.aval, **params)
    ))  # fmt: skip
    return primitive


def is_viewing(primitive: Primitive) -> bool:
    return hasattr(primitive, "is_viewing")


def programs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """A program, and those that it carries."""
    yield jaxpr
    for eqn in jaxpr.eqns:
        for inner in jaxprs_in_params(eqn.params):
            yield from programs(inner)


def occurs(jaxpr: Jaxpr, is_one: Callable[[Any], bool]) -> bool:
    """Whether there are such values in a program, or in one that it carries."""
    return any(is_one(v) for program in programs(jaxpr) for v in (
        *program.constvars, *program.invars, *(v for eqn in program.eqns for v in eqn.outvars)
    ))  # fmt: skip


def occurs_inside(eqn: JaxprEqn, is_one: Callable[[Any], bool]) -> bool:
    return any(occurs(inner, is_one) for inner in jaxprs_in_params(eqn.params))


def holds(jaxpr: Jaxpr, primitive: Primitive) -> bool:
    """Whether a program, or one that it carries, has an equation of the primitive."""
    return any(eqn.primitive is primitive for p in programs(jaxpr) for eqn in p.eqns)


def with_programs(params: dict[str, Any], change: Callable) -> dict[str, Any]:
    """The parameters, and in the place of each program the changed one."""
    def changed(x: Any) -> Any:
        if type(x) is tuple:
            return tuple(map(changed, x))
        if type(x) is Jaxpr:
            return change(ClosedJaxpr(x, [])).jaxpr
        return change(x) if type(x) is ClosedJaxpr else x

    return {name: changed(x) for name, x in params.items()}


def with_types(closed: ClosedJaxpr, type_of: Callable, new_params: Callable) -> ClosedJaxpr:
    """The program, whose variables have the types that `type_of` makes of theirs.

    `new_params` gives the parameters of each equation; or None, where an equation only changes its
    operand's type, of which nothing is left to say.
    """
    stands_for: dict[Atom, Atom] = {}

    def var(v: Any) -> Any:
        aval = type_of(v.aval)
        if aval is not v.aval:
            stands_for[v] = Var(aval)
        return stands_for.get(v, v)

    constvars, invars = list(map(var, closed.constvars)), list(map(var, closed.invars))
    eqns = []
    for eqn in closed.eqns:
        operands, params = [stands_for.get(x, x) for x in eqn.invars], new_params(eqn)
        if params is None:
            stands_for[eqn.outvars[0]] = operands[0]
            continue
        outvars = list(map(var, eqn.outvars))
        eqns.append(eqn._replace(invars=operands, outvars=outvars, params=params))
    outvars = [stands_for.get(x, x) for x in closed.outvars]
    jaxpr = closed.jaxpr.replace(constvars=constvars, invars=invars, outvars=outvars, eqns=eqns)
    return ClosedJaxpr(jaxpr, closed.consts)


def put(draft: Draft, fun: Callable, *operands: Atom) -> list[Atom]:
    """Writes the equations of a function of the operands, which returns a list; its results. They
    come from the line of the equation that is rewritten, if `from_their_lines` says which."""
    source = trace_ctx.source

    def from_its_line(*xs: Any) -> Any:
        trace_ctx.source = source  # (until the trace ends)
        return fun(*xs)

    closed = trace_to_jaxpr(from_its_line, [x.aval for x in operands])
    return copy(draft, closed, operands)


def from_their_lines(eqns: Iterable[JaxprEqn]) -> Iterator[JaxprEqn]:
    """The equations in turn. What is made meanwhile comes from the line of each."""
    outer = keep_source()
    try:
        for eqn in eqns:
            enter_source(eqn, outer)
            yield eqn
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer


def finished(
    jaxpr: Jaxpr, draft: Draft, outs: Sequence[Atom], invars: Sequence[Var] | None = None
) -> ClosedJaxpr:
    """The program of the draft's equations, which takes these and returns those."""
    jaxpr = jaxpr.replace(
        constvars=list(draft.consts), invars=list(invars or jaxpr.invars), outvars=list(outs),
        eqns=draft.eqns,
    )  # fmt: skip
    return ClosedJaxpr(jaxpr, list(draft.consts.values()))
