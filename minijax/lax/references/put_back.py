"""Running a program that takes references: its program of values runs, and what this returns is put
into the references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.core.jitting import Backend, Running, compile_once
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr
from minijax.lax.references.aliasing import check_distinct
from minijax.lax.references.discharge import discharge, has_references
from minijax.lax.references.operations import set_content
from minijax.lax.references.types import Ref, is_ref


def with_contents(
    closed: ClosedJaxpr, backend: Backend, name: str, donated: tuple[bool, ...]
) -> Callable | None:
    """What runs a program that has references."""
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


# Asked before meshes are: the program of values may be one for a mesh.
Running.elsewhere.insert(0, with_contents)
