"""Kin: the lines of all stages as plain data, and which of them belong together.

A line comes from lines of earlier stages: an equation from a line of the user's, a kernel's line
from the equation that it computes. Its kin are those that it comes from, directly or not, and those
that come from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any


@dataclasses.dataclass(eq=False)
class Line:
    """One line of a stage. A note says what the compiler did there, or why; `mark` is "gone",
    "changed" or "new" where a pass made the line what it is. `holds` is said of a line that stands
    around others, as a step around its equations and a loop around what it repeats: these are not
    lit with each equation in it."""

    text: str
    comes_from: Sequence[Line] = ()
    note: str = ""
    mark: str = ""
    holds: bool = False
    number: int | None = None  # of a line of the user's: its number in the file
    key: str = ""  # "k12": the stage's letter, and a number


@dataclasses.dataclass(eq=False)
class ShownStage:
    """A title and its lines. `letter` is for their keys; `line_of` finds the line of an equation by
    its id, of a step by its number, of what else a stage is made of by its name."""

    letter: str
    title: str
    lines: list[Line]
    line_of: dict[Any, Line] = dataclasses.field(default_factory=dict)
    is_long: bool = False  # to be folded, where that can be
    is_prose: bool = False  # sentences, not code

    def __post_init__(self) -> None:
        for k, line in enumerate(self.lines):
            line.key = f"{self.letter}{k}"

    @property
    def text(self) -> str:
        return "\n".join(map(with_note, self.lines))


WIDTH = 96  # of a text with notes


def with_note(line: Line) -> str:
    """A line and its note as a comment: behind it, or below where that is too wide.

    >>> print(with_note(Line("  a = mul b 1.0", note="gone: x * 1 is x")))
      a = mul b 1.0  # gone: x * 1 is x
    """
    beside = f"{line.text}  # {line.note}"
    if not line.note or len(beside) <= WIDTH:
        return beside if line.note else line.text
    indent = " " * (len(line.text) - len(line.text.lstrip()) + 4)
    note = fill(line.note, WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
    return f"{line.text}\n{note}"


def as_lines(text: str) -> list[Line]:
    """Lines that come from nothing."""
    return [Line(line) for line in text.split("\n")]


def kin_of(lines: Iterable[Line]) -> dict[Line, list[Line]]:
    """For each line, its kin among these lines, in their order; itself too."""
    place = {line: k for k, line in enumerate(lines)}
    made_from: dict[Line, list[Line]] = {}
    for line in with_sources(place):
        for source in line.comes_from:
            made_from.setdefault(source, []).append(line)

    def below(line: Line, found: set[Line]) -> None:
        for made in made_from.get(line, ()):
            if made not in found:
                found.add(made)
                if not made.holds:
                    below(made, found)

    kin: dict[Line, list[Line]] = {}
    for line in place:
        found = set(with_sources([line]))
        below(line, found)
        kin[line] = sorted(found.intersection(place), key=place.__getitem__)
    return kin


def with_sources(lines: Iterable[Line]) -> list[Line]:
    """Lines, and all that they come from, directly or not."""
    found = dict.fromkeys(lines)
    todo = list(found)
    for line in todo:  # the list grows
        new = [source for source in line.comes_from if source not in found]
        found |= dict.fromkeys(new)
        todo += new
    return todo


def users_lines(line: Line) -> list[int]:
    """The numbers of the user's lines that a line comes from."""
    return sorted({x.number for x in with_sources([line]) if x.number is not None})
