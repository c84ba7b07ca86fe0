"""expected.json: what the visible cases of a chapter come to.

With it a copy without the teacher's part checks as the teacher's does.
"""

from __future__ import annotations

import dataclasses
import json

from exercises.grading.facts import Fact, difference
from exercises.grading.judge import SEED, reference
from exercises.grading.tasks import Chapter, Fault, Task

EXPECTED = "expected.json"

Facts = dict[str, dict[str, Fact]]  # by task, what each visible case comes to


class Stale(Fault):
    """A generated file that does not belong to the tasks as they are now."""


def ask_reference(chapter: Chapter) -> Facts:
    """What the cases that everybody sees come to on the reference."""
    tasks = tuple(
        dataclasses.replace(task, hidden=()) for task in chapter.tasks if not task.questions
    )
    found = reference(chapter._replace(tasks=tasks), tasks, SEED)
    return {
        task.id: dict(zip(task.visible, (found[task.id][k] for k in sorted(found[task.id])),
                          strict=True))
        for task in tasks
    }  # fmt: skip


def read_facts(chapter: Chapter) -> Facts:
    """expected.json, or nothing where there is none."""
    file = chapter.folder / EXPECTED
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def read_expected(chapter: Chapter, task: Task) -> dict[int, Fact]:
    """What a task's visible cases come to, by their numbers.

    Raises:
      Stale: expected.json lacks one of them.
    """
    facts = read_facts(chapter).get(task.id, {})
    for case in task.visible:
        if case not in facts:
            raise Stale(f"{EXPECTED} of {chapter.name} lacks the case {case} of task {task.id}: "
                        f"python -m exercises generate {chapter.name}")  # fmt: skip
    return {k: facts[case] for k, case in enumerate(task.visible)}


def same_facts(new: Facts, old: Facts) -> bool:
    """Whether they differ in nothing but what another CPU may change."""
    if {id: list(new[id]) for id in new} != {id: list(old[id]) for id in old}:
        return False
    return not any(difference(new[id][case], old[id][case]) for id in new for case in new[id])


def facts_text(facts: Facts) -> str:
    """As JSON, with a line for each case."""
    tasks = [
        f"{json.dumps(id)}: {{\n" + ",\n".join(
            f"  {json.dumps(case)}:\n    {json.dumps(fact)}" for case, fact in cases.items()
        ) + "\n }"
        for id, cases in facts.items()
    ]  # fmt: skip
    return "{\n " + ",\n ".join(tasks) + "\n}\n"
