"""What a definition is called with: its lines as they stand, without what it does."""

from __future__ import annotations

import ast
import re
from textwrap import dedent

LONG = 6  # lines of a value
FOR_TOOLS = re.compile(r"  # (fmt|noqa|type):.*")


def outline(source: str) -> str:
    """Returns a function's lines up to its body; of a class also its fields and its methods' lines.

    Of a class, what has a name with an underscore is left out, but for `__init__`. Of any other
    statement it returns the first lines.

    >>> print(outline("def f(x): return 2 * x"))
    def f(x):
    >>> print(outline("class Point:\\n    x: int\\n    def size(self): ..."))
    class Point:
        x: int
        def size(self):
    """
    lines = dedent(source).rstrip().split("\n")
    [statement] = ast.parse("\n".join(lines)).body
    if isinstance(statement, ast.FunctionDef):
        return "\n".join(header(lines, statement))
    if isinstance(statement, ast.ClassDef):
        parts = [line for each in statement.body for line in part_of_class(lines, each)]
        return "\n".join(header(lines, statement) + parts)
    return "\n".join(shortened(lines))


def shortened(lines: list[str]) -> list[str]:
    return lines if len(lines) <= LONG else [*lines[:LONG], "..."]


def part_of_class(lines: list[str], statement: ast.stmt) -> list[str]:
    """Returns the lines of a public field, or those of a method up to its body."""
    match statement:
        case ast.FunctionDef(name=name):
            found = header(lines, statement)
        case ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]):
            found = shortened(lines[statement.lineno - 1 : statement.end_lineno])
        case _:
            return []
    return [] if name.startswith("_") and name != "__init__" else found


def header(lines: list[str], definition: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Returns a definition's lines up to its body, its decorators too."""
    body = definition.body[0]
    start = min(node.lineno for node in [definition, *definition.decorator_list])
    end = min([body, *getattr(body, "decorator_list", [])], key=lambda node: node.lineno)
    last = lines[end.lineno - 1][: end.col_offset].rstrip(" @")
    found = [*lines[start - 1 : end.lineno - 1], last]
    while not found[-1].strip() or found[-1].lstrip().startswith("#"):
        found.pop()
    return [FOR_TOOLS.sub("", line).rstrip() for line in found]
