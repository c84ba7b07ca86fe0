"""Parameters of equations as JSON: a table of the kinds that there are.

None, a bool, an int and a string stand for themselves, a tuple is an array. Each other value is an
object with one key, its kind: {"float": "0x1.8p+1"}, {"dtype": "f32"}, {"GatherScatterMode":
"CLIP"}. A value of another kind is refused, so nothing that is read is more than data.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from minijax.core.arrays import Array
from minijax.core.dtypes import ExtendedDType, SymbolicDimension, dtype_registry
from minijax.core.errors import safe_repr
from minijax.core.staging import ClosedJaxpr, Jaxpr
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.export.allowed_names import class_named, is_allowed, name_of, primitive_named
from minijax.lax.sharding.meshes import AbstractMesh
from minijax.lax.sharding.partition_specs import UNCONSTRAINED, P
from minijax.lax.sharding.shardings import NamedSharding

DEEPEST = 50  # values within values


def dtype_named(name: Any) -> Any:
    """The dtype of this short name, as jaxprs have it: "f32", "key<fry>"."""
    return {info.short_name: dtype for dtype, info in dtype_registry.items()}[name]


class Kind(NamedTuple):
    """A kind of value: its classes, what it is written as, and how it is read again. Both
    functions are given the writer, or the reader, of the program around."""

    classes: tuple[type, ...]
    write: Callable[[Any, Any], Any]
    read: Callable[[Any, Any], Any]


KINDS = {
    "float": Kind((float,), lambda w, x: x.hex(), lambda r, data: float.fromhex(data)),
    "complex": Kind(
        (complex,), lambda w, x: [x.real.hex(), x.imag.hex()],
        lambda r, data: complex(*map(float.fromhex, data)),
    ),
    "list": Kind((list,), lambda w, xs: [write_value(w, x) for x in xs],
                 lambda r, data: [r.value(x) for x in data]),
    "dict": Kind((dict,), lambda w, xs: [[write_value(w, x) for x in pair] for pair in xs.items()],
                 lambda r, data: dict([(r.value(key), r.value(item)) for key, item in data])),
    "slice": Kind((slice,), lambda w, x: [x.start, x.stop, x.step], lambda r, data: slice(*data)),
    "dimension": Kind((SymbolicDimension,), lambda w, x: w.dimension(x),
                      lambda r, data: r.dimension(data)),
    "dtype": Kind((np.dtype, ExtendedDType), lambda w, x: dtype_registry[x].short_name,
                  lambda r, data: dtype_named(data)),
    "primitive": Kind((Primitive,), lambda w, x: name_of(x), lambda r, data: primitive_named(data)),
    "type": Kind((ShapedArray,), lambda w, x: w.type(x), lambda r, data: r.type(data)),
    "array": Kind((Array, np.ndarray), lambda w, x: [w.type(typeof(x)), w.array(x)],
                  lambda r, data: r.array(*data)),
    "scalar": Kind((np.generic,), lambda w, x: w.number(x, typeof(x)),
                   lambda r, data: r.number(data)[()]),
    "mesh": Kind((AbstractMesh,), lambda w, x: [
        write_value(w, part) for part in (x.axis_sizes, x.axis_names, x.axis_types)
    ], lambda r, data: AbstractMesh(*map(r.value, data))),
    "set": Kind((frozenset,), lambda w, xs: [write_value(w, x) for x in sorted(xs)],
                lambda r, data: frozenset(map(r.value, data))),
    "sharding": Kind((NamedSharding,), lambda w, x: [
        write_value(w, part) for part in (x.mesh, x.spec, x.memory_kind)
    ], lambda r, data: _sharding(*map(r.value, data))),
    "spec": Kind((P,), lambda w, x: [
        write_value(w, part) for part in (x.partitions, x.unreduced, x.reduced)
    ], lambda r, data: _spec(*map(r.value, data))),
    "unconstrained": Kind((type(UNCONSTRAINED),), lambda w, x: [], lambda r, data: UNCONSTRAINED),
    "program": Kind((ClosedJaxpr,), lambda w, x: w.program(x), lambda r, data: r.program(data)),
    "jaxpr": Kind((Jaxpr,), lambda w, x: w.program(w.closed(x)),
                  lambda r, data: r.program(data).jaxpr),
}  # fmt: skip


def _spec(partitions: tuple, unreduced: frozenset, reduced: frozenset) -> P:
    return P(*partitions, unreduced=unreduced, reduced=reduced)


def _sharding(mesh: AbstractMesh, spec: P, memory_kind: str | None) -> NamedSharding:
    return NamedSharding(mesh, spec, memory_kind=memory_kind)


def need(holds: Any, problem: str) -> None:
    """ValueError, which file_format.py makes a sentence of, unless it holds."""
    if not holds:
        raise ValueError(problem)


def unwritable(what: str) -> NotImplementedError:
    return NotImplementedError(
        f"Exported.serialize has no form for {what}.\nLeave it out of what is exported."
    )


def write_value(writer: Any, x: Any) -> Any:
    """The value as JSON; NotImplementedError for one that is in no table."""
    if x is None or type(x) in (bool, int, str):
        return x
    if type(x) is tuple:
        return [write_value(writer, item) for item in x]
    if is_allowed(type(x)):
        inside = x.name if isinstance(x, Enum) else [write_value(writer, item) for item in x]
        return {type(x).__name__: inside}
    for kind, (classes, write, _) in KINDS.items():
        if isinstance(x, classes):
            return {kind: write(writer, x)}
    raise unwritable(f"{safe_repr(x)}, which a parameter of an equation is")


def read_value(reader: Any, data: Any) -> Any:
    """The value of this JSON. `reader.value` calls this, and counts how deep it is."""
    if data is None or type(data) in (bool, int, str):
        return data
    if type(data) is list:
        return tuple([reader.value(item) for item in data])
    [(kind, inside)] = data.items()
    if kind in KINDS:
        return KINDS[kind].read(reader, inside)
    cls = class_named(kind)
    return cls[inside] if issubclass(cls, Enum) else cls(*map(reader.value, inside))
