"""Each task tells right from wrong: `make prove`, a run of its own, since it grades a few hundred
hand-ins.
"""

import pytest

from exercises.grading.prove import prove
from exercises.grading.tasks import find_chapters

CHAPTERS = {chapter.name: chapter for chapter in find_chapters()}


@pytest.mark.parametrize("name", CHAPTERS)
def test_right_from_wrong(name):
    faulty = [trial for trial in prove(CHAPTERS[name]) if trial.fault]
    assert [f"{trial.result.id} {trial.name}: {trial.fault}" for trial in faulty] == []
