"""Expressions: Python's syntax trees of numbers, elements of arrays and calls, as instructions."""

from __future__ import annotations

import ast
import builtins
import ctypes
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.native.scalars import (
    BOOL, INT64, NUMBERS, OPERATIONS, Address, Instructions, Number, Refused, Several, Type, Value,
    common, constant, whole_number,
)

FLOATS = (NUMBERS["float32"], NUMBERS["float64"])
SCALAR_TYPES = {np.dtype(name).type: number for name, number in NUMBERS.items()}

# LLVM's own `frem` calls what the process calls fmod. Once Numba is imported, that is Numba's, and
# it gives NaN another sign.
FMOD = "minijax_fmod"
# What C's functions take, by the types that ctypes has for it; all else is an address.
C_NUMBERS = {ctypes.c_int32: NUMBERS["int32"], ctypes.c_int64: INT64,
             ctypes.c_float: FLOATS[0], ctypes.c_double: FLOATS[1]}  # fmt: skip


class Code(NamedTuple):
    """A translated function: its name, its result's type, and all texts by name that it needs."""

    name: str
    result: Type | None
    texts: dict[str, str]


def is_operation(node: ast.expr) -> bool:
    """Of two numbers that are computed; a power is known beforehand."""
    return isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Pow)


class Expressions(Instructions):
    """Visits an expression: `of` gives its value. Variables are places in memory."""

    def __init__(self, flags: Iterable[str], names: Mapping[str, Any], literal: Number) -> None:
        super().__init__(flags)
        self.names, self.literal = names, literal  # from outside; the type of a float's literal
        self.variables: dict[str, Type] = {}
        self.arrays: list[str] = []
        self.texts: dict[str, str] = {}  # what else is needed: functions, tables

    def of(self, node: ast.expr) -> Value:
        """The value of an expression, by its class in Python's tree."""
        rule = getattr(self, f"of_{type(node).__name__}", None)
        if rule is None:
            raise Refused(ast.unparse(node))
        return rule(node)

    def need(self, name: str, text: str) -> None:
        if self.texts.setdefault(name, text) != text:
            raise Refused(f"two things with the name {name}")

    # Several values in one.

    def tuple(self, values: Sequence[Value]) -> Value:
        together = Several(tuple(x.type for x in values))
        result = Value("undef", together)
        for k, x in enumerate(values):
            insert = f"insertvalue {together.llvm} {result.text}, {x.type.llvm} {x.text}, {k}"
            result = self.value(together, insert)
        return result

    def item(self, value: Value, k: int) -> Value:
        if not isinstance(value.type, Several) or k not in range(len(value.type.types)):
            raise Refused(f"item {k} of {value.type}")
        extract = f"extractvalue {value.type.llvm} {value.text}, {k}"
        return self.value(value.type.types[k], extract)

    # What a name or a literal stands for.

    def of_Constant(self, node: ast.Constant) -> Value:
        return self.known(node.value)

    def of_Name(self, node: ast.Name) -> Value:
        if node.id in self.variables:
            t = self.variables[node.id]
            return self.value(t, f"load {t.llvm}, ptr %{node.id}")
        value = self.named(node)
        return self.table(node.id, value) if isinstance(value, np.ndarray) else self.known(value)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        if node.attr == "ctypes":  # of an array: its address
            return self.of(node.value)
        return self.known(self.named(node))

    def named(self, node: ast.expr) -> Any:
        """What a name from outside of the function stands for."""
        if isinstance(node, ast.Attribute):
            return getattr(self.named(node.value), node.attr)
        if not isinstance(node, ast.Name):
            raise Refused(ast.unparse(node))
        names = self.names
        return names[node.id] if node.id in names else getattr(builtins, node.id, None)

    def known(self, value: Any) -> Value:
        if isinstance(value, np.generic) and value.dtype.name in NUMBERS:
            return constant(value, NUMBERS[value.dtype.name])
        if type(value) is bool:
            return constant(value, BOOL)
        if type(value) is int:
            return whole_number(value)
        if type(value) is float:
            return constant(np.dtype(self.literal.name).type(value), self.literal)
        if type(value) is tuple:
            return self.tuple(list(map(self.known, value)))
        raise Refused(repr(value))

    def table(self, name: str, value: np.ndarray) -> Value:
        number = NUMBERS[value.dtype.name]
        elements = ", ".join(f"{number.llvm} {constant(x, number).text}" for x in value)
        self.need(name, f"@{name} = private constant [{len(value)} x {number.llvm}] [{elements}]")
        return Value(f"@{name}", Address(number))

    # Operators.

    def of_BinOp(self, node: ast.BinOp) -> Value:
        if not is_operation(node):
            if not (isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant)):
                raise Refused(ast.unparse(node))
            return self.known(node.left.value**node.right.value)
        return self.binary(type(node.op).__name__, self.of(node.left), self.of(node.right))

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return self.known(-node.operand.value)
        return self.unary(type(node.op).__name__, self.of(node.operand))

    def of_Compare(self, node: ast.Compare) -> Value:
        values = list(map(self.of, (node.left, *node.comparators)))
        if {x.type for x in values} == {BOOL, INT64}:  # False is 0
            values = [self.cast(x, INT64) for x in values]
        tests = [self.compared(type(op).__name__, *pair)
                 for op, *pair in zip(node.ops, values, values[1:], strict=False)]  # fmt: skip
        return self.all_or_any("true", tests)

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        tests = list(map(self.of, node.values))
        if any(test.type != BOOL for test in tests):
            raise Refused("`and` and `or` of numbers")
        return self.all_or_any("true" if isinstance(node.op, ast.And) else "false", tests)

    def all_or_any(self, neutral: str, tests: Sequence[Value]) -> Value:
        """The first that is not neutral, or the last; what stands behind it doesn't matter."""
        result = tests[0]
        for test in tests[1:]:
            pair = (test, result) if neutral == "true" else (result, test)
            result = self.chosen(result, *pair)
        return result

    # x if test else y.

    @abstractmethod
    def read_if(self, node: ast.IfExp) -> Value:
        """A choice of which one side is computed."""

    def of_IfExp(self, node: ast.IfExp) -> Value:
        """Both are computed, which costs less than a jump, and only one where memory is read."""
        if any(isinstance(inner, ast.Subscript) for part in (node.body, node.orelse)
               for inner in ast.walk(part)):  # fmt: skip
            return self.read_if(node)
        test = self.cast(self.of(node.test), BOOL)
        return self.either(test, self.side(node.body), self.side(node.orelse))

    def side(self, node: ast.expr) -> Value:
        """One side; an infinity as a number of which LLVM knows nothing. It would make a choice of
        maxima out of the maximum of a choice between x and -inf, and no vectors of that."""
        x = self.of(node)
        is_infinite = any(isinstance(y, ast.Attribute) and y.attr == "inf" for y in ast.walk(node))
        return self.operation("llvm.arithmetic.fence", [x]) if is_infinite else x

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

    # Elements of arrays, and slices.

    def of_Tuple(self, node: ast.Tuple) -> Value:
        return self.tuple(list(map(self.of, node.elts)))

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
        move = f"getelementptr inbounds {size}, ptr {base.text}, i64 {i.text}"
        return self.value(base.type, move).text, element

    def own_array(self, size: ast.expr, dtype: ast.expr) -> Value:
        """np.empty(size, dtype): an array on the stack, as long as the function runs."""
        if not isinstance(size, ast.Constant):
            raise Refused("an array whose size the text doesn't say")
        element, name = SCALAR_TYPES[self.named(dtype)], f"%.array{len(self.arrays)}"
        memory = "i8" if element == BOOL else element.llvm
        self.arrays.append(f"{name} = alloca [{size.value} x {memory}], align 64")
        return Value(name, Address(element))

    def of_Subscript(self, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Constant):
            together = self.of(node.value)
            if isinstance(together.type, Several):
                return self.item(together, node.slice.value)
        place, element = self.place(node)
        if isinstance(node.slice, ast.Slice):
            return Value(place, Address(element))
        if element == BOOL:
            byte = self.value(element, f"load i8, ptr {place}")
            return self.value(BOOL, f"trunc i8 {byte.text} to i1")
        return self.value(element, f"load {element.llvm}, ptr {place}")

    # Calls: of LLVM's operations, of C's library, of what is translated.

    def operation(self, name: str, args: Sequence[Value]) -> Value:
        """One of LLVM's instructions or functions, on floats of one type."""
        number = args[0].type
        if number not in FLOATS or any(x.type != number for x in args):
            raise Refused(f"{name} of {[x.type for x in args]}")
        if not name.startswith("llvm."):
            return self.two(name, *args)
        function, *flags = name.split()
        name = f"{function}.f{number.bits}"
        types = ", ".join(number.llvm for _ in args)
        self.need(name, f"declare {number.llvm} @{name}({types})")
        return self.call(Code(name, number, {}), args, flags)

    def library(self, name: str, args: Sequence[Value]) -> Value:
        """A function of C's library, by a name of ours (machine_code.py knows whose it is)."""
        number = args[0].type
        if number not in FLOATS or any(x.type != number for x in args):
            raise Refused(f"{name} of {', '.join(str(x.type) for x in args)}")
        name, types = f"{name}.f{number.bits}", ", ".join(number.llvm for _ in args)
        self.need(name, f"declare {number.llvm} @{name}({types}) memory(none) nounwind willreturn")
        return self.call(Code(name, number, {}), args)

    def foreign(self, fun: Any, args: Sequence[Value]) -> Value:
        """A function of C's that returns nothing, as ctypes describes it."""
        numbers = [C_NUMBERS.get(t) for t in fun.argtypes]
        fits = [isinstance(x.type, Number if t else Address)
                for x, t in zip(args, numbers, strict=True)]  # fmt: skip
        if not all(fits) or fun.restype is not None:
            raise Refused(f"{fun.__name__} of {', '.join(str(x.type) for x in args)}")
        args = [self.cast(x, t) if t else x for x, t in zip(args, numbers, strict=True)]
        types = ", ".join(x.type.llvm for x in args)
        self.need(fun.__name__, f'declare void @"{fun.__name__}"({types}) nounwind')
        return self.call(Code(f'"{fun.__name__}"', None, {}), args)

    def call(self, code: Code, args: Sequence[Value], flags: Sequence[str] = ()) -> Value:
        for name, text in code.texts.items():
            self.need(name, text)
        passed = ", ".join(f"{x.type.llvm} {x.text}" for x in args)
        if code.result is None:
            self.emit(f"call void @{code.name}({passed})")
            return Value("", None)
        is_float = isinstance(code.result, Number) and code.result.kind == "f"
        call = " ".join(["call", *[self.flags] * is_float, *flags])
        return self.value(code.result, f"{call} {code.result.llvm} @{code.name}({passed})")


    @abstractmethod
    def code_of(self, fun: Any, types: tuple[Type, ...]) -> Code:
        """A function that is called, for arguments of these types."""

    def of_Call(self, node: ast.Call) -> Value:
        if not isinstance(node, ast.Call) or node.keywords:
            raise Refused(ast.unparse(node))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "empty":
            return self.own_array(*node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "view":
            return self.bits_as(self.of(node.func.value), SCALAR_TYPES[self.named(node.args[0])])
        fun = self.named(node.func)
        if isinstance(fun, type) and is_operation(node.args[0]):
            return self.kept(node.args[0], SCALAR_TYPES[fun])
        return self.called(fun, [x for arg in node.args for x in self.arguments(arg)])

    def kept(self, node: ast.BinOp, number: Number) -> Value:
        """What a type keeps of a result."""
        x, y = self.of(node.left), self.of(node.right)
        return self.lowest_bits(type(node.op).__name__, x, y, number)

    def arguments(self, node: ast.expr) -> list[Value]:
        """An argument; of *(x, y), both."""
        if not isinstance(node, ast.Starred):
            return [self.of(node)]
        together = self.of(node.value)
        return [self.item(together, k) for k in range(len(together.type.types))]

    def called(self, fun: Any, args: list[Value]) -> Value:
        if hasattr(fun, "argtypes"):
            return self.foreign(fun, args)
        if fun in SCALAR_TYPES:
            return self.cast(*args, SCALAR_TYPES[fun])
        if fun is max or fun is min:
            return self.extreme("gt" if fun is max else "lt", *args)
        if fun is abs and args[0].type not in FLOATS:
            return self.absolute(*args)
        if fun is np.isfinite:
            size = self.operation("llvm.fabs", args)
            return self.compared("Lt", size, constant(np.inf, size.type))
        if fun is np.fmod:
            return self.library(FMOD, args)
        operation = OPERATIONS.get(fun) or getattr(fun, "operation", None)
        if operation is not None:
            return self.operation(operation, args)
        return self.call(self.code_of(fun, tuple(x.type for x in args)), args)
