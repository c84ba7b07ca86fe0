"""From a jaxpr's equations to operations, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.compiler.lowerings import lowerings
from minijax.compiler.named_in_text import is_ours
from minijax.compiler.simpler_programs import simpler_programs
from minijax.compiler.special_cases.key_words import moving_words
from minijax.compiler.stablehlo.frontend_attributes import told_of
from minijax.compiler.stablehlo.operation_rules import (
    no_text, refused, rules, rules_of_keys, rules_on_gpus,
)
from minijax.compiler.stablehlo.tensor_types import BOOL, TensorType, is_key, numpy_of, type_of
from minijax.compiler.stablehlo.text_builder import Builder, Value, location
from minijax.core.batching import primitive_batchers
from minijax.core.dtypes import float0
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, trace_to_jaxpr
from minijax.core.tracing import Tracer


def write_jaxpr(
    b: Builder, jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Value]
) -> list[Value]:
    """Writes a program's equations, for these arguments; its results. Constants stand in the text.

    NotImplementedError for a primitive that StableHLO can't say.
    """
    values: dict[Atom, Value] = dict(zip(jaxpr.invars, args, strict=True))
    constants = dict(zip(jaxpr.constvars, consts, strict=True))

    def read(x: Atom) -> Value:
        if type(x) is Literal:
            return b.constant(numpy_of(x.val, x.aval))
        if x not in values:
            values[x] = write_constant(b, constants[x], x.aval)
        return values[x]

    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    for v in jaxpr.constvars:
        if v in used:
            read(v)
    outer = b.place
    for eqn in jaxpr.eqns:
        if b.module.debug_info:
            b.place = location(eqn)
        outs = write_eqn(b, eqn, read)
        b.tell(outs, told_of(eqn.source_info.name_stack))
        values.update(zip(eqn.outvars, outs, strict=True))
    b.place = outer
    return [read(x) for x in jaxpr.outvars]


def write_closed(b: Builder, closed: ClosedJaxpr, args: Sequence[Value]) -> list[Value]:
    return write_jaxpr(b, closed.jaxpr, closed.consts, args)


def write_constant(b: Builder, x: Any, aval: Any) -> Value:
    if isinstance(x, Value):
        return x
    if isinstance(x, Tracer):
        raise TypeError(
            f"The program holds a traced value of the type {x.aval}, which has no text. Pass it as "
            f"an argument."
        )
    return b.constant(numpy_of(x, aval))


def write_eqn(b: Builder, eqn: JaxprEqn, read: Callable[[Atom], Value]) -> list[Value]:
    """The results of an equation: by the rule of its primitive, or by what the primitive is in
    simpler ones."""
    primitive, params = eqn.primitive, eqn.primitive.active(eqn.params)
    outs = [type_of(v.aval) for v in eqn.outvars]
    has_keys = any(is_key(x.aval) for x in (*eqn.invars, *eqn.outvars))
    table = rules_of_keys if has_keys else rules
    if b.module.platform != "cpu" and primitive.name in rules_on_gpus:
        table = rules_on_gpus
    rule = table.get(primitive.name)
    if rule and is_ours(primitive):
        found = rule(b, outs, *map(read, eqn.invars), **params)
        return list(found) if primitive.multiple_results else [found]
    call = lowerings[primitive].call
    if called := call(eqn) if call else None:
        program, operands = called
        return write_closed(b, program, list(map(read, operands)))
    xs = list(map(read, eqn.invars))
    if any(x.aval.dtype == float0 for x in (*eqn.invars, *eqn.outvars) if hasattr(x.aval, "dtype")):
        return [b.constant(numpy_of(None, v.aval), BOOL) for v in eqn.outvars]
    if primitive in simpler_programs:
        return write_closed(b, in_simpler(eqn, params), xs)
    if has_keys and primitive in primitive_batchers and is_key(eqn.outvars[0].aval):
        return write_closed(b, moving_words(eqn), xs)
    why = refused.get(primitive.name) if is_ours(primitive) else None
    raise no_text(primitive.name, why or "no rule says what it is there")


def in_simpler(eqn: JaxprEqn, params: dict[str, Any]) -> ClosedJaxpr:
    """The program of simpler primitives that an equation is."""
    fun, several = simpler_programs[eqn.primitive], eqn.primitive.multiple_results

    def flat(*xs: Any) -> list[Any]:
        found = fun(*xs, **params)
        return list(found) if several else [found]

    return trace_to_jaxpr(flat, [x.aval for x in eqn.invars])


def write_function(
    b: Builder, closed: ClosedJaxpr, name: str, args: Sequence[Value]
) -> list[Value]:
    """A call of a program as a function of its own."""
    function, outs = function_of(b, closed, name, [x.type for x in args])
    return b.call(function, args, outs)


def function_of(
    b: Builder, closed: ClosedJaxpr, name: str, types: Sequence[TensorType]
) -> tuple[str, list[TensorType]]:
    """The program as a function of its own, which is written once: its name and results' types."""

    def body(inner: Builder, *xs: Value) -> list[Value]:
        return write_closed(inner, closed, xs)

    def make() -> tuple[str, list[TensorType], ClosedJaxpr]:
        return *b.module.function(name, types, body), closed  # (what the key is the id of)

    function, outs, _ = b.module.once((id(closed), name), make)
    return function, outs
