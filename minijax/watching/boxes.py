"""Values as they are seen by a recording: a tracer by what it holds, an array by a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minijax.core.arrays import Array, is_array_like
from minijax.core.batching import BatchTracer
from minijax.core.config import bounded_cache
from minijax.core.dtypes import ExtendedDType, float0
from minijax.core.errors import safe_repr
from minijax.core.forward import JVPTracer, Zero
from minijax.core.reverse import UndefinedPrimal
from minijax.core.staging import DynamicJaxprTracer, Var
from minijax.core.tracing import Tracer, typeof
from minijax.watching.records import Box, shortened
from minijax.watching.traces_seen import TracesSeen

MOST_CHARACTERS = 40  # of an array's text
MOST_OPERANDS = 16  # of a step that are shown
NUMBERS = bool | int | float | complex | np.generic

# Arrays, in short.


@bounded_cache
def type_text(aval: Any) -> str:
    return aval.str_short(short_dtypes=True)


def number_text(x: Any) -> str:
    """A number with the digits that are read.

    >>> number_text(0.1 + 0.2), number_text(3), number_text(np.float32(2))
    ('0.3', '3', '2.')
    """
    if isinstance(x, complex | np.complexfloating):
        return f"{x:.3g}"
    if isinstance(x, bool | int | np.bool_ | np.integer):
        return str(x)
    text = f"{float(x):.4g}"
    return text if set(text) & set(".en") else f"{text}."


def array_text(x: Any) -> str:
    """The type of an array and its first numbers.

    >>> array_text(np.arange(3, dtype=np.float32)), array_text(np.zeros((50, 50)))
    ('f32[3] [0. 1. 2.]', 'f32[50,50] [0. 0. 0. 0. 0. 0. 0. ...]')
    """
    aval = typeof(x)
    known, value = type_text(aval), getattr(x, "_value", x)
    if value is None:
        return f"{known}, deleted"
    if isinstance(aval.dtype, ExtendedDType) or aval.dtype == float0:
        return known
    if not isinstance(value, np.ndarray):
        return known  # on other devices
    if not value.ndim:
        return f"{known} {number_text(value[()])}"
    return f"{known} [{first_numbers(value, MOST_CHARACTERS - len(known) - 3)}]"


def first_numbers(value: np.ndarray, most: int) -> str:
    """As many of the array's numbers as there is space for."""
    words, length = list[str](), 0
    for i in range(value.size):
        word = number_text(value.flat[i])
        length += len(word) + 1
        if length > most + 1 - 4 * (i + 1 < value.size):
            words.append("...")
            break
        words.append(word)
    return " ".join(words)


# Tracers, by what they hold.

Parts = Callable[[Any], Sequence[tuple[str, Any]]]
# For a class of tracers, what it holds, by name. Of a variable that is its name, which comes later.
held_by: dict[type, Parts] = {
    JVPTracer: lambda x: [("primal", x.primal), ("tangent", x.tangent)],
    BatchTracer: lambda x: [("value", x.val), ("axis", x.batch_dim)],
    DynamicJaxprTracer: lambda x: [],
}


def held(x: Tracer) -> Sequence[tuple[str, Any]]:
    """What a tracer holds: by its class, or the nearest that this derives from; of a class that
    nobody knows, whatever it has beside its type."""
    for cls in type(x).__mro__:
        if cls in held_by:
            return held_by[cls](x)
        if cls is Tracer:
            break
    return [(name, value) for name, value in attributes(x) if name != "aval"]


def attributes(x: Tracer) -> Iterator[tuple[str, Any]]:
    """The attributes of a tracer that its own class gives it."""
    for cls in type(x).__mro__:
        if cls is Tracer:
            break
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(x, name) and not name.startswith("__"):
                yield name, getattr(x, name)
    yield from getattr(x, "__dict__", {}).items()


class Boxes:
    """Makes boxes of values. `variables` are the boxes that wait for a variable's name."""

    def __init__(self, traces: TracesSeen) -> None:
        self.traces = traces
        self.variables: list[tuple[Box, Var]] = []

    def all_of(self, values: Sequence[Any]) -> list[Box]:
        boxes = list(map(self.box, values[:MOST_OPERANDS]))
        more = len(values) - MOST_OPERANDS
        return [*boxes, Box("more", f"and {more} more")] if more > 0 else boxes

    def box(self, x: Any) -> Box:
        if isinstance(x, Tracer):
            return self.tracer(x)
        if isinstance(x, Array | np.ndarray):
            return Box("array", array_text(x))
        if isinstance(x, NUMBERS):
            return Box("number", number_text(x))
        if type(x) is Zero:
            return Box("zero", f"Zero({type_text(x.aval)})")
        if type(x) is UndefinedPrimal:
            return Box("UndefinedPrimal", f"unknown {type_text(x.aval)}")
        text = str(typeof(x)) if is_array_like(x) else safe_repr(x)
        return Box("object", shortened(text, MOST_CHARACTERS))

    def tracer(self, x: Tracer) -> Box:
        parts = [(name, self.box(value)) for name, value in held(x)]
        box = Box(type(x).__name__, type_text(x.aval), self.traces.index(x._trace), parts)
        if isinstance(x, DynamicJaxprTracer):
            self.variables.append((box, x.val))
        return box

    def name_variables(self, names: dict[Var, str]) -> None:
        """Puts the variables' names in front of their types, now that all of them are known."""
        for box, var in self.variables:
            if var in names:
                box.text = f"{names[var]}:{box.text}"
        self.variables.clear()
