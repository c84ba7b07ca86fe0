"""Judging: the same cases on a student's overlay and on the reference, and the two compared here.

Of what a student's code does, only data comes back; that it equals the reference's is decided in
this process, in which no student's code runs.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from exercises.grading import draws, sandbox, source
from exercises.grading.confine import Limits
from exercises.grading.facts import Fact, difference, shortly
from exercises.grading.interview import STARTING, Asked, Interview, Job
from exercises.grading.overlay import GRADING, Overlay, copy_package, put_in_place
from exercises.grading.sandbox import Outcome
from exercises.grading.scratch import scratch_folder
from exercises.grading.splice import Missing, bound, told_as_no_python
from exercises.grading.tasks import EXERCISES, Chapter, Fault, Property, Task, teachers

# Of each task; for what is the grader's own, seconds come on top. A processor that others use too
# takes nothing of what counts first, the processor's time.
TASK = Limits(seconds=60, cpu_seconds=20, memory=2 << 30, output=4 << 20, processes=32,
              file_size=16 << 20)  # fmt: skip
SEED = 0  # of the visible cases' draws
VISIBLE = "is right on the visible cases"
LONGEST = 600  # characters of a value or an exception in feedback
READ = 100_000  # characters of a submission
UNWRITTEN = "NotImplementedError: "  # a stub's


class Line(NamedTuple):
    """A visible case that missed, for people."""

    case: str
    expected: str
    came: str


@dataclass
class TaskResult:
    """What a task came to. `properties` says of each whether it holds; visible cases are one."""

    id: str
    title: str
    kind: str
    most: float
    points: float = 0.0
    status: str = "wrong"  # right, partly, wrong, unwritten, missing, no result
    misses: list[Line] = field(default_factory=list)
    properties: list[tuple[str, bool]] = field(default_factory=list)
    note: str = ""  # what stopped it, with the student's line
    misconception: str = ""  # for the teacher
    warned: list[str] = field(default_factory=list)  # by the visible cases; it costs nothing
    printed: str = ""  # the last of what it wrote while it ran
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> TaskResult:
        misses = [Line(*line) for line in given["misses"]]
        properties = [(name, bool(holds)) for name, holds in given["properties"]]
        return cls(**{**given, "misses": misses, "properties": properties})


# Jobs: what a child is asked.


def properties(task: Task) -> list[Property]:
    """What is to hold: the visible cases first."""
    return [Property(VISIBLE, task.visible, task.setup), *task.hidden]


def job(task: Task, overlay: Overlay, asked: Sequence[Property], seed: int) -> Job:
    """What the process of a task is told: the first property is the visible one."""
    home = task.module.removesuffix(".py").replace("/", ".") or ("answer" if task.defines else "")
    order = {"root": str(overlay.root), "file": str(overlay.file), "home": home,
             "backend": task.backend}  # fmt: skip
    cases = []
    for k, each in enumerate(asked):
        setup = task.setup if k == 0 else "\n".join([task.setup, each.setup])
        own = SEED if k == 0 else seed_of(f"{seed}:{task.id}:{k}")
        cases.append([{"group": k, "setup": setup, "seed": own, "case": case}
                      for case in each.cases])  # fmt: skip
    return Job(task.id, order, cases[0], sum(cases[1:], []))


def seed_of(text: str) -> int:
    """A property's seed, which says nothing of another's."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Answers:
    """What was told of a task: the facts of its cases, numbered through all properties, and how
    that ended.

    `is_told`: whether its own process ended, and not only the child as a whole.
    """

    def __init__(self, asked: Asked, outcome: Outcome) -> None:
        visible, hidden = asked.visible, asked.hidden
        facts = visible.answers[1:] + [None] * visible.left + hidden.answers[1:]
        self.facts: dict[int, Fact] = {k: fact for k, fact in enumerate(facts) if fact is not None}
        self.failed = visible.failed  # what prevented all
        self.outcome, self.is_told, self.is_whole = outcome, bool(asked.ended), asked.is_whole
        self.status = "done" if self.is_whole else asked.ended or outcome.status
        self.seconds = round(asked.seconds, 3)


