"""Records: what each student's file for a chapter came to, kept as it was judged.

`REPORT/results/STUDENT/chNN.json` has a key for each task, made of all that its result depends on:
the submission, the task, the teacher's solution, the seeds. Where the key is the same, the result
stands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grading.classroom import Secret
from exercises.grading.judge import TaskResult
from exercises.grading.submissions import Handed
from exercises.grading.tasks import Chapter, Fault, Task, find_chapters, teachers
from exercises.grading.workers import FAILED

COUNTING = "chapters.txt"
HEAD = "# What counts. `grade --chapters` adds to it; take out what is not to count any more.\n"


def read_counting(out: Path, named: Sequence[str], root: Path) -> list[Chapter]:
    """The chapters that count in a report: those that were named, now or in an earlier run. What is
    handed in never decides that.

    Raises:
      Fault: one of them is unknown, or the file can't be read.
    """
    file = out / COUNTING
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise Fault(f"{file} can't be read: {error}") from error
    before = [line.strip() for line in lines if line.strip() and line[0] != "#"]
    counting = {c.name for c in find_chapters([*before, *named], root)} if before or named else ()
    return [chapter for chapter in find_chapters(root=root) if chapter.name in counting]


def write_counting(out: Path, chapters: Sequence[Chapter]) -> None:
    text = HEAD + "".join(f"{chapter.name}\n" for chapter in chapters)
    put(out / COUNTING, text)


def record_file(out: Path, student: str, chapter: str) -> Path:
    return out / "results" / student / f"{chapter}.json"


def read_record(file: Path) -> dict[str, Any]:
    """A student's record of a chapter; where there is none, or a broken one, an empty one."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        return record if isinstance(record.get("tasks"), dict) else {"tasks": {}}
    except (OSError, ValueError, AttributeError):
        return {"tasks": {}}


def write_record(file: Path, record: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    put(file, json.dumps(record, indent=1))


def put(file: Path, text: str) -> None:
    """Writes a file in one step, so that no half of it is ever read; what is no character, in
    something that a student wrote, as its number."""
    written = file.with_name(f"{file.name}.new")
    written.write_text(text, encoding="utf-8", errors="backslashreplace")
    written.replace(file)


def key(task: Task, chapter: Chapter, handed: Handed, secret: Secret, student: str) -> str:
    """What a result depends on, as a digest."""
    file = chapter.folder / "questions.py" if task.questions \
        else teachers(chapter.folder) / "solution.py"  # fmt: skip
    source = file.read_text(encoding="utf-8") if file.exists() else ""
    seed = secret.student(student) if task.questions else str(secret.hidden)
    parts = [repr(task), chapter.imports, source, seed, handed.text, handed.fault]
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def blank(task: Task, status: str, note: str) -> TaskResult:
    return TaskResult(task.id, task.title, task.kind, task.points, status=status, note=note,
                      misconception=task.misconception)  # fmt: skip


def keep(
    out: Path, student: str, chapter: Chapter, handed: Handed, secret: Secret,
    results: Sequence[TaskResult],
) -> str:  # fmt: skip
    """Adds results to a student's record. Where the grader itself failed there are none to add, so
    that nobody has a zero for it: returns its note, or nothing."""
    if failed := next((r.note for r in results if r.note.startswith(FAILED)), ""):
        return failed
    file = record_file(out, student, chapter.name)
    record = read_record(file)
    tasks = record["tasks"]
    for result in results:
        task = chapter.task(result.id)
        made = key(task, chapter, handed, secret, student)
        tasks[result.id] = {"key": made, "result": result.to_json()}
    order = [task.id for task in chapter.tasks]
    kept = {id: tasks[id] for id in order if id in tasks}
    write_record(file, {**record, "tasks": kept, "handed_in": handed.modified})
    return ""
