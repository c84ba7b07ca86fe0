"""nbgrader from end to end: an assignment is made, handed out, handed in, and graded as we grade.

Run by `make classroom`, in an environment that has nbgrader.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.api import Gradebook

from exercises.__main__ import parser
from exercises.grading.assignment import text_of
from exercises.grading.classroom import read_secret
from exercises.grading.draws import plain, right_answers
from exercises.grading.prove import wrong_solutions
from exercises.grading.similarity import piece_text
from exercises.grading.tasks import find_chapters
from made_up import hand_in, rebuilt, teachers_text

CHAPTER = os.environ.get("CLASSROOM_CHAPTER", "ch05")
STUDENTS = ("ann", "bob", "cyd", "dan")


def nbgrader(course, *command):
    """Runs nbgrader in a course's folder; its programs lie beside this Python."""
    here = str(Path(sys.executable).parent)
    environ = {**os.environ, "PATH": os.pathsep.join([here, os.environ["PATH"]])}
    done = subprocess.run([f"{here}/nbgrader", *command], cwd=course, env=environ, text=True,
                          capture_output=True, timeout=900)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(*argv):
    options = parser(argv[0]).parse_args(list(map(str, argv)))
    assert options.run(options) == 0


def answers(chapter, student, secret):
    """A student's answers by task: all right, a wrong solution, none, and what breaks."""
    right = {}
    for task in chapter.tasks:
        if task.questions:
            given = plain(right_answers(chapter, task, secret.student(student)))
            right[task.id] = f"{task.answers} = {given!r}"
        elif task.kind == "rebuild":
            right[task.id] = rebuilt(task)
        else:
            right[task.id] = piece_text(teachers_text(chapter), chapter, task)
    if student == "bob":
        file = wrong_solutions(chapter)[-1]
        return {**right, file.name.split("-")[0]: file.read_text(encoding="utf-8")}
    if student == "dan":
        extend = next(task.id for task in chapter.tasks if task.kind == "extend")
        return {**right, extend: "def nothing(:"}
    return {} if student == "cyd" else right


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """By student and task, the marks that nbgrader gives, and those that we give."""
    base = tmp_path_factory.mktemp("nbgrader")
    (base / "secret").write_text("the secret of this class")
    [chapter], secret = find_chapters([CHAPTER]), read_secret(base / "secret")
    name, course = chapter.folder.name, base / "course"
    run("nbgrader", course, "--chapters", CHAPTER, "--secret-file", base / "secret")
    nbgrader(course, "generate_assignment", name)
    released = course / "release" / name / f"{name}.ipynb"
    for student in STUDENTS:
        notebook, given = nbformat.read(released, 4), answers(chapter, student, secret)
        for task in chapter.tasks:
            answer = next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get(
                "grade_id") == f"answer-{task.id.replace('.', '-')}")  # fmt: skip
            answer.source = given.get(task.id, answer.source)
        folder = course / "submitted" / student / name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")
        cells = [c.source for c in notebook.cells if c.cell_type == "code"]
        hand_in(base / "in", student, f"{name}/exercise.py", without_broken(cells[1:]))
    nbgrader(course, "autograde", name)
    run("grade", base / "in", "--out", base / "out", "--chapters", CHAPTER, "--trusting",
        "--secret-file", base / "secret")  # fmt: skip
    return chapter, released, theirs(course, name), ours(base / "out")


def without_broken(cells):
    return text_of([c for c in cells if not c.startswith(("check(", "questions("))])


def theirs(course, name):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        return {
            student: {grade.cell.name.removeprefix("check-").replace("-", "."): grade.auto_score
                      for notebook in book.find_submission(name, student).notebooks
                      for grade in notebook.grades}
            for student in STUDENTS
        }  # fmt: skip


def ours(out):
    marks = {}
    for student in STUDENTS:
        text = (out / "students" / student / "feedback.json").read_text()
        marks[student] = {task["id"]: task["points"]
                          for task in json.loads(text)["chapters"][CHAPTER]}  # fmt: skip
    return marks


def test_nbgrader_gives_our_marks(graded):
    chapter, _, theirs, ours = graded
    assert theirs == ours


def test_the_marks_are_those_of_what_was_handed_in(graded):
    chapter, _, theirs, _ = graded
    most = {task.id: task.points for task in chapter.tasks}
    assert theirs["ann"] == most
    assert not any(theirs["cyd"].values())
    for student in ("bob", "dan"):
        assert 0 < sum(theirs[student].values()) < sum(most.values())


def test_what_students_get_shows_nothing_that_is_hidden(graded):
    chapter, released, *_ = graded
    text = released.read_text(encoding="utf-8")
    assert not re.search(r"HIDDEN|SOLUTION|exercises\.grading\.nbgrader", text)
    for task in chapter.tasks:
        assert not [p.name for p in task.hidden if p.name in text]


def test_the_released_notebook_runs_where_a_student_has_it(graded, tmp_path):
    """In the students' copy, with nothing written: each check says so."""
    _, released, *_ = graded
    run("release", tmp_path / "out", "--chapters", CHAPTER)
    copied = tmp_path / "out" / "minijax-exercises"
    place = copied / "mine" / "assignment.ipynb"
    place.parent.mkdir()
    shutil.copyfile(released, place)
    notebook = nbformat.read(place, 4)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True,
                            resources={"metadata": {"path": str(place.parent)}})  # fmt: skip
    client.execute()
    said = [o.get("text", "") for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    assert sum("visible cases" in text for text in said) >= 3
    wrong = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs
             if o.output_type == "error"]  # fmt: skip
    assert wrong == []
