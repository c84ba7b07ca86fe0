"""The cases as pytest's parameters."""

import pytest

from .cases import TOPICS
from .known_differences import KNOWN_DIFFERENCES


def case_parameters(with_marks: bool = False) -> list:
    """One parameter set `(topic, case)` for each case, named by its topic and number."""
    return [
        pytest.param(topic.name, case, id=f"{topic.name}-{number}", marks=marks(case))
        if with_marks
        else pytest.param(topic.name, case, id=f"{topic.name}-{number}")
        for topic in TOPICS.values()
        for number, case in enumerate(topic.cases)
    ]


def marks(case: str) -> list:
    if case not in KNOWN_DIFFERENCES:
        return []
    return [pytest.mark.xfail(strict=True, reason=KNOWN_DIFFERENCES[case])]