def ask(jobs: Sequence[Job], limits: Limits, isolated: bool) -> dict[str, Answers]:
    """Runs jobs in one child; by task, what it told. `limits` are those of each task."""
    interview = Interview(jobs, limits)
    argv = [sys.executable, "-P", "-s", "-B", str(GRADING / "child.py"), interview.argument()]
    read = ("__init__.py", "grading/__init__.py", "grading/child.py", "grading/facts.py")
    readonly = [EXERCISES / name for name in read]
    readonly += [Path(each.order["root"]) for each in jobs]
    whole = limits._replace(
        seconds=limits.seconds * len(jobs) + STARTING,
        cpu_seconds=limits.cpu_seconds * len(jobs) + STARTING,
        processes=limits.processes + 2 * len(jobs),
    )
    with scratch_folder("scratch") as scratch:
        outcome = sandbox.run(argv, b"", scratch, readonly, whole, isolated, interview)
    return {asked.task: Answers(asked, outcome) for asked in interview.asked}


# The reference.


def reference(
    chapter: Chapter, tasks: Sequence[Task], seed: int, isolated: bool = False
) -> dict[str, dict[int, Fact]]:
    """What each case comes to on the package, with the teacher's solutions put in place.

    Raises:
      Fault: a task has no solution, or a case no result.
    """
    solution = teachers(chapter.folder) / "solution.py"
    text = solution.read_text(encoding="utf-8") if solution.exists() else ""
    found = {}
    with scratch_folder("reference") as folder:
        jobs, original = [], folder / "original"
        copy_package(original)
        for task in tasks:
            if task.kind == "extend":
                copy_package(folder / task.id, original)
                try:
                    overlay = put_in_place(folder / task.id, chapter, task, text)
                except (Missing, SyntaxError) as error:
                    said = str(error).replace("exercise.py", "it")
                    raise Fault(f"task {task.id} has no solution in {solution}: {said}") from error
            else:
                overlay = Overlay(original, original / "none.py", [])
            jobs.append(job(task, overlay, properties(task), seed))
        for id, answers in ask(jobs, TASK, isolated).items():
            if answers.failed or not answers.is_whole:
                raise Fault(f"the reference has no result for task {id}: "
                            f"{answers.failed or why(answers.status)}")  # fmt: skip
            found[id] = answers.facts
    return found


# A submission.


