"""What the cells of an assignment call: an exercise.py that is written in a notebook.

The cells that ran so far are the file; `In`, which IPython keeps, has their texts.
"""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Sequence
from pathlib import Path

from exercises.grading import check as checking
from exercises.grading.feedback import report
from exercises.grading.home import seed, students_folder
from exercises.grading.questions import told
from exercises.grading.tasks import Chapter, find_chapters


def text_of(cells: Sequence[str]) -> str:
    """The cells as one file. One that is no Python takes no other with it."""
    kept = []
    for cell in cells:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            ast.parse(cell)
            kept.append(cell)
    return "\n\n".join(kept) + "\n"


def chapter_of(id: str) -> Chapter:
    return find_chapters([id.split(".")[0]])[0]


def questions(id: str) -> None:
    """Prints a task's questions."""
    chapter = chapter_of(id)
    print(told(chapter, chapter.task(id), seed(students_folder())))


def check(id: str, cells: Sequence[str], hints: int = 0) -> None:
    """Prints what the visible cases say of a task."""
    chapter, text = chapter_of(id), text_of(cells)
    task = chapter.task(id)
    with contextlib.redirect_stderr(io.StringIO()):  # nbgrader gives no points where there is any
        [result] = checking.check(chapter, [task], text, seed(students_folder()))
    print(report(task, result, text, hints))
    print("\nThis looked at the visible cases, in", Path.cwd().name)
