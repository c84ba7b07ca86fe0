"""Printed equations: a program's text, line by line, and the equations that each line shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from minijax.core.printing import Names, format_jaxpr, jaxprs_in_params, vars_doc
from minijax.core.printing import format_doc as text_of
from minijax.core.staging import Jaxpr, JaxprEqn


class PrintedLine(NamedTuple):
    """A line, and the equations that begin in it, or the one that goes on; none in a frame."""

    text: str
    eqns: tuple[JaxprEqn, ...]


def all_equations(jaxpr: Jaxpr) -> Iterator[JaxprEqn]:
    """The equations of a program, and behind each those of the programs that it carries."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in jaxprs_in_params(eqn.params):
            yield from all_equations(inner)


def printed_equations(jaxpr: Jaxpr, names: Names | None = None) -> list[PrintedLine]:
    """The lines of `format_jaxpr`; but every equation has a line, in a short program too."""
    names = Names() if names is None else names
    text, found = format_jaxpr(jaxpr, names), list[tuple[int, JaxprEqn]]()
    begin = 0
    for inner in names.of_jaxprs:  # they stand in front
        found += begins(inner, names, text, begin)
        begin = max([begin, *(at for at, _ in found)])
    main = text.rfind("{ lambda ", 0, first_equation(jaxpr, names, text, begin))
    found += begins(jaxpr, names, text, max(main, 0))
    if "\n" not in text:
        text, found = broken(text, jaxpr, found)
    return lines_of(text, sorted(found, key=lambda pair: pair[0]))


def first_equation(jaxpr: Jaxpr, names: Names, text: str, begin: int) -> int:
    """Where the program's own equations begin."""
    found = head(jaxpr.eqns[0], names).search(text, begin) if jaxpr.eqns else None
    return found.start() if found else len(text)


def begins(jaxpr: Jaxpr, names: Names, text: str, begin: int) -> list[tuple[int, JaxprEqn]]:
    """Where each equation begins in the text, from a place on; those of programs inside too. One
    that has a form of its own, without an equals sign, is not found."""
    found: list[tuple[int, JaxprEqn]] = []
    for eqn in jaxpr.eqns:
        match = head(eqn, names).search(text, begin)
        if match is None:
            continue
        begin = match.start()
        found.append((begin, eqn))
        for inner in jaxprs_in_params(eqn.params):
            if inner not in names.of_jaxprs:
                found += begins(inner, names, text, match.end())
    return found


def head(eqn: JaxprEqn, names: Names) -> re.Pattern:
    """How an equation begins: its results with their types, and its primitive."""
    results = [text_of(vars_doc([v], names, typed=True)) for v in eqn.outvars]
    left = r"\s+".join(map(re.escape, results))
    equals = r"\s=\s" if results else ""
    return re.compile(rf"(?<![\w:]){left}{equals}{re.escape(str(eqn.primitive.name))}(?=[\[\s])")


def broken(text: str, jaxpr: Jaxpr, found: list[tuple[int, JaxprEqn]]) -> tuple[str, list]:
    """A program of one line, broken before its own equations and before its results."""
    own = {id(eqn) for eqn in jaxpr.eqns}
    cuts = [at for at, eqn in found if id(eqn) in own]
    end = text.rfind(" in (")
    if not cuts or end < cuts[-1]:
        return text, found
    pieces, moved, shift = [], [], 0
    for begin, stop in zip([0, *cuts, end + 1], [*cuts, end + 1, len(text)], strict=True):
        piece = text[begin:stop].rstrip(" ").removesuffix(";")
        indent = "" if begin == 0 else "    "
        shift = sum(len(x) + 1 for x in pieces) + len(indent) - begin
        moved += [(at + shift, eqn) for at, eqn in found if begin <= at < stop]
        pieces.append(indent + piece)
    return "\n".join(pieces), moved


def lines_of(text: str, found: list[tuple[int, JaxprEqn]]) -> list[PrintedLine]:
    lines: list[PrintedLine] = []
    at, last = 0, tuple[JaxprEqn, ...]()
    for line in text.split("\n"):
        here = tuple(eqn for begin, eqn in found if at <= begin < at + len(line))
        is_frame = re.match(r"\s*(in \(|let |\{ lambda|\} in)", line)
        last = here or (() if is_frame else last[-1:])
        lines.append(PrintedLine(line, last))
        at += len(line) + 1
    return lines


def short_equation(eqn: JaxprEqn, names: Any) -> str:
    """An equation without types, with the parameters that say what it does: no programs, and none
    that is long."""
    from minijax.core.printing import pp_eqn_rules

    shown = pp_eqn_rules.get(eqn.primitive, dict)(eqn.params)
    plain = {name: str(x) for name, x in sorted(shown.items())
             if x is not None and not any(jaxprs_in_params({name: x}))}  # fmt: skip
    pairs = " ".join(f"{name}={text}" for name, text in plain.items() if len(text) <= LONGEST)
    left, right = (" ".join(map(names, atoms)) or "nothing" for atoms in (eqn.outvars, eqn.invars))
    return f"{left} = {eqn.primitive}{f'[{pairs}]' if pairs else ''} {right}"


LONGEST = 40  # characters of a parameter that is shown
