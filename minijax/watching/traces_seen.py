"""The traces that a recording has met, by number."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from minijax.core.staging import JaxprTrace
from minijax.core.tracing import Trace, eval_trace
from minijax.watching.records import SeenTrace
from minijax.watching.roles import linear_program_of, program_written_by, role_of


class TracesSeen:
    """Traces get numbers in the order in which they are met; the ground floor's is 0.

    They are not kept alive: a trace that has ended may go, and its tracers with it.
    """

    def __init__(self) -> None:
        self.records: list[SeenTrace] = []
        self.stacks: list[list[int]] = []
        self.indices: WeakKeyDictionary[Trace, int] = WeakKeyDictionary()
        self.written: dict[int, tuple[str, str]] = {}  # of traces that write: which program
        self.index(eval_trace)

    def index(self, trace: Trace) -> int:
        found = self.indices.get(trace)
        return self.add(trace) if found is None else found

    def add(self, trace: Trace, writes: tuple[str, str] | None = None) -> int:
        """Parents come first. What writes the linear program is seen with the trace that splits
        operations, so that it is known as that; `writes` says which it is."""
        below = None if trace.parent is None else self.index(trace.parent)
        kind = type(trace).__name__
        new = self.indices[trace] = len(self.records)
        tangent_trace = getattr(trace, "tangent_trace", None)
        tangents = None
        if isinstance(tangent_trace, Trace):
            tangents = self.indices.get(tangent_trace, new + 1)
        number = 1 + sum(each.label[0] == kind[0] for each in self.records)
        label = "E" if trace is eval_trace else f"{kind[0]}{number}"
        if writes is None and isinstance(trace, JaxprTrace):
            writes = program_written_by(trace)
        if writes is not None:
            self.written[new] = writes
        self.records.append(SeenTrace(kind, role_of(trace, writes), below, tangents, label))
        self.stacks.append([new, *([] if below is None else self.stacks[below])])
        if isinstance(tangent_trace, Trace) and tangents == new + 1:
            self.add(tangent_trace, linear_program_of(tangent_trace, trace.parent))
        return new

    def waiting(self, trace: int, before: Sequence[Trace]) -> list[int]:
        """Those who were in charge `before` and are not below a trace, the last one first."""
        found = dict.fromkeys(map(self.index, reversed(before)))
        return [each for each in found if each and each not in self.stacks[trace]]

