"""The tasks as they stand have what their readers need; and what a proof of one says."""

import json

import pytest

from exercises.grading.judge import TaskResult
from exercises.grading.prove import Trial, prove, show, wrong_solutions
from exercises.grading.tasks import EXERCISES, find_chapters

CHAPTERS = {chapter.name: chapter for chapter in find_chapters()}
TASKS = {task.id: (chapter, task) for chapter in CHAPTERS.values() for task in chapter.tasks}
RIGHT = TaskResult("05.2", "Twice", "extend", 4.0, 4.0, "right")


@pytest.mark.parametrize(
    "trials, said", [([], "proved"), ([Trial("the stub", False, RIGHT)], "1 marked FAULT")]
)
def test_a_proof_ends_in_a_verdict(trials, said, monkeypatch, capsys):
    monkeypatch.setattr("exercises.grading.prove.reference", lambda *_: {})
    monkeypatch.setattr("exercises.grading.prove.prove", lambda _: trials)
    assert show(CHAPTERS["ch05"]) is (not trials)
    assert capsys.readouterr().out.splitlines()[-1] == f"ch05: {said}"


SLIPS = [
    ("def twice(x):\n    return numpi.add(x, x)\n", "NameError: name 'numpi' is not defined"),
    ("def twice(x):\n    return x + x if x == 3 else y\n", "NameError: name 'y'"),
    ("def twice(x):\n    return np.ad(x, x)\n", "AttributeError: module 'numpy'"),
    ("def twice(x):\n    return 3\n\ndef (", "no Python in line 5"),
    ("def thrice(x):\n    return 3\n", "does not define twice"),
    ("import numpi\n\ndef twice(x):\n    return numpi.add(x, x)\n", "No module named 'numpi'"),
    ("def twice(x):\n    import numpi\n", "ModuleNotFoundError: No module named 'numpi'"),
    ("def twice(x):\n    return 3 * x\n", ""),
]


@pytest.mark.prove
def test_a_wrong_solution_that_dies_of_a_slip_proves_nothing(classroom):
    for k, (text, _) in enumerate(SLIPS):
        file = f"tasks/teacher/ch05_forward/wrong/05.2-{k}.py"
        classroom.write(file, f"import numpy as np\n{text}")
    faults = {trial.name: trial.fault for trial in prove(classroom.chapter) if trial.fault}
    for k, (_, said) in enumerate(SLIPS):
        assert said in faults.pop(f"05.2-{k}.py") if said else f"05.2-{k}.py" not in faults
    assert not faults


@pytest.mark.parametrize("id", TASKS)
def test_a_task_is_whole(id):
    chapter, task = TASKS[id]
    notebook = json.loads((EXERCISES.parent / "notebooks" / chapter.notebook).read_text("utf-8"))
    text = "".join("".join(c["source"]) + "\n" for c in notebook["cells"])
    assert any(line.lstrip("# ") == task.place for line in text.split("\n") if line[:1] == "#")
    assert len(task.hints) == 2 and task.minutes and task.misconception and task.goal.strip()
    assert bool(task.points) == (task.kind != "rebuild")
    assert task.questions or (task.example and task.visible and task.hidden)


@pytest.mark.parametrize("id", [id for id, (_, task) in TASKS.items() if task.kind == "extend"])
def test_a_marked_task_has_three_wrong_solutions(id):
    wrong = [path for path in wrong_solutions(TASKS[id][0]) if path.name.startswith(f"{id}-")]
    assert len(wrong) >= 3


def test_a_chapter_has_tasks_of_each_kind_and_a_teacher_may_add_some():
    names = [f"ch{number:02}" for number in range(1, 26)]
    kinds = {name: {task.kind for task in CHAPTERS[name].tasks} for name in names}
    assert kinds == dict.fromkeys(names, {"explain", "extend", "rebuild"})
    assert all(len(CHAPTERS[name].tasks) >= 2 for name in ("ch26", "ch27"))
    assert [name for name in CHAPTERS if name[:1] == "p"] == ["p1", "p2", "p3", "p4", "p5", "p6"]