class Judge:
    """Judges pieces of one chapter. `expected`: by task, the facts of its cases.

    `asked` cuts the properties down to those that are wanted: a student has the visible one.
    `original`: a folder with a copy of the package; each task has links to it, if nobody can write
    there, or if the pieces are `trusted`.
    """

    def __init__(
        self, chapter: Chapter, expected: dict[str, dict[int, Fact]], seed: int = 0,
        isolated: bool = True, hidden: bool = True, student: str = draws.PRACTICE,
        limits: Limits = TASK, original: Path | None = None, trusted: bool = False,
    ) -> None:  # fmt: skip
        self.chapter, self.expected, self.seed, self.limits = chapter, expected, seed, limits
        self.original, self.trusted = original, trusted
        self.isolated, self.hidden, self.student = isolated, hidden, student
        self.told: dict[str, Answers] = {}  # of the last submission, by task

    def asked(self, task: Task) -> list[Property]:
        return properties(task) if self.hidden else properties(task)[:1]

    def judge(self, text: str, ids: Sequence[str] = ()) -> list[TaskResult]:
        """The results of a submission, the text of its exercise.py; of all tasks, or of these."""
        tasks = [task for task in self.chapter.tasks if not ids or task.id in ids]
        results, self.told = {task.id: self.blank(task) for task in tasks}, {}
        if fault := unreadable(text):
            for result in results.values():
                result.status, result.note = "no result", fault
            return list(results.values())
        with scratch_folder("submission") as folder:
            overlays = self.overlays(folder, text, tasks, results)
            jobs = {
                task.id: job(task, overlays[task.id], self.asked(task), self.seed)
                for task in tasks if task.id in overlays
            }  # fmt: skip
            self.told = self.ask_all(list(jobs.values()))
            for id, answers in self.told.items():
                compare(results[id], self.chapter.task(id), self.asked(self.chapter.task(id)),
                        answers, self.expected[id], overlays[id])  # fmt: skip
                if not self.hidden:  # else it may have printed what is hidden
                    results[id].printed = answers.outcome.error
        for task in tasks:
            if task.questions:
                self.compare_answers(results[task.id], task, text)
        if slip := broken(text):
            for result in results.values():
                if result.status != "right" and slip not in result.note:
                    result.note = "; ".join(filter(None, [result.note, slip]))
        return [results[task.id] for task in tasks]

    def blank(self, task: Task) -> TaskResult:
        return TaskResult(task.id, task.title, task.kind, task.points,
                          misconception=task.misconception)  # fmt: skip

    def overlays(
        self, folder: Path, text: str, tasks: Sequence[Task], results: dict[str, TaskResult]
    ) -> dict[str, Overlay]:
        made = {}
        read_only = self.isolated and sandbox.bubblewrap()  # else who writes into a link, writes
        original = self.original if read_only or self.trusted else None  # for all
        for task in tasks:
            if task.questions:
                continue
            root = folder / task.id
            copy_package(root, original)
            try:
                made[task.id] = put_in_place(root, self.chapter, task, text)
            except Missing as missing:
                results[task.id].status, results[task.id].note = "missing", str(missing)
            except (SyntaxError, ValueError) as error:
                results[task.id].status, results[task.id].note = "no result", no_python(error)
        return made

    def ask_all(self, jobs: Sequence[Job]) -> dict[str, Answers]:
        """One child for all; where one brings it down, a child for each that has no result.

        The first whose process was ended, with nothing before it to blame, needs no second try.
        """
        if not jobs:
            return {}
        told = ask(jobs, self.limits, self.isolated)
        clean = True
        for each in jobs if len(jobs) > 1 else ():
            id = each.task
            if told[id].is_whole:
                continue
            if not (clean and told[id].is_told):
                told |= ask([each], self.limits, self.isolated)
            clean = False
        return told

    def compare_answers(self, result: TaskResult, task: Task, text: str) -> None:
        """Answers to drawn questions: literals, which nobody has to run."""
        began = time.monotonic()
        try:
            given = literal_answers(text, task.answers)
        except Missing as missing:
            result.status, result.note = "missing", str(missing)
            return
        except (SyntaxError, ValueError) as error:
            result.status, result.note = "no result", no_python(error)
            return
        if all(answer is None for answer in given):
            result.status, result.note = "unwritten", "question 1 has no answer yet"
            return
        questions = draws.draw(self.chapter, task, self.student)
        wanted = draws.right_answers(self.chapter, task, self.student)
        given += [None] * (len(wanted) - len(given))
        for question, answer, want in zip(questions, given, wanted, strict=False):
            holds = draws.is_answer(answer, want)
            result.properties.append((question.text, holds))
        settle(result)
        result.seconds = time.monotonic() - began


def unreadable(text: str) -> str:
    """Why nobody takes a student's file apart, or nothing. No code of it is run."""
    if len(text) > READ:
        return f"exercise.py is longer than {READ:,} characters"
    try:
        source.parse(text)
    except (RecursionError, MemoryError):
        return "exercise.py has brackets or operators nested too deeply to be read"
    return ""


def broken(text: str) -> str:
    """What of a student's file is no Python, or nothing."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        return no_python(error)
    except (RecursionError, MemoryError):  # `unreadable` tells it
        return ""
    return ""


def no_python(error: SyntaxError | ValueError) -> str:
    """Why a student's file cannot be read."""
    if isinstance(error, SyntaxError):
        return f"exercise.py is no Python in line {error.lineno}: {error.msg}"
    return f"exercise.py is no Python: {error}"


def literal_answers(text: str, name: str) -> list[Any]:
    """The list of this name in a student's file.

    Raises:
      Missing: there is none, or it is computed.
      SyntaxError: it may stand in what of the file is no Python.
    """
    for statement in reversed(source.parse(text).body):
        if name in bound(statement):
            try:
                return list(ast.literal_eval(assigned(statement, name)))
            except (ValueError, TypeError) as error:
                raise Missing(f"{name} in line {statement.lineno} is to be a list of plain "
                              "values, nothing computed") from error  # fmt: skip
    with told_as_no_python(text):
        raise Missing(f"exercise.py does not define {name}")


def assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement gives to a name alone, annotated or not; a loop, for one, gives none."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return None
    targets = getattr(statement, "targets", None) or [statement.target]
    is_given = any(isinstance(t, ast.Name) and t.id == name for t in targets)
    return statement.value if is_given else None


