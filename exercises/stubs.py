"""Stubs: what a student begins with, exercise.py.

A piece to rebuild is the package's own, with its body taken out, so that it can't drift. What is to
be new has its stub in tasks.toml. Of questions, the student gives the answers as a list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from exercises.overlay import ROOT
from exercises.splice import begin, find_in
from exercises.tasks import Chapter, Task


def stubs(chapter: Chapter) -> str:
    """The text of a chapter's exercise.py, with nothing done."""
    head = f'"""Exercises of chapter {chapter.name[2:]}: README.md says what is asked."""\n'
    parts = [head, chapter.imports.strip(), *(task_stub(task) for task in chapter.tasks)]
    return "\n\n".join(part.strip("\n") for part in parts if part).strip() + "\n"


def task_stub(task: Task) -> str:
    title = f"# {task.id} {task.title}"
    if task.questions:
        return f"{title}\n\n{task.answers} = {[None] * task.questions}"
    body = task.stub.strip() if task.kind == "extend" else "\n\n\n".join(rebuilt(task))
    return f"\n{title}\n\n\n{body}"


def rebuilt(task: Task) -> Iterator[str]:
    """The definitions of a task without their bodies; methods in a class of their own."""
    text = (ROOT / task.module).read_text(encoding="utf-8")
    tree, lines, opened = ast.parse(text), text.splitlines(), ""
    for name in task.defines:
        outer, _, method = name.partition(".")
        found = find_in(tree, name)
        if found is None:
            raise ValueError(f"task {task.id}: {task.module} does not define {name}")
        piece = "\n".join(emptied(found, lines, f"{task.id} {name}"))
        yield f"class {outer}:\n{piece}" if method and outer != opened else piece
        opened = outer if method else ""


def emptied(found: ast.stmt, lines: list[str], what: str) -> Iterable[str]:
    """A definition's head and docstring, and in place of its body an error with the task's name."""
    body = getattr(found, "body", [])
    if not isinstance(found, ast.FunctionDef):
        methods = [s for s in body if isinstance(s, ast.FunctionDef)]
        yield from lines[begin(found) - 1 : begin(methods[0]) - 1]
        for k, method in enumerate(methods):
            yield from [""] * (k > 0)
            yield from emptied(method, lines, what)
        return
    first = body[0]
    has_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    end = first.end_lineno if has_text else first.lineno - 1
    yield from lines[begin(found) - 1 : end]
    yield " " * (found.col_offset + 4) + f'raise NotImplementedError("{what}")'
