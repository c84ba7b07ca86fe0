"""Python that is written while a program runs: one writer, and what may stand in the text.

What comes from a caller never does: the text has a name of ours for it. What a reader is to
recognise is spelled with harmless letters (`readable`, in core/printing.py), and numbers are
Python's own, by `with_plain_numbers`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from minijax.core.arrays import Array
from minijax.core.config import derived
from minijax.core.staging import ClosedJaxpr, JaxprEqn, enter_source, keep_source
from minijax.core.tracing import trace_ctx


class TextWriter:
    """Writes a function, line after line. Every name in its text is one of ours.

    >>> writer = TextWriter()
    >>> with writer.block("for i in range(2):"):
    ...     writer.emit(f"print(i, {writer.name('from a caller')})")
    >>> greet = writer.function("greet", "")
    >>> print(greet.source)
    def greet():
        for i in range(2):
            print(i, k0)
    >>> greet()
    0 from a caller
    1 from a caller
    """

    def __init__(self, **meanings: Any) -> None:
        self.lines: list[str] = []
        self.depth, self.count = 1, 0
        self.meanings: dict[str, Any] = {"__name__": __name__, **meanings}  # of the names
        self.named = {id(value): name for name, value in meanings.items()}

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

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
        """A new name, for what an expression gives."""
        name = self.new(letters)
        self.emit(f"{name} = {expression}")
        return name

    def source(self, name: str, parameters: str) -> str:
        return "\n".join([f"def {name}({parameters}):", *(self.lines or ["    pass"])])

    def kernel(self, parameters: Iterable[str]) -> str:
        """The text for a door: a file's."""
        return self.source("kernel", ", ".join(parameters)) + "\n"

    def function(self, name: str, parameters: str) -> Callable:
        """The function, compiled; `source` is its text."""
        source = self.source(name, parameters)
        exec(compile(source, f"<minijax {name}>", "exec"), self.meanings)
        fun = self.meanings[name]
        fun.source = source
        return fun


# Numbers in it.


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


# What its names stand for.


def array_of(value: np.ndarray, aval: Any) -> Array:
    """What `Array(value, aval)` is, sooner."""
    value.setflags(False)
    if isinstance(value.base, np.ndarray):
        value.base.setflags(False)
    array = object.__new__(Array)
    array._value = value
    array.aval = aval
    return array


def contiguous(x: Array) -> np.ndarray:
    """The elements of an array in row-major order, copied where they lie otherwise."""
    value = x._value
    return value if value.flags.c_contiguous else np.ascontiguousarray(value)


def typed(x: Any, aval: Any) -> Any:
    """The same array, with this type: weak, or not."""
    return array_of(x._value, aval) if isinstance(x, Array) and x.aval is not aval else x


def caller(eqn: JaxprEqn) -> Callable:
    """Runs an equation on arrays. What carries programs is told the line that it came from."""
    bind = partial(eqn.primitive.bind, **eqn.params)
    if not eqn.primitive.multiple_results and not eqn.effects:
        return bind

    def call(*args: Any) -> Any:
        outer = keep_source()
        try:
            enter_source(eqn, outer)
            return bind(*args)
        finally:
            trace_ctx.source, trace_ctx.name_stack = outer

    return call
