"""The programs beside JAX: steady calls, whole scripts from nothing, and peaks of memory."""

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

from benchmarks import report
from benchmarks.first_calls import cache_folder
from benchmarks.processes import run_fresh
from benchmarks.programs import KINDS, PROGRAMS, SIZES
from benchmarks.rows import Row, groups_of
from benchmarks.turns import Effort, compare, name_of

SMALL, LARGE = "programs, small", "programs, large"
# There are a hundred lines: each gets less time than a line of the other groups.
EFFORT = Effort(rounds=7, budget=1.0, processes=1)
NEEDS_A_REASON = 0.8  # a ratio below this


def choose(names: list[str]) -> list[Callable]:
    """The programs of these names, and of the files of these names; all where there is none."""
    chosen = {name for name in names if name in PROGRAMS}
    chosen |= {p.__name__ for kind in names if kind in KINDS for p in KINDS[kind]}
    return [p for name, p in PROGRAMS.items() if name in chosen or not names]


def sized(program: Callable, size: int) -> Callable:
    """The program at this size, as a workload of its name."""
    def workload(lib):
        return program(lib, size)

    workload.__name__ = program.__name__
    return workload


def reason(program: Callable, size: int, minijax) -> str:
    """The first step of which `explain` says that it is no kernel, and why; empty where all are, or
    are other ways to read an array."""
    from minijax.stages.explaining import VIEWED  # not in a process that JAX is measured in

    function, args = program(minijax, size)
    lines = minijax.explain(function)(*args).on_numpy().splitlines()
    return next((line for line in lines if line != "nothing" and VIEWED not in line), "")


def steady(group: str, program: Callable, size: int, libs: tuple, effort: Effort) -> Row:
    """A row of calls in turns; where it is low, its note says which step is no kernel."""
    row = compare(group, sized(program, size), libs, effort)
    if row.ratio is None or row.ratio >= NEEDS_A_REASON:
        return row
    return replace(row, note=reason(program, size, libs[0]))


def fresh(library: str, program: Callable, size: int, processes: int) -> list[float]:
    """The seconds of a script from nothing and the bytes of its peak: the medians."""
    figures = []
    for _ in range(processes):
        with tempfile.TemporaryDirectory() as folder:
            arguments = library, program.__name__, str(size), str(time.time())
            figures.append(run_fresh("-m", "benchmarks.programs.script", *arguments,
                                     environment=cache_folder(library, folder)))
    return [statistics.median(column) for column in zip(*figures, strict=True)]


def in_processes(group: str, program: Callable, size: int, effort: Effort) -> list[Row]:
    """The row of the whole script, and that of the peak."""
    ours, theirs = (fresh(lib, program, size, effort.processes) for lib in ("minijax", "jax"))
    name = name_of(program)
    return [Row(f"{group}: script", name, ours[0], theirs[0]),
            Row(f"{group}: memory", name, ours[1], theirs[1], unit="B")]


def shown(row: Row) -> Row:
    print(report.row_line(row), flush=True)
    return row


def measure(chosen: list[Callable], libs: tuple, effort: Effort, kinds: set[str]) -> list[Row]:
    """All rows, each shown when it is there: steady ones, or of `kinds`: "script" and "memory"."""
    rows = []
    for which, group in enumerate((SMALL, LARGE)):
        print(f"{group}{': ' if kinds else ''}{', '.join(sorted(kinds))}")
        for program in chosen:
            size = SIZES[program][which]
            if not kinds:
                rows.append(shown(steady(group, program, size, libs, effort)))
                continue
            pair = in_processes(group, program, size, effort)
            rows += [shown(row) for row in pair if row.group.rpartition(" ")[2] in kinds]
    return rows


def ends(rows: list[Row]) -> str:
    """The geometric mean of each group, and the lowest five of its lines."""
    lines = []
    for group, members in groups_of(rows).items():
        lines.append(report.group_line(group, members))
        ran = [row for row in members if row.ratio is not None]
        lines += map(report.row_line, sorted(ran, key=lambda row: row.ratio)[:5])
    return "\n".join([*lines, report.group_line("programs, all", rows)] if rows else lines)
