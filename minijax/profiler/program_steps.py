"""The steps of a compiled program: what each is, and how to be told of each as it runs.

A program is a function of Python's that calls a kernel, or NumPy, in one line for each step. Its
names are looked up in a dict, so that to be told of a step is to have another function there.
"""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any, NamedTuple

from minijax.compiler.executable import Executable, kernel_id
from minijax.compiler.special_cases.other_types import is_viewing
from minijax.core.errors import SourceInfo
from minijax.core.staging import JaxprEqn
from minijax.stages.costs import Task, costs_of, num_bytes, step_task


class StepInfo(NamedTuple):
    """What a step is called, as `explain` calls it, who runs it, and what it costs."""

    name: str
    category: str  # "kernel" or "numpy"
    sources: tuple[SourceInfo, ...]  # the lines of its equations, in order; the result's is last
    flops: float
    transcendentals: float
    bytes: int

    @property
    def source(self) -> SourceInfo | None:
        return self.sources[-1] if self.sources else None

    @property
    def operations(self) -> float:
        """Operations on single numbers."""
        return self.flops + self.transcendentals


def program_steps(executable: Executable) -> list[StepInfo]:
    """The steps of a program, in the order in which they run."""
    program, found = executable.program, []
    for step, source in zip(executable.steps, executable.sources, strict=True):
        where = program.kernels[kernel_id(source)] if source else "NumPy"
        found.append(step_info(step_task(step, source), where, list(equations(step))))
    return found


def equations(step: Any) -> Iterator[JaxprEqn]:
    """The equations that a step computes: of several steps in one kernel, those of each."""
    if hasattr(step, "steps"):
        for inner in step.steps:
            yield from equations(inner)
    elif hasattr(step, "eqn"):
        yield step.eqn
    else:
        yield from step.eqns


def step_info(task: Task, where: str, eqns: Sequence[JaxprEqn]) -> StepInfo:
    """The record of a task that runs `where`: in a kernel of this name, or in NumPy."""
    sources = dict.fromkeys(eqn.source_info for eqn in eqns if eqn.source_info.code is not None)
    is_view = where == "NumPy" and all(is_viewing(eqn.primitive) for eqn in eqns)
    moved = 0 if is_view else sum(map(num_bytes, (*task.reads, *task.writes)))
    return StepInfo(
        f"{where}: {' '.join(str(eqn.primitive) for eqn in eqns)}",
        "numpy" if where == "NumPy" else "kernel",
        tuple(sources), *costs_of(eqns), moved,
    )  # fmt: skip


# As it runs.

_BETWEEN_STEPS = {"Array", "contiguous", "empty"}  # what a program's text calls, beside its steps


def step_calls(source: str) -> dict[int, str]:
    """The lines of a program's text that are steps, and the name of what each calls.

    >>> step_calls("def program(a_):\\n    a = contiguous(a_)\\n    kernel0(a, b)\\n    return [b]")
    {3: 'kernel0'}
    """
    found = {}
    for statement in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        value = getattr(statement, "value", None)
        match value:
            case ast.Call(func=ast.Name(id=name)) if name not in _BETWEEN_STEPS:
                found[statement.lineno] = name
    return found


Tell = Callable[[int | None, str, int], None]  # the step, what it calls, when it began


def told_functions(
    executable: Executable, tell: Tell, around: Callable[[Callable], Callable] = lambda fun: fun
) -> dict[str, Callable]:
    """The functions that a program calls in its steps, by name: each tells when it has run.

    A thread that runs a part of a kernel tells so with None for the step. `around` is put round
    what a step calls. There are no functions where the program's text is not one line for each
    step.
    """
    run = executable.run
    calls = step_calls(run.source)  # type: ignore[attr-defined]  # the writer puts it there
    if len(calls) != len(executable.steps):
        return {}
    places = {line: k for k, line in enumerate(calls)}
    names = {*calls.values(), *executable.program.kernels.values()}
    meanings = run.__globals__  # type: ignore[attr-defined]
    return {
        name: _telling(around(meanings[name]), name, run.__code__, places, tell) for name in names
    }


def _telling(
    fun: Callable, name: str, code: CodeType, places: dict[int, int], tell: Tell
) -> Callable:
    """`fun`, which a program calls in some of its lines, or threads call for one of these."""

    def call(*args: Any) -> Any:
        frame = sys._getframe(1)
        step = places.get(frame.f_lineno) if frame.f_code is code else None
        begin = time.perf_counter_ns()
        try:
            return fun(*args)
        finally:
            tell(step, name, begin)

    return call
