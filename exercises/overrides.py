"""Overrides: marks that the teacher gives by hand, each with its reason.

They stand in `REPORT/overrides.toml` and go over the grader's marks whenever the reports are made;
the results stay as they were judged, so regrading loses none.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from exercises.classroom import one_spelling
from exercises.tasks import Fault

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


def read_overrides(out: Path) -> dict[tuple[str, str], Override]:
    """The overrides, by student and task; a report without a file gets one that shows how.

    Raises:
      Fault: the file is no TOML, or an override lacks something.
    """
    file = out / FILE
    if not file.exists():
        file.write_text(EMPTY, encoding="utf-8")
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8")).get("override", [])
        return {(o.student, o.task): o for o in map(make_override, given)}
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
    overrides: dict[tuple[str, str], Override], most: dict[tuple[str, str], float]
) -> list[str]:
    """Remarks on overrides of what was not graded, and on those of more points than there are."""
    said = []
    for place, o in overrides.items():
        named = f"the override for {o.student!r}, task {o.task!r},"
        if place not in most:
            said.append(f"{named} is for nobody or nothing that was graded")
        elif 0 < most[place] < o.points:
            said.append(f"{named} gives {o.points:g} of {most[place]:g} points")
    return said
