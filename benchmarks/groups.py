"""The groups by name: their workloads, and what the geometric mean of each is held to."""

from collections.abc import Callable
from typing import NamedTuple

from benchmarks import (
    devices,
    dispatch,
    elementwise,
    first_calls,
    imports,
    linalg,
    loops,
    memory,
    pallas,
    reductions,
    sampling,
    tracing,
    training,
)


class Bound(NamedTuple):
    at_least: float
    aim: float


BOUNDS = {
    "dispatch": Bound(2.0, 5.0),
    "tracing": Bound(1.0, 4.0),
    "elementwise": Bound(1.2, 2.0),
    "reductions": Bound(1.2, 2.0),
    "linalg": Bound(0.95, 1.1),
    "training": Bound(1.0, 1.4),
    "loops": Bound(1.3, 3.0),
    "random": Bound(1.2, 2.0),
    "pallas": Bound(0.9, 1.2),
    devices.GROUP: Bound(1.0, 1.5),
    first_calls.COLD: Bound(2.0, 3.0),
    first_calls.WARM: Bound(2.0, 5.0),
    first_calls.SECOND: Bound(1.3, 2.0),
    "import": Bound(3.0, 4.0),
    "peak memory": Bound(1.0, 1.5),
    "programs, small": Bound(1.5, 2.0),
    "programs, large": Bound(1.5, 2.0),
    "programs, small: script": Bound(2.0, 3.0),
    "programs, large: script": Bound(2.0, 3.0),
    "programs, small: memory": Bound(1.0, 1.5),
    "programs, large: memory": Bound(1.0, 1.5),
}
# No workload below this.
FLOOR = 0.6

IN_TURNS: dict[str, tuple[Callable, ...]] = {
    "dispatch": dispatch.WORKLOADS,
    "tracing": tracing.WORKLOADS,
    "elementwise": elementwise.WORKLOADS,
    "reductions": reductions.WORKLOADS,
    "linalg": linalg.WORKLOADS,
    "training": training.WORKLOADS,
    "loops": loops.WORKLOADS,
    "random": sampling.WORKLOADS,
    "pallas": pallas.WORKLOADS,
}
IN_PROCESSES: dict[str, Callable] = {
    "scripts": first_calls.measure,
    "import": imports.measure,
    "memory": memory.measure,
    devices.GROUP: devices.measure,
}
NAMES = (*IN_TURNS, *IN_PROCESSES)
