"""Loops that call Python: compiled whole, with calls back where only Python can do something.

A print or a callback in a loop's body would have all of the loop run step by step. Here it is a
call in the loop's kernel (python_calls.py). Steps run one after the other, in one thread,
and effects come in the program's order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.doors import FLAGS, compile_source
from minijax.compiler.fallbacks import fall_back
from minijax.compiler.kernel_functions import function_modules, kernel_names
from minijax.compiler.kernels.whole_loops import LoopWriter, NotCompiled, check_dtype, kernel_of
from minijax.compiler.lowerings import lowerings
from minijax.compiler.named_in_text import array_of, contiguous
from minijax.compiler.special_cases.python_calls import (
    MOST, PythonCall, c_functions, raise_waiting, run_by_python,
)
from minijax.core.arrays import Array
from minijax.core.jitting import as_runtime_value
from minijax.core.printing import jaxprs_in_params, readable
from minijax.core.staging import Jaxpr, JaxprEqn, Literal, Var
from minijax.core.tracing import ShapedArray

# Few programs need these names, so kernels may have them from now on.
function_modules.append(c_functions)
kernel_names.cache_clear()


def python_calls_in(jaxpr: Jaxpr) -> set[str]:
    """The names of the primitives that Python runs, in a program and in those that it carries."""
    found = {str(eqn.primitive) for eqn in jaxpr.eqns if eqn.primitive in run_by_python}
    inner = (python_calls_in(j) for eqn in jaxpr.eqns for j in programs_of(eqn))
    return found.union(*inner)


def programs_of(eqn: JaxprEqn) -> list[Jaxpr]:
    return [getattr(j, "jaxpr", j) for j in jaxprs_in_params(eqn.params)]


class CallingWriter(LoopWriter):
    """Writes loops with calls of Python; `calls` has what they call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[int, tuple[PythonCall, Array]] = {}  # by the id of the equation
        self.kept.append((1, np.dtype(np.int64)))  # t0: whether a call has not come to its end

    @staticmethod
    def is_inline(eqn: JaxprEqn) -> bool:
        return eqn.primitive in run_by_python or lowerings[eqn.primitive].loop is not None

    def independent(self, turns: int) -> str:
        return str(turns)

    def run(self, eqn: JaxprEqn, args: Sequence[str], outs: Sequence[str]) -> None:
        if eqn.primitive not in run_by_python:
            return super().run(eqn, args, outs)
        for x in (*eqn.invars, *eqn.outvars):
            check_dtype(x)
        given = [f"{name}.ctypes" for name in (*args, *outs)]
        if len(given) > MOST:
            raise NotCompiled(f"{eqn.primitive} in its body has more than {MOST} arrays")
        passed = ", ".join([f"{self.read(self.number(eqn))}[0]", "t0.ctypes", *given])
        self.emit("t0[0] = 1")
        self.emit(f"call_python{len(given)}({passed})  # {readable(eqn.primitive.name)}")
        with self.block("if t0[0] != 0:"):
            self.emit("return")
        return None

    def number(self, eqn: JaxprEqn) -> Array:
        """The number of the equation's call, for the kernel to read."""
        if id(eqn) not in self.calls:
            call = PythonCall(eqn)
            number = Array(np.array([call.number]), ShapedArray((1,), np.int64))
            self.calls[id(eqn)] = call, number
        return self.calls[id(eqn)][1]


class CallingLoop:
    """A loop's kernel as a function of arrays, which raises what a call of Python raised.

    NotCompiled where its body does something that neither kernels nor these calls can.
    """

    def __init__(self, eqn: JaxprEqn) -> None:
        writer = CallingWriter()
        self.eqn, self.source = eqn, kernel_of(eqn, writer)
        self.calls = [call for call, _ in writer.calls.values()]
        places = {x: k for k, x in enumerate(eqn.invars) if type(x) is Var}
        self.reads = [places[x] if type(x) is Var else constant(x) for x in self.source.reads]

    def called(self) -> list[str]:
        """The names of the primitives that Python runs."""
        return sorted(set().union(*map(python_calls_in, programs_of(self.eqn))))

    def __call__(self, *arrays: Array) -> list[Array]:
        kernel = compile_source(self.source.text, "kernel", self.source.signature, FLAGS)
        given = [contiguous(arrays[x]) if type(x) is int else x for x in self.reads]
        outs = [np.empty(v.aval.shape, v.aval.dtype) for v in self.source.writes]
        failed, *rows = [np.zeros(size, dtype) for size, dtype in self.source.kept]
        kernel.call(*given, *outs, failed, *rows)
        if failed[0]:
            raise_waiting()
        return [array_of(out, v.aval) for out, v in zip(outs, self.source.writes, strict=True)]


def constant(x: Any) -> np.ndarray:
    """The elements, in a row, of a number or of a constant of a body."""
    return contiguous(as_runtime_value(x.val if type(x) is Literal else x))


def calling_loop(eqn: JaxprEqn) -> Callable | None:
    """What runs a loop that calls Python; None where it has no such call, or can't be compiled."""
    if not any(map(python_calls_in, programs_of(eqn))):
        return None
    try:
        return CallingLoop(eqn)
    except NotCompiled as why:
        return fall_back("loop", why)
