"""Translate: from a kernel's text to LLVM's, without Numba.

What stands in a kernel is little: loops over ranges, choices, numbers, elements of arrays, calls of
functions of numbers. Each such function is translated once for the types that it is called with.
Every variable is a place in memory, as in C: LLVM's first pass turns those into registers.
"""

from __future__ import annotations

import ast
import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import count, pairwise
from typing import Any

import numpy as np

from minijax.compiler.doors import FLAGS
from minijax.compiler.native.called_functions import called, can_be_called, held
from minijax.compiler.native.debug_lines import DebugLines
from minijax.compiler.native.expressions import SCALAR_TYPES, Code, Expressions
from minijax.compiler.native.function_texts import (
    LONG, functions_called, is_callable, last_choice, name_called, operations, tree_of,
    value_chosen, weight,
)
from minijax.compiler.native.loop_hints import (
    CUT, MASKED, cuts, hint, own_turns, sizes_in, with_loops_named,
)
from minijax.compiler.native.scalars import (
    BOOL, FLOAT64, INT64, NUMBERS, Address, Number, Refused, Type, Value, constant,
)

MOST_INLINED = 16  # calls of a part: LLVM compiles each of them anew, and in the sight of all
# From so much computed in a turn (`weight_of`) on, a loop calls its functions, if one of them
# narrows its vectors (`is_narrowed`).
HEAVY = 400
SOME = 40  # done in a turn, from which on vectors of a few turns are worth a loop of their own


class Text:
    """A function in Python, which is translated once for each list of argument types."""

    def __init__(
        self, name: str, tree: ast.FunctionDef, names: Mapping[str, Any], flags: Iterable[str],
        literal: Number = FLOAT64, attributes: str = "", heavy: float = math.inf,
        calls: Sequence[ast.Call] = (), debug: DebugLines | None = None,
    ) -> None:  # fmt: skip
        self.name, self.tree, self.names, self.flags = name, tree, names, flags
        self.literal, self.attributes, self.heavy = literal, attributes, heavy
        self.sizes, self.debug = sizes_in(calls, tree), debug
        self.codes: dict[tuple, Code] = {}

    def code(self, types: tuple[Type, ...]) -> Code:
        if types not in self.codes:
            name = f"{self.name}.{len(self.codes)}" if self.codes else self.name
            self.codes[types] = Statements(self, types).code(name)
        return self.codes[types]


_helpers = count()


@cache
def helper(fun: Callable) -> Text:
    """A function of maths/: it is inlined, but its flags are its own."""
    name = f"{fun.__name__}.{next(_helpers)}"
    literal = SCALAR_TYPES[getattr(fun, "real", np.float64)]
    return Text(name, tree_of(fun), fun.__globals__, fun.fastmath, literal, " alwaysinline")


def called_in_loop(fun: Callable, code: Code, types: tuple[Type, ...]) -> Code:
    """A function that a loop calls, with its last choice made once more where the loop sees it."""
    text, choice, declared = helper(fun), last_choice(fun), called(code, types)
    if choice is None:
        return declared
    whole = Text("", text.tree, {}, ())
    whole.codes[types] = declared
    args = [ast.Name(arg.arg) for arg in text.tree.args.args]
    value = ast.Assign([ast.Name(value_chosen(fun))], ast.Call(ast.Name("whole"), args, []))
    tree = ast.FunctionDef(text.name, text.tree.args, [value, ast.Return(choice)], [])
    seen = Text(f"{text.name}.choice", tree, {**text.names, "whole": whole}, text.flags,
                text.literal, text.attributes)  # fmt: skip
    return seen.code(types)


@cache
def narrows(fun: Callable) -> bool:
    """Whether a function of float32 computes in float64: loops have half as long vectors then."""
    if getattr(fun, "real", None) is not np.float32 or not is_callable(fun):
        return False
    text = helper(fun)
    types = (NUMBERS["float32"],) * len(text.tree.args.args)
    try:
        code = text.code(types)
    except Refused:  # it takes whole numbers too, and so is no function that a loop calls
        return False
    return can_be_called(code, types) and any(" double " in text for text in code.texts.values())


_translating = threading.Lock()


