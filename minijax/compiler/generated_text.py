"""Python that is written while a program runs: text, and what the names in it stand for.

What comes from a caller never stands in the text. There it has a name of ours, `Text.name`; what a
reader is to recognise is spelled with harmless letters, by `readable`; and numbers are Python's
own, by `with_plain_numbers`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minijax.core.arrays import Array
from minijax.core.config import derived
from minijax.core.pytrees import PyTreeDef, entry_of
from minijax.core.staging import ClosedJaxpr, JaxprEqn


def readable(name: str) -> str:
    """A primitive's name as the beginning of one of ours, or in a comment: letters, digits and _.

    >>> readable("scatter-add"), readable('2 "x")')
    ('scatter_add', 'p_2__x__')
    """
    found = re.sub(r"\W", "_", str.__str__(name), flags=re.ASCII)
    return found if found[:1].isalpha() and found != "kernel" else f"p_{found}"


@derived
def with_plain_numbers(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, whose parameters' integers are Python's own: others print as they like."""
    return ClosedJaxpr(closed.jaxpr.replace(eqns=list(map(_plain_eqn, closed.eqns))), closed.consts)


def _plain_eqn(eqn: JaxprEqn) -> JaxprEqn:
    if {bool, int, float, str, type(None)}.issuperset(map(type, eqn.params.values())):
        return eqn
    return eqn._replace(params={name: _plain(x) for name, x in eqn.params.items()})


def _plain(x: Any) -> Any:
    if isinstance(x, int) and type(x) is not bool:
        return operator.index(x)
    if isinstance(x, tuple):
        items = map(_plain, x)
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    return with_plain_numbers(x) if type(x) is ClosedJaxpr else x


# What is written.


def array_of(value: np.ndarray, aval: Any) -> Array:
    """What `Array(value, aval)` is, sooner."""
    value.setflags(False)
    if isinstance(value.base, np.ndarray):
        value.base.setflags(False)
    array = object.__new__(Array)
    array._value = value
    array.aval = aval
    return array


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
