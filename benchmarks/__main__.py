"""python -m benchmarks [group ...]: minijax beside JAX, and what is asked of the ratios.

    python -m benchmarks                     all groups, in less than four minutes
    python -m benchmarks loops random        these alone
    python -m benchmarks sizes               cost against size
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import groups, libraries, report, sizes
from benchmarks.rows import Row, median_run
from benchmarks.turns import QUICK, Effort, compare


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = (*groups.NAMES, "sizes")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"of {', '.join(names)}")
    parser.add_argument("--backend", choices=("numba", "numpy"), help="what minijax's jit runs")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--svg", type=Path, help="draw them into this file")
    parser.add_argument("--runs", type=int, default=1, help="go through it so often, and take "
                        "each workload's median ratio")
    parser.add_argument("--quick", action="store_true", help="a look, in less than a minute")
    options = parser.parse_args(arguments)
    if unknown := set(options.groups) - set(names):
        parser.error(f"there is no group {min(unknown)}; there are {', '.join(names)}")
    if "sizes" in options.groups and len(options.groups) > 1:
        parser.error("sizes is a command of its own: give no groups with it")
    if options.runs < 1:
        parser.error("--runs is at least 1")
    return options


def run_group(name: str, libs: tuple, effort: Effort, show: Callable[[Row], None]) -> list[Row]:
    """A group's rows, each shown when it is there."""
    rows = []
    for workload in groups.IN_TURNS.get(name, ()):
        rows.append(compare(name, workload, libs, effort))
        show(rows[-1])
    if name in groups.IN_PROCESSES:
        rows += groups.IN_PROCESSES[name](effort)
        for row in rows:
            show(row)
    return rows


def show_row(row: Row) -> None:
    print(report.row_line(row), flush=True)


def run(chosen: list[str], runs: int, libs: tuple, effort: Effort) -> list[Row]:
    """All rows, the median ones of `runs` times through all groups."""
    done = []
    for number in range(runs):
        print(f"\nrun {number + 1} of {runs}\n{report.heading()}")
        done.append([row for name in chosen for row in run_group(name, libs, effort, show_row)])
    return median_run(done)


def write(options: argparse.Namespace, contents: dict, draw: str, drawn: list) -> None:
    """The files that were asked for."""
    if options.json:
        options.json.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    if options.svg:
        from benchmarks import charts  # matplotlib takes its time, and only a chart needs it

        getattr(charts, draw)(drawn, options.svg)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    effort = QUICK if options.quick else Effort()
    libraries.choose_backend(options.backend)
    libraries.warn_if_busy()
    libs = tuple(libraries.load(name) for name in libraries.NAMES)
    machine = libraries.describe(libs[0])
    print(f"{machine['cpu']}, {machine['cores']} cores; backend {machine['backend']}")
    if options.groups == ["sizes"]:
        return main_sizes(options, libs, effort, machine)
    rows = run(options.groups or list(groups.NAMES), options.runs, libs, effort)
    print(f"\n{report.table(rows)}\n")
    short = report.misses(rows)
    print("\n".join(["Short of what is asked:", *(f"  {x}" for x in short)] if short
                    else ["All that is asked is reached."]))
    contents = {"machine": machine, "runs": options.runs, "rows": [r.as_dict() for r in rows]}
    write(options, contents, "draw_ratios", rows)
    return 1 if short else 0


def main_sizes(options: argparse.Namespace, libs: tuple, effort: Effort, machine: dict) -> int:
    points = []
    for point in sizes.measure(libs, effort):
        points.append(point)
        print(sizes.line(point), flush=True)
    contents = {"machine": machine, "points": [point._asdict() for point in points]}
    write(options, contents, "draw_sizes", points)
    return 0


if __name__ == "__main__":
    sys.exit(main())
