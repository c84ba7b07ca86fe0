"""Answers to drawn questions: what counts as right."""

import numpy as np
import pytest

from exercises.draws import is_answer


@pytest.mark.parametrize("given, wanted", [
    (2, np.int32(2)), (0.3333, 1 / 3), ((1, [2.0]), [1, (2.0,)]), ([], ()), ("add", "add"),
    ([None, [1]], (None, [1])), ("float32", np.dtype("float32")),
])  # fmt: skip
def test_what_prints_alike_is_right(given, wanted):
    assert is_answer(given, wanted)


@pytest.mark.parametrize("given, wanted", [
    (None, []), (0, []), ("", []), ([1], []), ([1, 2], [1]), (True, 1), (1, True), ("1", 1),
    (0.334, 1 / 3), (None, 0), (None, ""),
])  # fmt: skip
def test_what_is_not_said_is_not_right(given, wanted):
    assert not is_answer(given, wanted)
