"""Python that is written while a program runs: one writer of its lines.

What comes from a caller never stands in the text: there it has a name of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class TextWriter:
    """Writes a function, line after line. Every name in its text is one of ours."""

    def __init__(self, **meanings: Any) -> None:
        self.lines, self.depth, self.count = list[str](), 1, 0
        self.meanings: dict[str, Any] = {"__name__": __name__, **meanings}  # of the names
        self.named = {id(value): name for name, value in meanings.items()}

    def emit(self, *lines: str) -> None:
        self.lines += ["    " * self.depth + line for line in lines]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines inside stand under this one; where there are none, `pass` does."""
        self.emit(head)
        before, self.depth = len(self.lines), self.depth + 1
        yield
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1

    def new(self, letters: str = "v") -> str:
        """A name that stands for nothing yet. Its letters end with no digit."""
        self.count += 1
        return f"{letters}{self.count - 1}"

    def name(self, value: Any, letters: str = "k") -> str:
        """The name of a value: the same one for the same value."""
        if id(value) not in self.named:
            self.named[id(value)] = name = self.new(letters)
            self.meanings[name] = value
        return self.named[id(value)]

    def assign(self, expression: str, letters: str = "v") -> str:
        name = self.new(letters)
        self.emit(f"{name} = {expression}")
        return name

    def source(self, name: str, parameters: str) -> str:
        return "\n".join([f"def {name}({parameters}):", *(self.lines or ["    pass"])])

    def function(self, name: str, parameters: str) -> Callable:
        """The function, compiled; `source` is its text."""
        source = self.source(name, parameters)
        exec(compile(source, f"<minijax {name}>", "exec"), self.meanings)
        self.meanings[name].source = source
        return self.meanings[name]


def kernel_text(writer: TextWriter, parameters: Iterable[str]) -> str:
    """The text of a kernel, as doors and files have it."""
    return writer.source("kernel", ", ".join(parameters)) + "\n"
