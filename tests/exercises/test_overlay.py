"""`exercises/grading/overlay.py`: a copy of the package that runs with a student's piece in it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from exercises.grading.judge import TASK, ask, job, told_error
from exercises.grading.overlay import ROOT, copy_package, put_in_place
from exercises.grading.splice import Missing
from exercises.grading.tasks import Chapter, Property, Task


@pytest.fixture
def overlay(classroom, tmp_path):
    """Makes an overlay of a task with a student's text in it."""

    def make(id, text):
        root = tmp_path / "overlay"
        copy_package(root)
        return put_in_place(root, classroom.chapter, classroom.chapter.task(id), text)

    return make


def told(classroom, overlay, id, *cases):
    task = classroom.chapter.task(id)
    asked = [Property("", cases, task.setup)]
    return ask([job(task, overlay, asked, 0)], TASK, False)[id]


PIECE = '''
def add_tangents(x, y):
    count.append(1)
    return helped(x, y)


def helped(x, y):
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else 1 / 0


count = []
'''


def test_the_package_is_copied_and_the_original_left_alone(overlay):
    before = (ROOT / "minijax/core/forward.py").read_text()
    made = overlay("05.1", PIECE)
    assert made.file == made.root / "minijax/core/forward.py"
    assert "count.append(1)" in made.file.read_text()
    assert (ROOT / "minijax/core/forward.py").read_text() == before
    said = subprocess.run(
        [sys.executable, "-c", "import minijax.core.forward as f; print(f.__file__, f.count)"],
        cwd=made.root, env={"PYTHONPATH": str(made.root)}, capture_output=True, text=True,
    )  # fmt: skip
    assert said.stdout.strip() == f"{made.file} []", said.stderr


def test_an_error_is_told_in_the_students_line(classroom, overlay):
    made = overlay("05.1", PIECE)
    fact = told(classroom, made, "05.1", "jax.jvp(lambda x: x * x, (2.0,), (1.0,))").facts[0]
    assert fact["raises"] == ["ZeroDivisionError"]
    assert told_error(fact, made) == "ZeroDivisionError: division by zero (exercise.py, line 10)"


def test_a_piece_of_no_module_stands_alone(classroom, overlay):
    made = overlay("05.2", "import numpy as np\ndef twice(x): return np.add(x, x)\n")
    assert made.file.name == "answer.py"
    facts = told(classroom, made, "05.2", "twice(three)", "int(twice(2))").facts
    assert facts[1] == {"kind": "int", "value": 4}
    json.dumps(facts)


def test_what_an_import_does_wrong_has_its_line(classroom, overlay):
    made = overlay("05.2", "def twice(x): return x\n\n\ntwice.a = twice.b\n")
    fact = told(classroom, made, "05.2", "twice(1)").failed
    assert told_error(fact, made) == (
        "AttributeError: 'function' object has no attribute 'b' (exercise.py, line 4)"
    )


def test_a_missing_piece_leaves_no_fallback(overlay):
    with pytest.raises(Missing, match="imports add_tangents"):
        overlay("05.1", "from minijax.core.forward import add_tangents\n")


def test_stale_compiled_files_go(overlay):
    made = overlay("05.1", PIECE)
    assert not list((made.file.parent / "__pycache__").glob("forward.*.pyc"))


# What stands alone, beside what is rebuilt.


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


def test_of_two_definitions_the_last_counts(tmp_path: Path, chapter: Chapter):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "there.py").write_text("class Kept: pass\ndef known(): return 1\n")
    student = "def known(): return 2\n\nclass Kept:\n    def method(self): return known()\n\n"
    rebuild = Task("77.1", "rebuild", "", "", 1, "", module="package/there.py", defines=("known",))
    overlay = put_in_place(tmp_path, chapter, rebuild, student + "@sum\ndef known(): return 3\n")
    assert overlay.file.read_text().splitlines() == [
        "class Kept: pass", "@sum", "def known(): return 3",
    ]  # fmt: skip


def test_two_rules_of_one_name_are_both_there(tmp_path: Path, chapter: Chapter):
    (tmp_path / "package").mkdir()
    student = "@new.one\ndef _(): 1\n\n@new.two\ndef _(): 2\n"
    overlay = put_in_place(tmp_path, chapter, chapter.tasks[1], f"new = object()\n\n{student}")
    assert overlay.file.read_text().count("def _") == 2
