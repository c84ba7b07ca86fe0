"""Tasks: what a student is asked, and what says whether it was done.

`chNN_topic/tasks.toml` has what everybody may read, `teacher/chNN_topic/hidden.toml` what only the
teacher knows. A *case* is an expression's text, run after the statements of `setup`. Visible cases
are shown with what they come to; the example is one of them. Hidden ones prove properties, which
alone are named.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

EXERCISES = Path(__file__).resolve().parents[1]
OWN_SEED = "student.json"  # of the teacher's making: {"student": name, "seed": ...}
KINDS = ("rebuild", "extend", "explain")


class Property(NamedTuple):
    """Something that holds of a right solution, and the cases that show it."""

    name: str  # completes a sentence: "the rule ... is linear in the tangents"
    cases: tuple[str, ...]
    setup: str = ""


@dataclass(frozen=True)
class Task:
    """One task. `defines` names what the student writes: functions, classes, `Class.method`."""

    id: str  # "05.2"
    kind: str
    title: str
    goal: str  # Markdown: what is wanted, with its definition or formula
    minutes: int
    place: str  # the heading in the chapter's notebook that it leans on
    points: int = 0  # of a gate none
    module: str = ""  # minijax/core/forward.py: where the piece is put in place; or it stands alone
    defines: tuple[str, ...] = ()
    stub: str = ""  # of what is new: signatures and docstrings
    example: str = ""  # a visible case; what it comes to is printed in the statement
    hints: tuple[str, ...] = ()
    setup: str = ""
    visible: tuple[str, ...] = ()
    backend: str = "numpy"  # what jit runs on while it is checked
    questions: int = 0  # of "explain": how many are drawn
    misconception: str = ""
    hidden: tuple[Property, ...] = ()

    @property
    def answers(self) -> str:
        """The name of the list of answers, of a task that draws questions."""
        return f"answers_{self.id.replace('.', '_')}"


class Chapter(NamedTuple):
    """A chapter's tasks, and the folder where their files are."""

    name: str  # "ch05"
    folder: Path
    notebook: str
    imports: str  # the first lines of exercise.py
    tasks: tuple[Task, ...]

    @property
    def title(self) -> str:
        """What stands at the head of its files; a project's is that of its task."""
        number = self.name.removeprefix("ch")
        return self.tasks[0].title if number == self.name else f"Exercises of chapter {number}"

    def task(self, id: str) -> Task:
        """The task of this id. Raises UnknownTask where there is none."""
        found = [task for task in self.tasks if task.id == id]
        if not found:
            known = ", ".join(task.id for task in self.tasks)
            raise UnknownTask(f"{self.name} has no task {id!r}; it has {known}")
        return found[0]


class Fault(ValueError):
    """What a command cannot go on with: a sentence for whoever gave it."""


class UnknownTask(Fault):
    """A chapter or a task that is not there."""


def folders(root: Path = EXERCISES) -> list[Path]:
    """The chapters' folders, in the book's order; projects last."""
    return sorted(path.parent for path in root.glob("*/tasks.toml"))


def read_chapter(folder: Path) -> Chapter:
    """Reads a chapter's tasks; what is hidden too, where it is there.

    Raises:
      Fault: a file is no TOML, or says what no task has.
    """
    file, secret = folder / "tasks.toml", teachers(folder) / "hidden.toml"
    content, hidden = read_toml(file), read_toml(secret) if secret.exists() else {}
    try:
        tasks = tuple(make_task(task, hidden.pop(task["id"], {})) for task in content["task"])
    except (LookupError, TypeError, Fault) as error:
        lacking = "it lacks " if isinstance(error, KeyError) else ""
        raise Fault(f"{file}, or {secret.name}: {lacking}{error}") from error
    if hidden:
        raise Fault(f"{secret}: {file.name} has no task {', '.join(hidden)}")
    return Chapter(folder.name.split("_")[0], folder, content["notebook"],
                   content.get("imports", ""), tasks)  # fmt: skip


def read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Fault(f"{file} is no TOML: {error}") from error


def teachers(folder: Path) -> Path:
    """Where the teacher's part of a chapter is."""
    return folder.parent / "teacher" / folder.name


def make_task(given: dict[str, Any], hidden: dict[str, Any]) -> Task:
    properties = [
        Property(each["name"], tuple(each["cases"]), each.get("setup", ""))
        for each in hidden.get("property", [])
    ]
    known = dataclasses.fields(Task)
    needed = {field.name for field in known if field.default is dataclasses.MISSING}
    if lacking := sorted(needed - set(given)):
        raise Fault(f"task {given['id']} lacks {', '.join(lacking)}")
    if others := sorted(set(given) - {field.name for field in known}):
        raise Fault(f"task {given['id']} has {', '.join(others)}, which no task has")
    fields = {key: tuple(x) if isinstance(x, list) else x for key, x in given.items()}
    cases = [*given.get("visible", ()), given.get("example", "")]
    fields["visible"] = tuple(dict.fromkeys(filter(None, cases)))
    task = Task(
        **fields, hidden=tuple(properties), misconception=hidden.get("misconception", "")
    )
    if task.kind not in KINDS:
        raise Fault(f"task {task.id} is of kind {task.kind!r}, not one of {', '.join(KINDS)}")
    return task


def find_chapters(names: Sequence[str] = (), root: Path = EXERCISES) -> list[Chapter]:
    """The chapters of these names (`ch05`, `05`, or a folder's name), or all.

    Raises:
      UnknownTask: there is no such chapter.
    """
    known = {folder.name.split("_")[0]: folder for folder in folders(root)}
    wanted = [name.split("_")[0] for name in names] or list(known)
    wanted = [f"ch{name}" if f"ch{name}" in known else name for name in wanted]
    for name in wanted:
        if name not in known:
            raise UnknownTask(f"no chapter {name} has exercises; these have: {', '.join(known)}")
    return [read_chapter(known[name]) for name in wanted]
