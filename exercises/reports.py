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
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from exercises import pages
from exercises.judge import TaskResult
from exercises.overlay import ROOT
from exercises.overrides import Override, doubtful, read_overrides
from exercises.records import put, read_record
from exercises.tasks import Chapter

MISSED = ("partly", "wrong")  # something ran, and was not right


class Mark(NamedTuple):
    """A task's result, and the teacher's override of it."""

    result: TaskResult
    override: Override | None = None

    @property
    def points(self) -> float:
        """Of a gate none, whatever was given by hand."""
        by_hand = self.override and self.result.most
        return self.override.points if by_hand else self.result.points

    @property
    def passed(self) -> bool:
        """Of a gate, whether it is passed; by hand it is with points above 0."""
        return self.override.points > 0 if self.override else self.result.status == "right"


@dataclass
class Sheet:
    """A student's marks, by chapter; when each file was handed in, and by how much too late."""

    student: str
    marks: dict[str, list[Mark]] = field(default_factory=dict)
    handed_in: dict[str, float] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def all(self) -> list[Mark]:
        return [mark for marks in self.marks.values() for mark in marks]

    def gates(self) -> tuple[int, int]:
        """How many pieces to rebuild run, and how many there are."""
        rebuilt = [mark for mark in self.all() if mark.result.kind == "rebuild"]
        return sum(mark.passed for mark in rebuilt), len(rebuilt)


def total(marks: Iterable[Mark]) -> tuple[float, float]:
    """The points, and how many there were to have."""
    marks = list(marks)
    return sum(mark.points for mark in marks), sum(mark.result.most for mark in marks)


# From the records.


def read_sheets(
    out: Path, chapters: Sequence[Chapter], overrides: dict[tuple[str, str], Override]
) -> list[Sheet]:
    """Every student's sheet, by name, whatever its case."""
    found = (p for p in (out / "results").glob("*") if p.is_dir())
    folders = sorted(found, key=lambda p: (p.name.casefold(), p.name))
    return [read_sheet(folder, chapters, overrides) for folder in folders]


def read_sheet(
    folder: Path, chapters: Sequence[Chapter], overrides: dict[tuple[str, str], Override]
) -> Sheet:
    sheet = Sheet(folder.name)
    sheet.remarks = list(read_record(folder / "remarks.json").get("remarks", []))
    for chapter in chapters:
        record = read_record(folder / f"{chapter.name}.json")
        results = [TaskResult.from_json(record["tasks"][task.id]["result"])
                   for task in chapter.tasks if task.id in record["tasks"]]  # fmt: skip
        if results:
            sheet.marks[chapter.name] = [
                Mark(result, overrides.get((folder.name, result.id))) for result in results
            ]
        if handed_in := record.get("handed_in"):
            sheet.handed_in[chapter.name] = handed_in
            seconds = handed_in - record.get("deadline", handed_in)
            if seconds > 0:
                sheet.late[chapter.name] = seconds
                sheet.remarks.append(f"{chapter.name} is late by {pages.duration(seconds)}")
    return sheet


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


# Data for a student, and for the overview.


class Lead(NamedTuple):
    """For whoever missed a task: the chapter's section, and the hints that are allowed."""

    notebook: str
    section: str
    link: str = ""  # where the book is on the web
    hints: tuple[str, ...] = ()


def leads(chapters: Sequence[Chapter], book: str, hints: int) -> dict[str, Lead]:
    """By task, what leads on. `book`: the address of the book's site, or nothing."""
    return {
        task.id: Lead(chapter.notebook, task.place,
                      section_link(book, chapter.notebook, task.place) if book else "",
                      task.hints[:hints])
        for chapter in chapters for task in chapter.tasks
    }  # fmt: skip


def section_link(book: str, notebook: str, heading: str) -> str:
    """Where a heading of a notebook is on the book's site."""
    tools = str(ROOT / "tools")
    sys.path += [tools] * (tools not in sys.path)
    from website.links import heading_id

    page = notebook.removesuffix(".ipynb")
    return f"{book.rstrip('/')}/{page}.html#{quote(heading_id(heading))}"


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


class Cost(NamedTuple):
    """What a task cost the class. `missed` are those who tried, and were not right."""

    result: TaskResult  # anybody's: for the title, and what it is there to expose
    students: int
    right: int
    missed: int
    without: int  # wrote nothing for it, or nothing that ran
    lost: float  # points, of all
    failed: dict[str, int]  # by property, how many missed it


def costs(sheets: Sequence[Sheet]) -> list[Cost]:
    """What each task cost, the dearest first."""
    by_task: dict[str, list[Mark]] = {}
    for sheet in sheets:
        for mark in sheet.all():
            by_task.setdefault(mark.result.id, []).append(mark)
    found = []
    for marks in by_task.values():
        states = [mark.result.status for mark in marks]
        failed: dict[str, int] = {}
        for mark in marks:
            if mark.result.status in MISSED and mark.result.kind != "explain":
                for name, holds in mark.result.properties:
                    failed[name] = failed.get(name, 0) + (not holds)
        missed = sum(state in MISSED for state in states)
        points, most = total(marks)
        found.append(Cost(marks[0].result, len(marks), states.count("right"), missed,
                          len(marks) - states.count("right") - missed, most - points,
                          {name: count for name, count in failed.items() if count}))  # fmt: skip
    return sorted(found, key=lambda cost: (-cost.lost, cost.right - cost.students))


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

