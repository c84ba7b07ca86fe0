"""Overrides: marks that the teacher gives by hand, each with its reason.

They stand in `REPORT/overrides.toml` and go over the grader's marks whenever the reports are made;
the results stay as they were judged, so regrading loses none.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from exercises.grading.classroom import one_spelling
from exercises.grading.tasks import Chapter, Fault

FILE = "overrides.toml"
FIELDS = {"student", "task", "points", "reason"}
EMPTY = """\
# Marks given by hand. They go over the grader's, and stay when it grades again. For each:
#
# [[override]]
# student = "ann"
# task = "05.2"
# points = 3
# reason = "The idea is right; a slip in the last line."
#
# A gate is passed with points = 1, and not passed with 0; there it adds no points.
"""


class Override(NamedTuple):
    student: str
    task: str
    points: float
    reason: str


def read_overrides(out: Path, chapters: Sequence[Chapter]) -> dict[tuple[str, str], Override]:
    """The overrides, by student and task; a report without a file gets one that shows how.

    Raises:
      Fault: the file is no TOML, an override lacks something or gives more points than these
        chapters' task has, or a task has two for a student.
    """
    most = {task.id: task.points for chapter in chapters for task in chapter.tasks}
    file = out / FILE
    if not file.exists():
        file.write_text(EMPTY, encoding="utf-8")
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8")).get("override", [])
        found: dict[tuple[str, str], Override] = {}
        for o in map(make_override, given):
            if found.setdefault((o.student, o.task), o) is not o:
                raise Fault(f"{o.student!r} has two overrides of task {o.task}; leave one")
            if o.points > (has := most.get(o.task, o.points) or 1):
                raise Fault(f"{o.student!r} is given {o.points:g} points of task {o.task}, "
                            f"which has {has:g}")  # fmt: skip
        return found
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, Fault) as error:
        raise Fault(f"{file} can't be read: {error}") from error


def make_override(given: dict) -> Override:
    if not isinstance(given, dict) or set(given) != FIELDS:
        raise Fault(f"an override has {', '.join(sorted(FIELDS))}; this is {given!r}")
    points, reason = given["points"], str(given["reason"]).strip()
    is_number = isinstance(points, int | float) and not isinstance(points, bool)
    if not is_number or not 0 <= points < float("inf"):
        raise Fault(f"an override's points are a number from 0 on; this is {given!r}")
    if not reason:
        raise Fault(f"an override has a reason, for the student reads it; this is {given!r}")
    return Override(one_spelling(str(given["student"])), str(given["task"]), float(points), reason)


def doubtful(
    overrides: dict[tuple[str, str], Override], graded: Collection[tuple[str, str]]
) -> list[str]:
    """Remarks on overrides of what was not graded."""
    return [f"the override for {student!r}, task {task!r}, is for nobody or nothing that was graded"
            for student, task in overrides if (student, task) not in graded]  # fmt: skip
