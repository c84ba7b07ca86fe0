"""The syllabus: exercises/teacher/syllabus.toml, with minutes, tasks and what students get wrong.

The table has what is a person's to say: the order and the aims. Minutes are counted from the
notebooks, tasks and points are those of each exercises/*/tasks.toml, and what students get wrong is
what the grader tells a teacher of a task that was missed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contents import read_entries, read_exercises, shorten
from nbfile import chapter_label, read_notebook
from reading_time import count_notebook
from website.pages import Page

TABLE = "exercises/teacher/syllabus.toml"
HEAD = """# A syllabus

Two courses with this book, ready to be given. Reading takes a minute for 200 words or 12 lines of
code, as at the top of each chapter; tasks take what they say. [The guide](../README.md) says how
tasks are handed out and graded. Slides show a chapter's opening and its pictures; with the key S
they show what there is to say, in a window of its own. The last column says which misconception a
task is there to expose.
"""
TASKS_HEAD = """| task | kind | points | minutes | what students get wrong |
|---|---|---|---|---|"""


@dataclass(frozen=True)
class Task:
    """A task as the syllabus shows it. `points` is 0 for a gate."""

    id: str
    title: str
    kind: str
    points: int
    minutes: int
    folder: str
    misconception: str


@dataclass(frozen=True)
class Chapter:
    """A chapter to read, with all tasks that are for it."""

    title: str
    file: str
    minutes: int
    tasks: tuple[Task, ...]


def syllabus_page(root: Path) -> Page:
    """Returns the page.

    Raises ValueError where the table names a chapter or a project that isn't there, and where a
    task has no misconception.
    """
    courses = tomllib.loads((root / TABLE).read_text(encoding="utf-8"))["course"]
    chapters = read_chapters(root)
    projects = read_projects(root)
    text = [HEAD, *(course_text(course, chapters, projects) for course in courses)]
    return Page("A syllabus", "syllabus.md", TABLE, "\n".join(text))


def read_chapters(root: Path) -> dict[str, Chapter]:
    """Returns the chapters, without the appendices, by their labels, in the book's order."""
    found = {}
    for title, file in read_entries(root):
        label = chapter_label(Path(file))
        if label.isdigit():
            minutes = round(count_notebook(read_notebook(root / "notebooks" / file)).minutes)
            found[label] = Chapter(title, file, minutes, tuple(tasks_of(root, file, "ch")))
    return found


def read_projects(root: Path) -> dict[str, Task]:
    """Returns the projects by the first part of their ids: `p1`."""
    tasks = (task for _, file in read_entries(root) for task in tasks_of(root, file, "p"))
    return {task.id.partition(".")[0]: task for task in tasks}


def tasks_of(root: Path, notebook: str, begins: str) -> Iterator[Task]:
    """Returns a notebook's tasks in the folders whose names begin so. Raises ValueError."""
    for folder, content in read_exercises(root).items():
        if content["notebook"] == notebook and folder.name.startswith(begins):
            hidden_file = root / "exercises" / "teacher" / folder.name / "hidden.toml"
            hidden = tomllib.loads(hidden_file.read_text(encoding="utf-8"))
            yield from (read_task(task, folder.name, hidden) for task in content["task"])


def read_task(given: dict[str, Any], folder: str, hidden: dict[str, Any]) -> Task:
    misconception = hidden.get(given["id"], {}).get("misconception", "").strip()
    if not misconception:
        raise ValueError(f"exercises/teacher/{folder}/hidden.toml: {given['id']} exposes nothing")
    return Task(given["id"], given["title"], given["kind"], given.get("points", 0),
                given["minutes"], folder, misconception)  # fmt: skip


def course_text(
    course: dict[str, Any], chapters: dict[str, Chapter], projects: dict[str, Task]
) -> str:
    """Returns a course's section. Raises ValueError."""
    read = [label for unit in course["unit"] for label in unit["read"]]
    check_labels(course["title"], read, chapters)
    check_labels(course["title"], course["choice"], projects)
    tasks = [task for label in read for task in chosen(chapters[label], course)]
    reading = sum(chapters[label].minutes for label in read)
    lines = [
        f"## {course['title']}\n", course["about"].strip(),
        f"\nIn all: {hours(reading)} of reading; {len(tasks)} tasks, "
        f"{hours(sum(task.minutes for task in tasks))}, {points(tasks)}.\n",
    ]  # fmt: skip
    lines += [unit_text(unit, course, chapters) for unit in course["unit"]]
    if course["choice"]:
        lines += ["### Projects to choose from\n",
                  *table(projects[name] for name in course["choice"]), ""]  # fmt: skip
    left = [chapter for label, chapter in chapters.items() if label not in read]
    lines.append("Not in this course: " + ", ".join(map(link, left)) + ".\n")
    return "\n".join(lines)


def check_labels(course: str, named: list[str], there: Iterable[str]) -> None:
    """Raises ValueError where a name is not there, or stands twice."""
    wrong = [name for name in named if name not in there or named.count(name) > 1]
    if wrong:
        raise ValueError(f"{TABLE}: {course!r} names {wrong[0]}, which isn't there or stands twice")


def unit_text(unit: dict[str, Any], course: dict[str, Any], chapters: dict[str, Chapter]) -> str:
    """Returns the section of a week or of a half-day."""
    read = [chapters[label] for label in unit["read"]]
    tasks = [task for chapter in read for task in chosen(chapter, course)]
    lines = [f"### {unit['title']}\n", "**Read**, " + hours(sum(c.minutes for c in read)) + ":\n"]
    lines += [f"- {link(c)}, {c.minutes} minutes, {slides(c)}" for c in read]
    lines += ["\nAfterwards one can\n", *(f"- {aim}" for aim in unit["aims"]), ""]
    if tasks:
        summary = f"**Do**, {hours(sum(task.minutes for task in tasks))}, {points(tasks)}:\n"
        lines += [summary, *table(tasks), ""]
    return "\n".join(lines)


def chosen(chapter: Chapter, course: dict[str, Any]) -> list[Task]:
    """Returns a chapter's tasks of the kinds that a course has."""
    return [task for task in chapter.tasks if task.kind in course["kinds"]]


def table(tasks: Iterable[Task]) -> list[str]:
    return [TASKS_HEAD, *(
        f"| [{task.id} {task.title}](../{task.folder}/README.md) | {task.kind} | "
        f"{task.points or 'a gate'} | {task.minutes} | {cell(task.misconception)} |"
        for task in tasks
    )]  # fmt: skip


def cell(text: str) -> str:
    """Returns a text as a table's cell holds it.

    >>> cell("That a | b\\nis b.")
    'That a \\\\| b is b.'
    """
    return " ".join(text.split()).replace("|", "\\|")


def link(chapter: Chapter) -> str:
    return f"[{shorten(chapter.title)}](../../notebooks/{chapter.file})"


def slides(chapter: Chapter) -> str:
    """Returns the link to a chapter's slides, which tools/slides.py makes for the site."""
    return f'<a href="slides/{Path(chapter.file).stem}.html">slides</a>'


def points(tasks: Iterable[Task]) -> str:
    total = sum(task.points for task in tasks)
    return f"{total} points" if total else "no points"


def hours(minutes: int) -> str:
    """Returns a time as one says it.

    >>> hours(45), hours(120), hours(125)
    ('45 minutes', '2 hours', '2 h 5 min')
    """
    if minutes < 60:
        return f"{minutes} minutes"
    whole, rest = divmod(minutes, 60)
    return f"{whole} h {rest} min" if rest else f"{whole} hour{'s' if whole > 1 else ''}"
