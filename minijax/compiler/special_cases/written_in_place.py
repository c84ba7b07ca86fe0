"""Written in place: an update outside of loops changes the array that it is an update of.

NumPy makes a copy and changes that. If the array is large, lies in memory that only the program
knows, and no later step reads it, the equation's kernel finds it in the result's place, and writes
what differs. A loop finds the first values of its carries there.

Memory is the program's own if a kernel of it has made it, or by `own_memory`, a step at the front
that gives an argument's memory away where nobody else holds it, and a copy elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.executable import SMALL, Program, is_ours
from minijax.compiler.kernels.elements import in_kernels
from minijax.compiler.kernels.fuse import Call, Step, fuse
from minijax.compiler.kernels.loop_nests import Source, kernel_source
from minijax.compiler.kernels.reuse import delayed
from minijax.compiler.kernels.row_major import overwrites
from minijax.compiler.kernels.whole_loops import LoopWriter, NotCompiled, kernel_of
from minijax.compiler.lowerings import lowerings
from minijax.core.arrays import Array, ArrayImpl
from minijax.core.staging import (
    Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Var, jaxpr_as_fun, trace_to_jaxpr,
)
from minijax.core.tracing import Primitive

# Memory of the program's own.

own_memory_p = Primitive("own_memory")
own_memory_p.is_viewing = True  # where nobody else holds it


@own_memory_p.def_abstract_eval
def _own_memory_rule(x: Any, /) -> Any:
    return x


def _holders(x: Array) -> tuple[int, int]:
    """How many hold NumPy's array, and that whose memory it is a view of, or itself."""
    return sys.getrefcount(x._value), sys.getrefcount(_owner(x))


def _owner(x: Array) -> Any:
    return x._value if x._value.base is None else x._value.base


# What that is where nobody else does: of an array, and of a view.
_ALONE = [_holders(Array(np.empty(1))), _holders(Array(np.empty((1, 1)).reshape(1)))]
_counts_holders = getattr(sys, "_is_gil_enabled", lambda: True)()  # else the counts come late


def is_alone(x: Array) -> bool:
    """Whether nobody else holds the array's numbers, or a part of them, and each has its own place
    in memory: row by row.

    >>> x = Array(np.arange(3.0))
    >>> is_alone(x), is_alone(Array(x._value[:2]))
    (True, False)
    """
    if not _counts_holders or type(x) is not ArrayImpl or not x._value.flags.c_contiguous:
        return False
    if not isinstance(_owner(x), np.ndarray) or not _owner(x).flags.owndata:
        return False
    return _holders(x) == _ALONE[x._value.base is not None]


@own_memory_p.def_impl
def own_memory(x: Array, /) -> Array:
    """The array, in memory that may be written to: its own if nobody else holds it, else a copy."""
    own = Array(x._value if is_alone(x) else np.array(x._value, order="C"), x.aval)
    unlocked(own)
    return own


def unlocked(x: Array) -> np.ndarray:
    """NumPy's array, which may be written to from now on."""
    _owner(x).setflags(write=True)
    x._value.setflags(write=True)
    return x._value


def with_own_memory(closed: ClosedJaxpr, which: Sequence[bool]) -> ClosedJaxpr:
    """The program, which may write over those of its large arguments that are marked."""
    marks = [mark and is_large(v) for v, mark in zip(closed.invars, which, strict=True)]
    if not any(marks):
        return closed

    def program(*args: Any) -> list[Any]:
        own = [own_memory_p.bind(x) if mark else x for x, mark in zip(args, marks, strict=True)]
        return jaxpr_as_fun(closed)(*own)

    return trace_to_jaxpr(program, closed.in_avals, closed.jaxpr.debug_info)


def is_large(x: Atom) -> bool:
    return type(x) is Var and in_kernels(x) and x.aval.size >= SMALL


# Steps.


