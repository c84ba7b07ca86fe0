"""A report: where the time of one call goes, step by step, beside what this machine can do."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from types import FunctionType
from typing import Any, NamedTuple

from minijax.compiler.executable import Executable
from minijax.core.arguments import ShapeDtypeStruct, split_static
from minijax.core.calls import check_callable
from minijax.core.errors import api_boundary, format_name_stack
from minijax.core.jitting import JitFunction, as_runtime_value, jit, running
from minijax.core.pytrees import tree_leaves
from minijax.core.staging import ClosedJaxpr, Literal
from minijax.profiler.machines import Machine, this_machine
from minijax.profiler.program_steps import StepInfo, program_steps, step_info, told_functions
from minijax.stages.costs import plan_of

ENOUGH = 0.2  # seconds of measuring; but at least FEWEST runs, and at most MOST
FEWEST, MOST = 3, 200


def report(fun: Callable) -> Callable:
    """A function of `fun`'s arguments that runs it, and says where the time of one call goes.

    It returns a `Report`, which prints as a table and shows as one in a notebook; `plot()` draws
    it. A row is a step of the compiled program, with its time, the bytes that it reads and writes,
    its operations, and what part it reaches of what this machine could do: 100 % is as fast as
    memory, or the processor, allows. What lies in the processor's caches may be read faster. `fun`
    may be jitted, with static arguments; it runs several times, but once where it has effects.
    """
    check_callable(fun, "profiler.report")
    jitted = fun if isinstance(fun, JitFunction) else jit(fun)

    @api_boundary
    def reported(*args: Any, **kwargs: Any) -> Report:
        _, call_args, call_kwargs, _ = split_static(jitted._fun, args, kwargs, *jitted._static)
        leaves = tree_leaves((call_args, call_kwargs))
        if any(isinstance(x, ShapeDtypeStruct) for x in leaves):
            raise TypeError(
                f"profiler.report runs {jitted.__name__}, and got a ShapeDtypeStruct, which has no "
                f"numbers. Give arrays."
            )
        compiled = jitted.trace(*args, **kwargs).lower().compile()
        executable, closed = compiled.runtime_executable(), compiled._traced.jaxpr
        if isinstance(executable, Executable):
            steps, run = program_steps(executable), _compiled_run(executable)
        else:
            tasks = plan_of(executable, closed).tasks
            steps = [step_info(task, "NumPy", task.eqns) for task in tasks]
            run = _interpreted_run(closed)
        operands, may_call = compiled._operands(leaves), not any(compiled._traced.donated)
        call = partial(jitted, *args, **kwargs) if may_call else partial(executable, *operands)
        return Report(jitted.__name__, steps, *_measured(call, executable, run, operands, closed))

    return reported


# Measuring. What a run returns are the times of its steps, in seconds.

Run = Callable[[Sequence[Any]], list[float]]


def _compiled_run(executable: Executable) -> Run:
    """Runs a compiled program. Its functions are the same ones, in a copy that is told of each."""
    seconds = [0.0] * len(executable.steps)

    def tell(step: int | None, name: str, begin: int) -> None:
        if step is not None:
            seconds[step] = (time.perf_counter_ns() - begin) / 1e9

    program = executable.run
    told = told_functions(executable, tell)
    copy = FunctionType(program.__code__, {**program.__globals__, **told})  # type: ignore

    def run(operands: Sequence[Any]) -> list[float]:
        copy(*operands)
        return list(seconds)

    return run


def _interpreted_run(closed: ClosedJaxpr) -> Run:
    """Runs a program equation by equation."""

    def run(operands: Sequence[Any]) -> list[float]:
        values: dict[Any, Any] = dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))
        values |= zip(closed.jaxpr.invars, operands, strict=True)
        seconds = []
        for eqn in closed.eqns:
            args = [x.val if isinstance(x, Literal) else values[x] for x in eqn.invars]
            args, begin = list(map(as_runtime_value, args)), time.perf_counter()
            out = eqn.primitive.bind(*args, **eqn.params)
            seconds.append(time.perf_counter() - begin)
            values |= zip(eqn.outvars, out if eqn.primitive.multiple_results else [out],
                          strict=True)  # fmt: skip
        return seconds

    return run


class Times(NamedTuple):
    """Seconds: of a call, of the program in it, and of each step of the program."""

    call: float
    program: float
    steps: list[float]


def _measured(
    call: Callable, program: Callable, run: Run, operands: Sequence[Any], closed: ClosedJaxpr
) -> Times:
    """Medians of several runs, one after the other. A program with effects runs once."""
    if closed.effects:
        begin = time.perf_counter()
        steps = _inside_program(run, operands)
        seconds = time.perf_counter() - begin
        return Times(seconds, seconds, steps)
    for _ in range(3):  # only then is a call on its fast path
        call()
    runs, stop = list[Times](), time.perf_counter() + ENOUGH
    while len(runs) < FEWEST or (time.perf_counter() < stop and len(runs) < MOST):
        begin = time.perf_counter()
        call()
        called = time.perf_counter()
        _inside_program(program, *operands)
        ended = time.perf_counter()
        runs.append(Times(called - begin, ended - called, _inside_program(run, operands)))
    calls, programs, steps = zip(*runs, strict=True)
    each = [statistics.median(times) for times in zip(*steps, strict=True)]
    return Times(statistics.median(calls), statistics.median(programs), each)


def _inside_program(fun: Callable, *args: Any) -> Any:
    """fun(*args), as it is called while a program is run."""
    outer, running.inside_program = running.inside_program, True
    try:
        return fun(*args)
    finally:
        running.inside_program = outer


# What is shown.


class Row(NamedTuple):
    """A step: what it takes, and what it would take at least, in seconds."""

    step: StepInfo
    seconds: float
    least: float

    @property
    def reached(self) -> float:
        """What part it reaches of what the machine could do."""
        return self.least / self.seconds if self.seconds else 0.0

    @property
    def line(self) -> str:
        """The user's line, short, and the scopes around it."""
        source = self.step.source
        if source is None or source.code is None:
            return ""
        file = source.code.co_filename.replace("\\", "/").rpartition("/")[2]
        scope = format_name_stack(source.name_stack)
        return f"{file}:{source.line}{f' in {scope}' if scope else ''}"


