"""`%%fresh 05.2` in a notebook: the cell runs on what the student's file has for a task.

It runs in a process of its own, on a copy of the package in which the piece is put in place. (A
module that is reloaded in a running process leaves old functions in the package's tables.)
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from exercises.grading.facts import shortly
from exercises.grading.home import FILE, NoFile, read_exercise
from exercises.grading.judge import TASK, ask, job, no_python, told_error, why
from exercises.grading.overlay import copy_package, put_in_place
from exercises.grading.scratch import scratch_folder
from exercises.grading.splice import Missing
from exercises.grading.tasks import EXERCISES, Property, UnknownTask, read_chapter


def run(id: str, code: str, folder: Path) -> str:
    """What code prints and comes to, run on the piece in a folder's exercise.py.

    Raises:
      UnknownTask: this folder is no chapter's, or the chapter has no such task.
      SyntaxError: the code is no Python.
    """
    if not (EXERCISES / folder.name / "tasks.toml").exists():
        raise UnknownTask(f"{folder.name} is no folder of exercises")
    chapter = read_chapter(EXERCISES / folder.name)
    task = chapter.task(id)
    text, case = read_exercise(folder / FILE), with_value(code)
    with scratch_folder("fresh") as scratch:
        copy_package(scratch)
        try:
            overlay = put_in_place(scratch, chapter, task, text)
        except Missing as missing:
            return f"{missing}\n"
        except (SyntaxError, ValueError) as error:
            return f"{no_python(error)}\n"
        asked = [Property("", (case,), task.setup)]
        answers = ask([job(task, overlay, asked, 0)], TASK, False)[task.id]
    fact = answers.failed or answers.facts.get(0)
    if fact is None:
        came = why(answers.status)
    elif "raises" in fact:
        came = told_error(fact, overlay)
    else:
        came = "" if fact.get("kind") == "NoneType" else shortly(fact)
    return answers.outcome.error + came + "\n" * bool(came)


def with_value(code: str) -> str:
    """Code that ends in an expression."""
    body = ast.parse(code).body
    return code if body and isinstance(body[-1], ast.Expr) else f"{code}\nNone"


def load_ipython_extension(shell: Any) -> None:
    """Makes `%%fresh` known to a notebook: `%load_ext exercises.grading.fresh`."""

    def fresh(line: str, cell: str) -> None:
        try:
            print(run(line.strip(), cell, Path.cwd()), end="")
        except (UnknownTask, NoFile, SyntaxError, OSError) as error:
            print(error)

    shell.register_magic_function(fresh, "cell")
