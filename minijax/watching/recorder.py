"""The recorder: it is told when an operation begins and ends, and writes down a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.executable import Executable
from minijax.core.errors import SourceInfo, user_source
from minijax.core.reverse import is_undefined_primal
from minijax.core.staging import ClosedJaxpr, JaxprEqn, JaxprTrace
from minijax.core.tracing import Primitive, Trace, trace_ctx
from minijax.watching.boxes import Boxes
from minijax.watching.programs_seen import ProgramsSeen, equations, params_text
from minijax.watching.records import Mark, Rule, Step, shortened
from minijax.watching.roles import call_text
from minijax.watching.rules_found import RulesFound
from minijax.watching.sources_seen import SourcesSeen
from minijax.watching.traces_seen import TracesSeen

MOST_OF_ERROR = 200  # characters of an error's message


class Recorder:
    """Steps, in the order in which they began, and what they refer to; at most `limit` of them."""

    def __init__(self, limit: int) -> None:
        self.limit, self.left_out = limit, 0
        self.steps: list[Step] = []
        self.marks: dict[tuple[int, int | None, str], int] = {}  # and how often each happened
        self.open: list[int | None] = []  # steps that have not ended; None for one left out
        self.complete: dict[int, int] = {}  # of traces whose program is: its number of equations
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
        begun = self.programs.begin_pass(eqn, read)
        if begun:
            of = f" of {begun.of}" if begun.of else ""
            self.mark(f"the {begun.kind}{of} begins: its linear program, last equation first")
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

    # Between operations.

    def mark(self, event: str) -> None:
        """Something happened. What a loop runs many times, between the same steps, is one mark."""
        if len(self.steps) < self.limit:
            mark = len(self.steps), self.open[-1] if self.open else None, event
            self.marks[mark] = self.marks.get(mark, 0) + 1

    def finish(self, trace: JaxprTrace, closed: ClosedJaxpr) -> None:
        """A trace's program is complete."""
        self.programs.finish(trace, closed)
        if (place := self.traces.indices.get(trace)) is not None:
            self.complete[place] = len(closed.eqns)

    def end_trace(self, trace: Trace) -> None:
        """A trace ends. One that was asked for nothing is not known."""
        place = self.traces.indices.get(trace)
        if place is None:
            return
        label, writes = self.traces.records[place].label, self.traces.written.get(place)
        if writes is None:
            return self.mark(f"{label} ends")
        what = " of ".join(filter(None, writes))
        if place in self.complete:
            self.mark(f"{label} ends, with the {what}: {equations(self.complete[place])}")
        else:
            self.mark(f"{label} ends before the {what} is complete")

    def run_program(self, closed: ClosedJaxpr, executable: Any) -> None:
        """A program is run, which has been compiled now or earlier, or is NumPy's to compute."""
        info, text, kind = closed.jaxpr.debug_info, equations(len(closed.eqns)), "a program"
        if isinstance(executable, Executable):
            kind, simplified = "a compiled program", len(executable.jaxpr.eqns)
            text += f", simplified to {simplified}" if simplified != len(closed.eqns) else ""
        self.mark(f"{kind}{f' of {call_text(info)}' if info else ''} runs: {text}")

    def records(self) -> dict[str, Any]:
        """What was recorded: to be asked for once, when nothing more is."""
        self.programs.finish_all()
        self.boxes.name_variables(self.programs.names)
        return {
            "steps": self.steps, "traces": self.traces.records, "programs": self.programs.records,
            "sources": self.sources.records(), "left_out": self.left_out,
            "marks": [Mark(*mark, times) for mark, times in self.marks.items()],
        }  # fmt: skip


def error_text(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception:
        message = ""
    return shortened(f"{type(error).__name__}: {message}", MOST_OF_ERROR)
