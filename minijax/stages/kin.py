"""Kin: the lines of all stages as plain data, and which of them belong together.

A line comes from lines of earlier stages: an equation from a line of the user's, a kernel's line
from the equation that it computes. Its kin are those that it comes from, directly or not, and those
that come from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence


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
class Stage:
    """A title and its lines; `letter` is for their keys. What is long is folded in a notebook."""

    letter: str
    title: str
    lines: list[Line]
    is_long: bool = False
    is_prose: bool = False  # sentences, not code

    def __post_init__(self) -> None:
        for k, line in enumerate(self.lines):
            line.key = f"{self.letter}{k}"

    @property
    def text(self) -> str:
        """The lines one below the other; notes as comments, all from one column on."""
        width = max((len(line.text) for line in self.lines if line.note), default=0)
        return "\n".join(
            f"{line.text:{min(width, WIDEST)}}  # {line.note}" if line.note else line.text
            for line in self.lines
        )


WIDEST = 60  # characters before a note, at most


def as_lines(text: str) -> list[Line]:
    """Lines that come from nothing."""
    return [Line(line) for line in text.split("\n")]


def kin_of(lines: Iterable[Line]) -> dict[Line, list[Line]]:
    """For each line, its kin, in the order of the stages; itself too."""
    lines = list(lines)
    place = {line: k for k, line in enumerate(lines)}
    made_from: dict[Line, list[Line]] = {}
    for line in lines:
        for source in line.comes_from:
            made_from.setdefault(source, []).append(line)

    def above(line: Line, found: set[Line]) -> None:
        for source in line.comes_from:
            if source in place and source not in found:
                found.add(source)
                above(source, found)

    def below(line: Line, found: set[Line], is_first: bool = True) -> None:
        if line.holds and not is_first:
            return
        for made in made_from.get(line, ()):
            if made not in found:
                found.add(made)
                below(made, found, False)

    kin: dict[Line, list[Line]] = {}
    for line in lines:
        found = {line}
        above(line, found)
        below(line, found)
        kin[line] = sorted(found, key=place.__getitem__)
    return kin


def users_lines(line: Line) -> list[int]:
    """The numbers of the user's lines that a line comes from."""
    if line.number is not None:
        return [line.number]
    found = {number for source in line.comes_from for number in users_lines(source)}
    return sorted(found)
