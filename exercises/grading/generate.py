"""What of a chapter's folder is generated, from tasks.toml and the package.

README.md has the statements, exercise.py the stubs, explore.ipynb is for trying things, and
expected.json has what the visible cases come to: with it a copy without the teacher's part checks.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from exercises.grading import source
from exercises.grading.expected import (
    EXPECTED,
    Facts,
    Stale,
    ask_reference,
    facts_text,
    read_facts,
    same_facts,
)
from exercises.grading.facts import Fact, shortly
from exercises.grading.overlay import ROOT
from exercises.grading.stubs import stubs
from exercises.grading.tasks import Chapter, Task, find_chapters, teachers

# README.md


def readme(chapter: Chapter, facts: Facts) -> str:
    head = f"""# {chapter.title}

For [{chapter.notebook}](../../notebooks/{chapter.notebook}). Write in [exercise.py](exercise.py),
try things in [explore.ipynb](explore.ipynb), and check, from the top folder, with

```sh
.venv/bin/python -m exercises check {chapter.name}
```

`--hint` adds a hint, `--hint 2` a stronger one, and `--task {chapter.tasks[0].id}` checks that task
alone.

| task | kind | points | minutes |
|---|---|---|---|
"""
    rows = [f"| {task.id} {task.title} | {task.kind} | {task.points or 'a gate'} | {task.minutes} |"
            for task in chapter.tasks]  # fmt: skip
    parts = [head + "\n".join(rows)]
    parts += [statement(chapter, task, facts.get(task.id, {})) for task in chapter.tasks]
    return "\n\n".join(parts) + "\n"


def statement(chapter: Chapter, task: Task, facts: dict[str, Fact]) -> str:
    """What is asked: goal, example with its result, where to write and what it leans on."""
    place = f"../../notebooks/{chapter.notebook}#{anchor(task.place)}"
    parts = [f"## {task.id} {task.title}", f"{todo(chapter, task)} It leans on "
             f"[{task.place}]({place}).", task.goal.strip()]  # fmt: skip
    if task.example:
        parts.append(f"For example:\n\n```python\n{as_typed(task.example)}\n"
                     f"{printed(facts[task.example])}\n```")  # fmt: skip
    if task.setup:
        parts.append("<details><summary>What the examples and the checks define first</summary>"
                     f"\n\n```python\n{task.setup.strip()}\n```\n\n</details>")  # fmt: skip
    if any("raised(" in case for case in task.visible):
        parts.append("In the checks, `raised(f, x)` gives the name of the class of the exception "
                     "that `f(x)`\nraises, and those of its bases.")  # fmt: skip
    return "\n\n".join(parts)


def as_typed(code: str) -> str:
    """Statements as they stand in a session.

    >>> as_typed("x = [\\n1]\\nx").splitlines()
    ['>>> x = [', '... 1]', '>>> x']
    """
    firsts = {statement.lineno for statement in ast.parse(code).body}
    lines = enumerate(source.lines(code.strip()), 1)
    return "\n".join((">>> " if k in firsts else "... ") + line for k, line in lines)


def todo(chapter: Chapter, task: Task) -> str:
    if task.questions:
        return (f"`.venv/bin/python -m exercises questions {chapter.name}` prints {task.questions} "
                f"questions; the answers go into the list `{task.answers}`.")  # fmt: skip
    names = ", ".join(f"`{name}`" for name in task.defines)
    if task.kind == "rebuild":
        return f"Rebuild {names} of [{task.module}](../../{task.module})."
    home = f", in the place of {task.module}" if task.module else ""
    return f"Write {names}{home}."


def printed(fact: Fact) -> str:
    """A value as a session prints it; a text of several lines as `print` does."""
    text = fact.get("value")
    return text if isinstance(text, str) and "\n" in text else shortly(fact)


def headings(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "markdown"
             for line in "".join(cell["source"]).splitlines()]  # fmt: skip
    return [line.lstrip("#").strip() for line in lines if re.match(r"#+ ", line)]


def anchor(heading: str) -> str:
    """Where a notebook's heading is: as JupyterLab and GitHub name it.

    >>> anchor("What `jvp` returns")
    'What-jvp-returns'
    """
    return heading.replace("`", "").replace(" ", "-")


# explore.ipynb

OPENING = """import sys

sys.path[:0] = ["../..", "../../.."]  # the exercises and the package are there
%load_ext exercises.grading.fresh"""


def explore_cells(chapter: Chapter) -> Iterator[tuple[str, str]]:
    """The kinds and texts of the notebook's cells."""
    yield "markdown", f"""# {chapter.title}: trying things

What is asked is in [README.md](README.md). A cell that begins with `%%fresh 05.2` runs what you
have saved in [exercise.py](exercise.py) for that task, in a process of its own and put in its place
in the package. So a change counts as soon as it is saved, and nothing old stays
behind.""".replace("05.2", chapter.tasks[0].id)
    yield "code", OPENING
    for task in chapter.tasks:
        if not task.questions:
            yield "markdown", f"## {task.id} {task.title}"
            yield "code", f"%%fresh {task.id}\n{task.example or task.visible[0]}"


def explore(chapter: Chapter) -> str:
    """The notebook's text, in the normal form of the book's."""
    tools = str(ROOT / "tools")
    sys.path += [tools] * (tools not in sys.path)  # tools import one another by their bare names
    import nbformat

    from nbfile import normalise

    make = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    cells = [make[kind](text) for kind, text in explore_cells(chapter)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    normalise(notebook, f"{chapter.name}-explore")
    nbformat.validate(notebook)
    return nbformat.writes(notebook, version=4) + "\n"


# All of them.


def files(chapter: Chapter) -> dict[str, str]:
    """The generated files of a chapter, by name.

    What differs from the stored facts in last digits alone is left as it is stored.

    Raises:
      Stale: the chapter's notebook has not the heading that a task leans on.
    """
    known = headings(ROOT / "notebooks" / chapter.notebook)
    for task in chapter.tasks:
        if task.place not in known:
            raise Stale(f"task {task.id} leans on {task.place!r}, which is no heading of "
                        f"{chapter.notebook}")  # fmt: skip
    facts, stored = ask_reference(chapter), read_facts(chapter)
    if same_facts(facts, stored):
        facts = stored
    return {
        "README.md": readme(chapter, facts), "exercise.py": stubs(chapter),
        "explore.ipynb": explore(chapter), EXPECTED: facts_text(facts),
    }  # fmt: skip


def generate(chapter: Chapter) -> list[Path]:
    """Writes a chapter's generated files; returns those that changed.

    Raises:
      Stale: there is no teacher's part here, or `files` says what is wrong.
    """
    if not teachers(chapter.folder).is_dir():
        raise Stale("Here is no teacher's part: the files are as they are to be. (exercise.py may "
                    "be a student's.)")  # fmt: skip
    written = []
    for name, text in files(chapter).items():
        file = chapter.folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            written.append(file)
    return written


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", help="ch05, or nothing for all")


def command(options: argparse.Namespace) -> int:
    for chapter in find_chapters(options.chapters):
        written = [file.name for file in generate(chapter)]
        print(f"{chapter.name}: {', '.join(written) or 'unchanged'}", flush=True)
    return 0
