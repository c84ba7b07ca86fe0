"""Each task tells right from wrong: a few hundred hand-ins are graded."""

import pytest

from exercises.grading.prove import prove
from exercises.grading.tasks import find_chapters

pytestmark = pytest.mark.prove
CHAPTERS = {chapter.name: chapter for chapter in find_chapters()}


@pytest.mark.parametrize("name", CHAPTERS)
def test_right_from_wrong(name):
    faulty = [trial for trial in prove(CHAPTERS[name]) if trial.fault]
    assert [f"{trial.result.id} {trial.name}: {trial.fault}" for trial in faulty] == []
