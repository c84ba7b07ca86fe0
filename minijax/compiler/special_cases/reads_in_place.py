"""Reads in place: a window whose numbers lie one after the other is read where it is.

A loop that takes a block of an array in each turn need not copy the block, if nobody writes to that
array, or to the block, for as long as it is read. The block is then a name for a part of the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.kernels.fuse import Kernel, Step
from minijax.compiler.kernels.reuse import successors
from minijax.compiler.kernels.row_major import row_major
from minijax.compiler.kernels.whole_loops import LoopWriter, text
from minijax.compiler.lowerings import lowerings
from minijax.core.config import derived
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, Var


@derived
def written_places(closed: ClosedJaxpr) -> set[Any]:
    """What steps of a program write over, and its results, which have places of their own."""
    return {*successors(closed).values(), *successors(closed), *closed.outvars}


def lies_in_a_row(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether a window of an array of this shape has its numbers one after the other.

    >>> lies_in_a_row((1, 2, 5), (4, 3, 5)), lies_in_a_row((1, 2, 4), (4, 3, 5))
    (True, False)
    """
    long = next((k for k, n in enumerate(sizes) if n != 1), len(sizes))
    return tuple(sizes[long + 1 :]) == tuple(shape[long + 1 :])


def in_place(writer: LoopWriter, closed: ClosedJaxpr, step: Step, names: dict[Any, str]) -> bool:
    """Gives the result of a step a name, if it is such a part of an array; whether it is."""
    eqn = step_equation(step)
    if eqn is None or len(eqn.outvars) != 1:
        return False
    x, v = eqn.invars[0] if eqn.invars else None, eqn.outvars[0]
    if type(x) is not Var or not written_places(closed).isdisjoint((x, v)) or v in names:
        return False
    start = start_text(writer, eqn, names)
    if start is None:
        return False
    whole = start == "0" and x.aval.size == v.aval.size
    if whole:
        names[v] = names[x]
    else:
        at = writer.assign(start, "s_")
        names[v] = writer.assign(f"{names[x]}[{at}:{at} + {v.aval.size}]", "r_")
    return True


def step_equation(step: Step) -> JaxprEqn | None:
    """The one equation of a step."""
    if not isinstance(step, Kernel):
        return step.eqn
    is_alone = len(step.eqns) == 1 and not step.views and not any(step.start)
    return step.eqns[0] if is_alone else None


def start_text(writer: LoopWriter, eqn: JaxprEqn, names: dict[Any, str]) -> str | None:
    """Where in a row of the first operand's numbers those of the result begin; None: not so."""
    x, *starts = eqn.invars
    [v], shape = eqn.outvars, x.aval.shape
    if not v.aval.size or x.aval.dtype != v.aval.dtype:
        return None
    if lowerings[eqn.primitive].same_order and x.aval.size == v.aval.size:
        return "0"
    if eqn.primitive.name != "dynamic_slice" or not lies_in_a_row(v.aval.shape, shape):
        return None
    known = {i: text(writer, names, i) for i in starts if type(i) is not Literal}
    terms = [
        start_along(known, i, n - m, step)
        for i, n, m, step in zip(starts, shape, v.aval.shape, row_major(shape), strict=True)
    ]
    return " + ".join(term for term in terms if term != "0") or "0"


def start_along(names: dict[Any, str], i: Atom, last: int, step: int) -> str:
    """How far the start along an axis goes, moved inside of 0 to `last`."""
    if not last:
        return "0"
    if type(i) is Literal:
        return str(min(max(int(i.val.number), 0), last) * step)
    return f"min(max(int64({names[i]}[0]), 0), {last}) * {step}"
