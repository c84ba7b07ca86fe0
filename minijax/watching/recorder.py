"""The recorder: it is told when an operation begins and ends, and writes down a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.core.errors import SourceInfo, user_source
from minijax.core.reverse import is_undefined_primal
from minijax.core.staging import ClosedJaxpr, JaxprEqn, JaxprTrace
from minijax.core.tracing import Primitive, Trace, trace_ctx
from minijax.watching.boxes import Boxes
from minijax.watching.programs_seen import ProgramsSeen, params_text
from minijax.watching.records import Rule, Step, shortened
from minijax.watching.rules_found import RulesFound
from minijax.watching.sources_seen import SourcesSeen
from minijax.watching.traces_seen import TracesSeen

MOST_OF_ERROR = 200  # characters of an error's message


class Recorder:
    """Steps, in the order in which they began, and what they refer to; at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self.limit, self.left_out = limit, 0
        self.steps: list[Step] = []
        self.open: list[int | None] = []  # steps that have not ended; None for one left out
        self.traces, self.rules, self.sources = TracesSeen(), RulesFound(), SourcesSeen()
        self.boxes, self.programs = Boxes(self.traces), ProgramsSeen(self.traces)

    # Operations.

    def begin(
        self, primitive: Primitive, args: Sequence[Any], params: dict, before: Sequence[Trace]
    ) -> None:
        """An operation is bound. `before` were in charge and will be again, the last one last."""
        if self.is_full():
            return
        trace = trace_ctx.trace
        rule = self.rules.of_bind(trace, primitive, args)
        self.add(primitive, params_text(primitive, params), args, rule, before)

    def end(self, primitive: Primitive, out: Any) -> None:
        """The operation that began last has results."""
        place = self.open.pop()
        if place is not None:
            step, trace = self.steps[place], trace_ctx.trace
            if isinstance(trace, JaxprTrace):
                step.grows += self.programs.grow(trace)
            step.results = self.boxes.all_of(out if primitive.multiple_results else [out])

    def fail(self, error: BaseException) -> None:
        """The operation that began last has raised."""
        place = self.open.pop()
        if place is not None:
            self.steps[place].error = error_text(error)

    # Equations that are transposed.

    def begin_transposed(
        self, eqn: JaxprEqn, cts_out: Sequence[Any], read: Any, before: Sequence[Trace]
    ) -> None:
        """An equation is transposed: `cts_out` are its results' cotangents, and `read` gives its
        operands."""
        if self.is_full():
            return
        operands, rule = [*cts_out, *map(read, eqn.invars)], self.rules.of_transposition
        params = params_text(eqn.primitive, eqn.params)
        step = self.add(eqn.primitive, params, operands, rule(eqn.primitive), before)
        step.transposed = True
        step.grows.append(self.programs.grow_backward(eqn, read))

    def end_transposed(self, eqn: JaxprEqn, cts_in: Sequence[Any], read: Any) -> None:
        """The cotangents of the operands that are not known have been found."""
        place = self.open.pop()
        if place is not None:
            pairs = zip(eqn.invars, cts_in, strict=True)
            found = [ct for x, ct in pairs if is_undefined_primal(read(x)) and ct is not None]
            self.steps[place].results = self.boxes.all_of(found)

    # Both.

    def is_full(self) -> bool:
        """Whether the step that begins is left out."""
        if len(self.steps) < self.limit:
            return False
        self.left_out += 1
        self.open.append(None)
        return True

    def add(
        self, primitive: Primitive, params: str, operands: Sequence[Any], rule: Rule,
        before: Sequence[Trace],
    ) -> Step:  # fmt: skip
        trace = self.traces.index(trace_ctx.trace)
        source: SourceInfo = trace_ctx.source or user_source()
        step = Step(
            primitive=str(primitive), params=params, trace=trace, stack=self.traces.stacks[trace],
            waiting=self.traces.waiting(trace, before), parent=self.open[-1] if self.open else None,
            operands=self.boxes.all_of(operands), rule=rule, line=self.sources.index(source),
        )  # fmt: skip
        self.open.append(len(self.steps))
        self.steps.append(step)
        return step

    # Programs.

    def finish(self, trace: JaxprTrace, closed: ClosedJaxpr) -> None:
        self.programs.finish(trace, closed)

    def records(self) -> dict[str, Any]:
        """What was recorded: to be asked for once, when nothing more is."""
        self.programs.finish_all()
        self.boxes.name_variables(self.programs.names)
        return {
            "steps": self.steps, "traces": self.traces.records, "programs": self.programs.records,
            "sources": self.sources.records(), "left_out": self.left_out,
        }  # fmt: skip


def error_text(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception:
        message = ""
    return shortened(f"{type(error).__name__}: {message}", MOST_OF_ERROR)
