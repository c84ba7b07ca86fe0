"""Questions drawn anew for each student, and what the package answers.

A chapter's questions.py has a function `draw_05_3(rng)` for each such task, that returns pairs: the
question's text, and a case whose value is the answer. The seed is the student's, made of the
teacher's secret and the student's name; who learns alone practises on a public one.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import runpy
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from exercises.grading.facts import evaluate
from exercises.grading.tasks import Chapter, Task

PRACTICE = "practice"


class Question(NamedTuple):
    text: str
    case: str


def students_seed(secret: str, student: str) -> str:
    """A student's seed: nobody without the secret can tell it from the name."""
    return hmac.new(secret.encode(), student.encode(), hashlib.sha256).hexdigest()[:16]


def draw(chapter: Chapter, task: Task, seed: str) -> list[Question]:
    """A student's questions."""
    digest = hashlib.sha256(f"{task.id}:{seed}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    names = questions_file(str(chapter.folder / "questions.py"))
    drawn = names[f"draw_{task.id.replace('.', '_')}"](rng)
    return [Question(*pair) for pair in drawn]


@cache
def questions_file(path: str) -> dict[str, Any]:
    return runpy.run_path(path)


def right_answers(chapter: Chapter, task: Task, seed: str) -> list[Any]:
    """What the package says, as plain values."""
    import minijax

    names = {"jax": minijax, "jnp": minijax.numpy, "lax": minijax.lax, "np": np,
             "random": minijax.random}  # fmt: skip
    setup = task.setup + "\n" if task.setup else ""
    return [evaluate(setup + q.case, dict(names)) for q in draw(chapter, task, seed)]


def is_answer(given: Any, wanted: Any) -> bool:
    """Whether a student's literal is the package's value; floats count to three digits.

    >>> is_answer([2, "float32"], (np.int32(2), np.dtype("float32"))), is_answer(1, True)
    (True, False)
    >>> is_answer(None, []), is_answer(10**400, 0.5)
    (False, False)
    """
    wanted = plain(wanted)
    if isinstance(wanted, list):
        if not isinstance(given, list | tuple) or len(given) != len(wanted):
            return False
        return all(is_answer(x, y) for x, y in zip(given, wanted, strict=True))
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        if isinstance(given, bool) or not isinstance(given, int | float):
            return False
        try:
            return math.isclose(given, wanted, rel_tol=1e-3, abs_tol=1e-6)
        except OverflowError:  # an integer that no float holds
            return given == wanted
    return type(given) is type(wanted) and given == wanted


def plain(value: Any) -> Any:
    """A value as a student writes it: lists, numbers and text."""
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    if isinstance(value, np.dtype):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return value if isinstance(value, bool | int | float | str | None) else str(value)
