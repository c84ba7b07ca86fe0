"""The import, without the interpreter's own start."""

import statistics

from benchmarks.processes import run_fresh
from benchmarks.rows import Row
from benchmarks.turns import Effort

PROGRAM = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def measure(effort: Effort) -> list[Row]:
    """One row. The first round is not kept: it leaves bytecode behind, as installing would."""
    modules = ("minijax", "jax", "numpy")
    rounds = [
        [run_fresh("-c", PROGRAM.format(module))[0] for module in modules]
        for _ in range(2 * effort.processes + 1)
    ]
    ours, theirs, numpy = (statistics.median(times) for times in zip(*rounds[1:], strict=True))
    return [Row("import", "minijax", ours, theirs, note=f"{ours / numpy:.2f} of NumPy's")]
