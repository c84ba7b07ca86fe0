"""Debug lines: which line of a kernel's text each instruction is for, as LLVM keeps it.

LLVM carries a line along with an instruction through its passes, and says it in the assembly. A
function of maths/ that is inlined has no lines of its own: its instructions are for the line that
calls it. Only `explain` asks, so that what runs is compiled without. That changes no instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

# Of a module with debug lines; numbers so large belong to nobody else (loop_hints.py).
FIRST = 1_000_000
_MODULE = f"""
!llvm.module.flags = !{{!{FIRST}}}
!llvm.dbg.cu = !{{!{FIRST + 1}}}
!{FIRST} = !{{i32 2, !"Debug Info Version", i32 3}}
!{FIRST + 1} = distinct !DICompileUnit(language: DW_LANG_Python, file: !{FIRST + 2}, emissionKind: LineTablesOnly)
!{FIRST + 2} = !DIFile(filename: "kernel", directory: "")
!{FIRST + 3} = !DISubroutineType(types: !{{}})
"""  # noqa: E501


class DebugLines:
    """The numbers that LLVM's text has for functions and their lines, and what they mean."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.known: dict[tuple, int] = {}

    def node(self, key: tuple, text: str) -> str:
        if key not in self.known:
            self.known[key] = FIRST + 4 + len(self.nodes)
            self.nodes.append(f"!{self.known[key]} = {text}")
        return f"!dbg !{self.known[key]}"

    def function(self, name: str, line: int) -> str:
        """What stands behind a function's head."""
        return self.node((name,), (
            f'distinct !DISubprogram(name: "{name}", file: !{FIRST + 2}, line: {line}, '
            f"type: !{FIRST + 3}, unit: !{FIRST + 1}, spFlags: DISPFlagDefinition)"
        ))  # fmt: skip

    def instruction(self, function: str, line: int) -> str:
        """What stands behind an instruction of a function that has a head already."""
        scope = self.known[function,]
        return self.node((function, line), f"!DILocation(line: {line}, scope: !{scope})")

    def module_text(self) -> str:
        return "\n".join([_MODULE, *self.nodes, ""])


def lines_of_instructions(assembly: str) -> tuple[list[str], list[int | None]]:
    """The lines of an assembly text without debug directives, and the line of the kernel's text
    that each is for; None where nobody knows.

    >>> lines_of_instructions("f:\\n\\t.loc\\t1 3 0\\n\\tvmulps\\t%ymm0, %ymm1, %ymm1\\n")
    (['f:', '\\tvmulps\\t%ymm0, %ymm1, %ymm1'], [None, 3])
    """
    lines: list[str] = []
    numbers: list[int | None] = []
    line: int | None = None
    for text in code_of(assembly.splitlines()):
        words = text.split()
        if words[:1] == [".loc"]:
            line = int(words[2]) or None  # 0: made for no line
            continue
        if not text.startswith((" ", "\t", ".")) and text.rstrip().endswith(":"):
            line = None  # another function
        lines.append(text)
        numbers.append(line)
    return lines, numbers


def code_of(lines: Sequence[str]) -> list[str]:
    """The lines before the tables that a debugger reads."""
    end = next((i for i, text in enumerate(lines) if ".section" in text and "debug" in text), None)
    return list(lines[:end])
