"""The text of a path: lines of Python, and what the names in them stand for.

What comes from a caller never stands in the text. There it has a name of ours, `Text.name`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minijax.core.pytrees import PyTreeDef, entry_of


class Text:
    """Lines of Python, and what the names in them stand for."""

    def __init__(self, **meanings: Any) -> None:
        self.lines: list[str] = []
        self.meanings: dict[str, Any] = {"__name__": __name__, **meanings}
        self.names = {id(value): name for name, value in meanings.items()}

    def new(self, letter: str = "v") -> str:
        """A name that stands for nothing yet."""
        name = f"{letter}{len(self.meanings)}"
        self.meanings[name] = None
        return name

    def name(self, value: Any) -> str:
        """The name of a value: the same one for the same value."""
        if id(value) not in self.names:
            self.names[id(value)] = name = self.new("k")
            self.meanings[name] = value
        return self.names[id(value)]

    def assign(self, expression: str) -> str:
        """A new name, for what an expression gives."""
        self.lines.append(f"{self.new()} = {expression}")
        return self.lines[-1].partition(" ")[0]

    def function(self, name: str, parameters: str) -> Callable:
        """The function whose body the lines are; `source` is its text."""
        source = "\n    ".join([f"def {name}({parameters}):", *self.lines])
        exec(compile(source, f"<minijax {name}>", "exec"), self.meanings)
        fun = self.meanings[name]
        fun.source = source
        return fun


def tree_text(text: Text, treedef: PyTreeDef, leaves: Iterator[str]) -> str:
    """The expression for a tree, from those of its leaves."""
    cls, aux = treedef._type, treedef._aux
    if cls is None:
        return next(leaves)
    if cls is type(None):
        return "None"
    children = [f"{tree_text(text, child, leaves)}, " for child in treedef._children]
    if cls is list:
        return f"[{''.join(children)}]"
    if cls is dict:
        pairs = zip(map(text.name, aux), children, strict=True)
        return "{" + "".join(f"{key}: {child}" for key, child in pairs) + "}"
    together = f"({''.join(children)})"
    if cls is tuple:
        return together
    return f"{text.name(entry_of(cls).unflatten)}({text.name(aux)}, {together})"
