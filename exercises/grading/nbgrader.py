"""Assignments for nbgrader: a notebook for each chapter, graded to the same marks.

Written are COURSE/source/CHAPTER/CHAPTER.ipynb and COURSE/nbgrader_config.py. A task has a cell for
the answer, and one that checks it: what a student sees of that is the visible check, and between
nbgrader's marks stands the call of our judge, which puts the piece in place and runs it in a child.
nbgrader itself runs a student's cells in the account that grades, with nothing to hold them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from exercises.grading import source
from exercises.grading.assignment import chapter_of, text_of
from exercises.grading.classroom import Secret, one_spelling, read_secret
from exercises.grading.expected import read_facts
from exercises.grading.facts import Fact
from exercises.grading.generate import statement
from exercises.grading.judge import Judge, reference
from exercises.grading.overlay import ROOT
from exercises.grading.pages import named
from exercises.grading.similarity import piece_text
from exercises.grading.splice import find_in, is_import, lines_of
from exercises.grading.stubs import stubs, task_stub
from exercises.grading.tasks import Chapter, Task, find_chapters, teachers

SECRET = "MINIJAX_SECRET_FILE"
SEEN = """\
import sys
from pathlib import Path

for folder in Path.cwd().resolve().parents:  # the copy of minijax that this lies in, if in any
    if (folder / "exercises" / "grading" / "assignment.py").exists():
        sys.path.insert(0, str(folder))
        break
from exercises.grading.assignment import check, questions
"""
HIDDEN = """\
### BEGIN HIDDEN TESTS
from exercises.grading.nbgrader import points
points("{id}", In)
### END HIDDEN TESTS"""
CONFIG = '''\
"""For nbgrader: who grades, with what. Written by `python -m exercises nbgrader`."""

import os

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "minijax"
c.ClearSolutions.code_stub = {{"python": "# What you write goes in place of the lines above."}}
c.Execute.timeout = 600
os.environ["PYTHONPATH"] = {root!r}
os.environ["{name}"] = {secret!r}
'''


# What the hidden part of a cell calls, while nbgrader grades.


def points(id: str, cells: Sequence[str]) -> float:
    """The points of a task, of what stands in the cells that ran so far.

    The folder says whose they are: nbgrader grades in autograded/STUDENT/ASSIGNMENT.
    """
    file = os.environ.get(SECRET)
    secret = read_secret(Path(file) if file else None)
    chapter = chapter_of(id)
    student = secret.student(one_spelling(Path.cwd().parent.name))
    with contextlib.redirect_stderr(io.StringIO()):  # nbgrader gives no points where there is any
        judge = Judge(chapter, facts(id, secret), secret.hidden, isolated=False, student=student)
        [result] = judge.judge(text_of(cells), [id])
    return result.points


@cache
def facts(id: str, secret: Secret) -> dict[str, dict[int, Fact]]:
    chapter = chapter_of(id)
    asked = [task for task in chapter.tasks if task.id == id and not task.questions]
    return reference(chapter, asked, secret.hidden) if asked else {}


# What is written.


def assignment(chapter: Chapter) -> nbformat.NotebookNode:
    """A chapter's notebook, as nbgrader's source: with solutions, and with what is hidden."""
    head = f"# {named(chapter.name)}: exercises\n\nFor {chapter.notebook}."
    cells = [new_markdown_cell(head), cell(f"{chapter.name}-start", SEEN, locked=True)]
    if imports := "\n".join(map(ast.unparse, imported(stubs(chapter)))):
        cells.append(new_code_cell(imports))
    for task in chapter.tasks:
        cells += task_cells(chapter, task)
    for k, each in enumerate(cells):
        each.id = f"{chapter.name}-{k}"
    made = new_notebook(cells=cells)
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


def imported(text: str) -> list[ast.stmt]:
    return [s for s in ast.parse(text).body if is_import(s)]


def task_cells(chapter: Chapter, task: Task) -> list[nbformat.NotebookNode]:
    """A task's statement, the cell for the answer, and the one that checks it."""
    id = task.id.replace(".", "-")
    solved = f"### BEGIN SOLUTION\n{solution(chapter, task)}\n### END SOLUTION"
    told = new_markdown_cell(statement(chapter, task, read_facts(chapter).get(task.id, {})))
    asked = [cell(f"questions-{id}", f'questions("{task.id}")', locked=True)] * bool(task.questions)
    checked = f'check("{task.id}", In)\n{HIDDEN.format(id=task.id)}'
    return [
        told, *asked,
        cell(f"answer-{id}", f"{task_stub(task).strip()}\n\n{solved}", solution=True),
        cell(f"check-{id}", checked, locked=True, grade=True, points=task.points),
    ]  # fmt: skip


def cell(id: str, source: str, **marks: Any) -> nbformat.NotebookNode:
    about = {"schema_version": 3, "grade_id": id, "grade": False, "solution": False,
             "locked": False, "task": False, **marks}  # fmt: skip
    return new_code_cell(source, metadata={"nbgrader": about})


def solution(chapter: Chapter, task: Task) -> str:
    """The teacher's solution, or the package's piece."""
    if task.questions:
        return "# The questions are each student's own."
    if task.kind == "rebuild":
        return rebuilt(task)
    file = teachers(chapter.folder) / "solution.py"
    return piece_text(file.read_text(encoding="utf-8"), chapter, task)


def rebuilt(task: Task) -> str:
    """The package's own definitions of a task to rebuild; a method with its class."""
    text = (ROOT / task.module).read_text(encoding="utf-8")
    tree, made = ast.parse(text), []
    for name in dict.fromkeys(name.split(".")[0] for name in task.defines):
        found = find_in(tree, name)
        made += [line.text for line in lines_of(source.lines(text), found)]
    return "\n".join(made)


# The command.


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("course", type=Path, help="nbgrader's folder of the course")
    add("--chapters", nargs="*", default=[], help="ch05 ch06, or nothing for all")
    add("--secret-file", type=Path, help="what the students' questions are drawn with")


def command(options: argparse.Namespace) -> int:
    read_secret(options.secret_file)
    for chapter in find_chapters(options.chapters):
        folder = options.course / "source" / chapter.folder.name
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(assignment(chapter), folder / f"{chapter.folder.name}.ipynb")
        print(folder)
    secret = str(options.secret_file.resolve()) if options.secret_file else ""
    config = CONFIG.format(root=str(ROOT), name=SECRET, secret=secret)
    (options.course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    print("Next, in that folder: nbgrader generate_assignment CHAPTER, and hand out release/")
    return 0
