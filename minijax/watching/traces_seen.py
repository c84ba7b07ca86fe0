"""The traces that a recording has met, by number."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from minijax.core.staging import Jaxpr
from minijax.core.tracing import Trace, eval_trace
from minijax.watching.records import SeenTrace


class TracesSeen:
    """Traces get numbers in the order in which they are met; the ground floor's is 0.

    They are not kept alive: a trace that has ended may go, and its tracers with it.
    """

    def __init__(self) -> None:
        self.records: list[SeenTrace] = []
        self.stacks: list[list[int]] = []
        self.indices: WeakKeyDictionary[Trace, int] = WeakKeyDictionary()
        self.tangent_traces: set[int] = set()
        self.index(eval_trace)

    def index(self, trace: Trace) -> int:
        found = self.indices.get(trace)
        return self.add(trace) if found is None else found

    def add(self, trace: Trace, is_of_tangents: bool = False) -> int:
        """Parents come first. What writes the tangents' program is seen with the trace that splits
        operations, so that it is known as that."""
        below = None if trace.parent is None else self.index(trace.parent)
        kind = type(trace).__name__
        new = self.indices[trace] = len(self.records)
        tangent_trace = getattr(trace, "tangent_trace", None)
        tangents = None
        if isinstance(tangent_trace, Trace):
            tangents = self.indices.get(tangent_trace, new + 1)
        number = 1 + sum(each.label[0] == kind[0] for each in self.records)
        label = "E" if trace is eval_trace else f"{kind[0]}{number}"
        of = f"the tangents of {function_name(trace)}" if is_of_tangents else reason(trace)
        self.records.append(SeenTrace(kind, of, below, tangents, label))
        self.stacks.append([new, *([] if below is None else self.stacks[below])])
        if isinstance(tangent_trace, Trace) and tangents == new + 1:
            self.tangent_traces.add(self.add(tangent_trace, is_of_tangents=True))
        return new

    def waiting(self, trace: int, before: Sequence[Trace]) -> list[int]:
        """Those who were in charge `before` and are not below a trace, the last one first."""
        found = dict.fromkeys(map(self.index, reversed(before)))
        return [each for each in found if each and each not in self.stacks[trace]]


def reason(trace: Trace) -> str:
    """For which transformation, of which function, a trace is there."""
    info = trace.debug_info
    return f"{info.traced_for} of {info.func_name}" if info else ""


def function_name(owner: Trace | Jaxpr) -> str:
    """The function that a trace, or a program, is of."""
    return str(owner.debug_info.func_name) if owner.debug_info else ""
