"""`python -m exercises check ch05`: what is right of a chapter, and why not, on visible inputs.

Nothing hidden is run: a copy without the teacher's part says the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from exercises.grading import draws
from exercises.grading.expected import read_expected
from exercises.grading.feedback import last_line, passed, report
from exercises.grading.home import (
    digest,
    exercise,
    read_exercise,
    read_record,
    seed,
    shown,
    students_folder,
    write_record,
)
from exercises.grading.judge import SEED, Judge, TaskResult, broken
from exercises.grading.questions import form
from exercises.grading.tasks import Chapter, Task, find_chapters


def check(chapter: Chapter, tasks: Sequence[Task], text: str, own: str) -> Iterator[TaskResult]:
    """The results of a student's text on what may be seen, one after the other.

    Answers to questions of a seed of one's `own` are looked at by their form alone.
    """
    expected = {t.id: read_expected(chapter, t) for t in tasks if not t.questions}
    judge = Judge(chapter, expected, SEED, isolated=False, hidden=False, student=own)
    for task in tasks:
        if task.questions and own != draws.PRACTICE:
            yield form(chapter, task, text, own)
        else:
            yield from judge.judge(text, [task.id])


def check_chapter(chapter: Chapter, folder: Path, ids: Sequence[str], hints: int) -> bool:
    """Prints what there is to say of a chapter, and writes it down; whether all passed."""
    file = exercise(chapter, folder)
    text = read_exercise(file)
    tasks = [chapter.task(id) for id in ids] or list(chapter.tasks)
    print(f"{chapter.name}: {shown(file)}\n")
    results = []
    for task, result in zip(tasks, check(chapter, tasks, text, seed(folder)), strict=True):
        print(report(task, result, text, hints), flush=True)
        results.append(result)
    write_down(folder, chapter, file, results)
    if slip := broken(text):
        print(f"\n{slip}. What can be read was checked.")
    print(f"\n{last_line(results)}")
    return all(map(passed, results))


def write_down(folder: Path, chapter: Chapter, file: Path, results: Sequence[TaskResult]) -> None:
    """Keeps what `progress` shows."""
    record = read_record(folder)
    tasks = record.setdefault(chapter.folder.name, {})
    for result in results:
        tasks[result.id] = {"passed": passed(result), "points": result.points, "file": digest(file)}
    write_record(folder, record)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", help="ch05, or nothing for all")
    parser.add_argument("--task", action="append", default=[], help="05.2: this one alone")
    parser.add_argument("--hint", nargs="?", type=int, const=1, default=0, metavar="2",
                        help="a hint for each task that misses; with 2 a stronger one")  # fmt: skip
    parser.add_argument("--folder", type=Path, help="where the chapters' folders are")


def command(options: argparse.Namespace) -> int:
    folder = options.folder or students_folder()
    named = options.chapters or [id.rpartition(".")[0] for id in options.task]
    chapters = find_chapters(list(dict.fromkeys(named)))
    done = []
    for chapter, ids in chosen(chapters, options.task):
        print("\n" * bool(done), end="")
        done.append(check_chapter(chapter, folder, ids, options.hint))
    return 0 if all(done) else 1


def chosen(chapters: list[Chapter], ids: list[str]) -> list[tuple[Chapter, list[str]]]:
    """Each chapter with those of its tasks that are asked for; none stands for all.

    Raises:
      UnknownTask: no chapter has a task of this id.
    """
    pairs = [(chapter, [t.id for t in chapter.tasks if t.id in ids]) for chapter in chapters]
    for id in set(ids) - {id for _, own in pairs for id in own}:
        chapters[0].task(id)
    return [pair for pair in pairs if pair[1] or not ids]
