"""The imports at the head of exercise.py: the chapter's, and what the stubs' heads mention."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Iterator

from exercises.grading.overlay import ROOT
from exercises.grading.splice import bound, is_import, mentioned
from exercises.grading.tasks import Task

WIDTH = 100


def needed(task: Task, stub: str, there: set[str]) -> Iterator[str]:
    """The imports that a stub of the package's needs beside what is `there`."""
    tree = ast.parse((ROOT / task.module).read_text(encoding="utf-8"))
    homes = {name: s for s in tree.body for name in bound(s)}
    own = {name for s in ast.parse(stub).body for name in bound(s)}
    for name in sorted(mentioned(ast.parse(stub)) - own - there - set(dir(builtins))):
        home = homes.get(name)
        if isinstance(home, ast.ImportFrom):
            yield f"from {home.module} import {name}"
        elif isinstance(home, ast.Import):
            yield ast.unparse(home)
        elif home:
            yield f"from {task.module.removesuffix('.py').replace('/', '.')} import {name}"


def in_order(imports: str, without: Collection[str] = ()) -> str:
    """Imports as ruff sorts them: four groups, each name once. Some names may be left out.

    >>> print(in_order("import minijax as jax\\nimport os\\nfrom os import b\\nfrom os import A"))
    import os
    from os import A, b
    <BLANKLINE>
    import minijax as jax
    """
    plain: set[str] = set()
    members: dict[str, set[str]] = {}
    for statement in ast.parse(imports).body:
        if isinstance(statement, ast.ImportFrom):
            kept = {written(alias) for alias in statement.names if alias.name not in without}
            if kept:
                members.setdefault(statement.module or "", set()).update(kept)
        elif is_import(statement):
            plain |= set(map(written, statement.names))
        else:
            raise ValueError(f"no import: {ast.unparse(statement)}")
    groups: dict[int, list[str]] = {}
    for name in sorted(plain):
        groups.setdefault(group(name), []).append(f"import {name}")
    for module in sorted(members):
        groups.setdefault(group(module), []).append(from_import(module, members[module]))
    return "\n\n".join("\n".join(groups[k]) for k in sorted(groups))


def written(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def group(module: str) -> int:
    """0 the future, 1 Python's own, 2 others, 3 ours."""
    top = module.split(" ")[0].split(".")[0]
    return {"__future__": 0, "minijax": 3}.get(top, 1 if top in sys.stdlib_module_names else 2)


def from_import(module: str, names: Iterable[str]) -> str:
    """Constants, classes, functions; a name to a line where they don't fit in one."""
    def order(name: str) -> tuple[int, str]:
        word = name.split(" ")[0]
        return (0 if word.isupper() and len(word) > 1 else 1 if word[:1].isupper() else 2, name)

    ordered = sorted(names, key=order)
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"
