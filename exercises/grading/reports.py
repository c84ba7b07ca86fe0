"""Reports: what the grading of a class came to, as tables, data and pages.

Made of the records alone, so they can be made again at any time. A student's page names visible
inputs only: a hidden miss says which property failed, and a question that was missed shows no
answer, for to run it is one line. What is for the teacher, such as the misconception that a task
exposes, stands in the overview.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grading import pages
from exercises.grading.marks import Lead, Mark, Sheet, costs, leads, read_sheets, total
from exercises.grading.overrides import doubtful, read_overrides
from exercises.grading.records import put
from exercises.grading.tasks import Chapter

# The table.


def grades_csv(sheets: Sequence[Sheet]) -> str:
    """Student by chapter by task, with totals. A gate is a word: it has no points."""
    titles: dict[str, dict[str, None]] = {}
    for sheet in sheets:
        for chapter, marks in sheet.marks.items():
            titles.setdefault(chapter, {}).update({m.result.id: None for m in marks})
    columns = [c for chapter in sorted(titles) for c in (*titles[chapter], f"{chapter} points")]
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(["student", *columns, "points", "of", "percent", "gates", "gates of", "late"])
    for sheet in sheets:
        cells = {m.result.id: cell(m) for m in sheet.all()}
        for chapter, marks in sheet.marks.items():
            cells[f"{chapter} points"] = f"{total(marks)[0]:g}"
        points, most = total(sheet.all())
        percent = f"{100 * points / most:.1f}" if most else ""
        table.writerow([no_formula(sheet.student), *(cells.get(c, "") for c in columns),
                        f"{points:g}", f"{most:g}", percent, *sheet.gates(),
                        " ".join(sheet.late)])  # fmt: skip
    return written.getvalue()


def cell(mark: Mark) -> str:
    if mark.result.kind == "rebuild" and not mark.result.most:
        return "passed" if mark.passed else "not passed"
    return f"{mark.points:g}"


def no_formula(text: str) -> str:
    """Text that a spreadsheet does not compute, with whatever it begins that looks empty."""
    first = unicodedata.normalize("NFKC", text).strip()[:1]  # "=" has a wide form too
    return f"'{text}" if first and first in "=+-@" else text


# Data for a student.


def feedback(sheet: Sheet, leads: dict[str, Lead]) -> dict[str, Any]:
    """What a student may know, as data."""
    points, most = total(sheet.all())
    return {
        "student": sheet.student, "points": points, "of": most, "gates": list(sheet.gates()),
        "late": sheet.late, "remarks": sheet.remarks,
        "chapters": {name: [told(mark, leads.get(mark.result.id)) for mark in marks]
                     for name, marks in sheet.marks.items()},
    }  # fmt: skip


def told(mark: Mark, lead: Lead | None) -> dict[str, Any]:
    given = mark.result.to_json()
    given["misses"] = [line._asdict() for line in mark.result.misses]
    # What was printed may show a hidden input, and how long it took may be made to tell one.
    for teachers in ("misconception", "printed", "seconds"):
        given.pop(teachers, None)
    if lead and mark.result.status != "right":
        given["lead"] = lead._asdict()
    if mark.override:
        given |= {"points": mark.points, "graded": mark.result.points, "passed": mark.passed,
                  "reason": mark.override.reason}  # fmt: skip
    return given


# All of it.


def write(
    out: Path, chapters: Sequence[Chapter], faults: Sequence[str], isolation: Sequence[str],
    book: str = "", hints: int = 0,
) -> None:  # fmt: skip
    """Writes the table, each student's feedback, and the overview."""
    overrides, led = read_overrides(out, chapters), leads(chapters, book, hints)
    sheets = read_sheets(out, chapters, overrides)
    put(out / "grades.csv", grades_csv(sheets))
    for sheet in sheets:
        folder = out / "students" / sheet.student
        folder.mkdir(parents=True, exist_ok=True)
        put(folder / "feedback.json", json.dumps(feedback(sheet, led), indent=1) + "\n")
        put(folder / "feedback.html", pages.feedback_page(sheet, led))
    graded = {(sheet.student, mark.result.id) for sheet in sheets for mark in sheet.all()}
    said = [*faults, *doubtful(overrides, graded)]
    put(out / "overview.html", pages.overview_page(sheets, costs(sheets), said, isolation))
