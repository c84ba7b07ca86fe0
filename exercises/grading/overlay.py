"""Overlays: a copy of the package in which a task's piece is put in place.

(Patching the package in a running process would fail: its tables fill while it is imported.)
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from exercises.grading.splice import Line, splice
from exercises.grading.tasks import EXERCISES, Chapter, Task

GRADING = Path(__file__).resolve().parent
ROOT = EXERCISES.parent
ALONE = "answer.py"  # a piece that belongs to no module of the package


class Overlay(NamedTuple):
    """`root` holds the package `minijax`, and `file`, where the piece is; `lines` are its lines."""

    root: Path
    file: Path
    lines: list[Line]

    def students_line(self, number: int) -> int | None:
        """The line of exercise.py that stands in this line of the file."""
        return self.lines[number - 1].number if 0 < number <= len(self.lines) else None


def copy_package(root: Path, original: Path | None = None) -> None:
    """A copy of the package in a folder, with what Python has made of its files.

    Of `original`, a folder with such a copy, it has links, which takes a tenth of the time. They
    are for whoever can't write there or is trusted: a link's file is that of the original.
    """
    package = (original or ROOT) / "minijax"
    how = os.link if original else shutil.copy2
    shutil.copytree(package, root / "minijax", copy_function=how)


def put_in_place(root: Path, chapter: Chapter, task: Task, student_text: str) -> Overlay:
    """Splices a task's piece into the package's copy below `root`.

    Raises:
      Missing: the student's file lacks a definition.
      SyntaxError: the student's file is no Python.
    """
    others = {name.split(".")[0] for t in chapter.tasks if t is not task for name in t.defines}
    others -= {name.split(".")[0] for name in task.defines}
    file = root / (task.module or ALONE)
    module_text = file.read_text(encoding="utf-8") if task.module else rebuilt_imports(chapter)
    lines = splice(module_text, student_text, task.defines, others)
    file.unlink(missing_ok=True)  # it may be a link
    file.write_text("".join(line.text + "\n" for line in lines), encoding="utf-8")
    for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        stale.unlink()
    return Overlay(root, file, lines)


def rebuilt_imports(chapter: Chapter) -> str:
    """The imports by which a piece that stands alone has the reference's of what other tasks have
    a student rebuild."""
    modules = {
        name.split(".")[0]: task.module.removesuffix(".py").replace("/", ".")
        for task in chapter.tasks if task.module and task.kind == "rebuild"
        for name in task.defines
    }  # fmt: skip
    return "".join(f"from {module} import {name}\n" for name, module in modules.items())
