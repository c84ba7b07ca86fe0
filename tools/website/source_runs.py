"""A module's source in runs: the lines that one cell of the book explains, or that none does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from book import Book, Cell
from cells import find_run
from units import split_units


@dataclass
class Run:
    """Lines of a file, from `start` to `end`, both included and counted from 1.

    `cell` holds them too; None where no cell of the book does.
    """

    start: int
    end: int
    cell: Cell | None = None


def find_runs(book: Book, path: str, text: str, cut_at: Iterable[int] = ()) -> list[Run]:
    """Returns the runs of the file `path`: together they have every line of it that is not blank.

    What no cell holds is cut before each top-level statement that has a line of `cut_at`.
    """
    lines = text.split("\n")
    shown = {run.start: run for run in runs_of_cells(book, path, lines)}
    held = {n for run in shown.values() for n in range(run.start, run.end + 1)}
    cuts = {unit.start for unit in split_units(text) for n in cut_at if unit.start <= n <= unit.end}
    edges = {1, *shown, *(run.end + 1 for run in shown.values()), *(cuts - held), len(lines) + 1}
    runs = [
        shown.get(start) or trimmed(lines, start, following - 1)
        for start, following in pairwise(sorted(edges))
    ]
    return [run for run in runs if run is not None]


def runs_of_cells(book: Book, path: str, lines: list[str]) -> list[Run]:
    """Returns the runs that cells of the book hold, in the book's order."""
    runs: list[Run] = []
    for cell in book.cells_of(path):
        start = find_run(lines, cell.lines, runs[-1].end if runs else 0)
        if start is not None:
            runs.append(Run(start + 1, start + len(cell.lines), cell))
    return runs


def trimmed(lines: list[str], start: int, end: int) -> Run | None:
    """Returns a run without the blank lines at either end; None where all are blank."""
    full = [n for n in range(start, end + 1) if lines[n - 1].strip()]
    return Run(full[0], full[-1]) if full else None


def run_at(runs: list[Run], line: int) -> Run:
    """Returns the run that has a line."""
    return next(run for run in runs if run.start <= line <= run.end)
