"""Scalars: the operators of Python on numbers, as LLVM's instructions.

The types of results are Numba's: integers are computed in 64 bits, floats in their own precision.
What would need another rule is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np


class Refused(Exception):
    """Something that is not translated: Numba compiles the kernel."""


# Types, by what LLVM calls them.


class Number(NamedTuple):
    """A dtype. Of integers, LLVM knows the bits, and its instructions whether there is a sign."""

    name: str
    llvm: str
    kind: str  # b, i, u or f
    bits: int


class Address(NamedTuple):
    """Where elements of a type lie in memory."""

    element: Number
    llvm, kind, bits = "ptr", "", 0


class Several(NamedTuple):
    """A tuple's type."""

    types: tuple
    kind, bits = "", 0

    @property
    def llvm(self) -> str:
        return "{" + ", ".join(t.llvm for t in self.types) + "}"


Type = Number | Address | Several


class Value(NamedTuple):
    """A number, an address or a tuple: a name or a constant of LLVM's."""

    text: str
    type: Any


def _numbers() -> dict[str, Number]:
    numbers = {"bool": Number("bool", "i1", "b", 1)}
    for bits in (8, 16, 32, 64):
        for name, kind in ((f"int{bits}", "i"), (f"uint{bits}", "u")):
            numbers[name] = Number(name, f"i{bits}", kind, bits)
    numbers["float32"] = Number("float32", "float", "f", 32)
    numbers["float64"] = Number("float64", "double", "f", 64)
    return numbers


NUMBERS = _numbers()
BOOL, INT64, UINT64 = NUMBERS["bool"], NUMBERS["int64"], NUMBERS["uint64"]
FLOAT64 = NUMBERS["float64"]


def constant(value: Any, number: Number) -> Value:
    """A float is written as the bits that it has as a float64."""
    if number.kind == "f":
        bits = struct.unpack("<Q", struct.pack("<d", float(value)))[0]
        return Value(f"0x{bits:016X}", number)
    return Value(str(int(value)), number)


def whole_number(value: int) -> Value:
    if not -(2**63) <= value < 2**64:
        raise Refused(f"the integer {value}")
    return constant(value, INT64 if value < 2**63 else UINT64)


# The type that two operands are brought to.


def wide(number: Number) -> Number:
    """The 64 bits in which integers of this type are computed."""
    return UINT64 if number.kind == "u" else INT64


def common(a: Value, b: Value) -> Number:
    s, t = a.type, b.type
    kinds = {s.kind, t.kind}
    if s == t and s.kind in "fb":
        return s
    if kinds == {"f"}:
        return FLOAT64
    if "b" in kinds:
        raise Refused("bools among numbers")
    if "f" in kinds:
        if min(s.bits, t.bits) < 32:
            raise Refused("a float with a short integer")
        return FLOAT64
    return UINT64 if kinds == {"u"} else INT64


def cast_instruction(a: Number, b: Number) -> str:
    """What makes a number of one type another's; "": it has the same bits."""
    if a.kind == b.kind == "f":
        return "fpext" if b.bits > a.bits else "fptrunc"
    if b.kind == "f":
        return "sitofp" if a.kind == "i" else "uitofp"
    if a.kind == "f":
        return "fptosi" if b.kind == "i" else "fptoui"
    if a.bits == b.bits:
        return ""
    if b.bits < a.bits:
        return "trunc"
    return "sext" if a.kind == "i" else "zext"


_ARITHMETIC = {"Add": "add", "Sub": "sub", "Mult": "mul"}
_BITWISE = {"BitAnd": "and", "BitOr": "or", "BitXor": "xor"}
_COMPARISONS = {"Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge", "Eq": "eq", "NotEq": "ne"}


