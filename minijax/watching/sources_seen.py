"""The user's lines that a recording points into, and what the user called the function watched."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from types import CodeType
from typing import Any

from minijax.core.errors import SourceInfo
from minijax.core.jitting import JitFunction
from minijax.watching.records import Source
from minijax.watching.rules_found import PACKAGE, file_of

MOST_LINES = 200  # of a function's that are kept


class SourcesSeen:
    """Functions get numbers in the order in which they are met, and so do statements outside of
    functions."""

    def __init__(self) -> None:
        self.places: dict[tuple[CodeType, int], int] = {}
        self.lines: dict[int, set[int]] = {}

    def index(self, source: SourceInfo) -> tuple[int, int] | None:
        code, line = source.code, source.line
        if code is None:
            return None
        is_function = code.co_flags & inspect.CO_NEWLOCALS
        index = self.places.setdefault((code, 0 if is_function else line), len(self.places))
        self.lines.setdefault(index, set()).add(line)
        return index, line

    def records(self) -> list[Source]:
        return [self.record(code, line, self.lines[index])
                for (code, line), index in self.places.items()]  # fmt: skip

    def record(self, code: CodeType, line: int, used: set[int]) -> Source:
        if line:
            text = linecache.getline(code.co_filename, line).rstrip("\n")
            return Source(file_of(code), line, [text])
        try:
            lines, first = inspect.getsourcelines(code)
        except (OSError, TypeError):  # written by exec, or in a shell
            lines, first = [], code.co_firstlineno
        start = max(min(used) - first - 3, 0) if len(lines) > MOST_LINES else 0
        kept = lines[start : start + MOST_LINES]
        return Source(file_of(code), first + start, [text.rstrip("\n") for text in kept])


# What the user called it.


def title_of(fun: Callable) -> str:
    """A function's name, inside of the transformations round it: grad(jit(f))."""
    makers, seen = list[str](), set[int]()
    while hasattr(fun, "__wrapped__") and id(fun) not in seen:
        seen.add(id(fun))
        makers += transformation(fun)
        fun = fun.__wrapped__
    name = str(getattr(fun, "__name__", type(fun).__name__))
    return "".join(f"{maker}(" for maker in makers) + name + ")" * len(makers)


def transformation(fun: Any) -> list[str]:
    """The name of what made a function of another, if that is a transformation."""
    if isinstance(fun, JitFunction):
        return ["jit"]
    code = getattr(fun, "__code__", None)
    if not isinstance(code, CodeType):
        return [type(fun).__name__] if type(fun).__module__.startswith("minijax.") else []
    maker = code.co_qualname.partition(".<locals>")[0].strip("_")
    is_ours = code.co_filename.startswith(PACKAGE)
    return [maker] if is_ours and not file_of(code).startswith(ONLY_CALLS) else []


# Files whose functions make others that do the same: they look after errors and arguments.
ONLY_CALLS = ("core/errors.py", "core/tracing.py", "core/calls.py", "compiler/dispatch/", "face/")
