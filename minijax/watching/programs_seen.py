"""The programs that are written while something is watched, equation by equation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from minijax.core.printing import Names, pp_eqn_rules
from minijax.core.reverse import backward_pass, is_undefined_primal
from minijax.core.staging import (
    Atom,
    ClosedJaxpr,
    Jaxpr,
    JaxprEqn,
    JaxprStackFrame,
    JaxprTrace,
    Var,
)
from minijax.core.tracing import Primitive, trace_ctx
from minijax.watching.boxes import type_text
from minijax.watching.records import Program, shortened
from minijax.watching.roles import BACKWARD, function_name
from minijax.watching.traces_seen import TracesSeen

MOST_PARAMETERS = 60  # characters of an operation's parameters
MOST_OF_EQUATION = 200  # characters of an equation

# Equations in short: of a program within a program, how many equations it has.


def equations(count: int) -> str:
    return f"{count} equation{'s' if count != 1 else ''}"


def params_text(primitive: Primitive, params: dict[str, Any]) -> str:
    """The parameters that an equation shows, in short."""
    if not params and not primitive.inert:
        return ""
    every = {**params, **primitive.inert, **params}
    try:
        shown = pp_eqn_rules.get(primitive, dict)(every)
    except Exception:  # a rule of a user's, or one that counts on what only equations have
        shown = every
    order = sorted(shown, key=lambda name: (name != "name", name))
    return shortened(" ".join(f"{k}={value_text(shown[k])}" for k in order), MOST_PARAMETERS)


def value_text(value: Any) -> str:
    """A parameter's value; a program as `{ 3 equations }`."""
    if hasattr(value, "eqns"):
        return f"{{ {equations(len(value.eqns))} }}"
    if type(value) is tuple and any(hasattr(x, "eqns") for x in value):
        return f"({', '.join(map(value_text, value))})"
    try:
        return str(value)
    except Exception:
        return f"an object of class {type(value).__name__}"


def typed_text(variables: Sequence[Any], names: Names) -> str:
    return " ".join(f"{names(v)}:{type_text(v.aval)}" for v in variables)


def equation_text(eqn: JaxprEqn, names: Names) -> str:
    left = f"{typed_text(eqn.outvars, names)} = " if eqn.outvars else ""
    return shortened(f"{left}{operation_text(eqn)} {atoms_text(eqn.invars, names)}",
                     MOST_OF_EQUATION)  # fmt: skip


def operation_text(eqn: JaxprEqn) -> str:
    params = params_text(eqn.primitive, eqn.params)
    return f"{eqn.primitive}[{params}]" if params else str(eqn.primitive)


def atoms_text(atoms: Sequence[Any], names: Names) -> str:
    return " ".join(map(names, atoms))


def results_text(words: Sequence[str]) -> str:
    return f"in ({', '.join(words)}{',' * (len(words) == 1)}) }}"


def names_in(jaxpr: Jaxpr) -> Names:
    """What the variables of a program are called when it is printed."""
    names = Names()
    used = {x for eqn in jaxpr.eqns for x in eqn.invars}.union(jaxpr.outvars)
    names.of_vars = {v: "_" for eqn in jaxpr.eqns for v in eqn.outvars if v not in used}
    variables = [*jaxpr.constvars, *jaxpr.invars, *(v for eqn in jaxpr.eqns for v in eqn.outvars)]
    for v in variables:
        names(v)
    return names


# Programs that traces write.


class Growing:
    """A program that is being written: the first `seen` of its equations have been seen."""

    def __init__(self, frame: JaxprStackFrame, index: int, record: Program) -> None:
        self.frame, self.index, self.record, self.seen = frame, index, record, 0


