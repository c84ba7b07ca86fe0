"""What a recording consists of: plain data, which keeps nothing alive that it was taken from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(slots=True)
class Box:
    """A value as it was seen. A tracer has a trace, and parts: what it holds, by name."""

    kind: str
    text: str
    trace: int | None = None
    parts: Sequence[tuple[str, Box]] = ()

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind, "text": self.text}
        if self.trace is not None:
            parts = [[name, part.as_data()] for name, part in self.parts]
            data |= {"trace": self.trace, "parts": parts}
        return data


class SeenTrace(NamedTuple):
    """An interpreter: its class, its role (what it writes, or is there for), the one below; where
    it hands tangents on to another, that one. `label` is short for it."""

    kind: str
    role: str
    parent: int | None
    tangents: int | None
    label: str

    def as_data(self) -> dict[str, Any]:
        return self._asdict()


class Rule(NamedTuple):
    """What an operation came to: a rule's name, and the place in the code where it stands."""

    name: str
    where: str = ""


@dataclass(slots=True)
class Step:
    """One operation that was bound, or one equation that was transposed.

    `trace` was asked; `stack` leads from it to the ground, and `waiting` were in charge before and
    will be again, the last one first. `parent` is the step in whose rule this one happened.
    """

    primitive: str
    params: str
    trace: int
    stack: Sequence[int]
    waiting: Sequence[int]
    parent: int | None
    operands: list[Box]
    rule: Rule
    line: tuple[int, int] | None
    transposed: bool = False
    results: list[Box] = field(default_factory=list)
    grows: list[tuple[int, int]] = field(default_factory=list)
    error: str | None = None

    def as_data(self) -> dict[str, Any]:
        data = {
            "primitive": self.primitive, "params": self.params, "trace": self.trace,
            "stack": list(self.stack), "waiting": list(self.waiting), "parent": self.parent,
            "operands": [x.as_data() for x in self.operands],
            "results": [x.as_data() for x in self.results], "rule": self.rule._asdict(),
            "line": self.line and list(self.line), "transposed": self.transposed,
            "grows": list(map(list, self.grows)),
        }  # fmt: skip
        return data if self.error is None else {**data, "error": self.error}


@dataclass(slots=True)
class Program:
    """A program that was written meanwhile: `equations` as they were added."""

    kind: str
    of: str
    trace: int
    head: str = ""
    equations: list[str] = field(default_factory=list)
    tail: str = ""

    def as_data(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "of": self.of, "trace": self.trace, "head": self.head,
            "equations": list(self.equations), "tail": self.tail,
        }  # fmt: skip


class Mark(NamedTuple):
    """What happened between operations, in words, and how many times: before the step of this
    number began, and within the step `parent`, if there is one."""

    before: int
    parent: int | None
    event: str
    times: int = 1

    @property
    def text(self) -> str:
        return f"{self.event}, {self.times} times" if self.times > 1 else self.event

    def as_data(self) -> dict[str, Any]:
        return {"before": self.before, "parent": self.parent, "text": self.text}


class Source(NamedTuple):
    """Lines of the user's that steps point into: a function, or a statement outside of one."""

    name: str
    first: int
    lines: Sequence[str]

    def as_data(self) -> dict[str, Any]:
        return {"name": self.name, "first": self.first, "lines": list(self.lines)}


@dataclass(eq=False)
class Recording:
    """All of it. `left_out` counts the steps beyond the limit; `error` is what the function raised,
    in words."""

    title: str
    steps: list[Step]
    traces: list[SeenTrace]
    programs: list[Program]
    sources: list[Source]
    left_out: int = 0
    error: str = ""
    marks: list[Mark] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """The recording as dicts, lists, strings and numbers, as JSON has them."""
        lists = {name: [x.as_data() for x in getattr(self, name)]
                 for name in ("sources", "traces", "steps", "programs", "marks")}  # fmt: skip
        return {"title": self.title, **lists, "left_out": self.left_out, "error": self.error}


# Bounds.


def cut(text: str, most: int) -> str:
    """The text, and where it is longer than that, its beginning.

    >>> cut("a long text", 8)
    'a lon...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def shortened(text: str, most: int) -> str:
    """The text on one line, and no longer than that."""
    return cut(" ".join(text.split()), most)
