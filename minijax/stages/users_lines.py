"""The user's lines: the functions that a program's equations point into, as they are written."""

from __future__ import annotations

import inspect
import linecache
import os
from collections.abc import Iterable
from types import CodeType

import minijax.core
from minijax.core.errors import SourceInfo, place
from minijax.core.jitting import jit_p
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import Jaxpr
from minijax.stages.kin import Line

MOST_SKIPPED = 3  # lines between those that equations come from, which are shown too


def users_source(sources: Iterable[SourceInfo]) -> tuple[list[Line], dict[tuple, Line]]:
    """Lines to show, under the place of each file; and of them those that equations come from, by
    file and number. A line whose text nobody has is shown by its place."""
    by_file: dict[str, dict[int, CodeType]] = {}
    for source in sources:
        if source.code is not None:
            by_file.setdefault(source.code.co_filename, {}).setdefault(source.line, source.code)
    lines: list[Line] = []
    found: dict[tuple, Line] = {}
    for file, codes in by_file.items():
        text, shown = linecache.getlines(file), numbers_shown(file, codes)
        first = next(iter(codes.values()))
        where = place(first, 0).removesuffix(":0").removesuffix(", line 0")
        if len(by_file) > 1:
            lines.append(Line(f"{where}:"))
        before = shown[0] - 1
        for number in shown:
            if number > before + 1:
                lines.append(Line("..."))
            known = text[number - 1].rstrip() if number <= len(text) else None
            if known is None:
                known = f"line {number} of {where}, in {codes[number].co_name}"
            line = Line(known, number=number)
            lines.append(line)
            before = number
            if number in codes:
                found[file, number] = line
    return lines, found


def sources_of_equations(jaxpr: Jaxpr) -> dict[int, SourceInfo]:
    """The line of each equation, by its id, in programs inside too.

    What a jitted function of the package computes comes from the line that calls it. Its program
    was made once, and its equations point to whoever called it first. Where several lines call it,
    they have none.
    """
    found: dict[int, set[SourceInfo]] = {}

    def visit(jaxpr: Jaxpr, caller: SourceInfo | None) -> None:
        for eqn in jaxpr.eqns:
            source = caller or eqn.source_info
            found.setdefault(id(eqn), set()).add(source)
            for inner in jaxprs_in_params(eqn.params):
                is_called = eqn.primitive is jit_p
                visit(inner, source if caller or (is_called and is_own(inner)) else None)

    visit(jaxpr, None)
    return {key: next(iter(sources)) for key, sources in found.items() if len(sources) == 1}


def is_own(jaxpr: Jaxpr) -> bool:
    """Whether it is a function of this package that was traced."""
    code = getattr(jaxpr.debug_info, "code", None)
    return code is not None and code.co_filename.startswith(_PACKAGE)


_PACKAGE = os.path.dirname(minijax.core.__file__).removesuffix("core")


def numbers_shown(file: str, codes: dict[int, CodeType]) -> list[int]:
    """The lines that equations come from, the heads of their functions, and what lies between, if
    that is short."""
    text = linecache.getlines(file)
    wanted = {*codes, *(head for code in codes.values() for head in head_of(code, text))}
    shown: list[int] = []
    for number in sorted(wanted):
        gap = range(shown[-1] + 1, number) if shown else range(0)
        shown += [*(gap if len(gap) <= MOST_SKIPPED else ()), number]
    return shown


def head_of(code: CodeType, text: list[str]) -> Iterable[int]:
    """The line that a function begins with: behind its decorators."""
    if code.co_name.startswith("<") or code.co_firstlineno > len(text):
        return
    block = inspect.getblock(text[code.co_firstlineno - 1 :])
    for number, line in enumerate(block, code.co_firstlineno):
        if line.lstrip().startswith(("def ", "async def ")):
            yield number
            return
