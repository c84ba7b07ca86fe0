"""Marks: what each student has for each task, read from the records and the teacher's overrides,
where a task leads whoever missed it, and what each task cost the class."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from exercises.grading.judge import TaskResult
from exercises.grading.overlay import ROOT
from exercises.grading.overrides import Override
from exercises.grading.records import read_record
from exercises.grading.tasks import Chapter

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
                sheet.remarks.append(f"{chapter.name} is late by {duration(seconds)}")
    return sheet


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(40), duration(11520), duration(200000)
    ('1 min', '3 h 12 min', '2 days 7 h')
    """
    minutes = max(1, round(seconds / 60))
    hours, days = minutes // 60, minutes // 1440
    if days:
        return f"{days} day{'s' * (days > 1)} {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"


# For whoever missed a task.


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


# For the class.


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
