"""Types of mapped values, and which trace is in charge: for who writes a transformation."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minijax.core.batching import BatchTrace, batched_aval, example_aval
from minijax.core.dtypes import dtype_registry
from minijax.core.forward import JVPTrace
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import Jaxpr, JaxprTrace, Var
from minijax.core.tracing import (
    AbstractValue,
    Trace,
    eval_trace,
    set_current_trace,
    trace_ctx,
    typeof,
)
from minijax.lax.elementwise.arithmetic import known_dtype


def mapped_aval(size: int, axis: int | None, aval: AbstractValue) -> AbstractValue:
    """The type of one of the values that lie along an axis of this size.

    >>> mapped_aval(3, 0, typeof(np.ones((3, 2), np.float32)))
    ShapedArray(float32[2])
    """
    return example_aval(aval, axis)


def unmapped_aval(
    size: int, axis: int | None, aval: AbstractValue, explicit_mesh_axis: Any = None
) -> AbstractValue:
    """The type of so many values of a type together, along a new axis.

    >>> unmapped_aval(3, 1, typeof(np.ones(2, np.float32)))
    ShapedArray(float32[2,3])
    """
    return batched_aval(aval, size, axis)


def primal_dtype_to_tangent_dtype(primal_dtype: Any) -> Any:
    """The dtype of small changes of such numbers: float0 where these don't change smoothly.

    >>> primal_dtype_to_tangent_dtype(np.dtype("int32"))
    dtype([('float0', 'V')])
    """
    dtype = known_dtype("primal_dtype_to_tangent_dtype", primal_dtype)
    return dtype_registry[dtype].tangent_dtype


def valid_jaxtype(x: Any) -> bool:
    """Whether x is a value that operations take: an array, a tracer or a number.

    >>> valid_jaxtype(1.0), valid_jaxtype("one")
    (True, False)
    """
    try:
        typeof(x)
    except TypeError:
        return False
    return True


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """The programs that equations of a program carry, and not those inside of these."""
    for eqn in jaxpr.eqns:
        yield from jaxprs_in_params(eqn.params)


class DropVar(Var):
    """In JAX's programs, a result that nobody uses. Here that is a variable like the others, which
    is printed as `_`: none is of this class."""


class TraceTag:
    """Says which use of a transformation a tracer is of. All are equal; `is` tells them apart."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TraceTag)

    def __hash__(self) -> int:
        return hash(TraceTag)


@contextmanager
def take_current_trace() -> Iterator[Trace]:
    """The block is given the current trace, and is itself run by evaluation alone."""
    taken = trace_ctx.trace
    with set_current_trace(eval_trace):
        yield taken


def find_top_trace(xs: Any) -> Trace:
    """The current trace, whatever the values are."""
    return trace_ctx.trace


# What JAX keeps for libraries: `main` tells one jvp's tracers from another's, by identity.
JVPTrace.main = property(lambda self: self)  # type: ignore[attr-defined]
Trace.full_raise = lambda self, x: x  # type: ignore[attr-defined]


class OpaqueTraceState:
    """Which trace was in charge at a moment, only to be compared with another moment's."""

    __slots__ = ("_trace",)

    def __init__(self, trace: Trace) -> None:
        self._trace = weakref.ref(trace)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpaqueTraceState) and self._trace == other._trace

    def __hash__(self) -> int:
        return hash(self._trace)


def get_opaque_trace_state(convention: Any = None) -> OpaqueTraceState:
    """Which trace is in charge: equal at two moments if it is the same one.

    >>> get_opaque_trace_state() == get_opaque_trace_state()
    True
    """
    return OpaqueTraceState(trace_ctx.trace)


def _is_inside(kind: type[Trace]) -> bool:
    trace = trace_ctx.trace
    while trace is not None and not isinstance(trace, kind):
        trace = trace.parent
    return trace is not None


def unsafe_am_i_under_a_jit_DO_NOT_USE() -> bool:
    """Whether what runs is being recorded in a program."""
    return _is_inside(JaxprTrace)


def unsafe_am_i_under_a_vmap_DO_NOT_USE() -> bool:
    """Whether what runs is being mapped, as far as the current program knows."""
    return _is_inside(BatchTrace)


def unsafe_get_axis_names_DO_NOT_USE() -> list[Any]:
    """The names of the mapped axes here."""
    return list(trace_ctx.axis_sizes)


def nonempty_axis_env_DO_NOT_USE() -> bool:
    """Whether a mapped axis here has a name."""
    return bool(trace_ctx.axis_sizes)
