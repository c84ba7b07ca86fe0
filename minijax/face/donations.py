"""Deleted arguments of a program, and donations that save nothing: said when and as JAX says it.

An argument that the program doesn't need may be deleted: something stands in for it. Any other is
a RuntimeError; where it was donated, and the program has run before, a ValueError. Before a
program first runs, or when it is lowered, a warning names the donated arguments that it needs and
whose place no result can take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from minijax.core.arguments import delete_donated
from minijax.core.arrays import Array, ArrayImpl
from minijax.core.config import derived
from minijax.core.errors import warn
from minijax.core.jitting import jit_p, running
from minijax.core.staging import ClosedJaxpr, dce_jaxpr

_given_away: WeakValueDictionary[int, ArrayImpl] = WeakValueDictionary()  # by id: donated arrays


def is_deleted(x: Any) -> bool:
    return isinstance(x, ArrayImpl) and x.is_deleted()


@derived
def needed(closed: ClosedJaxpr) -> tuple[bool, ...]:
    """For each argument of a program, whether a result or an effect depends on it."""
    return tuple(dce_jaxpr(closed.jaxpr, [True] * len(closed.outvars))[1])


class _Place:
    """A donated argument of which only the type is known."""

    is_taken = False

    def __init__(self, aval: Any) -> None:
        self.size, self.itemsize = aval.size, aval.dtype.itemsize

    def delete(self) -> None:
        self.is_taken = True


class Calls:
    """A program's calls with some arguments donated: the first one may be the one that fails."""

    times, went_well = 0, False

    def __init__(
        self, closed: ClosedJaxpr, donated: tuple[bool, ...], name: str, keep_unused: bool
    ) -> None:
        self.closed, self.name, self.keep_unused = closed, name, keep_unused
        self.donated = tuple(map(min, donated, needed(closed))) if any(donated) else donated
        self.donates = any(self.donated)

    def unusable(self) -> list[str]:
        """The types of the donated arguments whose place no result can take."""
        if not self.donates:
            return []
        invars = self.closed.invars
        marked = [mark and not v.aval.mutable for v, mark in zip(invars, self.donated, strict=True)]
        places = [_Place(v.aval) if mark else None for v, mark in zip(invars, marked, strict=True)]
        delete_donated(places, marked, self.closed)
        taken = [place is None or place.is_taken for place in places]
        return [str(v.aval) for v, is_taken in zip(invars, taken, strict=True) if not is_taken]

    def begin(self, args: Sequence[Any]) -> Sequence[Any]:
        """The arguments of a call, with something in the place of deleted ones that the program
        doesn't need. Others that are deleted are left to whoever runs it, which is a RuntimeError;
        ValueError where one was donated, and the first call went well."""
        self.times += 1
        for x in args:
            if is_deleted(x):
                return [self._living(i, x) if is_deleted(x) else x for i, x in enumerate(args)]
        return args

    def _living(self, i: int, x: ArrayImpl) -> Any:
        if not self.keep_unused and not needed(self.closed)[i]:
            storage = getattr(x.dtype, "storage", x.dtype)  # what NumPy keeps of a key
            return Array(np.zeros(x.shape, storage), x.aval)
        if self.went_well and id(x) in _given_away:
            info = self.closed.jaxpr.debug_info
            which = info and info.arg_name(i) or f"argument {i}"
            raise ValueError(
                f"jit({self.name}) got, for {which}, an Array of type {x.aval} that was donated to "
                "an earlier call, and so deleted. Donate a copy: x.copy()."
            )
        return x

    def end(self, args: Sequence[Any]) -> None:
        """Says that a call with these arguments went well."""
        self.went_well |= self.times == 1
        if self.donates:
            _given_away.update((id(x), x) for x in compress(args, self.donated) if is_deleted(x))


@derived
def calls_of(
    closed: ClosedJaxpr, donated: tuple[bool, ...], name: str, keep_unused: bool
) -> Calls:  # fmt: skip
    """The calls of a program: one object, made with a warning where a donation saves nothing."""
    calls = Calls(closed, donated, name, keep_unused)
    if kept := ", ".join(calls.unusable()):
        warn(
            # Programs that expect the warning look for how JAX's begins.
            f"Some donated buffers were not usable: jit({name}) has no result that could take the "
            f"place of {kept}. They are kept. Donate what is as large as a result."
        )
    return calls


def _looked_at(impl: Callable) -> Callable:
    """How a program runs where it is inside of no other: with its calls looked at."""

    def run(
        *args: Any, jaxpr: ClosedJaxpr, name: str, donated_invars: tuple[bool, ...],
        keep_unused: bool, **params: Any,
    ) -> list[Any]:  # fmt: skip
        params |= {"jaxpr": jaxpr, "name": name, "keep_unused": keep_unused}
        if running.inside_program:
            return impl(*args, donated_invars=donated_invars, **params)
        calls = calls_of(jaxpr, donated_invars, name, keep_unused)
        operands = calls.begin(args)
        out = impl(*operands, donated_invars=calls.donated, **params)
        calls.end(args)
        return out

    return run


jit_p.impl = _looked_at(jit_p.impl)
