"""Which rule a trace runs for an operation, and where that rule stands in the code."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from minijax.core.batching import (
    BatchTrace,
    BatchTracer,
    fancy_primitive_batchers,
    primitive_batchers,
)
from minijax.core.errors import place
from minijax.core.forward import JVPTrace, JVPTracer, Zero, jvps_of_zeros, primitive_jvps
from minijax.core.linearization import LinearizeTrace, SplitTrace, primitive_linearizations
from minijax.core.reverse import primitive_transposes
from minijax.core.staging import JaxprTrace, custom_staging_rules
from minijax.core.tracing import EvalTrace, Primitive, Trace, Tracer
from minijax.watching.records import Rule

WRITTEN = "written down as an equation"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Found(NamedTuple):
    """What an operation comes to, in words that follow the primitive's name or stand alone; and
    the function that does it, if there is one of the primitive's own."""

    words: str
    rule: Any = None


def is_of(trace: Trace, x: Any) -> bool:
    return isinstance(x, Tracer) and x._trace is trace


# What each kind of trace does, as its `process_primitive` decides it.


def _evaluated(trace: EvalTrace, primitive: Primitive, args: Sequence[Any]) -> Found:
    return Found("'s implementation", primitive.numpy_fun or primitive.impl)


def _with_tangents(trace: JVPTrace, primitive: Primitive, args: Sequence[Any]) -> Found:
    is_moved = any(
        is_of(trace, x) and isinstance(x, JVPTracer) and type(x.tangent) is not Zero for x in args
    )
    if not is_moved and primitive not in jvps_of_zeros:
        return Found("handed on as it is, since no operand has a tangent")
    return Found("'s JVP rule", primitive_jvps.get(primitive))


def _linearized(trace: LinearizeTrace, primitive: Primitive, args: Sequence[Any]) -> Found:
    found = _with_tangents(trace, primitive, args)
    if found.words.startswith("'") and primitive in primitive_linearizations:
        return Found("'s linearization rule", primitive_linearizations[primitive])
    return found


def _batched(trace: BatchTrace, primitive: Primitive, args: Sequence[Any]) -> Found:
    if primitive in fancy_primitive_batchers:
        return Found("'s batching rule", fancy_primitive_batchers[primitive])
    if not any(is_of(trace, x) and isinstance(x, BatchTracer) for x in args):
        return Found("handed on as it is, since no operand is mapped")
    return Found("'s batching rule", primitive_batchers.get(primitive))


def _staged(trace: JaxprTrace, primitive: Primitive, args: Sequence[Any]) -> Found:
    if primitive in custom_staging_rules:
        return Found("'s staging rule", custom_staging_rules[primitive])
    return Found(WRITTEN)


def _split(trace: SplitTrace, primitive: Primitive, args: Sequence[Any]) -> Found:
    touched = [is_of(trace.tangent_trace, x) for x in args]
    if not any(touched):
        return Found("handed on as it is, since no operand is a tangent")
    if primitive in primitive_linearizations and not all(touched):
        return Found("'s linearization rule", primitive_linearizations[primitive])
    return Found("handed on to the tangents' program, since an operand is a tangent")


# A line for each kind of trace: (trace, primitive, operands) -> what it does with the operation.
found_by: dict[type[Trace], Callable[[Any, Primitive, Sequence[Any]], Found]] = {
    EvalTrace: _evaluated, JVPTrace: _with_tangents, LinearizeTrace: _linearized,
    BatchTrace: _batched, JaxprTrace: _staged, SplitTrace: _split,
}  # fmt: skip


class RulesFound:
    """Finds rules, and remembers the places of those that it has found before."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, Primitive], Rule] = {}

    def of_bind(self, trace: Trace, primitive: Primitive, args: Sequence[Any]) -> Rule:
        for cls in type(trace).__mro__:
            if cls in found_by:
                return self.rule(primitive, found_by[cls](trace, primitive, args))
        process = type(trace).process_primitive
        return Rule(f"{type(trace).__name__}'s process_primitive", where(process))

    def of_transposition(self, primitive: Primitive) -> Rule:
        return self.rule(
            primitive, Found("'s transpose rule", primitive_transposes.get(primitive))
        )

    def rule(self, primitive: Primitive, found: Found) -> Rule:
        key = found.words, primitive
        if key not in self.known:
            name = f"{primitive}{found.words}" if found.words[0] == "'" else found.words
            self.known[key] = Rule(name, where(found.rule))
        return self.known[key]


# Where a rule stands.


def where(rule: Any) -> str:
    """The file and the function, or the line of a user's lambda; nothing where that is not known.

    For a lambda of this package the file must do: its line moves whenever that file is edited, and
    recordings are kept in notebooks.

    >>> where(primitive_transposes.__class__), where(np.sin)
    ('', 'numpy: sin')
    """
    rule = written_by_hand(rule)
    if isinstance(rule, np.ufunc):
        return f"numpy: {rule.__name__}"
    code = getattr(rule, "__code__", None)
    if not isinstance(code, CodeType):
        return ""
    if code.co_name != "<lambda>":
        return f"{file_of(code)}: {code.co_name}"
    if code.co_filename.startswith(PACKAGE):
        return file_of(code)
    return f"{file_of(code)}: line {code.co_firstlineno}"


def written_by_hand(rule: Any) -> Any:
    """The function that somebody wrote for a primitive, inside of those that were made round it."""
    seen = set[int]()
    while id(rule) not in seen:
        seen.add(id(rule))
        if isinstance(rule, partial):
            rule = rule.func
        elif isinstance(rule, MethodType):
            rule = rule.__func__
        elif hasattr(rule, "__wrapped__"):
            rule = rule.__wrapped__
        else:
            rule = _function_inside(rule)
    return rule


def _function_inside(rule: Any) -> Any:
    """The first function that one of ours, made inside another, closes over; or else itself."""
    if not isinstance(rule, FunctionType) or "<locals>" not in rule.__code__.co_qualname:
        return rule
    if not rule.__code__.co_filename.startswith(PACKAGE):
        return rule  # a user's, who wrote it so
    for cell in rule.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not yet set
            continue
        for x in content if type(content) is tuple else (content,):
            if isinstance(x, FunctionType | partial | np.ufunc):
                return x
    return rule


def file_of(code: CodeType) -> str:
    """A file of this package by its path in it; another by its name, a notebook's cell by its
    number."""
    if code.co_filename.startswith(PACKAGE):
        return os.path.relpath(code.co_filename, PACKAGE).replace(os.sep, "/")
    return os.path.basename(place(code, 0).removesuffix(", line 0").removesuffix(":0"))
