"""Programs as JSON and arrays of numbers, and from there back, each of its equations checked.

Types, arrays and programs each stand in a list, and are named by their places in it:

    types      [dtype, [length, ...], whether it is weak]; a symbolic length is text, "2*b + 1".
                Behind it stands the sharding that a type of Explicit axes says.
    arrays     [dtype, [length, ...]], whose numbers stand elsewhere, as bytes
    programs   {"constants": [[type, array], ...], "arguments": [type, ...],
                "equations": [[primitive, [operand, ...], {parameter: value}, [type, ...]], ...],
                "results": [operand, ...]}

A program carries only programs that stand before it. Its variables are numbered: first those of the
constants, then the arguments, then the results of each equation. An operand is a variable's number,
or for a literal [type, its bytes as hexadecimal digits], behind which may stand the value of
Python's that the program shows for it. Numbers are little-endian.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.tensor_types import LISTED
from minijax.core.arrays import Array, raw_value, to_numpy
from minijax.core.dtypes import dtype_registry, extended, float0, issubdtype, storage_dtype
from minijax.core.errors import SourceInfo
from minijax.core.printing import programs_in_params
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, check_jaxpr
from minijax.core.tracing import ShapedArray, typeof
from minijax.export.allowed_names import name_of, primitive_named
from minijax.export.devices_together import check_devices, effects_of
from minijax.export.dimension_expressions import is_symbolic_dim
from minijax.export.dimensions import SymbolicScope, parse
from minijax.export.parameter_kinds import check_parameters
from minijax.export.value_format import (
    DEEPEST,
    dtype_named,
    need,
    read_value,
    unwritable,
    write_value,
)
from minijax.face.lazily import call_lazily
from minijax.lax.sharding.explicit_types import ExplicitArray
from minijax.lax.sharding.shardings import NamedSharding

# As long as no type says how an array lies, nobody works out how results do.
explicit_type = call_lazily("minijax.lax.sharding.explicit_typing.explicit_type")
leniently = call_lazily("minijax.lax.sharding.explicit_typing.leniently")

NOWHERE = SourceInfo(None, 0, ())  # the line that an equation came from stays behind
MOST_EQUATIONS = 10_000_000  # with each program written out where it is carried


def bytes_of(x: Any, dtype: Any) -> bytes:
    """The numbers of an array, little-endian; of a key its words; of float0 none."""
    if dtype == float0:
        return b""
    value = np.ascontiguousarray(raw_value(x), storage_dtype(dtype))
    return (value if sys.byteorder == "little" else value.byteswap()).tobytes()


def numbers_of(data: bytes, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The array of these bytes; ValueError where they are none of this type."""
    if dtype == float0:
        return np.zeros(shape, float0)
    value = np.frombuffer(data, storage_dtype(dtype)).reshape(shape)
    value = value.copy() if sys.byteorder == "little" else value.byteswap()
    if dtype in LISTED:  # of fewer bits than a byte: the others have no meaning
        of_wide = value.view(np.uint8) != 0 if dtype == np.bool_ else value.astype(np.float32)
        is_same = of_wide.astype(dtype).tobytes() == value.tobytes()
        need(is_same, f"an array has a byte that is no {dtype}")
    return value


# Writing.


