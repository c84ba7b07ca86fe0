"""The first call: tracing, compiling and running, each in a fresh process.

The arrays are there before the clock starts, made from NumPy's; what the library loads when jit
compiles first is part of what a user waits for. A call is cold when its cache folder is empty, and
warm when a process before it has filled it. JAX keeps no such folder unless it is told to, so the
warm calls stand beside its cold ones; "both warm" gives it one too.

    python -m benchmarks.first_calls minijax mlp_step     prints the seconds of one first call
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable

from benchmarks import elementwise, loops, reductions, sampling, training
from benchmarks.libraries import CACHE, load
from benchmarks.processes import run_fresh
from benchmarks.rows import Row
from benchmarks.turns import Effort, name_of

WORKLOADS = {
    workload.__name__: workload
    for workload in (
        training.mlp_step, elementwise.selu, reductions.layernorm, training.transformer_step,
        loops.lstm, sampling.normal,
    )
}  # fmt: skip
COLD, WARM, BOTH_WARM = "first call, cold", "first call, warm", "first call, both warm"


def cache_folder(library: str, folder: str) -> dict[str, str]:
    """The settings under which a library keeps every compiled program in `folder`."""
    if library == "minijax":
        return {CACHE: folder}
    return {
        "JAX_COMPILATION_CACHE_DIR": folder,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def first_call(library: str, name: str, folder: str | None) -> float:
    environment = cache_folder(library, folder) if folder else {}
    return run_fresh("-m", "benchmarks.first_calls", library, name, environment=environment)


def warm_call_of_jax(name: str, calls: int) -> float:
    """The median first call of JAX with a filled folder."""
    with tempfile.TemporaryDirectory() as folder:
        first_call("jax", name, folder)
        return statistics.median(first_call("jax", name, folder) for _ in range(calls))


def measure_one(workload: Callable, effort: Effort) -> list[Row]:
    """The rows of a workload, in the three groups."""
    name, times = workload.__name__, []
    for _ in range(effort.processes):
        with tempfile.TemporaryDirectory() as folder:
            theirs = first_call("jax", name, None)
            cold = first_call("minijax", name, folder)
            times.append((theirs, cold, first_call("minijax", name, folder)))
    theirs, cold, warm = (statistics.median(column) for column in zip(*times, strict=True))
    return [
        Row(COLD, name_of(workload), cold, theirs),
        Row(WARM, name_of(workload), warm, theirs),
        Row(BOTH_WARM, name_of(workload), warm, warm_call_of_jax(name, effort.processes)),
    ]


def measure(effort: Effort) -> list[Row]:
    """All rows, group by group."""
    chosen = list(WORKLOADS.values())[:effort.workloads]
    columns = zip(*[measure_one(workload, effort) for workload in chosen], strict=True)
    return [row for column in columns for row in column]


def main(library: str, name: str) -> None:
    lib = load(library)
    function, args = WORKLOADS[name](lib)
    lib.block_until_ready(args)
    start = time.perf_counter()
    lib.block_until_ready(function(*args))
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
