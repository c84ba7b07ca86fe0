"""Running a program that takes references: its program of values runs, and what this returns is put
into the references.

A compiled program changes a large content where it lies, if nobody else holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from minijax.compiler.backend import NumbaBackend
from minijax.core.arrays import ArrayImpl, raw_value
from minijax.core.jitting import Backend, Running, compile_once, jit_p
from minijax.core.programs import choose
from minijax.core.staging import ClosedJaxpr
from minijax.face.lazily import call_lazily
from minijax.lax.references.aliasing import check_distinct
from minijax.lax.references.discharge import discharge, has_references
from minijax.lax.references.operations import set_content
from minijax.lax.references.types import Ref, is_ref

LARGEST_COPIED = 1 << 16  # bytes

_on_devices = call_lazily("minijax.lax.sharding.partitioned_calls.compute")


class WithContents:
    """What runs a program that takes references. `of_values` runs its program of values, of arrays
    on one device; what lies on several is computed there."""

    def __init__(
        self, closed: ClosedJaxpr, backend: Backend, name: str, donated: tuple[bool, ...]
    ) -> None:
        self.pure = pure = discharge(closed)
        self.backend, self.name, self.donated = backend, name, donated
        self.refs = [is_ref(v) for v in closed.invars]
        self.num_results = len(closed.outvars)
        contents = pure.outvars[self.num_results :]
        pairs = zip(contents, choose(pure.invars, self.refs), strict=True)
        self.changed = [new is not old for new, old in pairs]

    @cached_property
    def of_values(self) -> Callable:
        pure, changed = self.pure, iter(self.changed)
        which = [mark and next(changed) for mark in self.refs]
        # What an effect shows, or an error leaves behind, is the old content.
        if isinstance(self.backend, NumbaBackend) and not pure.effects:
            from minijax.compiler.special_cases.written_in_place import with_own_memory

            pure = with_own_memory(pure, which)
        return compile_once(pure, self.backend, self.name, self.donated)()

    def of_shards(self, *values: Any) -> list[Any]:
        """The results of the program of values, of which some lie on several devices."""
        params = {
            "jaxpr": self.pure, "name": self.name, "donated_invars": (False,) * len(values),
            "keep_unused": True, "inline": False,
        }  # fmt: skip
        return _on_devices(jit_p, values, params)

    def __call__(self, *operands: Any) -> list[Any]:
        given = choose(operands, self.refs)
        check_distinct(self.name, given)
        values = [x._value if type(x) is Ref else x for x in operands]
        run = self.of_values if all(map(_is_on_one_device, values)) else self.of_shards
        out = run(*values)
        for ref, new, is_new in zip(given, out[self.num_results :], self.changed, strict=True):
            if is_new:
                put_back(ref, new)
        return out[: self.num_results]


def _is_on_one_device(x: Any) -> bool:
    sharding = None if type(x) is ArrayImpl else getattr(x, "sharding", None)
    return sharding is None or len(sharding.device_assignment) == 1


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
