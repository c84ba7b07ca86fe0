"""Translate: from a kernel's text to LLVM's, without Numba.

What stands in a kernel is little: loops over ranges, choices, numbers, elements of arrays, calls of
functions of numbers. Each such function is translated once for the types that it is called with.
Every variable is a place in memory, as in C: LLVM's first pass turns those into registers.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.scalars import (
    BOOL, FLOAT64, INT64, NUMBERS, OPERATIONS, Address, Number, Refused, Scalars, Several, Type,
    Value, common, constant, whole_number,
)

PART_FLAGS = frozenset({"contract", "nsz"})
_SCALAR_TYPES = {getattr(np, name.replace("bool", "bool_")): t for name, t in NUMBERS.items()}


class Code(NamedTuple):
    """A translated function: its name, its result's type, and all texts by name that it needs."""

    name: str
    result: Type | None
    texts: dict[str, str]


class Text:
    """A function in Python, which is translated once for each list of argument types."""

    def __init__(
        self, name: str, tree: ast.FunctionDef, names: Mapping[str, Any], flags: Iterable[str],
        literal: Number = FLOAT64, attributes: str = "",
    ) -> None:  # fmt: skip
        self.name, self.tree, self.names, self.flags = name, tree, names, flags
        self.literal, self.attributes = literal, attributes
        self.codes: dict[tuple, Code] = {}

    def code(self, types: tuple[Type, ...], noalias: bool = False) -> Code:
        if types not in self.codes:
            name = f"{self.name}.{len(self.codes)}" if self.codes else self.name
            self.codes[types] = Function(self, types).code(name, noalias)
        return self.codes[types]


_helpers = count()


@cache
def helper(fun: Callable) -> Text:
    """A function of vector_math.py: it is inlined, but its flags are its own."""
    source = getattr(fun, "source", None) or inspect.getsource(fun)
    tree = ast.parse(source).body[0]
    name = f"{fun.__name__}.{next(_helpers)}"
    literal = _SCALAR_TYPES[getattr(fun, "real", np.float64)]
    return Text(name, tree, fun.__globals__, fun.fastmath, literal, " alwaysinline")


_translating = threading.Lock()


def translate(
    source: str, name: str, signature: Sequence[str], flags: Iterable[str], names: Mapping[str, Any]
) -> str:
    """LLVM's text of a kernel, and of all functions that it calls. Refused: Numba is to do it."""
    trees = {tree.name: tree for tree in ast.parse(source).body}
    known = dict(names)
    for part, tree in trees.items():
        known[part] = Text(part, tree, known, flags if part == name else PART_FLAGS)
    types = [NUMBERS[text.removesuffix("[::1]")] for text in signature]
    types = [Address(t) if text.endswith("]") else t for t, text in zip(types, signature, strict=True)]
    with _translating:
        return "\n".join(known[name].code(tuple(types), True).texts.values())


