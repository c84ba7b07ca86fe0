"""What a child tells of a task's cases."""

from pathlib import Path

import pytest

from exercises.grading.judge import VISIBLE, Judge, reference
from exercises.grading.tasks import Chapter, read_chapter, teachers

pytestmark = pytest.mark.prove

TASKS = """
notebook = "99-one.ipynb"

[[task]]
id = "99.1"
kind = "extend"
title = "One"
goal = "Return 1, or raise ValueError."
minutes = 1
place = "One"
points = 4
defines = ["one"]
stub = "def one(x): ..."
visible = ["one(3)"]
"""
HIDDEN = """
["99.1"]
[["99.1".property]]
name = "is one of seven"
cases = ["seven", "seven"]
setup = "seven = one(7)"
[["99.1".property]]
name = "is one of eight"
cases = ["one(8)"]
"""


def chapter_of(root: Path) -> Chapter:
    folder = root / "ch99_one"
    for path, text in [
        (folder / "tasks.toml", TASKS),
        (teachers(folder) / "hidden.toml", HIDDEN),
        (teachers(folder) / "solution.py", "def one(x):\n    return 1\n"),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_chapter(folder)


def test_setup_that_raises_costs_its_own_cases(tmp_path: Path) -> None:
    chapter = chapter_of(tmp_path)
    expected = reference(chapter, chapter.tasks, seed=1)
    judge = Judge(chapter, expected, seed=1, isolated=False)
    [result] = judge.judge("def one(x):\n    return 1 // (x != 7)\n")
    assert dict(result.properties) == {VISIBLE: True, "is one of seven": False,
                                       "is one of eight": True}  # fmt: skip
    assert (result.status, result.points) == ("partly", 2.5)


def test_visible_setup_that_raises_names_the_students_line(tmp_path: Path) -> None:
    tasks = TASKS.replace("visible", 'setup = "one(7)"\nvisible')
    chapter = chapter_of(tmp_path)
    (chapter.folder / "tasks.toml").write_text(tasks, encoding="utf-8")
    chapter = read_chapter(chapter.folder)
    judge = Judge(chapter, reference(chapter, chapter.tasks, seed=1), seed=1, isolated=False)
    [result] = judge.judge("def one(x):\n    return 1 // (x != 7)\n")
    assert "ZeroDivisionError" in result.misses[0].came
    assert "exercise.py, line 2" in result.misses[0].came
