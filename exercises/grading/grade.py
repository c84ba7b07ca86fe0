"""Grading a class: what is new or has changed is judged, and every result is kept at once.

So a run that was interrupted goes on where it was, and a task that was changed is graded again for
all. What a teacher overrides is no part of the results: see overrides.py.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from exercises.grading import reports, sandbox, similarity
from exercises.grading.classroom import Secret, read_roster, read_secret
from exercises.grading.facts import Fact
from exercises.grading.judge import TASK, TaskResult, reference
from exercises.grading.overrides import read_overrides
from exercises.grading.records import (
    blank,
    keep,
    key,
    read_counting,
    read_record,
    record_file,
    write_counting,
    write_record,
)
from exercises.grading.scratch import sweep
from exercises.grading.submissions import Handed, Submission, read_class
from exercises.grading.tasks import EXERCISES, Chapter, Fault, UnknownTask, find_chapters
from exercises.grading.workers import FAILED, Worker

NOT_HANDED_IN = "nothing was handed in for this chapter"


class Work(NamedTuple):
    """A submission to judge: of a student, for a chapter, in these tasks."""

    student: str
    chapter: Chapter
    handed: Handed
    ids: list[str]


def plan(
    submissions: Sequence[Submission], chapters: Sequence[Chapter], out: Path, secret: Secret,
    regrade: Sequence[str],
) -> Iterator[Work]:  # fmt: skip
    """What is to be judged: tasks that are new, whose key has changed, or that are named."""
    for chapter in chapters:
        for each in submissions:
            handed = each.files.get(chapter.name)
            if not handed:
                continue
            known = read_record(record_file(out, each.student, chapter.name))["tasks"]
            ids = [
                task.id for task in chapter.tasks
                if task.id in regrade or known.get(task.id, {}).get("key")
                != key(task, chapter, handed, secret, each.student)
            ]  # fmt: skip
            if ids:
                yield Work(each.student, chapter, handed, ids)


def judge(
    work: Work, expected: dict[str, dict[int, Fact]], secret: Secret, isolated: bool,
    worker: Worker,
) -> list[TaskResult]:  # fmt: skip
    """The results of a submission. What can't be judged is without result, in each task."""
    said: Any = work.handed.fault
    if not said:
        given = {"chapter": work.chapter, "expected": expected, "seed": secret.hidden,
                 "isolated": isolated, "student": secret.student(work.student)}  # fmt: skip
        seconds = 2 * TASK.seconds * len(work.ids) + 60
        said = worker.ask(given, work.handed.text, work.ids, seconds)
    if isinstance(said, list):
        return [TaskResult.from_json(each) for each in said]
    return [blank(work.chapter.task(id), "no result", said) for id in work.ids]


def references(
    chapters: Sequence[Chapter], secret: Secret, jobs: int
) -> dict[str, dict[str, dict[int, Fact]] | str]:
    """By chapter, the facts of its cases, or a sentence on why there are none."""

    def facts(chapter: Chapter) -> dict[str, dict[int, Fact]] | str:
        try:
            asked = [task for task in chapter.tasks if not task.questions]
            return reference(chapter, asked, secret.hidden)
        except Exception as error:  # a teacher's slip in one chapter is not to stop the others
            return f"{chapter.name} can't be graded: {error}"

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip([c.name for c in chapters], pool.map(facts, chapters), strict=True))


def judge_all(
    works: Sequence[Work], out: Path, secret: Secret, jobs: int, isolated: bool
) -> list[str]:
    """Judges and keeps the results. Returns what could not be graded."""
    from tqdm import tqdm

    chapters = list({work.chapter.name: work.chapter for work in works}.values())
    expected = references(chapters, secret, jobs)
    faults = [said for said in expected.values() if isinstance(said, str)]
    own, workers, stopped = threading.local(), [], threading.Event()
    numbers = itertools.count()

    def one(work: Work) -> str:
        """Why it could not be judged, or nothing."""
        facts = expected[work.chapter.name]
        if isinstance(facts, str) or stopped.is_set():
            return ""
        if not hasattr(own, "worker"):
            own.worker = Worker(next(numbers))
            workers.append(own.worker)
        results = judge(work, facts, secret, isolated, own.worker)
        is_worker_there = own.worker.process or work.handed.fault
        if stopped.wait(0 if is_worker_there else 0.5):  # what ended it may end this run too
            return ""
        try:
            return keep(out, work.student, work.chapter, work.handed, secret, results)
        except OSError as error:
            return f"{FAILED}{error}"

    pool = ThreadPoolExecutor(jobs)
    try:
        done = pool.map(one, works)
        told = list(tqdm(done, total=len(works), desc="grading", unit="file", disable=None))
        for work, said in zip(works, told, strict=True):
            if said and (said := one(work)):  # alone, it may have the room that it needs
                faults.append(f"{work.student}, {work.chapter.name}: {said}")
    except BaseException:
        stopped.set()
        for worker in workers:
            worker.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()
        sweep()  # after those that were killed
    return faults