class ProgramsSeen:
    """All of them, and what their variables are called."""

    def __init__(self, traces: TracesSeen) -> None:
        self.traces = traces
        self.records: list[Program] = []
        self.growing: dict[int, Growing] = {}  # by the frame's id
        self.names: dict[Var, str] = {}
        self.passes: WeakKeyDictionary[Any, BackwardPass] = WeakKeyDictionary()

    def add(self, kind: str, of: str, trace: int) -> int:
        self.records.append(Program(kind, of, trace))
        return len(self.records) - 1

    def grow(self, trace: JaxprTrace) -> list[tuple[int, int]]:
        """The equations that a trace has written since it was looked at last."""
        frame = trace.frame
        if id(frame) not in self.growing:
            index = self.traces.index(trace)
            place = self.add(*self.traces.written[index], index)
            self.growing[id(frame)] = Growing(frame, place, self.records[place])
        program = self.growing[id(frame)]
        new = range(program.seen, len(frame.eqns))
        program.seen = len(frame.eqns)
        return [(program.index, k) for k in new]

    def finish(self, trace: JaxprTrace, closed: ClosedJaxpr) -> None:
        """A trace's program is complete."""
        program = self.growing.pop(id(trace.frame), None)
        if program is not None:
            self.write(program, closed.jaxpr, is_complete=True)

    def finish_all(self) -> None:
        """Those that will not be complete, as the function has raised."""
        for program in self.growing.values():
            frame = program.frame
            constvars = [v for v, _ in frame.constants.values()]
            outvars: list[Atom] = [v for eqn in frame.eqns for v in eqn.outvars]
            self.write(program, Jaxpr(constvars, frame.invars, outvars, frame.eqns), False)
        self.growing.clear()

    def write(self, program: Growing, jaxpr: Jaxpr, is_complete: bool) -> None:
        """The program's text, now that all of its variables are there. Equations beyond the limit
        of the recording are counted."""
        names, record = names_in(jaxpr), program.record
        self.names |= names.of_vars
        given = f"{typed_text(jaxpr.constvars, names)}; {typed_text(jaxpr.invars, names)}"
        record.head = f"{{ lambda {given}. let"
        record.equations = [equation_text(eqn, names) for eqn in jaxpr.eqns[: program.seen]]
        more = len(jaxpr.eqns) - program.seen
        rest = f"... {more} more equations ... " if more else ""
        record.tail = rest + (results_text(list(map(names, jaxpr.outvars))) if is_complete else "")

    def begin_pass(self, eqn: JaxprEqn, read: Any) -> Program | None:
        """The program of a backward pass that begins with this equation; None if it has begun.
        There is one for each function `read` that knows the pass's values."""
        if read in self.passes:
            return None
        jaxpr = jaxpr_of_pass() or Jaxpr([], [], list(eqn.outvars), [eqn])
        index = self.add(BACKWARD, function_name(jaxpr), self.traces.index(trace_ctx.trace))
        names = names_in(jaxpr)
        if self.names.keys() >= names.of_vars.keys():
            names.of_vars = {v: self.names[v] for v in names.of_vars}
        self.passes[read] = BackwardPass(jaxpr, names, read, index, self.records[index])
        return self.records[index]

    def grow_backward(self, eqn: JaxprEqn, read: Any) -> tuple[int, int]:
        """The equation, as it is transposed, in the program of its backward pass."""
        return self.passes[read].grow(eqn, read)


# Programs that are walked backwards.


class BackwardPass:
    """A linear program, whose equations are transposed, the last one first. The cotangent of `a` is
    called ct_a."""

    def __init__(
        self, jaxpr: Jaxpr, names: Names, read: Any, index: int, record: Program
    ) -> None:
        self.names, self.index, self.record = names, index, record
        self.reached = set[Atom]()
        inputs = [names(v) for v in jaxpr.invars if is_undefined_primal(read(v))]
        record.head = f"{{ lambda {self.cotangents(jaxpr.outvars)}. let"
        record.tail = results_text([f"ct_{name}" for name in inputs])

    def cotangents(self, atoms: Sequence[Any]) -> str:
        variables = [x for x in atoms if type(x) is Var]
        return " ".join(f"ct_{self.names(v)}:{type_text(v.aval)}" for v in variables)

    def grow(self, eqn: JaxprEqn, read: Any) -> tuple[int, int]:
        linear = [x for x in eqn.invars if is_undefined_primal(read(x))]
        known = [x for x in eqn.invars if not is_undefined_primal(read(x))]
        sign = "+=" if self.reached.intersection(linear) else "="
        self.reached.update(linear)
        given = " ".join([f"ct_{self.names(v)}" for v in eqn.outvars])
        text = (f"{self.cotangents(list(dict.fromkeys(linear)))} {sign} "
                f"transpose({operation_text(eqn)}) {given} {atoms_text(known, self.names)}")
        self.record.equations.append(shortened(text, MOST_OF_EQUATION))
        return self.index, len(self.record.equations) - 1


def jaxpr_of_pass() -> Jaxpr | None:
    """The program of the backward pass that is running: the innermost one's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is backward_pass.__code__:
            return frame.f_locals["jaxpr"]
        frame = frame.f_back
    return None
