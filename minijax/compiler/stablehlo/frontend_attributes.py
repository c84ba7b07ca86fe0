"""What the user tells XLA of operations: `mhlo.frontend_attributes`, beside an operation's own.

An equation's scopes have them, so whatever transforms a program hands them on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minijax.compiler.stablehlo.tensor_types import quoted


class FrontendAttributes(str):
    """Names with values. It is carried like a scope, one whose name is empty."""

    told: dict[str, Any]

    def __new__(cls, told: Mapping[str, Any]) -> FrontendAttributes:
        self = super().__new__(cls, "")
        self.told = dict(sorted(told.items()))
        return self

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, FrontendAttributes) and self.told == other.told

    def __hash__(self) -> int:
        return hash(tuple(self.told.items()))

    def __repr__(self) -> str:
        return f"FrontendAttributes({self.told})"


def told_of(name_stack: Iterable[str]) -> dict[str, Any]:
    """What is told of an equation with these scopes: of one name, what the inmost says."""
    told: dict[str, Any] = {}
    for name in name_stack:
        if isinstance(name, FrontendAttributes):
            told |= name.told
    return told


_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")
_DEFINED = re.compile(r"( *)(%\w+)(?::\d+)? = ")
_STRING = r'"(?:[^"\\]|\\.)*"'
_HAS_ATTRIBUTES = re.compile(r"= stablehlo\.(custom_call|convolution)\b")  # in braces, behind
_LOCATION = re.compile(rf" loc\((?:unknown|{_STRING}\({_STRING}:\d+:\d+\))\)$")


def attribute_text(told: Mapping[str, Any]) -> str:
    """The attribute, in MLIR.

    >>> attribute_text({"trace": True, "a-b": 10})
    'mhlo.frontend_attributes = {"a-b" = "10", trace = "true"}'
    """
    pairs = [
        f"{name if _BARE.fullmatch(name) else quoted(name)} = "
        f"{quoted(str(value).lower() if isinstance(value, bool) else str(value))}"
        for name, value in sorted(told.items())
    ]
    return f"mhlo.frontend_attributes = {{{', '.join(pairs)}}}"


def with_attributes(lines: Sequence[str], told: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The lines of a function, in which operations have what is told of them, by the name of their
    results. (An argument, which no operation gives, has no line.)"""
    lines = list(lines)
    for i, line in enumerate(lines):
        defined = _DEFINED.match(line)
        if defined and defined[2] in told:
            text = attribute_text(told[defined[2]])
            if "= stablehlo.while(" in line:
                lines[i] = f"{line} attributes {{{text}}}"
                continue
            if line.endswith("({"):  # its types stand behind its regions
                end = f"{defined[1]}}})"
                i = next(j for j in range(i, len(lines)) if lines[j].startswith(end))
            lines[i] = _with_attribute(lines[i], text)
    return lines


def _with_attribute(line: str, text: str) -> str:
    """The line, with the attribute before its types, among others if it has any."""
    location = _LOCATION.search(line)
    end = location[0] if location else ""
    before, _, types = line.removesuffix(end).rpartition(" : ")
    if "= stablehlo.constant " in before:
        before = before.replace("stablehlo.constant ", f"stablehlo.constant {{{text}}} ", 1)
    elif before.endswith("}") and _HAS_ATTRIBUTES.search(before):
        before = f"{before[:-1]}, {text}}}"
    else:
        before = f"{before} {{{text}}}"
    return f"{before} : {types}{end}"