def compare(
    result: TaskResult, task: Task, asked: Sequence[Property], answers: Answers,
    expected: dict[int, Fact], overlay: Overlay,
) -> None:  # fmt: skip
    """Fills in a result: what holds, what missed, and what stopped it."""
    result.seconds = answers.seconds
    if answers.failed or not answers.facts:
        result.status, failed = "no result", answers.failed
        result.note = told_miss(failed, {}, overlay) if failed else why(answers.status)
        find_stub(result, [result.note])
        return
    count = 0
    for each in asked:
        holds = True
        for k, case in enumerate(each.cases, count):
            came = answers.facts.get(k)
            if came and each.name == VISIBLE:
                result.warned += told_warnings(came, overlay)
            if came is None or differs(came, expected[k]):
                holds = False
                if each.name == VISIBLE:
                    text = told_miss(came, expected[k], overlay) if came else why(answers.status)
                    result.misses.append(Line(case, shortly(expected[k]), text))
        count += len(each.cases)
        result.properties.append((each.name, holds))
    result.warned = list(dict.fromkeys(result.warned))
    if answers.status != "done":
        result.note = why(answers.status)
    settle(result)
    if result.status == "wrong":
        find_stub(result, [line.came for line in result.misses])


def settle(result: TaskResult) -> None:
    """Points for the share of properties that hold, in halves, rounded down."""
    share = sum(holds for _, holds in result.properties) / len(result.properties)
    result.points = int(2 * result.most * share) / 2
    result.status = "right" if share == 1 else "partly" if share else "wrong"


def find_stub(result: TaskResult, told: Sequence[str]) -> None:
    """Where nothing holds for a stub is still there, that is all there is to say."""
    for came in told:
        if came.startswith(UNWRITTEN + result.id):
            result.status = "unwritten"
            result.note = f"not written yet: {came.removeprefix(UNWRITTEN)}"
            result.misses = []
            return


def differs(came: Fact, expected: Fact) -> bool:
    try:
        return bool(difference(without_warnings(came), without_warnings(expected)))
    except Exception:  # facts that no child of ours writes
        return True


def without_warnings(fact: Fact) -> Fact:
    """What is compared. A task that asks for silence, or for a warning, has a case that catches
    warnings, so that they are its value."""
    return {key: part for key, part in fact.items() if key not in ("warns", "warned")}


def told_warnings(fact: Fact, overlay: Overlay) -> list[str]:
    """What a case warned of, with the student's lines."""
    try:
        told = [(cut(" ".join(text.split())), overlay.students_line(line))
                for text, line in fact.get("warned", ())[:5]]  # fmt: skip
    except Exception:  # a fact that no child of ours writes
        return []
    return [text + f" (exercise.py, line {line})" * bool(line) for text, line in told]


def told_miss(came: Fact, expected: Fact, overlay: Overlay) -> str:
    """What came; where it prints as what was expected, how it differs too."""
    try:
        if "raises" in came:
            return told_error(came, overlay)
        text = cut(shortly(came))
        if text != shortly(expected):
            return text
        return f"{text} ({difference(without_warnings(came), without_warnings(expected))})"
    except Exception:  # a fact that no child of ours writes
        return "what is no value"


def told_error(fact: Fact, overlay: Overlay) -> str:
    """An exception on one line, with the student's line that it came from.

    Where our own errors say that they are, is in the overlay: that is left out.
    """
    numbers = [k for k in fact.get("lines", ()) if isinstance(k, int)]
    lines = filter(None, map(overlay.students_line, numbers))
    place = next((f" (exercise.py, line {k})" for k in reversed(list(lines))), "")
    message = str(fact.get("message") or fact["raises"][0]).split("\n  here: ")[0]
    return f"{cut(' '.join(message.split()))}{place}"


def cut(text: Any) -> str:
    """A text of a student's making, as long as anybody reads, and nothing but text."""
    whole = "".join(c if c.isprintable() or c == "\n" else "?" for c in str(text))
    return whole if len(whole) <= LONGEST else f"{whole[:LONGEST]} ..."


def why(status: str) -> str:
    """What ended a process, in words."""
    return {
        "timeout": "it did not come to an end in time",
        "memory": "it took more memory than there is for it",
        "output": "it wrote more than anybody would read",
        "processes": "it started more processes than there may be",
        "cores": "it took more than the one processor that is its own",
        "crash": "the process ended before it had a result",
    }.get(status, "it ended without a result")
