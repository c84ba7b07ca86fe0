"""Pages of the exercises, and of what else is text: the guide to the exercises, CONTRIBUTING.md.

An exercise's page is its README.md, with the hints of tasks.toml folded below each task and the
file to write in at the end. What is under exercises/teacher/ is never read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from contents import read_entries, read_exercises, shorten
from website.pages import Page
from website.sections import headings, title_of

ORDER = ("first", "second", "third", "fourth")
OF_CHAPTER = "Exercises of chapter"  # so a README begins whose tasks are no project
TEXTS = {  # file -> path of its page
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "tools/README.md": "tools.md",
    "notebooks/data/README.md": "data.md",
}


def text_pages(root: Path) -> list[Page]:
    """Returns the pages of files that are Markdown already."""
    return [text_page(root, source, path) for source, path in TEXTS.items()]


def text_page(root: Path, source: str, path: str) -> Page:
    text = (root / source).read_text(encoding="utf-8")
    return Page(title_of(text, source), path, source, text)


def exercise_pages(root: Path) -> list[Page]:
    """Returns the guide to the exercises, with a page below it for each chapter's and project."""
    guide = text_page(root, "exercises/README.md", "exercises.md")
    tasks = {folder: content["task"] for folder, content in read_exercises(root).items()}
    chapters = {file: title for title, file in read_entries(root)}
    guide.children = [
        exercise_page(root, folder, content["task"], chapters.get(content["notebook"]))
        for folder, content in read_exercises(root).items()
    ]
    guide.text += "\n## All of them\n\n" + overview(tasks)
    return [guide]


def exercise_page(
    root: Path, folder: Path, tasks: list[dict[str, Any]], chapter: str | None = None
) -> Page:
    """Returns the page of a folder's tasks. `chapter` is the title of the one that they are for."""
    file = folder / "README.md"
    source = file.relative_to(root).as_posix()
    text = with_hints(file.read_text(encoding="utf-8"), tasks, source)
    text = text.replace("[exercise.py](exercise.py)", "[exercise.py](#stubs)")
    stubs = (folder / "exercise.py").read_text(encoding="utf-8").strip("\n")
    text += (
        '\n## exercise.py {#stubs}\n\n<details class="stubs">'
        f"<summary>as it is handed out</summary>\n\n```python\n{stubs}\n```\n\n</details>\n"
    )
    title = title_of(text, source)
    if chapter and title.startswith(OF_CHAPTER):
        title = f"Exercises {shorten(chapter)}"
    return Page(title, f"exercises/{folder.name}.md", source, text)


def with_hints(text: str, tasks: list[dict[str, Any]], source: str) -> str:
    """Returns a README with each task's hints at the end of its section.

    Raises ValueError where a task has no section.
    """
    lines = text.rstrip("\n").split("\n")
    places = {words: line for line, level, words in headings(text) if level == 2}
    for task in reversed(tasks):
        heading = f"{task['id']} {task['title']}"
        if heading not in places:
            raise ValueError(f"{source} has no section {heading!r}: generate the exercises anew")
        ends = [line for line in places.values() if line > places[heading]]
        end = min(ends, default=len(lines) + 1) - 1  # the empty line before the next
        lines[end:end] = hints(task)
    return "\n".join(lines) + "\n"


def hints(task: dict[str, Any]) -> list[str]:
    """Returns the lines that fold a task's hints, each after an empty one."""
    lines: list[str] = []
    for name, hint in zip(ORDER, task.get("hints", []), strict=False):
        lines += ["", f'<details class="hint"><summary>{name} hint</summary>', "", hint]
        lines += ["", "</details>"]
    return lines


def overview(tasks: dict[Path, list[dict[str, Any]]]) -> str:
    """Returns a table: each task with its kind, points and minutes."""
    rows = ["| task | kind | points | minutes |", "|---|---|---|---|"]
    for folder, of_folder in tasks.items():
        for task in of_folder:
            link = f"[{task['id']} {task['title']}]({folder.name}/README.md)"
            points = task.get("points") or "a gate"
            rows.append(f"| {link} | {task['kind']} | {points} | {task['minutes']} |")
    return "\n".join(rows) + "\n"
