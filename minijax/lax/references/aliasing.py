"""No aliases: in a program, each reference has one name.

So a reference comes into a function once, as an argument or held by the function, and none goes
out. Else a write to the one would be a write to the other, and a program of values would have to
choose which of the two is to be put back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.errors import DebugInfo
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr, Staged
from minijax.core.tracing import AbstractValue, typeof
from minijax.lax.references.types import AbstractRef, Ref, is_ref


def check_distinct(name: str, refs: Sequence[Any]) -> None:
    """ValueError where a reference is there twice."""
    if len({*map(id, refs)}) < len(refs):
        twice = next(ref for i, ref in enumerate(refs) if any(ref is x for x in refs[:i]))
        raise ValueError(
            f"{name} was given one reference of type {twice.aval} twice. Give it once, and use it "
            f"for both."
        )


def _check_operands(name: str, held: Sequence[Any], given: Sequence[Any]) -> None:
    """ValueError where a function that a loop or a choice runs holds a reference that it is given
    too, or is given one twice."""
    refs = [x for x in given if typeof(x).mutable]
    check_distinct(name, refs)
    if any(x is ref for x in held for ref in refs):
        raise ValueError(
            f"{name} was given a reference as an operand that its function holds too. Use the "
            f"operand alone."
        )


def _check_call(staged: Staged, leaves: Sequence[Any], info: DebugInfo) -> None:
    """ValueError where a function returns a reference, or is given one twice: as two arguments, or
    as an argument of a function that holds it too."""
    call = f"{info.traced_for}({info.func_name})"
    for v in staged.closed.outvars:
        if is_ref(v):
            raise ValueError(
                f"{call} returned a reference of type {v.aval}. Return what is in it: ref[...]."
            )
    places = {}
    for i, x in enumerate(leaves):
        if isinstance(x, AbstractValue) or not isinstance(x, Ref):
            continue
        if id(x) in places:
            raise ValueError(
                f"{call} was given one reference of type {x.aval} as {info.arg_name(places[id(x)])}"
                f" and as {info.arg_name(i)}. Give it once, and use it for both."
            )
        places[id(x)] = i
    for x in staged.closed.consts:
        if id(x) in places:
            raise ValueError(
                f"{call} was given a reference of type {x.aval} as {info.arg_name(places[id(x)])}, "
                f"and the function holds it too. Use the argument alone."
            )


def _held_last(closed: ClosedJaxpr) -> tuple[ClosedJaxpr, list[Any]]:
    """The program, whose last arguments are the references that the function holds; and these."""
    jaxpr = closed.jaxpr
    marks = list(map(is_ref, jaxpr.constvars))
    others = [not mark for mark in marks]
    program = jaxpr.replace(
        constvars=choose(jaxpr.constvars, others),
        invars=[*jaxpr.invars, *choose(jaxpr.constvars, marks)],
    )
    return ClosedJaxpr(program, choose(closed.consts, others)), choose(closed.consts, marks)


AbstractRef.held_last = staticmethod(_held_last)
AbstractRef.check_call = staticmethod(_check_call)
AbstractRef.check_operands = staticmethod(_check_operands)
