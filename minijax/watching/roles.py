"""What traces are there for: found from what they were opened with, and from Python's stack."""

from __future__ import annotations

import sys
from types import FrameType

from minijax.core.errors import DebugInfo
from minijax.core.linearization import SplitTrace
from minijax.core.programs import trace_with_aux
from minijax.core.staging import Jaxpr, JaxprTrace, trace_to_jaxpr
from minijax.core.tracing import Trace

# A function of the machine that has a program written from another one: what the new one is to the
# old. By name: most of their modules are imported when they are needed, and a chapter defines its
# functions anew.
WRITTEN_BY = {
    # core
    "jvp_jaxpr": "JVP program",
    "batch_jaxpr": "batched program",
    "linearize_jaxpr": "forward program",
    "transpose_jaxpr": "backward program",
    "split_program": "forward program",
    # lax
    "_with_residuals": "forward program",
    "_transposed_step": "backward program",
    "linearized_jaxpr": "JVP program",
    "optimized": "forward program",
    "batched_body": "batched program",
}
LINEAR, BACKWARD = "linear program", "backward pass"


def function_name(owner: Trace | Jaxpr) -> str:
    """The function that a trace, or a program, is of."""
    return str(owner.debug_info.func_name) if owner.debug_info else ""


def call_text(info: DebugInfo) -> str:
    """A transformation, of a function: `grad(f)`."""
    return f"{info.traced_for}({info.func_name})"


def is_of_program(info: DebugInfo | None, below: Trace | None) -> bool:
    """Whether a trace with this `info`, above another, reads a program that is there already, for
    the other to write a new one: then both have their names from one function."""
    if isinstance(below, SplitTrace):
        below = below.parent
    return isinstance(below, JaxprTrace) and below.debug_info is info is not None


def program_written_by(trace: JaxprTrace) -> tuple[str, str]:
    """What a trace writes: the kind of program, and what it is of."""
    kind = WRITTEN_BY.get(opener(trace), "program")
    return kind, call_text(trace.debug_info) if trace.debug_info else ""


def linear_program_of(trace: Trace, below: Trace | None) -> tuple[str, str]:
    """What a trace writes that tangents are handed on to; `below` computes values."""
    info = trace.debug_info
    return LINEAR, call_text(info) if info and is_of_program(info, below) else function_name(trace)


def opener(trace: JaxprTrace) -> str:
    """The name of the function that has a trace write a program, or "". It is running: a trace is
    met while it writes."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not (
        frame.f_code.co_name == trace_to_jaxpr.__name__ and frame.f_locals.get("trace") is trace
    ):
        frame = frame.f_back
    frame = frame and frame.f_back
    if frame is not None and frame.f_code.co_name == trace_with_aux.__name__:
        frame = frame.f_back
    return frame.f_code.co_name if frame else ""


def role_of(trace: Trace, writes: tuple[str, str] | None) -> str:
    """What a trace is there for. `writes` is the program that it writes, if it does."""
    if writes is not None:
        kind, of = writes
        return f"writes the {kind}{f' of {of}' if of else ''}"
    if not trace.debug_info:
        return ""
    is_of = is_of_program(trace.debug_info, trace.parent)
    return f"for {'the program of ' * is_of}{call_text(trace.debug_info)}"