class Report:
    """Where the time of one call goes: `rows` has the steps, `seconds` is the whole call's time."""

    def __init__(
        self, name: str, steps: Sequence[StepInfo], seconds: float, program: float,
        each: Sequence[float],
    ) -> None:  # fmt: skip
        self.name, self.seconds, self.program = name, seconds, program
        self.machine: Machine = this_machine()
        self.rows = [
            Row(step, one, self.machine.least_seconds(step.bytes, step.operations))
            for step, one in zip(steps, each, strict=True)
        ]

    @property
    def between(self) -> float:
        """The seconds between the steps: Python, and memory that is taken."""
        return max(self.program - sum(row.seconds for row in self.rows), 0.0)

    @property
    def around(self) -> float:
        """The seconds before and after the program: arguments are looked at, results packed."""
        return max(self.seconds - self.program, 0.0)

    def headline(self) -> str:
        bandwidth, flops = amount(self.machine.bandwidth), amount(self.machine.flops)
        return (f"{self.name}: {time_text(self.seconds)} a call. This machine moves {bandwidth}B "
                f"and computes {flops}flop in a second.")  # fmt: skip

    def table(self) -> list[list[str]]:
        """The cells, by rows: the titles, the steps in their order, the time between and around."""
        titles = ["step", "time", "part", "bytes", "operations", "of this machine", "line"]
        rows = [
            [row.step.name, time_text(row.seconds), self._part(row.seconds),
             f"{amount(row.step.bytes)}B", amount(row.step.operations), f"{row.reached:.0%}",
             row.line]
            for row in self.rows
        ]  # fmt: skip
        rest = [("between the steps", self.between), ("around the program", self.around)]
        ends = [[name, time_text(one), self._part(one), "", "", "", ""] for name, one in rest]
        return [titles, *rows, *ends]

    def _part(self, seconds: float) -> str:
        return f"{seconds / self.seconds:.0%}" if self.seconds else ""

    def __repr__(self) -> str:
        table = [[_short(cell) for cell in row] for row in self.table()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        last = len(widths) - 1
        lines = [
            "  ".join(cell.ljust(width) if k in (0, last) else cell.rjust(width)
                      for k, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
            for row in table
        ]  # fmt: skip
        return "\n".join([self.headline(), "", *lines])

    def _repr_html_(self) -> str:
        """The table, with a bar behind each time."""
        titles, *rows = self.table()
        seconds = [*(row.seconds for row in self.rows), self.between, self.around]
        head = "".join(f"<th>{title}</th>" for title in titles)
        body = "".join(
            f"<tr>{''.join(map(_cell, row, [None, self._bar(one), *[None] * 5]))}</tr>"
            for row, one in zip(rows, seconds, strict=True)
        )
        return f"<p>{escape(self.headline())}</p><table><tr>{head}</tr>{body}</table>"

    def _bar(self, seconds: float) -> str:
        part = 100 * min(seconds / self.seconds, 1) if self.seconds else 0
        return f"linear-gradient(to right, #9ecae1 {part:.0f}%, transparent {part:.0f}%)"

    def plot(self) -> Any:
        """A figure of matplotlib's: each step's time, and the part of it that it takes at least."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 1.6 + 0.35 * len(self.rows)), layout="constrained")
        axes = figure.subplots()
        names = [_short(f"{k}. {row.step.name}") for k, row in enumerate(self.rows)]
        unit = 1e6
        axes.barh(names, [unit * row.seconds for row in self.rows], color="#9ecae1", label="taken")
        least = [unit * min(row.least, row.seconds) for row in self.rows]
        axes.barh(names, least, height=0.3, color="#08519c", label="at least, on this machine")
        axes.invert_yaxis()
        axes.set(xlabel="microseconds", title=f"{self.name}: {time_text(self.seconds)} a call")
        figure.legend(loc="outside lower right", ncols=2)
        return figure


def _cell(text: str, background: str | None) -> str:
    style = f' style="background: {background}"' if background else ""
    return f"<td{style}>{escape(text)}</td>"


def _short(text: str, width: int = 44) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def amount(number: float) -> str:
    """A number and the unit that goes with it.

    >>> amount(12), amount(4_800_000), amount(0)
    ('12 ', '4.8 M', '0 ')
    """
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:.3g} {name}"
    return f"{number:.3g} "


def time_text(seconds: float) -> str:
    """A time.

    >>> time_text(0.00125), time_text(3.0), time_text(2e-7)
    ('1.25 ms', '3 s', '0.2 us')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e6:.3g} us"
