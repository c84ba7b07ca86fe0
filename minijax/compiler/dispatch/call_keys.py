"""What a call depends on: the settings, and what counts of each argument. One table says it.

It is `stage`'s key, found without making a structure: two calls that are alike here have one key
there. The table has two readers. Outside jit, a path is looked up by a tuple, which `operand_key`
makes. The path of a jitted function compares one thing after the other, in lines that `differs`
writes. To make that tuple for a call of a jitted function would take longer than its program.

`stage`'s named axes come with a trace, or are asked for by the path, and then there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from minijax.compiler.generated_text import TextWriter
from minijax.core.arguments import value_key
from minijax.core.arrays import ArrayImpl
from minijax.core.config import Config, config
from minijax.core.tracing import typeof


class NoPath(Exception):
    """A call has an argument that paths are not made for."""


def settings() -> tuple:
    """What of the options a path depends on: `config.trace_key()`, sooner."""
    return config.trace_key() if config.__dict__ else Config.process_key


# Static arguments: their value counts.


def static_value(x: Any) -> Any:
    """What a key has for an argument whose value counts."""
    return value_key(x, dtype_key)


def dtype_key(x: Any) -> tuple:
    """What `value_key` has for an argument that is no number; NoPath where its value may change."""
    if isinstance(x, np.dtype | type):
        return type(x), x
    raise NoPath(type(x).__name__)


def value_differs(text: TextWriter, x: Any, name: str) -> str:
    """The condition that a hashable argument has another value than this one."""
    key = f"{text.name(value_key)}({name}) != {text.name(value_key(x))}"
    return f"{name} is not {text.name(x)} and {key}"


# Operands: what counts beside the class, as expressions of the operand. The class says how its
# value is taken out, and of numbers it says the type too.

NUMBERS = (bool, int, float, complex)
SEQUENCES = (tuple, list)
COUNTS: dict[type, tuple[str, ...]] = {
    ArrayImpl: ("{}.aval",),
    np.ndarray: ("{}.dtype", "{}.shape"),
    np.generic: ("{}.dtype",),  # and its subclasses
    **dict.fromkeys((*NUMBERS, NoneType, EllipsisType), ()),
    **dict.fromkeys((*SEQUENCES, dict), ("len({})",)),  # and what counts of what is in them
    slice: tuple(f"static_value({{}}.{name})" for name in ("start", "stop", "step")),
    object: ("typeof({})",),  # any other class; only jitted functions have paths for these
}
MEANINGS = {"static_value": static_value, "typeof": typeof}
_keys: dict[type, Callable] = {}  # by row of the table


def row(cls: type) -> type:
    """The row of the table that a class goes by."""
    return cls if cls in COUNTS else np.generic if issubclass(cls, np.generic) else object


def operand_key(x: Any) -> Any:
    """What a key has for an operand: what counts of it, behind its class; an Array's aval alone."""
    cls = type(x)
    return x.aval if cls is ArrayImpl else (_keys.get(cls) or key_function(row(cls)))(x)


def key_function(cls: type) -> Callable:
    """The function that makes the key of an operand, written from its row."""
    if cls not in _keys:
        if cls in (object, dict):
            raise NoPath(cls.__name__)
        writer = TextWriter(operand_key=operand_key, **MEANINGS)
        parts = ["type(x)", *(form.format("x") for form in COUNTS[cls])]
        parts += ["*map(operand_key, x)"] * (cls in SEQUENCES)
        writer.emit(f"return {', '.join(parts)}")
        _keys[cls] = writer.function("key", "x")
    return _keys[cls]


def differs(text: TextWriter, x: Any, name: str) -> str:
    """The condition that what counts of an operand is not what counts of this one."""
    conditions = [f"type({name}) is not {text.name(type(x))}"]
    for form in COUNTS[row(type(x))]:
        wanted = eval(form.format("x"), MEANINGS, {"x": x})
        differ = "!=" if isinstance(wanted, int | tuple | np.dtype) else "is not"
        conditions.append(f"{form.format(name)} {differ} {text.name(wanted)}")
    return " or ".join(conditions)
