"""What a step reads of the values that are known before the loop.

The order changes no result. It is JAX's, so that programs print alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from minijax.core.staging import JaxprEqn


def known_reads(outvars: Sequence[Any], eqns: Sequence[JaxprEqn], known: set) -> list[Any]:
    """The known variables that are read, in JAX's order: the way back from the results, on which
    the last operand comes first and a value after all that read it, reversed."""
    operands = {v: eqn.invars for eqn in eqns for v in eqn.outvars}
    ends = list(dict.fromkeys(outvars))
    counts, todo = Counter[Any](), list(ends)
    while todo:
        counts[x := todo.pop()] += 1
        todo += operands.get(x, ()) if counts[x] == 1 else ()
    counts.subtract(ends)
    ready, order = [x for x in ends if x in known or not counts[x]], []
    while ready:
        order.append(x := ready.pop())
        for operand in operands.get(x, ()):
            counts[operand] -= 1
            if operand in known or not counts[operand]:
                ready.append(operand)
    return [x for x in dict.fromkeys(reversed(order)) if x in known]
