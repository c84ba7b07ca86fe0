"""Running a program that takes references: its program of values runs, and what this returns is put
into the references.

What is one reference must not come in twice: which of the two would be put back?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.arrays import ArrayImpl
from minijax.core.errors import DebugInfo
from minijax.core.jitting import Backend, Running, compile_once
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr, Staged
from minijax.core.tracing import AbstractValue
from minijax.lax.references.discharge import discharge, has_references
from minijax.lax.references.operations import set_content
from minijax.lax.references.types import Ref, is_ref


def on_references(
    closed: ClosedJaxpr, backend: Backend, name: str, donated: tuple[bool, ...]
) -> Callable | None:
    """What runs a program that has references; None for one that has none."""
    if not has_references(closed.jaxpr):
        return None
    pure, refs = discharge(closed), [is_ref(v) for v in closed.invars]
    run_values = compile_once(pure, backend, name, donated)()
    if not any(refs):
        return run_values
    num_results = len(closed.outvars)
    contents = pure.outvars[num_results:]
    changed = [v is not old for v, old in zip(contents, choose(pure.invars, refs), strict=True)]

    def run(*operands: Any) -> list[Any]:
        given = choose(operands, refs)
        check_distinct(name, given)
        out = run_values(*(x._value if type(x) is Ref else x for x in operands))
        for ref, new, is_new in zip(given, out[num_results:], changed, strict=True):
            if is_new:
                set_content(ref, new)
        return out[:num_results]

    return run


Running.on_references = staticmethod(on_references)

# One reference comes in once, and none goes out.


def check_distinct(name: str, refs: Sequence[Any]) -> None:
    """ValueError where a reference is there twice."""
    if len({*map(id, refs)}) < len(refs):
        twice = next(ref for i, ref in enumerate(refs) if any(ref is x for x in refs[:i]))
        raise ValueError(
            f"{name} was given one reference of type {twice.aval} twice. Give it once, and use it "
            f"for both."
        )


def check_refs(staged: Staged, leaves: Sequence[Any], info: DebugInfo) -> None:
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


Staged.check_refs = staticmethod(check_refs)