def translate(
    source: str, name: str, signature: Sequence[str], flags: Iterable[str],
    names: Mapping[str, Any], heavy: float = HEAVY, debug: DebugLines | None = None,
) -> str:  # fmt: skip
    """LLVM's text of a kernel, and of all functions that it calls. Refused: Numba is to do it.

    What doesn't belong to the little that kernels are made of may fail anywhere. With `heavy`
    infinite, functions of maths/ are always inlined. With `debug`, instructions say their lines.
    """
    with _translating:
        try:
            texts = _texts(source, name, signature, flags, names, heavy, debug)
            meanings = [debug.module_text()] if debug else []
            return with_loops_named("\n".join([*texts.values(), held(texts), *meanings]))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise Refused(f"{type(error).__name__}: {error}") from error


def _texts(
    source: str, name: str, signature: Sequence[str], flags: Iterable[str],
    names: Mapping[str, Any], heavy: float, debug: DebugLines | None,
) -> dict[str, str]:  # fmt: skip
    tree = ast.parse(source)
    known, calls = dict(names), defaultdict[str, list[ast.Call]](list)
    for x in ast.walk(tree):
        if isinstance(x, ast.Call):
            calls[name_called(x)].append(x)
    for fun in tree.body:
        own, here = flags if fun.name == name else FLAGS, calls[fun.name]
        attributes = " noinline" if len(here) > MOST_INLINED else ""
        known[fun.name] = Text(fun.name, fun, known, own, FLOAT64, attributes, heavy, here, debug)
    return known[name].code(tuple(map(type_of, signature))).texts


def type_of(text: str) -> Type:
    """The type of a kernel's argument."""
    number = NUMBERS[text.removesuffix("[::1]")]
    return Address(number) if text.endswith("[::1]") else number


