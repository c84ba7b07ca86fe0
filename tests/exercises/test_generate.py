"""`exercises generate`: the committed files are what it writes, and they say what they should."""

import ast
import json

import nbformat
import pytest
from nbclient import NotebookClient

from exercises.grading import expected, fresh, generate
from exercises.grading.expected import Stale, read_expected, same_facts
from exercises.grading.imports import from_import, in_order
from exercises.grading.overlay import ROOT
from exercises.grading.splice import is_import
from exercises.grading.stubs import stubs
from exercises.grading.tasks import Fault, UnknownTask, find_chapters
from working_copy import prepare

CHAPTERS = find_chapters()


@pytest.mark.prove
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_the_committed_files_are_what_is_generated(chapter):
    for name, text in generate.files(chapter).items():
        file = chapter.folder / name
        command = f"python -m exercises generate {chapter.name}"
        assert file.exists() and file.read_text(encoding="utf-8") == text, f"{name}: {command}"


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_what_exercise_py_imports_is_there(chapter):
    tree = ast.parse((chapter.folder / "exercise.py").read_text(encoding="utf-8"))
    imports = ast.Module([s for s in tree.body if is_import(s)], type_ignores=[])
    exec(compile(imports, "exercise.py", "exec"), {})


# exercise.py


def test_stubs_hold_the_packages_heads_and_errors_with_the_tasks_names(classroom):
    assert stubs(classroom.chapter) == '''"""Exercises of chapter 05. README.md says \
what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax

# 05.1 Sums of tangents


def add_tangents(x: Any, y: Any) -> Any:
    raise NotImplementedError("05.1 add_tangents")


# 05.2 Twice


def twice(x):
    raise NotImplementedError("05.2 twice")


# 05.3 Foretell
# The questions: python -m exercises questions ch05

answers_05_3 = [None, None]
'''


def test_methods_of_a_class_share_it(classroom):
    task = classroom.chapter.task("05.1")
    task = task.__class__(**{**vars(task), "defines": ("JVPTrace.box", "JVPTrace.lower", "Zero")})
    text = stubs(classroom.chapter._replace(tasks=(task,)))
    assert text.count("class JVPTrace:") == 1 and "\n\n    def lower(self, x: Any) -> Any:" in text
    assert '"""The tangent zero of a type, never stored as numbers."""' in text
    assert text.count("raise NotImplementedError") == 2 + 3
    ast.parse(text)


def test_imports_stand_in_ruffs_order():
    mixed = "from minijax import a\nimport numpy as np\nfrom b import y, X\nfrom b import AB\n"
    assert in_order(mixed) == "import numpy as np\nfrom b import AB, X, y\n\nfrom minijax import a"
    assert in_order("from m import x, y\nfrom n import z", {"x", "z"}) == "from m import y"
    names = [f"name_number_{k}" for k in range(8)]
    assert from_import("m", names).splitlines()[1] == "    name_number_0,"
    with pytest.raises(ValueError, match="no import: x = 1"):
        in_order("x = 1")


# README.md


def test_a_statement_has_all_but_hints_and_what_is_hidden(classroom):
    text = generate.files(classroom.chapter)["README.md"]
    for part in (
        "| 05.1 Sums of tangents | rebuild | a gate | 5 |", "| 05.2 Twice | extend | 4 | 10 |",
        "Rebuild `add_tangents` of [minijax/core/forward.py](../../minijax/core/forward.py).",
        "It leans on [Rules](../../notebooks/05-forward.ipynb#Rules).",
        ">>> twice(2)\n4\n", "three = 3.0", "python -m exercises check ch05",
        "`.venv/bin/python -m exercises questions ch05` prints 2 questions",
    ):  # fmt: skip
        assert part in text
    assert "sum of x and x" not in text and "linear" not in text


def test_a_place_that_the_notebook_lacks_is_refused(classroom):
    text = (classroom.root / "ch05_forward/tasks.toml").read_text()
    classroom.write("tasks/ch05_forward/tasks.toml", text.replace('"Rules"', '"Rulers"'))
    with pytest.raises(Stale, match="leans on 'Rulers', which is no heading of 05-forward.ipynb"):
        generate.files(classroom.chapter)


