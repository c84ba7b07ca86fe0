"""A student's questions, and what may be said of the answers before they are graded."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from exercises.grading import draws
from exercises.grading.home import seed, students_folder
from exercises.grading.judge import TaskResult, literal_answers, no_python
from exercises.grading.splice import Missing
from exercises.grading.tasks import Chapter, Task, find_chapters


def form(chapter: Chapter, task: Task, text: str, seed: str) -> TaskResult:
    """Of the answers to a student's own questions: that they are there, of the kind asked for.

    Such a result's status is `there`; whether they are right is not looked at.
    """
    result = TaskResult(task.id, task.title, task.kind, task.points)
    try:
        given = literal_answers(text, task.answers)
    except Missing as missing:
        result.status, result.note = "missing", str(missing)
        return result
    except (SyntaxError, ValueError) as error:
        result.status, result.note = "no result", no_python(error)
        return result
    wanted = [draws.plain(value) for value in draws.right_answers(chapter, task, seed)]
    result.note = fault(given, wanted)
    result.status = "wrong" if result.note else "there"
    return result


def fault(given: list[Any], wanted: list[Any]) -> str:
    """What of a list of answers cannot be right by its form, or nothing.

    >>> fault(["float32", 3], ["int32", "int32"])
    'question 2 asks for a text, and its answer is a number'
    """
    if len(given) != len(wanted):
        return f"the list has {len(given)} answers, and {len(wanted)} are asked for"
    for k, (answer, want) in enumerate(zip(given, wanted, strict=True), 1):
        if answer is None:
            return f"question {k} has no answer yet"
        if sort(answer) != sort(want):
            return f"question {k} asks for {sort(want)}, and its answer is {sort(answer)}"
    return ""


def sort(answer: Any) -> str:
    """What kind of thing an answer is, in words.

    >>> sort(2), sort(2.5), sort([]), sort("float32"), sort(True)
    ('a number', 'a number', 'a list', 'a text', 'True or False')
    """
    kinds = {bool: "True or False", int: "a number", float: "a number", str: "a text",
             list: "a list", tuple: "a list"}  # fmt: skip
    return kinds.get(type(answer), type(answer).__name__)


def told(chapter: Chapter, task: Task, own: str) -> str:
    """A task's questions as a student reads them."""
    whose = "the same for everybody, to practise" if own == draws.PRACTICE else "yours"
    questions = [f"{k}. {question.text}"
                 for k, question in enumerate(draws.draw(chapter, task, own), 1)]  # fmt: skip
    defined = [f"```python\n{task.setup.strip()}\n```"] if task.setup else []
    return "\n\n".join([
        f"{task.id} {task.title}", task.goal.strip(), *defined,
        f"The questions are {whose}; the answers go into the list {task.answers}.", *questions,
    ])  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", help="ch05, or nothing for all")
    parser.add_argument("--folder", type=Path, help="where the chapters' folders are")


def command(options: argparse.Namespace) -> int:
    own = seed(options.folder or students_folder())
    texts = [told(chapter, task, own)
             for chapter in find_chapters(options.chapters)
             for task in chapter.tasks if task.questions]  # fmt: skip
    print("\n\n\n".join(texts) or "No questions are drawn for these chapters.")
    return 0
