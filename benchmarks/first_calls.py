"""First calls, as a user meets them: a whole script, and the second function that it compiles.

A script's time runs from the process's start to its first result: it imports the library, makes its
arrays, and calls one jitted function, which is traced, compiled and run. Then it calls a second
one, and what that takes has a row of its own. A script is cold when its cache folder is empty, and
warm when a script before it has filled it. JAX keeps no such folder unless it is told to, so warm
scripts stand beside its cold ones; "both warm" gives it one too.

    python -m benchmarks.first_calls minijax mlp_step $(date +%s.%N)
        prints the seconds from then to the script's first result, and those of a second function
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
COLD, WARM, BOTH_WARM = "script, cold", "script, warm", "script, both warm"
SECOND = "second function"


def after(name: str) -> str:
    """The name of a script's second function: the next in the table."""
    names = list(WORKLOADS)
    return names[(names.index(name) + 1) % len(names)]


def cache_folder(library: str, folder: str) -> dict[str, str]:
    """The settings under which a library keeps every compiled program in `folder`."""
    if library == "minijax":
        return {CACHE: folder}
    return {
        "JAX_COMPILATION_CACHE_DIR": folder,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def script(library: str, name: str, folder: str | None = None) -> list[float]:
    """The seconds of a script and of its second function."""
    environment = cache_folder(library, folder) if folder else {}
    arguments = "-m", "benchmarks.first_calls", library, name, str(time.time())
    return run_fresh(*arguments, environment=environment)


def warm_script_of_jax(name: str, calls: int) -> float:
    """The median script of JAX with a filled folder."""
    with tempfile.TemporaryDirectory() as folder:
        script("jax", name, folder)
        return statistics.median(script("jax", name, folder)[0] for _ in range(calls))


def measure_one(workload: Callable, effort: Effort) -> list[Row]:
    """The rows of a workload, in the four groups."""
    name, times = workload.__name__, []
    for _ in range(effort.processes):
        with tempfile.TemporaryDirectory() as folder:
            theirs, cold = script("jax", name), script("minijax", name, folder)
            times.append((*theirs, *cold, script("minijax", name, folder)[0]))
    theirs, their_second, cold, second, warm = map(statistics.median, zip(*times, strict=True))
    return [
        Row(COLD, name_of(workload), cold, theirs),
        Row(WARM, name_of(workload), warm, theirs),
        Row(BOTH_WARM, name_of(workload), warm, warm_script_of_jax(name, effort.processes)),
        Row(SECOND, name_of(WORKLOADS[after(name)]), second, their_second),
    ]


def measure(effort: Effort) -> list[Row]:
    """All rows, group by group."""
    chosen = list(WORKLOADS.values())[:effort.workloads]
    columns = zip(*[measure_one(workload, effort) for workload in chosen], strict=True)
    return [row for column in columns for row in column]


def main(library: str, name: str, started: str) -> None:
    lib = load(library)
    function, args = WORKLOADS[name](lib)
    lib.block_until_ready(function(*args))
    whole = time.time() - float(started)
    function, args = WORKLOADS[after(name)](lib)
    lib.block_until_ready(args)
    start = time.perf_counter()
    lib.block_until_ready(function(*args))
    print(whole, time.perf_counter() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