class ProgramWriter:
    """Collects programs, and the types and arrays in them, each once."""

    def __init__(self) -> None:
        self.types: dict[tuple, int] = {}
        self.arrays: list[list] = []
        self.array_bytes: list[bytes] = []
        self.programs: list[dict] = []
        self.open: dict[int, ClosedJaxpr] = {}  # by the id of the jaxpr inside
        self.known: dict[int, tuple[int, Any]] = {}  # by the id of what is in the list, kept alive
        self.constraints: tuple[str, ...] = ()  # on symbolic lengths

    def once(self, x: Any, add: Any) -> int:
        if id(x) not in self.known:
            self.known[id(x)] = add(), x
        return self.known[id(x)][0]

    def type(self, aval: Any) -> int:
        if type(aval) not in (ShapedArray, ExplicitArray):
            raise unwritable(f"a value of the type {aval}")
        shape = tuple(n if isinstance(n, int) else self.dimension(n) for n in aval.shape)
        said = (aval.said_sharding,) if type(aval) is ExplicitArray else ()
        key = (dtype_registry[aval.dtype].short_name, shape, aval.weak_type, *said)
        return self.types.setdefault(key, len(self.types))

    def listed_types(self) -> list[list]:
        return [
            [name, list(shape), weak, *[write_value(self, x) for x in said]]
            for name, shape, weak, *said in self.types
        ]

    def dimension(self, dim: Any) -> str:
        """A symbolic length as text. What is exported has those of one scope."""
        self.constraints = dim.scope.texts
        return str(dim)

    def array(self, x: Any) -> int:
        def add() -> int:
            aval = typeof(x)
            if type(aval) is ExplicitArray:
                raise unwritable(f"an array of the type {aval} that the function holds")
            self.arrays.append([dtype_registry[aval.dtype].short_name, list(aval.shape)])
            self.array_bytes.append(bytes_of(x, aval.dtype))
            return len(self.arrays) - 1

        return self.once(x, add)

    def number(self, x: Any, aval: Any) -> list:
        return [self.type(aval), bytes_of(x, aval.dtype).hex()]

    def closed(self, jaxpr: Jaxpr) -> ClosedJaxpr:
        """One that is always the same for a jaxpr, which has no constants."""
        return self.open.setdefault(id(jaxpr), ClosedJaxpr(jaxpr, []))

    def program(self, closed: ClosedJaxpr) -> int:
        return self.once(closed, lambda: self._add_program(closed))

    def _add_program(self, closed: ClosedJaxpr) -> int:
        variables = {v: i for i, v in enumerate([*closed.constvars, *closed.invars])}

        def operand(x: Atom) -> Any:
            return self._literal(x) if type(x) is Literal else variables[x]

        equations = []
        for eqn in closed.eqns:
            operands = list(map(operand, eqn.invars))
            for v in eqn.outvars:
                variables[v] = len(variables)
            types = [self.type(v.aval) for v in eqn.outvars]
            equations.append([name_of(eqn.primitive), operands, self._params(eqn), types])
        pairs = zip(closed.constvars, closed.consts, strict=True)
        self.programs.append({
            "constants": [[self.type(v.aval), self.array(x)] for v, x in pairs],
            "arguments": [self.type(v.aval) for v in closed.invars], "equations": equations,
            "results": list(map(operand, closed.outvars)),
        })  # fmt: skip
        return len(self.programs) - 1

    def _literal(self, x: Literal) -> list:
        written, shown = self.number(x.val, x.aval), x.val.number
        is_rounded = isinstance(shown, float | complex) and shown == shown  # not a NaN
        if is_rounded and shown != to_numpy(x.val).item():
            written.append(write_value(self, shown))
        return written

    def _params(self, eqn: JaxprEqn) -> dict:
        """(A file says what a program computes, and not what runs it.)"""
        params = eqn.primitive.active(eqn.params)
        return {name: write_value(self, x) for name, x in params.items() if name != "backend"}


# Reading. Whatever is wrong, some error is raised here; file_format.py makes one of all of them.


