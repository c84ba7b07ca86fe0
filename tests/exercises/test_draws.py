"""Answers to drawn questions: values of a student's file, that no code of theirs makes."""

import numpy as np
import pytest

from exercises.grading.draws import is_answer, plain, right_answers
from exercises.grading.judge import literal_answers
from exercises.grading.splice import Missing
from exercises.grading.tasks import find_chapters

ASKING = [
    (chapter, task) for chapter in find_chapters() for task in chapter.tasks
    if task.questions and "num_cpu_devices" not in task.setup  # that is asked once in a process
]  # fmt: skip


@pytest.mark.parametrize("chapter, task", ASKING, ids=[task.id for _, task in ASKING])
def test_each_question_has_an_answer(chapter, task):
    for seed in ("ann", "bob"):
        wanted = right_answers(chapter, task, seed)
        assert wanted and all(map(is_answer, plain(wanted), wanted))


@pytest.mark.parametrize(
    ("given", "wanted", "holds"),
    [
        (2, np.int32(2), True),
        ("float32", np.dtype("float32"), True),
        ([2, "b"], (2, "b"), True),
        (0.3334, 1 / 3, True),
        (0.34, 1 / 3, False),
        (1, True, False),
        (None, [], False),
        (None, 0.0, False),
        ("", [], False),
        ([1], [1, 2], False),
        (10**400, 0.5, False),
        (10**400, 1e300, False),
    ],
)
def test_what_answers(given, wanted, holds):
    assert is_answer(given, wanted) is holds


def test_answers_are_literals():
    text = f"a{'.b' * 900} = 1\nanswers = [1, 'b', (2, None)]"
    assert literal_answers(text, "answers") == [1, "b", (2, None)]
    for made in (
        "[open('x')]",
        "[1 + 1]",
        "5",
        "[10 ** 10 ** 10]",
        "[{[]: 1}]",
        "__import__('os')",
    ):
        with pytest.raises(Missing, match="answers in line 1 is to be a list of plain values"):
            literal_answers(f"answers = {made}", "answers")
