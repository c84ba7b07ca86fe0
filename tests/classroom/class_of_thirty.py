"""A class of thirty, of mixed quality, graded from end to end on the chapters that are there.

Run by `make classroom`; CLASSROOM_CHAPTERS="ch05 ch06" takes fewer. It says how long it took.
"""

import csv
import json
import os
import shutil
import time
from types import SimpleNamespace

import pytest

from exercises.__main__ import parser
from exercises.grading import sandbox
from exercises.grading.tasks import find_chapters
from made_up import NAMES, make_class

CHAPTERS = os.environ.get("CLASSROOM_CHAPTERS", "").split()
HELD = [] if sandbox.bubblewrap() or os.getuid() else ["--trusting"]
MINUTES = 10  # for all chapters, on two cores that do nothing else


def run(*argv):
    options = parser(argv[0]).parse_args(list(map(str, argv)))
    return options.run(options)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    base = tmp_path_factory.mktemp("thirty")
    chapters = find_chapters(CHAPTERS)
    make_class(base / "in", chapters)
    (base / "names.csv").write_text("\n".join(NAMES))
    began = time.monotonic()
    names = [chapter.name for chapter in chapters]
    code = run("grade", base / "in", "--out", base / "out", "--roster", base / "names.csv",
               "--chapters", *names, *HELD)  # fmt: skip
    minutes = (time.monotonic() - began) / 60
    files = len(chapters) * 27
    print(f"\n{len(chapters)} chapters, {files} files: {minutes:.1f} min, "
          f"{60 * minutes / files:.2f} s a file")  # fmt: skip
    with (base / "out" / "grades.csv").open(newline="") as lines:
        rows = {row["student"]: row for row in csv.DictReader(lines)}
    return SimpleNamespace(base=base, out=base / "out", chapters=chapters, code=code, rows=rows,
                           minutes=minutes)  # fmt: skip


def of_kind(*kinds):
    return [name for number, name in enumerate(NAMES) if number % 10 in kinds]


def test_all_thirty_are_graded(graded):
    assert graded.code == 0 and sorted(graded.rows) == sorted(NAMES)
    assert (graded.out / "overview.html").stat().st_size > 5000
    assert len(list((graded.out / "students").glob("*/feedback.html"))) == 30


def test_what_is_right_has_all_points(graded):
    for name in of_kind(0, 1, 2):
        row = graded.rows[name]
        assert row["points"] == row["of"] and row["gates"] == row["gates of"], name


def test_what_is_wrong_has_less_and_a_stub_nothing(graded):
    for name in of_kind(3, 4, 5, 7, 8):
        assert float(graded.rows[name]["points"]) < float(graded.rows[name]["of"]), name
    for name in of_kind(6, 9):
        assert float(graded.rows[name]["points"]) == 0, name


def test_every_miss_says_why(graded):
    for name in NAMES:
        file = graded.out / "students" / name / "feedback.json"
        for tasks in json.loads(file.read_text())["chapters"].values():
            for task in tasks:
                failed = [name for name, holds in task["properties"] if not holds]
                said = task["note"] or task["misses"] or failed
                assert task["status"] == "right" or said, (name, task["id"])


def test_it_takes_less_than_ten_minutes(graded):
    whole = graded.minutes * 24 / max(24, len(graded.chapters))
    assert whole < MINUTES


def test_a_second_run_is_quick_and_says_the_same(graded):
    before = (graded.out / "grades.csv").read_text()
    began = time.monotonic()
    assert run("grade", graded.base / "in", "--out", graded.out, *HELD) == 0
    assert time.monotonic() - began < 60
    assert (graded.out / "grades.csv").read_text() == before


def test_what_is_handed_out_is_graded_to_zero(graded, tmp_path):
    names = [chapter.name for chapter in graded.chapters]
    run("release", tmp_path / "copy", "--chapters", *names)
    (tmp_path / "in").mkdir()
    shutil.copytree(tmp_path / "copy" / "minijax-exercises", tmp_path / "in" / "ann")
    named = ["--chapters", *names]
    assert run("grade", tmp_path / "in", "--out", tmp_path / "out", *named, *HELD) == 0
    ann = json.loads((tmp_path / "out" / "students" / "ann" / "feedback.json").read_text())
    assert ann["points"] == 0 and ann["gates"][0] == 0 and len(ann["chapters"]) == len(names)
