"""Stubs: what a student begins with, exercise.py.

A piece to rebuild is the package's own, with its body taken out, so that it can't drift. What is to
be new has its stub in tasks.toml. Of questions, the student gives the answers as a list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from exercises.grading import source
from exercises.grading.imports import in_order, needed
from exercises.grading.overlay import ROOT
from exercises.grading.splice import begin, bound, find_in
from exercises.grading.tasks import Chapter, Task


def stubs(chapter: Chapter) -> str:
    """The text of a chapter's exercise.py, with nothing done."""
    head = f'"""{chapter.title}. README.md says what is asked."""\n\n'
    texts = [task_stub(task) for task in chapter.tasks]
    imports = chapter.imports.strip()
    there = {name for s in ast.parse(imports).body for name in bound(s)}
    rebuilt = [(task, text) for task, text in zip(chapter.tasks, texts, strict=True)
               if task.kind == "rebuild"]  # fmt: skip
    more = [line for task, text in rebuilt for line in needed(task, text, there)]
    future = ["from __future__ import annotations"] * bool(rebuilt)  # a stub may name its class
    written = {name.split(".")[0] for task in chapter.tasks for name in task.defines}
    imported = in_order("\n".join([*future, imports, *more]), written)
    return head + imported + "\n\n" + "\n\n\n".join(texts) + "\n"


def task_stub(task: Task) -> str:
    title = f"# {task.id} {task.title}"
    if task.questions:
        command = f"# The questions: python -m exercises questions ch{task.id.split('.')[0]}"
        return f"{title}\n{command}\n\n{task.answers} = {[None] * task.questions}"
    body = task.stub.strip() if task.kind == "extend" else "\n\n\n".join(rebuilt(task))
    is_definition = body.startswith(("def ", "class ", "@"))
    return title + ("\n\n\n" if is_definition else "\n\n") + body


def rebuilt(task: Task) -> Iterator[str]:
    """The definitions of a task without their bodies; methods in a class of their own."""
    text = (ROOT / task.module).read_text(encoding="utf-8")
    tree, lines = ast.parse(text), source.lines(text)
    methods: dict[str, list[str]] = {}
    for name in task.defines:
        outer, _, method = name.partition(".")
        found = find_in(tree, name)
        if found is None:
            raise ValueError(f"task {task.id}: {task.module} does not define {name}")
        piece = "\n".join(emptied(found, lines, f"{task.id} {name}"))
        methods.setdefault(outer, []).append(f"class {outer}:\n{piece}" if method else piece)
    for pieces in methods.values():
        first, *others = pieces
        yield "\n\n".join([first, *(piece.partition("\n")[2] for piece in others)])


def emptied(found: ast.stmt, lines: list[str], what: str) -> Iterator[str]:
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