def note_the_class(
    submissions: Sequence[Submission], roster: Sequence[str], chapters: Sequence[Chapter],
    out: Path, deadline: datetime | None,
) -> None:  # fmt: skip
    """Keeps, of each student, what was late, what is missing and what is to be said."""
    known = {each.student: each for each in submissions}
    for name in [*known, *(name for name in roster if name not in known)]:
        each = known.get(name, Submission(name, remarks=["handed in nothing"]))
        if roster and name not in roster:
            each.remarks.append("is not in the roster")
        write_record(out / "results" / name / "remarks.json",
                     {"tasks": {}, "remarks": each.remarks})  # fmt: skip
        for chapter in chapters:
            file = record_file(out, name, chapter.name)
            record = read_record(file)
            if chapter.name not in each.files and "handed_in" not in record:
                results = [blank(t, "missing", NOT_HANDED_IN) for t in chapter.tasks]
                record["tasks"] = {r.id: {"key": "", "result": r.to_json()} for r in results}
            if deadline:
                record["deadline"] = deadline.timestamp()
            write_record(file, record)


def not_prevented(trusting: bool) -> tuple[str, ...]:
    """What a submission may do here, in sentences.

    Raises:
      Fault: nothing here would hold it.
    """
    if trusting:
        return ("The submissions run without isolation, as you said: they can do what you can.",)
    if os.getuid() == 0 and not sandbox.bubblewrap():
        raise Fault(
            "Root grades in bubblewrap only, for limits do not hold root's processes. Use another "
            "account, or install bubblewrap; --trusting grades without."
        )
    return sandbox.isolation().gaps


def same_secret(out: Path, secret: Secret) -> Path:
    """Where it is noted with which secret a report is graded: the students' questions hang on it.

    Raises:
      Fault: it was another one before.
    """
    file = out / ".secret"
    if file.exists() and file.read_text(encoding="utf-8") != secret.mark:
        given = "another --secret-file" if secret.text else "no --secret-file"
        raise Fault(
            f"{out} was graded with other questions than {given} gives. Name the secret file of "
            "before, or another --out."
        )
    return file


def nothing_named(submissions: Path, root: Path) -> Fault:
    """Says that nothing was named that counts, and what was handed in."""
    handed = Counter(name for each in read_class(submissions, find_chapters(root=root))
                     for name in each.files)  # fmt: skip
    told = ", ".join(f"{name} by {count}" for name, count in sorted(handed.items()))
    return Fault("--chapters names what counts, such as --chapters ch03 ch04. Handed in were: "
                 f"{told or 'none'}.")  # fmt: skip


def grade(options: argparse.Namespace) -> int:
    secret, roster = read_secret(options.secret_file), read_roster(options.roster)
    counting = read_counting(options.out, options.chapters, options.tasks)
    named = find_chapters(options.chapters, options.tasks) if options.chapters else counting
    wanted = [chapter for chapter in counting if chapter in named]
    ids = {task.id for chapter in wanted for task in chapter.tasks}
    for id in options.regrade:
        if id not in ids:
            raise UnknownTask(f"no task {id}; these are there: {', '.join(sorted(ids))}")
    try:
        submissions = read_class(options.submissions, wanted, [c.name for c in counting])
        if not counting:
            raise nothing_named(options.submissions, options.tasks)
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Fault(f"{error.filename}: {error.strerror}") from error
    noted = same_secret(options.out, secret)
    write_counting(options.out, counting)
    read_overrides(options.out, counting)  # a slip there is told now, not after the grading
    works = list(plan(submissions, wanted, options.out, secret, options.regrade))
    print(f"{len(submissions)} students handed in, {len(wanted)} chapters: "
          f"{len(works)} files to grade.")  # fmt: skip
    gaps = not_prevented(options.trusting)
    print(*gaps, sep="\n", end="\n" if gaps else "")
    noted.write_text(secret.mark, encoding="utf-8")  # from here on, it goes on
    faults = judge_all(works, options.out, secret, options.jobs, not options.trusting)
    note_the_class(submissions, roster, wanted, options.out, options.deadline)
    similarity.write(options.out, submissions, wanted)
    reports.write(options.out, counting, faults, gaps, options.book, options.hints)
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{options.out / 'overview.html'}, grades.csv, and students/NAME/feedback.html")
    return 1 if faults else 0


# The command.


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("submissions", type=Path, help="a folder or a zip in it for each student")
    add("--out", type=Path, required=True, metavar="REPORT", help="where results are kept")
    add("--chapters", nargs="*", default=[], help="ch05 ch06: these count; or those of before")
    add("--jobs", type=int, choices=range(1, 65), default=2, metavar="2",
        help="how many are judged at a time")  # fmt: skip
    add("--secret-file", type=Path, help="what the students' questions were drawn with")
    add("--roster", type=Path, help="a CSV whose first column names the students")
    add("--deadline", type=datetime.fromisoformat, help="2026-11-20T18:00; later files are noted")
    add("--regrade", action="append", default=[], metavar="TASK", help="05.2: once more, for all")
    add("--hints", type=int, choices=range(3), default=0, metavar="2",
        help="how many hints the feedback has on a task that was missed; or none")  # fmt: skip
    add("--book", default="", metavar="URL", help="the book's site, for links in the feedback")
    add("--trusting", action="store_true", help="run what was handed in without isolation")
    add("--tasks", type=Path, default=EXERCISES, help=argparse.SUPPRESS)


def command(options: argparse.Namespace) -> int:
    try:
        return grade(options)
    except (KeyboardInterrupt, SystemExit) as stop:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        return stop.code if isinstance(stop, SystemExit) else 130
    except OSError as error:
        raise Fault(f"{error}. The same command goes on from here.") from error
