"""A piece is put in place: what it needs of the package is there."""

from pathlib import Path

import pytest

from exercises.overlay import put_in_place
from exercises.tasks import Chapter, Task


@pytest.fixture
def chapter() -> Chapter:
    rebuild = Task("77.1", "rebuild", "", "", 1, "", module="package/there.py",
                   defines=("Kept.method", "known"))  # fmt: skip
    alone = Task("77.2", "extend", "", "", 1, "", defines=("new",))
    return Chapter("ch77", Path(), "", "", (rebuild, alone))


def test_piece_alone_has_the_references_of_what_is_rebuilt(tmp_path: Path, chapter: Chapter):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "there.py").write_text("class Kept: pass\ndef known(): return 1\n")
    student = "def known(): raise NotImplementedError\n\ndef new(): return known() + 1\n"
    overlay = put_in_place(tmp_path, chapter, chapter.tasks[1], student)
    assert overlay.file.read_text().splitlines() == [
        "from package.there import Kept", "from package.there import known",
        "def new(): return known() + 1",
    ]  # fmt: skip
    assert overlay.students_line(3) == 3


def test_import_of_what_another_task_rebuilds_brings_the_other_names_too(
    tmp_path: Path, chapter: Chapter
):
    (tmp_path / "package").mkdir()
    student = "from package.there import known, other\n\ndef new(): return other() + known()\n"
    overlay = put_in_place(tmp_path, chapter, chapter.tasks[1], student)
    assert "from package.there import known, other" in overlay.file.read_text()