@pytest.mark.parametrize(
    "name, before, after, said",
    [
        ("ch05_forward/tasks.toml", "points = 4", "point = 4", "task 05.2 has point, which no"),
        ("ch05_forward/tasks.toml", "points = 4", "points = four", "tasks.toml is no TOML: .*line"),
        ("ch05_forward/tasks.toml", "minutes = 10\n", "", "task 05.2 lacks minutes"),
        ("ch05_forward/tasks.toml", '"extend"', '"extends"', "is of kind 'extends', not one of"),
        ("teacher/ch05_forward/hidden.toml", "name = ", "nam = ", "hidden.toml: it lacks 'name'"),
        ("teacher/ch05_forward/hidden.toml", "05.2", "05.9", "tasks.toml has no task 05.9"),
    ],
)
def test_a_slip_in_a_tasks_files_is_told_in_a_sentence(name, before, after, said, classroom):
    text = (classroom.root / name).read_text()
    classroom.write(f"tasks/{name}", text.replace(before, after))
    with pytest.raises(Fault, match=said):
        _ = classroom.chapter


def test_a_task_without_a_solution_is_told_in_a_sentence(classroom):
    classroom.write("tasks/teacher/ch05_forward/solution.py", "def once(x): return x\n")
    with pytest.raises(Fault, match="task 05.2 has no solution in .*: it does not define twice"):
        expected.ask_reference(classroom.chapter)


# expected.json


def test_a_visible_case_that_it_lacks_is_named(classroom):
    text = (classroom.root / "ch05_forward/tasks.toml").read_text()
    classroom.write("tasks/ch05_forward/tasks.toml", text.replace("twice(three)", "twice(5)"))
    with pytest.raises(Stale, match=r"lacks the case twice\(5\) of task 05.2: python -m exercises"):
        read_expected(classroom.chapter, classroom.chapter.task("05.2"))


def test_the_example_is_in_it_as_a_visible_case(classroom):
    stored = expected.read_facts(classroom.chapter)
    assert list(stored["05.2"]) == ["twice(three)", "raised(twice)", "twice(np.arange(2))",
                                    "twice(2)"]  # fmt: skip
    assert list(read_expected(classroom.chapter, classroom.chapter.task("05.2"))) == [0, 1, 2, 3]


def test_another_cpus_last_digits_change_no_file(classroom):
    near = json.loads(json.dumps(expected.read_facts(classroom.chapter)))
    fact = near["05.1"]["jax.jvp(lambda x: x + x, (3.0,), (1.0,))[1]"]
    fact["values"], fact["repr"] = [2.0000002], "Array(2.0000002, dtype=float32)"
    assert same_facts(expected.read_facts(classroom.chapter), near)
    classroom.write("tasks/ch05_forward/expected.json", expected.facts_text(near))
    assert "Array(2.0000002" in generate.files(classroom.chapter)["README.md"]
    fact["values"] = [2.1]
    assert not same_facts(expected.read_facts(classroom.chapter), near)


def test_writing_twice_changes_nothing_and_a_students_copy_is_refused(classroom):
    assert [file.name for file in generate.generate(classroom.chapter)] == [
        "README.md", "exercise.py", "explore.ipynb"
    ]  # fmt: skip
    assert generate.generate(classroom.chapter) == []
    (classroom.root / "teacher").rename(classroom.root / "elsewhere")
    with pytest.raises(Stale, match="no teacher's part"):
        generate.generate(classroom.chapter)


# explore.ipynb, and the cells that run in a fresh process.


@pytest.mark.prove
def test_a_fresh_cell_runs_on_the_saved_file(classroom):
    folder = classroom.folder / "ch05_forward"
    classroom.hand_in("def twice(x):\n    print('hello')\n    return 3 * x\n")
    assert fresh.run("05.2", "y = twice(2)\ny + 1", folder) == "hello\n7\n"
    assert fresh.run("05.2", "twice(2);\nz = 1", folder) == "hello\n"
    classroom.hand_in("def twice(x):\n    return 2 * x + None\n")
    assert "(exercise.py, line 2)" in fresh.run("05.2", "twice(2)", folder)
    classroom.hand_in("def twice(x:\n")
    assert "exercise.py is no Python in line 1" in fresh.run("05.2", "twice(2)", folder)
    with pytest.raises(UnknownTask):
        fresh.run("05.9", "1", folder)


@pytest.mark.prove
def test_the_notebook_runs_in_the_readers_copy_and_stays_in_its_normal_form(tmp_path):
    for path in ROOT.iterdir():
        if path.name in ("exercises", "minijax", "notebooks"):
            (tmp_path / path.name).symlink_to(path)
    prepare(tmp_path)
    folder = tmp_path / "work" / "exercises" / CHAPTERS[0].folder.name
    notebook = nbformat.read(folder / "explore.ipynb", as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    said = ["".join(o.get("text", "") for o in cell.outputs)
            for cell in notebook.cells if cell.cell_type == "code"]  # fmt: skip
    assert said[0] == "" and len(said) == sum(not t.questions for t in CHAPTERS[0].tasks) + 1
    assert all("NotImplementedError" in text for text in said[1:])
