"""`python -m exercises progress`: the way so far, as `check` has written it down."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from exercises.grading.feedback import tick
from exercises.grading.home import NoFile, digest, exercise, read_record, shown, students_folder
from exercises.grading.tasks import Chapter, Task, find_chapters

BAR = 20


class Way(NamedTuple):
    """How far a chapter is: of each task whether it passed, or None where nobody checked."""

    chapter: Chapter
    passed: dict[str, bool | None]
    points: float
    changed: bool  # since it was checked

    @property
    def most(self) -> int:
        return sum(task.points for task in self.chapter.tasks)

    @property
    def next_task(self) -> Task | None:
        return next((task for task in self.chapter.tasks if not self.passed[task.id]), None)


def way(chapter: Chapter, record: dict[str, Any], folder: Path) -> Way:
    noted = {task.id: record.get(chapter.folder.name, {}).get(task.id) for task in chapter.tasks}
    found = {id: each for id, each in noted.items() if each}
    try:
        now = digest(exercise(chapter, folder))
    except NoFile:
        now = ""
    passed = {id: each and bool(each["passed"]) for id, each in noted.items()}
    points = sum(each["points"] for each in found.values())
    return Way(chapter, passed, points, any(each["file"] != now for each in found.values()))


def row(one: Way) -> str:
    marks = "  ".join(f"{tick(holds) if holds is not None else '.'} {id}"
                      for id, holds in one.passed.items())  # fmt: skip
    text = f"{one.chapter.folder.name:23}  {marks:32}{one.points:>6g} of {one.most:g}"
    return text + ("   changed since: check again" if one.changed else "")


def bar(part: int, whole: int) -> str:
    """So much of a whole, as a bar.

    >>> bar(3, 4)
    '[###############.....] 3 of 4'
    """
    filled = BAR * part // whole if whole else 0
    return f"[{'#' * filled}{'.' * (BAR - filled)}] {part} of {whole}"


def told(ways: list[Way], folder: Path) -> str:
    """The way, a line to a chapter, and what comes next."""
    done = sum(holds is True for one in ways for holds in one.passed.values())
    tasks = sum(len(one.passed) for one in ways)
    points = sum(one.points for one in ways)
    most = sum(one.most for one in ways)
    return "\n".join([
        *map(row, ways), "",
        f"{bar(done, tasks)} tasks pass their visible checks; "
        f"{points:g} of {most:g} points, on what is visible", *what_next(ways, folder),
    ])  # fmt: skip


def what_next(ways: list[Way], folder: Path) -> list[str]:
    for one in ways:
        task = one.next_task
        if task:
            file = shown(folder / one.chapter.folder.name / "README.md")
            return [f"Next: {task.id} {task.title} ({task.minutes} minutes), in {file}"]
    return []


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, help="where the chapters' folders are")


def command(options: argparse.Namespace) -> int:
    folder = options.folder or students_folder()
    record = read_record(folder)
    print(told([way(chapter, record, folder) for chapter in find_chapters()], folder))
    return 0
