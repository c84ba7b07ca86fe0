"""`exercises progress`: the way so far, from what `check` wrote down."""

import pytest

from exercises.grading.check import check_chapter
from exercises.grading.home import read_record, write_record
from exercises.grading.progress import Way, row, told, way
from exercises.grading.tasks import find_chapters


@pytest.fixture
def progress(classroom):
    def tell():
        record = read_record(classroom.folder)
        return told([way(classroom.chapter, record, classroom.folder)], classroom.folder)

    return tell


def test_before_the_first_check(progress):
    row, _, total, following = progress().splitlines()
    assert row.split() == "ch05_forward . 05.1 . 05.2 . 05.3 0 of 7".split()
    assert total.startswith("[....................] 0 of 3 tasks pass their visible checks; 0 of 7")
    assert following.startswith("Next: 05.1 Sums of tangents (5 minutes), in ")
    assert following.endswith("student/ch05_forward/README.md")


def test_after_a_check_of_one_task_and_a_change(classroom, progress):
    classroom.hand_in("def twice(x): return x + x\n")
    check_chapter(classroom.chapter, classroom.folder, ["05.2"], 0)
    row, _, total, following = progress().splitlines()
    assert row.split() == "ch05_forward . 05.1 ✓ 05.2 . 05.3 4 of 7".split()
    assert "[######..............] 1 of 3" in total and "4 of 7 points, on what is visible" in total
    assert "Next: 05.1" in following
    classroom.hand_in("def twice(x): return 2 * x\n")
    assert "changed since: check again" in progress()


def test_every_folders_name_is_told_apart_from_the_marks():
    for chapter in find_chapters():
        marks = {task.id: True for task in chapter.tasks}
        assert row(Way(chapter, marks, 0, False)).split()[0] == chapter.folder.name


def test_nothing_comes_next_where_all_is_done(classroom, progress):
    noted = {"passed": True, "points": 1, "file": ""}
    tasks = {task.id: noted for task in classroom.chapter.tasks}
    write_record(classroom.folder, {"ch05_forward": tasks})
    assert "Next" not in progress()


@pytest.mark.parametrize("text", ["", "[]", "no JSON"])
def test_a_spoilt_record_is_none(classroom, progress, text):
    classroom.write("student/.progress.json", text)
    assert "0 of 3" in progress()
