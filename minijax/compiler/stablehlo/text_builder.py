"""MLIR's text, an operation a line: the lines of a function, and the functions of a module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.stablehlo.frontend_attributes import with_attributes
from minijax.compiler.stablehlo.tensor_types import (
    BOOL, INT32, TensorType, dense, integers, quoted, safe_name,
)
from minijax.core.dtypes import dtype_registry
from minijax.core.staging import JaxprEqn


class Value(NamedTuple):
    """A value in the text: its name, such as %0, and its type."""

    name: str
    type: TensorType

    shape = property(lambda self: self.type.shape)
    dtype = property(lambda self: self.type.dtype)
    ndim = property(lambda self: self.type.ndim)


class Module:
    """The functions of a module, each under a name of its own, in the order in which they came."""

    def __init__(self, debug_info: bool = False, platform: str = "cpu") -> None:
        self.debug_info, self.platform = debug_info, platform
        self.functions: list[str] = []
        self.names: set[str] = set()
        self.known: dict[Any, tuple[str, list[TensorType], Any]] = {}  # by what each is made of

    def fresh(self, name: str) -> str:
        """The name, made safe, with a number where it is taken already."""
        name = found = safe_name(name)
        count = 0
        while found in self.names:
            found, count = f"{name}_{count}", count + 1
        self.names.add(found)
        return found

    def function(
        self, name: str, types: Sequence[TensorType], body: Callable, visibility: str = "private",
        notes: Sequence[str] = (), out_notes: Sequence[str] = (),
    ) -> tuple[str, list[TensorType]]:  # fmt: skip
        """Writes a function: `body` goes from its builder and arguments to its results. Returns its
        name, and the types of the results. Behind the types of arguments and results stand notes,
        if there are any."""
        name = self.fresh(name)
        builder = Builder(self)
        args = [Value(f"%arg{i}", type_) for i, type_ in enumerate(types)]
        results = body(builder, *args)
        notes, out_notes = notes or [""] * len(args), out_notes or [""] * len(results)
        given = ", ".join(f"{x.name}: {x.type}{n}" for x, n in zip(args, notes, strict=True))
        out = ", ".join(f"{x.type}{n}" for x, n in zip(results, out_notes, strict=True))
        out = f" -> ({out})" if visibility == "public" or len(results) > 1 else f" -> {out}"
        head = f"func.func {visibility} @{name}({given}){out if results else ''} {{"
        names = ", ".join(x.name for x in results)
        end = f"return {names} : {', '.join(str(x.type) for x in results)}" if results else "return"
        inside = with_attributes(builder.lines, builder.told) if builder.told else builder.lines
        lines = [head, *("  " + line for line in inside), f"  {end}", "}"]
        self.functions.append("\n".join("  " + line for line in lines))
        return name, [x.type for x in results]

    def once(self, key: Any, make: Callable) -> Any:
        """What `make` gives, made once for a key. What the key is the id of has to live on."""
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def text(self, name: str) -> str:
        attributes = "mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32"
        head = f"module @{safe_name(name)} attributes {{{attributes}}} {{"
        return "\n".join([head, *reversed(self.functions), "}", ""])


class Builder:
    """Writes the operations of a function, line after line."""

    def __init__(self, module: Module) -> None:
        self.module, self.lines, self.depth = module, list[str](), 0
        self.counts: dict[str, int] = {}
        self.place = ""  # the location that is added to each operation
        self.told: dict[str, dict[str, Any]] = {}  # what XLA is told of operations, by their names

    # Lines and names.

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def fresh(self, letters: str) -> str:
        """%0, %1, ...; for constants %c, %c_0, %c_1, ..."""
        n = self.counts.get(letters, -1 if letters else 0)
        self.counts[letters] = n + 1
        return f"%{letters}" if n < 0 else f"%{letters}_{n}" if letters else f"%{n}"

    def put(self, text: str, *types: TensorType, letters: str = "", end: str = "") -> Any:
        """Writes an operation with results of these types; the value, or a list unless it is one.

        `end` is what comes between the text and the location.
        """
        name, count = self.fresh(letters) if types else "", len(types)
        several = f":{count}" if count > 1 else ""
        self.emit(f"{name}{several} = {text}{self.place}" if types else f"{text}{self.place}")
        if count == 1:
            return Value(name, types[0])
        return [Value(f"{name}#{i}", type_) for i, type_ in enumerate(types)]

    def op(
        self, name: str, *operands: Value, out: TensorType | None = None, attributes: str = ""
    ) -> Value:
        """stablehlo.NAME, with one result: of the operands' type, unless it is given."""
        out = out or operands[0].type
        names = ", ".join(x.name for x in operands)
        types = signature(operands, [out]) if any(x.type != out for x in operands) else str(out)
        return self.put(f"stablehlo.{name} {names}{attributes} : {types}", out)

    def shaped(self, name: str, *operands: Value, out: TensorType, attributes: str = "") -> Value:
        """The same, with the types of operands and result always written out."""
        names = ", ".join(x.name for x in operands)
        text = f"stablehlo.{name} {names}{attributes} : {signature(operands, [out])}"
        return self.put(text, out)

    def chlo(self, name: str, *operands: Value) -> Value:
        """chlo.NAME, with one result of the operands' type: XLA has the function."""
        out, names = operands[0].type, ", ".join(x.name for x in operands)
        types = ", ".join(str(x.type) for x in operands)
        return self.put(f"chlo.{name} {names} : {types} -> {out}", out)

    def generic(
        self, name: str, operands: Sequence[Value], outs: Sequence[TensorType],
        properties: Sequence[str] = (), regions: Sequence[tuple] = (),
    ) -> list[Value]:  # fmt: skip
        """An operation in MLIR's general form, as a list of values. A region is the types of its
        arguments and a function from the values of these to a list of results."""
        result = self.fresh("") if outs else ""
        several = f":{len(outs)}" if len(outs) > 1 else ""
        head = f"{result}{several} = " if outs else ""
        names = ", ".join(x.name for x in operands)
        given = f" <{{{', '.join(properties)}}}>" if properties else ""
        types, place = signature(operands, outs), self.place
        head += f'"stablehlo.{name}"({names}){given}'
        if not regions:
            self.emit(f"{head} : {types}{place}")
        else:
            for i, (arg_types, body) in enumerate(regions):
                self.emit(f"{head} ({{" if not i else "}, {")
                self.region(arg_types, body)
            self.emit(f"}}) : {types}{place}")
        if len(outs) == 1:
            return [Value(result, outs[0])]
        return [Value(f"{result}#{i}", type_) for i, type_ in enumerate(outs)]

    def region(self, types: Sequence[TensorType], body: Callable, head: bool = True) -> None:
        """The lines of a region."""
        args = [Value(self.fresh("arg_in"), type_) for type_ in types]
        if args and head:
            self.emit(f"^bb0({', '.join(f'{x.name}: {x.type}' for x in args)}):")
        with self.deeper():
            self.yield_(body(*args))

    @contextmanager
    def deeper(self) -> Any:
        self.depth += 1
        yield
        self.depth -= 1

    def yield_(self, values: Sequence[Value]) -> None:
        names, types = ", ".join(x.name for x in values), ", ".join(str(x.type) for x in values)
        self.emit(f"stablehlo.return {names} : {types}" if values else "stablehlo.return")

    def call(self, name: str, operands: Sequence[Value], outs: Sequence[TensorType]) -> list[Value]:
        names = ", ".join(x.name for x in operands)
        text = f"func.call @{name}({names}) : {signature(operands, outs)}"
        found = self.put(text, *outs)
        return [found] if len(outs) == 1 else found

    def tell(self, values: Sequence[Value], told: dict[str, Any]) -> None:
        """Tells XLA something of the operations that give these values; what was told stays."""
        for x in values if told else ():
            name = x.name.partition("#")[0]
            self.told[name] = told | self.told.get(name, {})

    # Constants, and the shapes of operands.

    def constant(self, x: Any, dtype: Any = None) -> Value:
        """An array, or a number of a dtype."""
        x = np.asarray(x) if dtype is None else np.asarray(x).astype(dtype)
        type_ = TensorType(x.shape, x.dtype)
        letters = "cst" if issubclass(dtype_registry[x.dtype].kind, np.inexact) else "c"
        return self.put(f"stablehlo.constant {dense(x)} : {type_}", type_, letters=letters)

    def full(self, type_: TensorType, number: Any) -> Value:
        """One number everywhere."""
        return self.broadcast(self.constant(number, type_.dtype), type_.shape)

    def full_like(self, x: Value, number: Any) -> Value:
        return self.full(x.type, number)

    def broadcast(self, x: Value, shape: Sequence[int], dims: Sequence[int] | None = None) -> Value:
        """x along these axes of a larger shape; by default, a scalar or x with all the axes."""
        shape = tuple(shape)
        if x.shape == shape and (dims is None or list(dims) == list(range(len(shape)))):
            return x
        dims = range(x.ndim) if dims is None else dims
        return self.shaped(
            "broadcast_in_dim", x, out=x.type.shaped(shape),
            attributes=f", dims = {integers(list(dims))}",
        )  # fmt: skip

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        out = x.type.shaped(shape)
        return x if out == x.type else self.shaped("reshape", x, out=out)

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        if list(permutation) == list(range(x.ndim)):
            return x
        out = x.type.shaped(x.shape[d] for d in permutation)
        return self.shaped("transpose", x, out=out, attributes=f", dims = {integers(permutation)}")

    def slice(
        self, x: Value, starts: Sequence[int], limits: Sequence[int],
        strides: Sequence[int] | None = None,
    ) -> Value:  # fmt: skip
        strides = strides or [1] * x.ndim
        bounds = list(zip(starts, limits, strides, strict=True))
        shape = [max(0, -(-(stop - start) // step)) for start, stop, step in bounds]
        places = ", ".join(
            f"{start}:{stop}" + (f":{step}" if step != 1 else "") for start, stop, step in bounds
        )
        return self.shaped("slice", x, out=x.type.shaped(shape), attributes=f" [{places}]")

    def index(self, x: Value, axis: int, start: int, stop: int) -> Value:
        """The part of x from `start` to `stop` along one axis."""
        starts = [start if d == axis else 0 for d in range(x.ndim)]
        limits = [stop if d == axis else n for d, n in enumerate(x.shape)]
        return self.slice(x, starts, limits)

    def word(self, x: Value, i: int) -> Value:
        """The i-th number along the last axis, without that axis."""
        return self.reshape(self.index(x, x.ndim - 1, i, i + 1), x.shape[:-1])

    def concatenate(self, xs: Sequence[Value], axis: int) -> Value:
        if len(xs) == 1:
            return xs[0]
        size = sum(x.shape[axis] for x in xs)
        out = xs[0].type.shaped((*xs[0].shape[:axis], size, *xs[0].shape[axis + 1 :]))
        return self.shaped("concatenate", *xs, out=out, attributes=f", dim = {axis}")

    def pad(self, x: Value, value: Value, edges: Sequence[tuple[int, int, int]]) -> Value:
        low, high, inside = (list(column) for column in zip(*edges, strict=True)) if edges else (
            [], [], [])  # fmt: skip
        shape = [
            a + b + (n + max(n - 1, 0) * gap)
            for n, (a, b, gap) in zip(x.shape, edges, strict=True)
        ]
        attributes = f", low = {integers(low)}, high = {integers(high)}"
        attributes += f", interior = {integers(inside)}"
        return self.shaped("pad", x, value, out=x.type.shaped(shape), attributes=attributes)

    def iota(self, type_: TensorType, axis: int) -> Value:
        return self.put(f"stablehlo.iota dim = {axis} : {type_}", type_)

    # Numbers.

    def convert(self, x: Value, dtype: Any) -> Value:
        """x in another dtype, with the same shape."""
        return x if x.dtype == dtype else self.shaped("convert", x, out=x.type.of(dtype))

    def compare(self, how: str, x: Value, y: Value, kind: str = "") -> Value:
        kind = kind or comparison_kind(x.dtype)
        out = x.type.of(BOOL)
        text = f"stablehlo.compare {how}, {x.name}, {y.name}, {kind} : {signature([x, y], [out])}"
        return self.put(text, out)

    def select(self, which: Value, yes: Value, no: Value) -> Value:
        text = f"stablehlo.select {which.name}, {yes.name}, {no.name} : {which.type}, {yes.type}"
        return self.put(text, yes.type)

    def reduce(self, name: str, x: Value, start: Any, axes: Sequence[int]) -> Value:
        """x without these axes, its numbers combined by the operation of that name."""
        out = x.type.shaped(n for d, n in enumerate(x.shape) if d not in axes)
        start = start if isinstance(start, Value) else self.constant(start, x.dtype)
        text = (
            f"stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{name} across "
            f"dimensions = {integers(axes)} : {signature([x, start], [out])}"
        )
        return self.put(text, out)

    def dynamic_slice(self, x: Value, starts: Sequence[Value], sizes: Sequence[int]) -> Value:
        attributes = f", sizes = {integers(sizes)}"
        out = x.type.shaped(sizes)
        return self.shaped("dynamic_slice", x, *starts, out=out, attributes=attributes)

    def dynamic_update_slice(self, x: Value, update: Value, starts: Sequence[Value]) -> Value:
        return self.shaped("dynamic_update_slice", x, update, *starts, out=x.type)

    def row(self, x: Value, i: Value) -> Value:
        """x[i], of a scalar int32."""
        zero = self.constant(0, INT32)
        starts = [i, *[zero] * (x.ndim - 1)]
        return self.reshape(self.dynamic_slice(x, starts, (1, *x.shape[1:])), x.shape[1:])

    def with_row(self, x: Value, i: Value, row: Value) -> Value:
        """x, with another x[i]."""
        zero = self.constant(0, INT32)
        update = self.reshape(row, (1, *row.shape))
        return self.dynamic_update_slice(x, update, [i, *[zero] * (x.ndim - 1)])

    def loop(self, carry: Sequence[Value], cond: Callable, body: Callable) -> list[Value]:
        """`carry` after `body`, as long as `cond` of it gives true. Both take and see values."""
        args = [Value(self.fresh("iterArg"), x.type) for x in carry]
        types = ", ".join(str(x.type) for x in carry)
        pairs = ", ".join(f"{a.name} = {x.name}" for a, x in zip(args, carry, strict=True))
        name, several = self.fresh(""), f":{len(carry)}" if len(carry) > 1 else ""
        self.emit(f"{name}{several} = stablehlo.while({pairs}) : {types}")
        self.emit("cond {")
        with self.deeper():
            self.yield_([cond(*args)])
        self.emit("} do {")
        with self.deeper():
            self.yield_(body(*args))
        self.emit(f"}}{self.place}")
        if len(carry) == 1:
            return [Value(name, carry[0].type)]
        return [Value(f"{name}#{i}", x.type) for i, x in enumerate(carry)]

    def counted_loop(self, count: int, carry: Sequence[Value], body: Callable) -> list[Value]:
        """`carry` after `count` turns of `body`, which is also given the turn's number, int32."""
        start, end = self.constant(0, INT32), self.constant(count, INT32)
        one = self.constant(1, INT32)
        return self.loop(
            [start, *carry], lambda i, *_: self.compare("LT", i, end),
            lambda i, *xs: [self.op("add", i, one), *body(i, *xs)],
        )[1:]  # fmt: skip


def signature(operands: Sequence[Value], outs: Sequence[TensorType]) -> str:
    """(types of operands) -> type of the result, or (types of results)."""
    given, got = ", ".join(str(x.type) for x in operands), ", ".join(map(str, outs))
    return f"({given}) -> {got}" if len(outs) == 1 else f"({given}) -> ({got})"


def comparison_kind(dtype: np.dtype) -> str:
    kind = dtype_registry[dtype].kind
    if issubclass(kind, np.inexact):
        return "FLOAT"
    return "SIGNED" if issubclass(kind, np.signedinteger) else "UNSIGNED"


def location(eqn: JaxprEqn) -> str:
    """loc(...) of an equation, called by its scopes and its name, at a line of the user's code."""
    source, name = eqn.source_info, eqn.primitive.name
    name = f"jit({eqn.params['name']})" if name == "jit" else name
    if source is None or source.code is None:
        return f" loc({quoted(name)})"
    scopes = [scope for scope in source.name_stack if isinstance(scope, str) and scope]
    place = f"{quoted(source.code.co_filename)}:{source.line}:0"
    function = f"{quoted(source.code.co_name)}({place})"
    return f" loc({quoted('/'.join([*scopes, name]))}({function}))"