class Statements(Expressions):
    """Visits a function's statements; `code` gives its text. A block ends with a jump."""

    def __init__(self, text: Text, types: tuple[Type, ...]) -> None:
        super().__init__(text.flags, text.names, text.literal)
        self.text, self.types = text, types
        self.block, self.is_open, self.labels = "entry", True, 0
        self.ends: list[str] = []  # where `break` goes
        self.result: Type | None = None
        self.calling = 0  # what a loop that calls functions does in a turn
        self.line = getattr(text.tree, "lineno", 0)

    def emit(self, line: str) -> None:
        if self.text.debug:
            instruction, comma, hint = line.partition(", !llvm.loop")
            where = self.text.debug.instruction(self.name, self.line)
            line = f"{instruction}, {where}{comma}{hint}"
        super().emit(line)

    def assign(self, name: str, value: Value) -> None:
        if self.variables.setdefault(name, value.type) != value.type:
            raise Refused(f"{name} of several types")
        self.emit(f"store {value.type.llvm} {value.text}, ptr %{name}")

    def close(self, jump: str) -> None:
        self.emit(jump)
        self.is_open = False

    def open(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block, self.is_open = label, True

    def new_labels(self, *names: str) -> list[str]:
        self.labels += 1
        return [f".{name}{self.labels}" for name in names]

    # Statements.

    def run(self, statements: Sequence[ast.stmt]) -> None:
        """Visits statements, by their class in Python's tree."""
        for statement in statements:
            if not self.is_open:
                raise Refused("a statement that is never reached")
            rule = getattr(self, f"run_{type(statement).__name__}", None)
            if rule is None:
                raise Refused(ast.unparse(statement))
            outer, self.line = self.line, getattr(statement, "lineno", self.line)
            rule(statement)
            self.line = outer

    def run_Pass(self, node: ast.Pass) -> None:
        pass

    def run_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.of_Call(node.value)

    def run_Return(self, node: ast.Return) -> None:
        if node.value is None:
            return self.close("ret void")
        result = self.of(node.value)
        if self.result not in (None, result.type):
            raise Refused("results of several types")
        self.result = result.type
        return self.close(f"ret {result.type.llvm} {result.text}")

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

    # Of two blocks, one.

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

    def read_if(self, node: ast.IfExp) -> Value:
        [name] = self.new_labels("choice")
        assigns = [ast.Assign([ast.Name(name)], part) for part in (node.body, node.orelse)]
        self.run_If(ast.If(node.test, assigns[:1], assigns[1:]))
        return self.of_Name(ast.Name(name))

    # Loops: over ranges, those that end by `break`, and over tuples and tables, written out.

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
            return self.run_each(node, map(self.of, node.iter.elts))
        table = self.named(node.iter) if isinstance(node.iter, ast.Name) else None
        if isinstance(table, np.ndarray):
            return self.run_each(node, map(self.known, table))
        start, stop, step = self.range(node.iter)
        work, number = self.weight_of(node), own_turns(node, self.text.sizes)
        calling = work if work > self.text.heavy and self.is_narrowed(node) else 0
        ends = [start, stop]
        if work > SOME and number in CUT and (start.text, step) == ("0", 1) and not calling:
            ends = [constant(k, INT64) for k in cuts(number)]
        for begin, end in pairwise(ends):
            self.run_turns(node, begin, end, step, calling)

    def run_turns(
        self, node: ast.For, start: Value, stop: Value, step: int, calling: int
    ) -> None:
        loop, latch, end, i, following = self.new_labels("loop", "latch", "end", "i", "next")
        before = self.block
        some = self.two("icmp slt", start, stop, BOOL)
        self.close(f"br i1 {some.text}, label %{loop}, label %{end}")
        self.open(loop)
        self.emit(f"%{i} = phi i64 [ {start.text}, %{before} ], [ %{following}, %{latch} ]")
        self.put(node.target, Value(f"%{i}", INT64))
        self.ends.append(end)
        self.calling = calling
        self.run(node.body)
        self.calling = 0
        self.ends.pop()
        if self.is_open:
            self.close(f"br label %{latch}")
        self.open(latch)
        self.emit(f"%{following} = add nsw i64 %{i}, {step}")
        more = self.two("icmp slt", Value(f"%{following}", INT64), stop, BOOL)
        told = MASKED if calling else hint(node, bool(self.ends), self.text.sizes)
        self.close(f"br i1 {more.text}, label %{loop}, label %{end}{told}")
        self.open(end)

    def run_each(self, node: ast.For, elements: Iterable[Value]) -> None:
        """The loop's lines, once for each element."""
        for element in elements:
            self.put(node.target, element)
            self.run(node.body)

    def is_narrowed(self, loop: ast.For) -> bool:
        """Whether a function narrows the loop's vectors, and no two of these share their work: of
        one angle, inlined sines and cosines find the quarter turn once.
        """
        calls = [x for x in ast.walk(loop) if isinstance(x, ast.Call)]
        given = [ast.dump(x.args[0]) for x in calls if narrows(self.names.get(name_called(x)))]
        return 0 < len(given) == len(set(given))

    def weight_of(self, loop: ast.For) -> int:
        """What an innermost loop has to do in a turn; 0 where a turn may wait for an earlier one.

        For none it waits where variables are new in the loop, and what is written to an array
        stands in another place each time.
        """
        nodes = [x for statement in loop.body for x in ast.walk(statement)]
        for x in nodes:
            is_store = isinstance(getattr(x, "ctx", None), ast.Store)
            if isinstance(x, ast.For | ast.While) or (
                is_store and isinstance(x, ast.Name) and x.id in self.variables
            ):
                return 0
            if is_store and isinstance(x, ast.Subscript) and loop.target.id not in {
                getattr(y, "id", "") for y in ast.walk(x.slice)
            }:  # fmt: skip
                return 0
        return operations(loop) + sum(map(weight, functions_called(loop, self.names)))

    # The whole function.

    def code(self, name: str) -> Code:
        debug = self.text.debug
        place = f" {debug.function(name, self.line)}" if debug else ""
        self.name = name
        names = [a.arg for a in self.text.tree.args.args]
        for arg, t in zip(names, self.types, strict=True):
            self.assign(arg, Value(f"%.{arg}", t))
        self.run(self.text.tree.body)
        if self.is_open:
            self.emit("ret void")
        result = self.result.llvm if self.result else "void"
        args = [f"{t.llvm}{' noalias' if type(t) is Address else ''} %.{arg}"
                for arg, t in zip(names, self.types, strict=True)]  # fmt: skip
        first = f"define internal {result} @{name}({', '.join(args)}){self.text.attributes}"
        places = [f"  %{v} = alloca {t.llvm}" for v, t in self.variables.items()]
        places += [f"  {array}" for array in self.arrays]
        self.texts[name] = "\n".join([f"{first}{place} {{", "entry:", *places, *self.lines, "}\n"])
        return Code(name, self.result, self.texts)

    def code_of(self, fun: Any, types: tuple[Type, ...]) -> Code:
        text = helper(fun) if hasattr(fun, "fastmath") else fun
        if not isinstance(text, Text):
            raise Refused(f"a call of {fun}")
        code = text.code(types)
        if self.calling and text is not fun and is_callable(fun, self.calling > LONG):
            return called_in_loop(fun, code, types) if can_be_called(code, types) else code
        return code
