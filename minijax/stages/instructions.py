"""Instructions: whether a kernel's inner loop works on several numbers at once, and with what."""

from __future__ import annotations

import re
from collections import Counter
from textwrap import fill

from minijax.compiler.doors import FLAGS, assembly, compile_source
from minijax.compiler.kernels.loop_nests import Source

_JUMP = re.compile(r"\s+\S+\s.*?(\.?L\w+)$")
_PACKED = re.compile(  # registers that are wide, or instructions for several numbers; x86, then ARM
    r"\s+\S+\s.*%[yz]mm|\s+(v?\w+p[sd]|v?p\w+)\s.*%xmm|\s+\S+\s.*\bv\d+\.\d+[bhsd]\b"
)


def inner_loops(assembly: str) -> list[list[str]]:
    """The instructions of each loop that has no other inside."""
    lines = assembly.splitlines()
    labels = {line.split(":")[0]: i for i, line in enumerate(lines) if re.match(r"\.?L\w+:", line)}
    jumps = [(labels.get(match[1], i + 1), i) for i, line in enumerate(lines)
             if (match := _JUMP.match(line))]  # fmt: skip
    loops = [(start, stop) for start, stop in jumps if start <= stop]
    return [
        [line for line in lines[start + 1 : stop + 1] if re.match(r"\s+[a-z]", line)]
        for start, stop in loops
        if not any(start <= a and b <= stop and (a, b) != (start, stop) for a, b in loops)
    ]


def vector_instructions(assembly: str) -> Counter:
    """How often each instruction for several numbers at once stands in the loop with most."""
    found = [Counter(line.split()[0] for line in loop if _PACKED.match(line))
             for loop in inner_loops(assembly)]  # fmt: skip
    return max(found, key=Counter.total, default=Counter())


def instructions_text(source: Source) -> str:
    """Who compiled a kernel, and what its busiest inner loop does with vectors, as a comment."""
    of_kernel = source.text, "kernel", source.signature, FLAGS
    door = compile_source(*of_kernel).door
    if door == "python":
        return assembly(*of_kernel, door)
    found = vector_instructions(assembly(*of_kernel, door))
    if not found:
        return f"# Compiled by the door {door!r}. No inner loop has vector instructions."
    words = ", ".join(f"{n}_{name}" for name, n in found.most_common())
    text = f"Compiled by the door {door!r}. "
    text += f"Vector instructions of the inner loop with most: {words}."
    return fill(text, 96, initial_indent="# ", subsequent_indent="# ").replace("_", " ")
