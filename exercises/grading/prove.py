"""Proof of a chapter's tasks: the solution has all points, a stub none, a wrong one not all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from exercises.grading.facts import Fact, shortly
from exercises.grading.judge import Judge, TaskResult, broken, reference
from exercises.grading.overlay import copy_package
from exercises.grading.scratch import scratch_folder
from exercises.grading.stubs import stubs
from exercises.grading.tasks import Chapter, Fault, Task, find_chapters, teachers

STUB = "the stub"
SLIPS = {"NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "SyntaxError",
         "IndentationError", "TabError"}  # fmt: skip


class Trial(NamedTuple):
    """A text that was graded. `is_right`: whether it was to have all points. `slip`: an exception
    that it dies of and that says nothing of the task."""

    name: str
    is_right: bool
    result: TaskResult
    slip: str = ""

    @property
    def fault(self) -> str:
        """What the grader got wrong, or nothing."""
        result = self.result
        if self.is_right:
            return "" if result.status == "right" else "the solution is not right"
        if self.name == STUB and any(holds for _, holds in result.properties):
            return "a stub has something right"
        if result.status == "right":
            return "it is taken for right"
        if self.name != STUB and (self.slip or result.status in ("missing", "unwritten")):
            return f"it does not get as far as being wrong: {self.slip or result.note}"
        helpful = result.note or result.misses or [n for n, holds in result.properties if not holds]
        return "" if helpful else "nothing says why it is wrong"


def wrong_solutions(chapter: Chapter) -> list[Path]:
    """Files `05.2-what-is-wrong.py`, of the teacher's."""
    return sorted((teachers(chapter.folder) / "wrong").glob("*.py"))


def prove(chapter: Chapter, isolated: bool = False) -> Iterator[Trial]:
    """Grades the solution, the stubs and each wrong solution. Questions have no wrong ones."""
    tasks = [task for task in chapter.tasks if not task.questions]
    expected = reference(chapter, tasks, seed=1)
    for id, facts in expected.items():
        for k, fact in facts.items():
            if "raises" in fact:
                raise Fault(f"task {id}, case {k}: the reference raises {fact['message']}; "
                                 "where that is meant, write raised(f, ...)")  # fmt: skip
    with scratch_folder("original") as folder:
        copy_package(folder)
        judge = Judge(chapter, expected, 1, isolated, original=folder, trusted=True)
        yield from trials(judge, chapter, tasks)


def trials(judge: Judge, chapter: Chapter, tasks: Sequence[Task]) -> Iterator[Trial]:
    ids = [task.id for task in tasks]
    solution = (teachers(chapter.folder) / "solution.py").read_text(encoding="utf-8")
    extend = [task.id for task in tasks if task.kind == "extend"]
    for result in judge.judge(solution, extend) if extend else []:
        yield Trial("the solution", True, result)
    for result in judge.judge(stubs(chapter), ids):
        yield Trial(STUB, False, result)
    for file in wrong_solutions(chapter):
        text = file.read_text(encoding="utf-8")
        for result in judge.judge(text, [file.name.split("-")[0]]):
            told = judge.told.get(result.id)
            facts = [told.failed or {}, *told.facts.values()] if told else []
            slip = next(filter(None, map(slip_of, facts)), broken(text))
            yield Trial(file.name, False, result, slip)


def slip_of(fact: Fact) -> str:
    """An exception that only says that a name is not there, or that this is no Python."""
    said = str(fact.get("message", ""))
    is_slip = SLIPS & {*fact.get("raises", ())} or said.startswith("AttributeError: module '")
    return said if is_slip else ""


def guessable(task: Task, facts: dict[int, Fact]) -> Iterator[str]:
    """The hidden properties that a forged result could have without a computation."""
    count = len(task.visible)
    for each in task.hidden:
        if all(is_guessed(facts[k]) for k in range(count, count + len(each.cases))):
            yield each.name
        count += len(each.cases)


def is_guessed(fact: Fact) -> bool:
    if "items" in fact:
        items = fact["items"]
        return all(map(is_guessed, items.values() if isinstance(items, dict) else items))
    return fact.get("kind") in ("bool", "NoneType") or fact.get("dtype") == "bool"


def told(trial: Trial) -> str:
    """A trial for people: its points, and the line that a student would see."""
    result = trial.result
    lines = [f"{result.id} {trial.name}: {result.points:g} of {result.most:g}, {result.status}"]
    lines += [f"    {line.case}\n      expected {line.expected}\n      came     {line.came}"
              for line in result.misses[:1]]  # fmt: skip
    lines += [f"    not so: {name}" for name, holds in result.properties[1:] if not holds]
    lines += [f"    {result.note}"] * bool(result.note)
    return "\n".join([*lines, *([f"    FAULT: {trial.fault}"] if trial.fault else [])])


def show(chapter: Chapter) -> bool:
    """Prints all that is to know of a chapter's tasks; whether they hold."""
    for id, facts in reference(chapter, [t for t in chapter.tasks if not t.questions], 1).items():
        task = chapter.task(id)
        cases = [*task.visible, *(case for each in task.hidden for case in each.cases)]
        for case, fact in zip(cases, facts.values(), strict=True):
            print(f"{id}  {case}\n        {shortly(fact)}")
        for name in guessable(task, facts) if task.points else ():
            print(f"{id}  could be guessed, for all it comes to is a truth value: {name}")
    trials = list(prove(chapter))
    print(*map(told, trials), sep="\n")
    faults = sum(bool(trial.fault) for trial in trials)
    print(f"{chapter.name}: " + (f"{faults} marked FAULT" if faults else "proved"))
    return not faults


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", help="ch05, or nothing for all")


def command(options: argparse.Namespace) -> int:
    return 0 if all([show(chapter) for chapter in find_chapters(options.chapters)]) else 1