class Instructions:
    """Writes instructions on numbers.

    LLVM's names begin with %. A variable's is %x; no variable has the names that begin with %. .
    """

    def __init__(self, flags: Iterable[str]) -> None:
        self.flags = " ".join(sorted(flags))  # what may be done to sums and products
        self.lines: list[str] = []
        self.count = 0

    def emit(self, line: str) -> None:
        self.lines.append("  " + line)

    def value(self, type_: Type, instruction: str) -> Value:
        """The result of an instruction, which gets a name."""
        self.count += 1
        name = f"%.{self.count}"
        self.emit(f"{name} = {instruction}")
        return Value(name, type_)

    def cast(self, x: Value, to: Number) -> Value:
        if x.type == to:
            return x
        if not isinstance(x.type, Number):
            raise Refused(f"{x.type} as a number")
        if to == BOOL:
            instruction = "fcmp une" if x.type.kind == "f" else "icmp ne"
            return self.value(BOOL, f"{instruction} {x.type.llvm} {x.text}, {zero(x.type)}")
        instruction = cast_instruction(x.type, to)
        if not instruction:
            return Value(x.text, to)
        return self.value(to, f"{instruction} {x.type.llvm} {x.text} to {to.llvm}")

    def both(self, x: Value, y: Value) -> tuple[Value, Value]:
        """Two numbers, of one type."""
        if not isinstance(x.type, Number) or not isinstance(y.type, Number):
            raise Refused("an operation on an address")
        number = common(x, y)
        return self.cast(x, number), self.cast(y, number)

    def two(self, instruction: str, x: Value, y: Value, result: Number | None = None) -> Value:
        """An instruction on two numbers of one type."""
        text = f"{instruction} {x.type.llvm} {x.text}, {y.text}"
        return self.value(result or x.type, text)

    def chosen(self, test: Value, x: Value, y: Value) -> Value:
        t = x.type.llvm
        return self.value(x.type, f"select i1 {test.text}, {t} {x.text}, {t} {y.text}")

    # What Python does with integers otherwise than LLVM.

    def shifted(self, operator: str, x: Value, y: Value) -> Value:
        if x.type.kind not in "iu" or y.type.kind not in "iu":
            raise Refused(f"{operator} of {x.type}")
        number = wide(x.type)
        right = "ashr" if number == INT64 else "lshr"
        instruction = "shl" if operator == "LShift" else right
        return self.two(instruction, self.cast(x, number), self.cast(y, number))

    def divided(self, rest: bool, x: Value, y: Value) -> Value:
        """x // y or x % y, of 64 bits; 0 where y is, and where the quotient is too large."""
        nil, signed = constant(0, x.type), x.type == INT64
        bad = self.two("icmp eq", y, nil, BOOL)
        if signed:
            lowest = self.two("icmp eq", x, constant(-(2**63), INT64), BOOL)
            minus = self.two("icmp eq", y, constant(-1, INT64), BOOL)
            bad = self.two("or", bad, self.two("and", lowest, minus))
        y = self.chosen(bad, constant(1, x.type), y)
        modulo = self.two("srem" if signed else "urem", x, y)
        result = modulo if rest else self.two("sdiv" if signed else "udiv", x, y)
        if signed:  # LLVM rounds towards zero, Python down
            other_sign = self.two("icmp slt", self.two("xor", modulo, y), nil, BOOL)
            down = self.two("and", self.two("icmp ne", modulo, nil, BOOL), other_sign)
            moved = self.two("add", result, y if rest else constant(-1, INT64))
            result = self.chosen(down, moved, result)
        return self.chosen(bad, nil, result)

    def absolute(self, x: Value) -> Value:
        if x.type.kind == "i":
            negative = self.two("icmp slt", x, constant(0, x.type), BOOL)
            return self.chosen(negative, self.two("sub", constant(0, x.type), x), x)
        raise Refused(f"abs of {x.type}")

    def extreme(self, relation: str, x: Value, y: Value) -> Value:
        """max or min of two integers."""
        if x.type != y.type or x.type.kind not in "iu":
            raise Refused(f"the {relation} of {x.type} and {y.type}")
        sign = "s" if x.type.kind == "i" else "u"
        return self.chosen(self.two(f"icmp {sign}{relation}", y, x, BOOL), y, x)

    # Python's operators.

    def unary(self, operator: str, x: Value) -> Value:
        if operator == "Not":
            return self.two("xor", self.cast(x, BOOL), Value("true", BOOL))
        if not isinstance(x.type, Number) or x.type == BOOL:
            raise Refused(f"{operator} of {x.type}")
        if operator == "USub" and x.type.kind == "f":
            return self.value(x.type, f"fneg {x.type.llvm} {x.text}")
        if operator == "USub":
            return self.cast(self.two("sub", constant(0, x.type), x), wide(x.type))
        if operator == "Invert" and x.type.kind != "f":
            return self.cast(self.two("xor", x, Value("-1", x.type)), wide(x.type))
        raise Refused(f"{operator} of {x.type}")

    def binary(self, operator: str, x: Value, y: Value) -> Value:
        if operator in ("LShift", "RShift"):
            return self.shifted(operator, x, y)
        if operator == "Div" and x.type.kind != "f" and y.type.kind != "f":
            x, y = self.cast(x, FLOAT64), self.cast(y, FLOAT64)
        x, y = self.both(x, y)
        if operator in _BITWISE and x.type.kind != "f":
            return self.two(_BITWISE[operator], x, y)
        if x.type == BOOL:
            raise Refused(f"{operator} of bools")
        if operator == "Div":
            return self.two(f"fdiv {self.flags}", x, y)
        if operator in _ARITHMETIC:
            instruction = _ARITHMETIC[operator]
            if x.type.kind == "f":
                instruction = f"f{instruction} {self.flags}"
            return self.two(instruction, x, y)
        if operator in ("FloorDiv", "Mod") and x.type.kind != "f":
            return self.divided(operator == "Mod", x, y)
        raise Refused(f"{operator} of {x.type.name}")

    def lowest_bits(self, operator: str, x: Value, y: Value, number: Number) -> Value:
        """What an integer's type keeps of a result: computed in that type if higher bits have no
        part in it. (In a sum in 64 bits, LLVM finds half as many lanes, or none.)"""
        instruction = (_ARITHMETIC | _BITWISE).get(operator)
        if instruction is None or number.kind not in "iu" or not x.type == y.type == number:
            return self.cast(self.binary(operator, x, y), number)
        return self.two(instruction, x, y)

    # Comparisons, and numbers read as others.

    def compared(self, operator: str, x: Value, y: Value) -> Value:
        if operator not in _COMPARISONS:
            raise Refused(operator)
        relation = _COMPARISONS[operator]
        x, y = self.both(*comparable(x, y))
        if x.type.kind == "f":
            return self.two(f"fcmp {'u' if relation == 'ne' else 'o'}{relation}", x, y, BOOL)
        sign = "" if relation in ("eq", "ne") else ("s" if x.type.kind == "i" else "u")
        return self.two(f"icmp {sign}{relation}", x, y, BOOL)

    def bits_as(self, x: Value, to: Number) -> Value:
        """x.view(to)."""
        if x.type.bits != to.bits or to == BOOL:
            raise Refused(f"{x.type} as {to}")
        if x.type.llvm == to.llvm:
            return Value(x.text, to)
        return self.value(to, f"bitcast {x.type.llvm} {x.text} to {to.llvm}")


def zero(number: Number) -> str:
    return "0.0" if number.kind == "f" else "0"


def comparable(x: Value, y: Value) -> tuple[Value, Value]:
    """Beside an unsigned number of 64 bits, a constant that is not negative is one too."""
    if UINT64 in (x.type, y.type) and "i" in (x.type.kind, y.type.kind):
        signed = y if x.type == UINT64 else x
        if not signed.text.isdigit():
            raise Refused("a comparison of uint64 and a signed integer")
        return Value(x.text, UINT64), Value(y.text, UINT64)
    return x, y


# np.floor(x) and the like: LLVM's operations on one float.
OPERATIONS: dict[Callable, str] = {
    abs: "llvm.fabs", np.sqrt: "llvm.sqrt", np.floor: "llvm.floor", np.ceil: "llvm.ceil",
    np.rint: "llvm.rint", np.trunc: "llvm.trunc",
}  # fmt: skip