class ProgramReader:
    """The programs of a file. They are typechecked, and have no effects, but that bodies of a
    `shard_map` name its axes."""

    def __init__(
        self, types: list, arrays: list, data: bytes, programs: list, constraints: list
    ) -> None:
        self.scope = SymbolicScope(constraints)
        self.depth, self.weights = 0, list[int]()
        self.types = [self._type(*entry) for entry in types]
        self.arrays = self._arrays(arrays, data)
        self.programs: list[ClosedJaxpr] = []
        for program in programs:
            self.programs.append(self._program(**program))

    def _type(self, name: str, lengths: list, weak: bool, said: Any = None) -> ShapedArray:
        sizes = [self.dimension(n) if type(n) is str else n for n in lengths]
        aval = ShapedArray(read_shape(sizes), dtype_named(name), read_flag(weak))
        return aval if said is None else self._explicit(aval, self.value(said))

    def _explicit(self, aval: ShapedArray, sharding: Any) -> ShapedArray:
        need(isinstance(sharding, NamedSharding), f"a type says {sharding!r}, which is no sharding")
        explicit = explicit_type(aval, sharding)
        is_said = type(explicit) is ExplicitArray and explicit.said_sharding == sharding
        need(is_said, f"no type says {sharding!r}")
        sharding.check_compatible_aval(aval.shape)
        return explicit

    def dimension(self, text: str) -> Any:
        return parse(text, self.scope)

    def _arrays(self, entries: list, data: bytes) -> list:
        found, start = [], 0
        for name, lengths in entries:
            aval = self._type(name, lengths, False)
            end = start + (0 if aval.dtype == float0 else aval.size * aval.dtype.itemsize)
            need(end <= len(data), "an array has more numbers than the file")
            value = numbers_of(data[start:end], aval.dtype, aval.shape)
            found.append(value if aval.dtype == float0 else Array(value, aval))
            start = end
        need(start == len(data), "there are bytes behind the last array")
        return found

    # What a parameter may name.

    def type(self, i: int) -> ShapedArray:
        return self.types[read_natural(i)]

    def array(self, type_: int, i: int) -> Any:
        return self._retyped(self.arrays[read_natural(i)], self.type(type_))

    def program(self, i: int) -> ClosedJaxpr:
        return self.programs[read_natural(i)]

    def number(self, data: list) -> np.ndarray:
        type_, digits = data
        aval = self.type(type_)
        return numbers_of(bytes.fromhex(digits), aval.dtype, aval.shape)

    def value(self, data: Any) -> Any:
        self.depth += 1
        need(self.depth <= DEEPEST, f"values are within values, more than {DEEPEST} deep")
        found = read_value(self, data)
        self.depth -= 1
        return found

    def _retyped(self, x: Any, aval: ShapedArray) -> Any:
        """The array, weak or not; whoever checks the program sees whether the type is right."""
        return Array(raw_value(x), aval) if _is_like(typeof(x), aval) else x

    # Programs.

    def _program(
        self, constants: list, arguments: list, equations: list, results: list
    ) -> ClosedJaxpr:
        constvars = [Var(self.type(type_)) for type_, _ in constants]
        invars = [Var(self.type(type_)) for type_ in arguments]
        variables = [*constvars, *invars]

        def operand(data: Any) -> Atom:
            if type(data) is list:
                return self._literal(data)
            return variables[read_natural(data)]

        eqns = []
        for name, operands, params, types in equations:
            primitive = primitive_named(name)
            invars_ = list(map(operand, operands))
            outvars = [Var(self.type(type_)) for type_ in types]
            values = {key: self.value(data) for key, data in params.items()}
            values = {**primitive.inert, **values}
            effects = effects_of(primitive, values)
            eqns.append(JaxprEqn(invars_, outvars, primitive, values, effects, NOWHERE))
            check_parameters(eqns[-1])
            check_devices(eqns[-1])
            variables += outvars
        self._weigh(eqns)
        jaxpr = Jaxpr(constvars, invars, list(map(operand, results)), eqns)
        closed = ClosedJaxpr(jaxpr, [self.array(*constant) for constant in constants])
        is_cut = any(type(aval) is ExplicitArray for aval in self.types)
        if not jaxpr.effects:  # else it names axes, of the shard_map with which it is checked
            with leniently() if is_cut else nullcontext():  # a cotangent lies as its primal does
                check_jaxpr(closed)
        return closed

    def _literal(self, data: list) -> Literal:
        value, aval = self.number(data[:2]), self.type(data[0])
        is_number = not (aval.shape or issubdtype(aval.dtype, extended) or aval.dtype == float0)
        need(is_number, f"a literal has the type {aval}")
        literal = Literal(Array(value, aval))
        if data[2:]:
            [shown] = map(self.value, data[2:])
            is_same = np.asarray(shown).astype(aval.dtype).tobytes() == value.tobytes()
            need(is_same, f"a literal shows {shown}, and is {value}")
            literal.val.number = shown
        return literal

    def _weigh(self, eqns: list[JaxprEqn]) -> None:
        """Refuses programs within programs that are too many equations, written out."""
        places = {id(program.jaxpr): i for i, program in enumerate(self.programs)}
        weight = len(eqns)
        for eqn in eqns:
            for program in programs_in_params(eqn.params):
                weight += self.weights[places[id(getattr(program, "jaxpr", program))]]
        need(weight <= MOST_EQUATIONS, f"a program has more than {MOST_EQUATIONS} equations")
        self.weights.append(weight)


def _is_like(x: ShapedArray, y: ShapedArray) -> bool:
    return (x.shape, x.dtype) == (y.shape, y.dtype) and x.dtype != float0


def read_natural(x: Any) -> int:
    need(type(x) is int and x >= 0, f"{x!r} is no place in a list")
    return x


def read_flag(x: Any) -> bool:
    need(type(x) is bool, f"{x!r} is not true or false")
    return x


def read_shape(lengths: Any) -> tuple[int, ...]:
    known = [n for n in lengths if not is_symbolic_dim(n)]
    is_shape = len(lengths) <= 64 and all(read_natural(n) < 1 << 62 for n in known)
    need(is_shape, f"the shape {lengths} is that of no array")
    return tuple(lengths)
