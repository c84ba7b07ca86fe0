"""Running a program that takes references: its program of values runs, and what this returns is put
into the references.

A compiled program changes a large content where it lies, if nobody else holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minijax.compiler.backend import NumbaBackend
from minijax.core.arrays import ArrayImpl, raw_value
from minijax.core.jitting import Backend, Running, compile_once
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr
from minijax.lax.references.aliasing import check_distinct
from minijax.lax.references.discharge import discharge, has_references
from minijax.lax.references.operations import set_content
from minijax.lax.references.types import Ref, is_ref

LARGEST_COPIED = 1 << 16  # bytes


class WithContents:
    """What runs a program that takes references. `of_values` runs its program of values."""

    def __init__(
        self, closed: ClosedJaxpr, backend: Backend, name: str, donated: tuple[bool, ...]
    ) -> None:
        pure, self.name = discharge(closed), name
        self.refs = [is_ref(v) for v in closed.invars]
        self.num_results = len(closed.outvars)
        contents = pure.outvars[self.num_results :]
        pairs = zip(contents, choose(pure.invars, self.refs), strict=True)
        self.changed = [new is not old for new, old in pairs]
        changed = iter(self.changed)
        which = [mark and next(changed) for mark in self.refs]
        # What an effect shows, or an error leaves behind, is the old content.
        if isinstance(backend, NumbaBackend) and not pure.effects:
            from minijax.compiler.special_cases.written_in_place import with_own_memory

            pure = with_own_memory(pure, which)
        self.of_values = compile_once(pure, backend, name, donated)()

    def __call__(self, *operands: Any) -> list[Any]:
        given = choose(operands, self.refs)
        check_distinct(self.name, given)
        out = self.of_values(*(x._value if type(x) is Ref else x for x in operands))
        for ref, new, is_new in zip(given, out[self.num_results :], self.changed, strict=True):
            if is_new:
                put_back(ref, new)
        return out[: self.num_results]


def put_back(ref: Ref, new: Any) -> None:
    """Puts a value into a reference: a small one where the old one lies, if nobody else holds that.

    (Of a large one, whatever could be computed in its place was.)
    """
    from minijax.compiler.special_cases.written_in_place import is_alone, unlocked

    old = ref._value
    if type(new) is not ArrayImpl or new.aval is not old.aval or new.nbytes > LARGEST_COPIED:
        return set_content(ref, new)
    if not is_alone(old):
        return set_content(ref, new)
    value = unlocked(old)
    np.copyto(value, raw_value(new))
    value.setflags(write=False)
    return None


def with_contents(
    closed: ClosedJaxpr, backend: Backend, name: str, donated: tuple[bool, ...]
) -> Callable | None:
    """What runs a program that has references."""
    if not has_references(closed.jaxpr):
        return None
    run = WithContents(closed, backend, name, donated)
    return run if any(run.refs) else run.of_values


# Asked before meshes are: the program of values may be one for a mesh.
Running.elsewhere.insert(0, with_contents)
