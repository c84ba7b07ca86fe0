"""`python -m exercises github`: what the repository has, and how clones become hand-ins."""

import json
import os

import pytest
import yaml

from exercises.__main__ import parser
from exercises.grading import sandbox
from exercises.grading.tasks import Fault, find_chapters
from made_up import all_right, hand_in

STEPS = "classroom-resources/autograding-command-grader@v1"


def run(*argv):
    options = parser(argv[0]).parse_args(list(map(str, argv)))
    return options.run(options)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    out = tmp_path_factory.mktemp("github") / "week3"
    assert run("github", out, "--chapters", "ch05") == 0
    return out


def test_each_task_is_checked_by_a_command_that_students_have(repository):
    made = yaml.safe_load((repository / ".github" / "workflows" / "classroom.yml").read_text())
    steps = [step for step in made["jobs"]["checks"]["steps"] if step.get("uses") == STEPS]
    tasks = [task.id for chapter in find_chapters(["ch05"]) for task in chapter.tasks]
    asked = [step["with"]["command"].split() for step in steps]
    assert [words[-1] for words in asked] == tasks
    for words in asked:
        parser("check").parse_args(words[3:])
    report = made["jobs"]["checks"]["steps"][-1]
    ids = report["with"]["runners"].split(",")
    assert ids == [step["id"] for step in steps]
    assert report["env"] == {f"{id.upper()}_RESULTS": f"${{{{ steps.{id}.outputs.result }}}}"
                             for id in ids}  # fmt: skip


def test_it_has_the_chapters_asked_for_and_nothing_of_the_teachers(repository):
    folders = {path.name for path in (repository / "exercises").iterdir() if path.is_dir()}
    assert folders == {"ch05_forward", "grading"}
    assert not list(repository.rglob("*teacher*"))
    assert "!/work/exercises/" in (repository / ".gitignore").read_text().split()


def test_a_clone_has_the_marks_of_the_same_hand_in(repository, tmp_path):
    """What is right, in a clone as GitHub Classroom names it, beside a folder handed in."""
    text = all_right(find_chapters(["ch05"])[0])
    right = hand_in(tmp_path / "in", "zoe", "ch05_forward/exercise.py", text)
    clone = tmp_path / "week3-submissions" / "week3-ann"
    (clone / "exercises" / "ch05_forward").mkdir(parents=True)
    (clone / "exercises" / "ch05_forward" / "exercise.py").write_bytes(right.read_bytes())
    (clone / "exercises" / "ch05_forward" / "questions.py").write_text("import os")
    (clone / "more" / "ch05_forward").mkdir(parents=True)
    (clone / "more" / "ch05_forward" / "exercise.py").symlink_to("/etc/passwd")
    (clone / ".git").mkdir()
    (clone / ".git" / "exercise.py").write_text("")
    (tmp_path / "week3-submissions" / "other-bob").mkdir()
    taken = tmp_path / "taken"
    assert run("github", taken, "--clones", clone.parent, "--assignment", "week3") == 0
    names = [str(f.relative_to(taken)) for f in sorted(taken.rglob("*")) if f.is_file()]
    assert names == ["ann/exercises/ch05_forward/exercise.py"]
    os.rename(taken / "ann", tmp_path / "in" / "ann")
    held = [] if sandbox.bubblewrap() or os.getuid() else ["--trusting"]
    graded = ["grade", tmp_path / "in", "--out", tmp_path / "out", "--chapters", "ch05", *held]
    assert run(*graded) == 0
    points = {
        name: json.loads((tmp_path / "out/students" / name / "feedback.json").read_text())["points"]
        for name in ("ann", "zoe")
    }
    assert points["ann"] == points["zoe"] > 0


def test_what_is_refused(repository, tmp_path):
    with pytest.raises(Fault, match="has something in it"):
        run("github", repository, "--chapters", "ch05")
    (tmp_path / "clones").mkdir()
    with pytest.raises(Fault, match="has no folder week3-NAME"):
        run("github", tmp_path / "out", "--clones", tmp_path / "clones", "--assignment", "week3")
