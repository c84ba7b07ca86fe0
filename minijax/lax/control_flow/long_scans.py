"""A long scan outside of any program: one loop, compiled, where Python would call step after step.

Python takes 5 microseconds to call a step of one kernel, and some 30 for one of twenty; to compile
a loop takes as long as some thousand steps, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.core.extend import ClosedJaxpr, derived, running, trace_to_jaxpr, typeof
from minijax.core.jitting import as_runtime_value
from minijax.lax.control_flow.scan import faster_ways, scan_p

LONG = 1 << 11  # steps


def _if_long(length: int, jaxpr: ClosedJaxpr, **params: Any) -> Callable | None:
    return None if length < LONG or running.inside_program or jaxpr.effects else _as_one_loop


def _as_one_loop(*args: Any, jaxpr: ClosedJaxpr, **params: Any) -> list[Any]:
    operands = list(map(as_runtime_value, args))
    whole = _alone(jaxpr, *map(typeof, operands), **params)
    return running.run(whole, operands, "scan")


@derived
def _alone(jaxpr: ClosedJaxpr, *avals: Any, **params: Any) -> ClosedJaxpr:
    """The program that is this scan and nothing else."""
    return trace_to_jaxpr(lambda *args: scan_p.bind(*args, jaxpr=jaxpr, **params), avals)


faster_ways.append(_if_long)
