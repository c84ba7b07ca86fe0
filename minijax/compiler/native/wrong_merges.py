"""A fault of LLVM's, and which programs meet it: choices between a merge and what it is made of.

With AVX-512, LLVM makes one instruction of a merge, (x & mask) | (y & ~mask), and of a choice
between that and x or y. Up to LLVM 22 that instruction may have a wrong table of truth
(llvm-project's issue 157929): such a program is compiled for a processor without AVX-512.
"""

from __future__ import annotations

import re
from typing import Any

_LINE = re.compile(r"^ +(%\S+) = (?:tail )?(\w+) (.*)$", re.MULTILINE)
_OPERAND = re.compile(r"%[\w.]+")
_MASK = re.compile(r"i(\d+) (-?\d+)\)")


class Values:
    """The values of a module's text, by their names: what computes each, and of what."""

    def __init__(self, text: str) -> None:
        self.lines = {name: (opcode, rest) for name, opcode, rest in _LINE.findall(text)}

    def line(self, name: str) -> tuple[str, str]:
        return self.lines.get(name, ("", ""))

    def operands(self, name: str) -> list[str]:
        """Those with a name; without what only gives the same bits another type."""
        return [self.origin(x) for x in _OPERAND.findall(self.line(name)[1])]

    def origin(self, name: str) -> str:
        while self.line(name)[0] == "bitcast":
            [name] = _OPERAND.findall(self.line(name)[1])
        return name

    def mask(self, name: str) -> int | None:
        """Which bits of its operand a value keeps, where that is the same in all lanes."""
        opcode, rest = self.line(name)
        if "@llvm.fabs.v" in rest:
            return (1 << (63 if "double" in rest else 31)) - 1
        found = _MASK.search(rest) if opcode == "and" and "splat" in rest else None
        return int(found[2]) % (1 << int(found[1])) if found else None

    def merged(self, name: str) -> list[str]:
        """What a value is merged of; nothing where it is no merge."""
        opcode, rest = self.line(name)
        parts = self.operands(name)
        if "@llvm.copysign.v" in rest:
            return parts
        masks = [self.mask(x) for x in parts] if opcode == "or" else []
        if len(masks) != 2 or None in masks or masks[0] & masks[1]:
            return []
        return [y for x in parts for y in self.operands(x)]


def is_compiled_wrongly(module: Any) -> bool:
    """Whether vectors are chosen so in a module, after LLVM's passes."""
    text = str(module)
    if " or disjoint <" not in text and "@llvm.copysign.v" not in text:
        return False
    values = Values(text)
    choices = [values.operands(name)[1:] for name, (opcode, rest) in values.lines.items()
               if opcode == "select" and rest.startswith("<")]  # fmt: skip
    pairs = [pair for pair in choices if len(pair) == 2]  # the others choose a constant
    return any(x in values.merged(y) or y in values.merged(x) for x, y in pairs)
