"""python -m benchmarks [group ...]: minijax beside JAX, and what is asked of the ratios.

    python -m benchmarks                     all groups, in less than four minutes
    python -m benchmarks loops random        these alone
    python -m benchmarks sizes               cost against size
    python -m benchmarks programs            small whole programs; a name after it: that one
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import groups, libraries, programs, report, sizes
from benchmarks.programs import measuring
from benchmarks.rows import Row, median_run
from benchmarks.turns import QUICK, Effort, compare


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = (*groups.NAMES, "sizes", "programs")
    parser.add_argument("groups", nargs="*", metavar="group", help=f"of {', '.join(names)}")
    parser.add_argument("--backend", choices=("numba", "numpy"), help="what minijax's jit runs")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--svg", type=Path, help="draw them into this file")
    parser.add_argument("--runs", type=int, default=1, help="go through it so often, and take "
                        "each workload's median ratio")
    parser.add_argument("--quick", action="store_true", help="a look, in less than a minute")
    parser.add_argument("--scripts", action="store_true", help="of programs: whole scripts")
    parser.add_argument("--memory", action="store_true", help="of programs: peaks of memory")
    options = parser.parse_args(arguments)
    if options.groups[:1] == ["programs"]:
        if unknown := set(options.groups[1:]) - {*programs.KINDS, *programs.PROGRAMS}:
            parser.error(f"there is no program {min(unknown)}, and no file of them")
        return options
    if options.scripts or options.memory:
        parser.error("--scripts and --memory are for programs")
    if "programs" in options.groups:
        parser.error("programs is a command of its own: give it first")
    if unknown := set(options.groups) - set(names):
        parser.error(f"there is no group {min(unknown)}; there are {', '.join(names)}")
    if "sizes" in options.groups and len(options.groups) > 1:
        parser.error("sizes is a command of its own: give no groups with it")
    if options.runs < 1:
        parser.error("--runs is at least 1")
    return options


def run_group(name: str, libs: tuple, effort: Effort) -> list[Row]:
    """A group's rows, which are shown when they are there."""
    if name in groups.IN_TURNS:
        rows = [compare(name, workload, libs, effort) for workload in groups.IN_TURNS[name]]
    else:
        rows = groups.IN_PROCESSES[name](effort)
    print(report.table(rows), flush=True)
    return rows


def run(chosen: list[str], runs: int, libs: tuple, effort: Effort) -> list[Row]:
    """All rows; of several runs, the median ones."""
    done = []
    for number in range(runs):
        print(f"\nrun {number + 1} of {runs}\n{report.HEADING}", flush=True)
        done.append([row for name in chosen for row in run_group(name, libs, effort)])
    if runs == 1:
        return done[0]
    rows = median_run(done)
    print(f"\nmedians\n{report.HEADING}\n{report.table(rows)}")
    return rows


def write(options: argparse.Namespace, contents: dict, draw: str, drawn: list) -> None:
    """The files that were asked for."""
    if options.json:
        options.json.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    if options.svg:
        from benchmarks import charts  # matplotlib takes its time, and only a chart needs it

        getattr(charts, draw)(drawn, options.svg)


def main_groups(options: argparse.Namespace, libs: tuple, effort: Effort) -> int:
    """Runs the groups, and returns 1 where something falls short."""
    machine = libraries.describe(libs[0])
    print(libraries.one_line(machine))
    rows = run(options.groups or list(groups.NAMES), options.runs, libs, effort)
    print(f"\n{report.summary(rows)}\n")
    short = report.misses(rows)
    print("\n  ".join(["Short of what is asked:", *short] if short else ["Nothing falls short."]))
    contents = {"machine": machine, "runs": options.runs, "rows": [r.as_dict() for r in rows]}
    write(options, contents, "draw_ratios", rows)
    return 1 if short else 0


def main_sizes(options: argparse.Namespace, libs: tuple, effort: Effort) -> int:
    machine, points = libraries.describe(libs[0]), []
    print(libraries.one_line(machine))
    for point in sizes.measure(libs, effort):
        points.append(point)
        print(sizes.line(point), flush=True)
    contents = {"machine": machine, "points": [point._asdict() for point in points]}
    write(options, contents, "draw_sizes", points)
    return 0


def main_programs(options: argparse.Namespace, libs: tuple, effort: Effort) -> int:
    """Runs the programs; returns 1 where a row fails or, of all of them, something falls short."""
    machine = libraries.describe(libs[0])
    print(f"{libraries.one_line(machine)}\n{report.HEADING}")
    kinds = {kind for kind, asked in (("script", options.scripts), ("memory", options.memory))
             if asked}
    rows = measuring.measure(measuring.choose(options.groups[1:]), libs, effort, kinds)
    print(f"\nMeans, and the lowest of each\n{measuring.ends(rows)}")
    short = [] if options.groups[1:] else report.misses(rows)
    if short:
        print("\n  ".join(["\nShort of what is asked:", *short]))
    contents = {"machine": machine, "rows": [row.as_dict() for row in rows]}
    write(options, contents, "draw_ratios", rows)
    return 1 if short or any(row.failed for row in rows) else 0


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    effort = QUICK if options.quick else Effort()
    libraries.choose_backend(options.backend)
    libraries.warn_if_busy()
    if options.groups[:1] == ["programs"]:
        effort = QUICK if options.quick else measuring.EFFORT
        return main_programs(options, libraries.load_both(), effort)
    if options.groups != ["sizes"]:
        return main_groups(options, libraries.load_both(), effort)
    with libraries.empty_cache():
        return main_sizes(options, libraries.load_both(), effort)


if __name__ == "__main__":
    sys.exit(main())