def updates_last(steps: list[Step], jaxpr: Jaxpr) -> list[Step]:
    """The steps, of which an update of a large array comes behind those that read the old one."""
    for step in list(steps):
        for _, x in updated(step):
            steps = delayed(steps, step, x)
    return steps


def updated(step: Step) -> list[tuple[Var, Atom]]:
    """The results of a step that may be written over a large operand, with the operand."""
    if not isinstance(step, Call) or step.eqn.effects:
        return []
    return [(v, x) for v, x in overwrites(step.eqn)
            if is_large(x) and sum(x is y for y in step.eqn.invars) == 1]  # fmt: skip


def in_place(program: Program, k: int, dead: Sequence[Var]) -> list[Var]:
    """Has a step's results take the place of operands that no later step needs; these operands."""
    step, before = program.steps[k], program.steps[max(k - 1, 0)]
    if k and makes_own(before):
        known_as_ours(program, before.eqn.outvars[0])
    if not isinstance(step, Call):
        return []
    pairs = [(v, x) for v, x in updated(step) if x in dead and is_ours(program, x)]
    source = over_operands(step.eqn, pairs) if pairs else part_taken(program, k)
    if source is None:
        return []
    program.sources[k] = source
    for v, x in pairs:
        name, place = program.variables[v], program.variables[x]
        program.emit(f"{name} = {place}.reshape({v.aval.shape})")
        program.forms.add(name)
        program.taken[v] = x
    return [x for _, x in pairs]


def makes_own(step: Step) -> bool:
    return isinstance(step, Call) and step.eqn.primitive is own_memory_p


def known_as_ours(program: Program, v: Var) -> None:
    """From the step that makes it on, memory of the program's own is NumPy's array alone."""
    name = program.variables[v]
    if f"{name}_" in program.forms and name not in program.forms:
        program.emit(f"{name} = contiguous({name}_)")
        program.emit(f"del {name}_")
        program.forms ^= {name, f"{name}_"}


class InPlaceWriter(LoopWriter):
    """Writes an equation's kernel, which finds some operands in the places of results."""

    def __init__(self, places: Sequence[tuple[Var, str]]) -> None:
        super().__init__()
        self.places = places

    def read(self, x: Any) -> str:
        return next((name for v, name in self.places if v is x), None) or super().read(x)


def over_operands(eqn: JaxprEqn, pairs: Sequence[tuple[Var, Atom]]) -> Source | None:
    """The kernel of an equation that writes results over operands; None if it has none."""
    places = [(x, f"y{eqn.outvars.index(v)}") for v, x in pairs]
    try:
        return kernel_of(eqn, InPlaceWriter(places))
    except NotCompiled:
        return None


def part_taken(program: Program, k: int) -> Source | None:
    """The kernel that copies a part out of memory that a later step, or a later call, writes over.
    NumPy's part would be a view of it: somebody would hold that memory."""
    eqn = program.steps[k].eqn
    is_part = lowerings[eqn.primitive].view or eqn.primitive.name == "dynamic_slice"
    if not is_part or not eqn.invars or len(eqn.outvars) != 1:
        return None
    [v], x = eqn.outvars, eqn.invars[0]
    if not is_large(x) or 2 * v.aval.size > x.aval.size or not all(map(in_kernels, eqn.invars)):
        return None
    if not is_written_later(program, k, x):
        return None
    invars = [y for y in eqn.invars if type(y) is Var]
    step = fuse(Jaxpr([], invars, [v], [eqn]), in_loop=True)[-1]
    return over_operands(eqn, ()) if isinstance(step, Call) else kernel_source(step, [v])


def is_written_later(program: Program, k: int, x: Var) -> bool:
    """Whether a step behind this one writes over x, or x lies in memory that an argument gave."""
    first = x
    while first in program.taken:
        first = program.taken[first]
    given = [step.eqn.outvars[0] for step in filter(makes_own, program.steps)]
    over = [old for step in program.steps[k + 1 :] for _, old in updated(step)]
    return is_ours(program, x) and any(x is old for old in over) or first in given