class Function(Scalars):
    """Writes a function's instructions. A block of them ends with a jump."""

    def __init__(self, text: Text, types: tuple[Type, ...]) -> None:
        super().__init__(text.flags)
        self.text, self.types = text, types
        self.variables: dict[str, Type] = {}
        self.texts: dict[str, str] = {}
        self.block, self.is_open, self.labels = "entry", True, 0
        self.ends: list[str] = []  # where `break` goes
        self.result: Type | None = None

    def code(self, name: str, noalias: bool) -> Code:
        names = [a.arg for a in self.text.tree.args.args]
        for arg, t in zip(names, self.types, strict=True):
            self.assign(arg, Value(f"%.{arg}", t))
        self.run(self.text.tree.body)
        if self.is_open:
            self.emit("ret void")
        result = self.result.llvm if self.result else "void"
        hint = " noalias" if noalias else ""
        args = [f"{t.llvm}{hint if type(t) is Address else ''} %.{arg}"
                for arg, t in zip(names, self.types, strict=True)]  # fmt: skip
        first = f"define internal {result} @{name}({', '.join(args)}){self.text.attributes} {{"
        places = [f"  %{v} = alloca {t.llvm}" for v, t in self.variables.items()]
        self.texts[name] = "\n".join([first, "entry:", *places, *self.lines, "}\n"])
        return Code(name, self.result, self.texts)

    def need(self, name: str, text: str) -> None:
        if self.texts.setdefault(name, text) != text:
            raise Refused(f"two things with the name {name}")

    # Statements.

    def run(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if not self.is_open:
                raise Refused("a statement that is never reached")
            rule = getattr(self, f"run_{type(statement).__name__}", None)
            if rule is None:
                raise Refused(ast.unparse(statement))
            rule(statement)

    def run_Pass(self, node: ast.Pass) -> None:
        pass

    def run_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.of_Call(node.value)

    def run_Return(self, node: ast.Return) -> None:
        result = self.of(node.value)
        if self.result not in (None, result.type):
            raise Refused("results of several types")
        self.result = result.type
        self.close(f"ret {result.type.llvm} {result.text}")

    def run_Break(self, node: ast.Break) -> None:
        self.close(f"br label %{self.ends[-1]}")

    def run_Assign(self, node: ast.Assign) -> None:
        [target] = node.targets
        self.put(target, self.of(node.value))

    def put(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            for k, part in enumerate(target.elts):
                self.put(part, self.item(value, k))
        else:
            place, element = self.place(target)
            value = self.cast(value, element)
            if element == BOOL:  # a byte in memory
                value = self.value(NUMBERS["uint8"], f"zext i1 {value.text} to i8")
            self.emit(f"store {value.type.llvm} {value.text}, ptr {place}")

    def assign(self, name: str, value: Value) -> None:
        if self.variables.setdefault(name, value.type) != value.type:
            raise Refused(f"{name} of several types")
        self.emit(f"store {value.type.llvm} {value.text}, ptr %{name}")

    # Blocks.

    def close(self, jump: str) -> None:
        self.emit(jump)
        self.is_open = False

    def open(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block, self.is_open = label, True

    def new_labels(self, *names: str) -> list[str]:
        self.labels += 1
        return [f".{name}{self.labels}" for name in names]

    def run_to(self, label: str, statements: Sequence[ast.stmt], end: str) -> None:
        """A block of statements, and a jump to its end."""
        self.open(label)
        self.run(statements)
        if self.is_open:
            self.close(f"br label %{end}")

    def run_If(self, node: ast.If) -> None:
        then, other, end = self.new_labels("then", "else", "end")
        test = self.cast(self.of(node.test), BOOL)
        self.close(f"br i1 {test.text}, label %{then}, label %{other}")
        self.run_to(then, node.body, end)
        self.run_to(other, node.orelse, end)
        self.open(end)

    def run_While(self, node: ast.While) -> None:
        if not (isinstance(node.test, ast.Constant) and node.test.value is True) or node.orelse:
            raise Refused("a while with a condition")
        loop, end = self.new_labels("loop", "end")
        self.close(f"br label %{loop}")
        self.ends.append(end)
        self.run_to(loop, node.body, loop)
        self.ends.pop()
        self.open(end)

    def run_For(self, node: ast.For) -> None:
        if node.orelse:
            raise Refused("a loop with else")
        if isinstance(node.iter, ast.Tuple):
            for element in node.iter.elts:
                self.put(node.target, self.of(element))
                self.run(node.body)
            return
        start, stop, step = self.range(node.iter)
        loop, latch, end, i, following = self.new_labels("loop", "latch", "end", "i", "next")
        before = self.block
        some = self.two("icmp slt", start, stop, BOOL)
        self.close(f"br i1 {some.text}, label %{loop}, label %{end}")
        self.open(loop)
        self.emit(f"%{i} = phi i64 [ {start.text}, %{before} ], [ %{following}, %{latch} ]")
        self.put(node.target, Value(f"%{i}", INT64))
        self.ends.append(end)
        self.run(node.body)
        self.ends.pop()
        if self.is_open:
            self.close(f"br label %{latch}")
        self.open(latch)
        self.emit(f"%{following} = add nsw i64 %{i}, {step}")
        more = self.two("icmp slt", Value(f"%{following}", INT64), stop, BOOL)
        self.close(f"br i1 {more.text}, label %{loop}, label %{end}")
        self.open(end)

    def range(self, node: ast.expr) -> tuple[Value, Value, int]:
        """The start and the stop of a range, and its step, which must be a positive constant."""
        if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"):
            raise Refused(ast.unparse(node))
        args, step = node.args, 1
        if len(args) == 3:
            step = getattr(args[2], "value", 0)
            if type(step) is not int or step < 1:
                raise Refused(ast.unparse(node))
        bounds = [self.of(arg) for arg in args[:2]]
        if any(x.type.kind not in "iu" for x in bounds):
            raise Refused(ast.unparse(node))
        bounds = [self.cast(x, INT64) for x in bounds]
        start, stop = bounds if len(bounds) == 2 else (constant(0, INT64), bounds[0])
        return start, stop, step

    # Expressions.

    def of(self, node: ast.expr) -> Value:
        rule = getattr(self, f"of_{type(node).__name__}", None)
        if rule is None:
            raise Refused(ast.unparse(node))
        return rule(node)

    def of_Constant(self, node: ast.Constant) -> Value:
        return self.known(node.value)

    def of_Name(self, node: ast.Name) -> Value:
        if node.id in self.variables:
            t = self.variables[node.id]
            return self.value(t, f"load {t.llvm}, ptr %{node.id}")
        value = self.named(node)
        return self.table(node.id, value) if isinstance(value, np.ndarray) else self.known(value)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        return self.known(self.named(node))

    def named(self, node: ast.expr) -> Any:
        """What a name from outside of the function stands for."""
        if isinstance(node, ast.Attribute):
            return getattr(self.named(node.value), node.attr)
        if not isinstance(node, ast.Name):
            raise Refused(ast.unparse(node))
        names = self.text.names
        return names[node.id] if node.id in names else getattr(builtins, node.id, None)

    def known(self, value: Any) -> Value:
        if isinstance(value, np.generic) and value.dtype.name in NUMBERS:
            return constant(value, NUMBERS[value.dtype.name])
        if type(value) is bool:
            return constant(value, BOOL)
        if type(value) is int:
            return whole_number(value)
        if type(value) is float:
            return constant(self.literal(value), self.text.literal)
        raise Refused(repr(value))

    def literal(self, value: float) -> Any:
        return np.dtype(self.text.literal.name).type(value)

    def table(self, name: str, value: np.ndarray) -> Value:
        number = NUMBERS[value.dtype.name]
        elements = ", ".join(f"{number.llvm} {constant(x, number).text}" for x in value)
        self.need(name, f"@{name} = private constant [{len(value)} x {number.llvm}] [{elements}]")
        return Value(f"@{name}", Address(number))

    def of_BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Pow):  # of constants, as in 2.0**65
            return self.known(ast.literal_eval(node.left) ** ast.literal_eval(node.right))
        return self.binary(type(node.op).__name__, self.of(node.left), self.of(node.right))

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return self.known(-node.operand.value)
        return self.unary(type(node.op).__name__, self.of(node.operand))

    def of_Compare(self, node: ast.Compare) -> Value:
        values = list(map(self.of, (node.left, *node.comparators)))
        tests = [self.compared(type(op).__name__, *pair)
                 for op, *pair in zip(node.ops, values, values[1:], strict=False)]  # fmt: skip
        return self.all_or_any("true", tests)

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        tests = list(map(self.of, node.values))
        if any(test.type != BOOL for test in tests):
            raise Refused("`and` and `or` of numbers")
        return self.all_or_any("true" if isinstance(node.op, ast.And) else "false", tests)

    def all_or_any(self, neutral: str, tests: Sequence[Value]) -> Value:
        """The first that is not neutral, or the last."""
        result = tests[0]
        for test in tests[1:]:
            pair = (test, Value("false", BOOL)) if neutral == "true" else (Value("true", BOOL), test)
            result = self.chosen(result, *pair)
        return result

    def of_IfExp(self, node: ast.IfExp) -> Value:
        """Both are computed, which costs less than a jump, and only one where memory is read."""
        if any(isinstance(inner, ast.Subscript) for part in (node.body, node.orelse)
               for inner in ast.walk(part)):  # fmt: skip
            return self.read_if(node)
        test = self.cast(self.of(node.test), BOOL)
        return self.either(test, self.of(node.body), self.of(node.orelse))

    def either(self, test: Value, x: Value, y: Value) -> Value:
        if not isinstance(x.type, Several) or x.type != y.type:
            return self.chosen(test, *self.unified(x, y))
        items = range(len(x.type.types))
        return self.tuple([self.either(test, self.item(x, k), self.item(y, k)) for k in items])

    def unified(self, x: Value, y: Value) -> tuple[Value, Value]:
        if x.type == y.type:
            return x, y
        number = common(x, y)
        if number.kind != "f" and x.type.kind != y.type.kind:
            raise Refused("a choice of signed and unsigned")
        if number.kind != "f":  # the longer of the two
            number = max(x.type, y.type, key=lambda t: t.bits)
        return self.cast(x, number), self.cast(y, number)

    def read_if(self, node: ast.IfExp) -> Value:
        [name] = self.new_labels("choice")
        assigns = [ast.Assign([ast.Name(name)], part) for part in (node.body, node.orelse)]
        self.run_If(ast.If(node.test, assigns[:1], assigns[1:]))
        return self.of_Name(ast.Name(name))

    # Tuples, elements, slices.

    def of_Tuple(self, node: ast.Tuple) -> Value:
        return self.tuple(list(map(self.of, node.elts)))

    def tuple(self, values: Sequence[Value]) -> Value:
        together = Several(tuple(x.type for x in values))
        result = Value("undef", together)
        for k, x in enumerate(values):
            insert = f"insertvalue {together.llvm} {result.text}, {x.type.llvm} {x.text}, {k}"
            result = self.value(together, insert)
        return result

    def item(self, value: Value, k: int) -> Value:
        if not isinstance(value.type, Several) or not 0 <= k < len(value.type.types):
            raise Refused(f"item {k} of {value.type}")
        extract = f"extractvalue {value.type.llvm} {value.text}, {k}"
        return self.value(value.type.types[k], extract)

    def place(self, node: ast.expr) -> tuple[str, Number]:
        """Where an element is, or a slice begins."""
        if not isinstance(node, ast.Subscript):
            raise Refused(ast.unparse(node))
        base, index = self.of(node.value), node.slice
        if isinstance(index, ast.Slice):
            if index.step is not None:
                raise Refused(ast.unparse(node))
            index = index.lower or ast.Constant(0)
        i = self.of(index)
        may_be_negative = base.text.startswith("@") and i.type.kind != "u"  # from the end, then
        if not isinstance(base.type, Address) or i.type.kind not in "iu" or may_be_negative:
            raise Refused(ast.unparse(node))
        i, element = self.cast(i, INT64), base.type.element
        size = "i8" if element == BOOL else element.llvm
        place = self.value(base.type, f"getelementptr inbounds {size}, ptr {base.text}, i64 {i.text}")
        return place.text, element

    def of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.value, ast.Call) and isinstance(node.slice, ast.Constant):
            return self.item(self.of(node.value), node.slice.value)
        place, element = self.place(node)
        if isinstance(node.slice, ast.Slice):
            return Value(place, Address(element))
        if element == BOOL:
            byte = self.value(element, f"load i8, ptr {place}")
            return self.value(BOOL, f"trunc i8 {byte.text} to i1")
        return self.value(element, f"load {element.llvm}, ptr {place}")

    # Calls.

    def of_Call(self, node: ast.Call) -> Value:
        if not isinstance(node, ast.Call) or node.keywords:
            raise Refused(ast.unparse(node))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "view":
            return self.bits_as(self.of(node.func.value), _SCALAR_TYPES[self.named(node.args[0])])
        args = [x for arg in node.args for x in self.arguments(arg)]
        return self.called(self.named(node.func), args)

    def arguments(self, node: ast.expr) -> list[Value]:
        """An argument; of *names, all that they stand for."""
        if isinstance(node, ast.Starred):
            return list(map(self.known, self.named(node.value)))
        return [self.of(node)]

    def called(self, fun: Any, args: list[Value]) -> Value:
        if fun in _SCALAR_TYPES:
            return self.cast(*args, _SCALAR_TYPES[fun])
        if fun is max or fun is min:
            return self.extreme("gt" if fun is max else "lt", *args)
        kinds = {x.type.kind if isinstance(x.type, Number) else "" for x in args}
        if fun is abs and kinds != {"f"}:
            return self.absolute(*args)
        if fun is np.isfinite and kinds == {"f"}:
            size = self.operation("fabs", args)
            return self.compared("Lt", size, constant(np.inf, size.type))
        if fun is np.fmod and kinds == {"f"}:
            return self.two(f"frem {self.flags}", *self.both(*args))
        operation = OPERATIONS.get(fun) or getattr(fun, "operation", None)
        if operation is not None and kinds == {"f"} and len({x.type for x in args}) == 1:
            return self.operation(operation, args)
        if hasattr(fun, "fastmath"):
            fun = helper(fun)
        if not isinstance(fun, Text):
            raise Refused(f"a call of {fun}")
        return self.call(fun.code(tuple(x.type for x in args)), args)

    def operation(self, name: str, args: Sequence[Value]) -> Value:
        """An operation on floats that LLVM has."""
        number = args[0].type
        name = f"llvm.{name}.f{number.bits}"
        types = ", ".join(number.llvm for _ in args)
        self.need(name, f"declare {number.llvm} @{name}({types})")
        return self.call(Code(name, number, {}), args)

    def call(self, code: Code, args: Sequence[Value]) -> Value:
        for name, text in code.texts.items():
            self.need(name, text)
        passed = ", ".join(f"{x.type.llvm} {x.text}" for x in args)
        if code.result is None:
            self.emit(f"call void @{code.name}({passed})")
            return Value("", None)
        is_float = isinstance(code.result, Number) and code.result.kind == "f"
        flags = f" {self.flags}" if is_float and self.flags else ""
        return self.value(code.result, f"call{flags} {code.result.llvm} @{code.name}({passed})")
