"""Instructions: what a kernel's busiest inner loop is made of, and whether it works on several
numbers at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from minijax.compiler.doors import FLAGS, assembly, compile_source
from minijax.compiler.kernels.loop_nests import Source

_JUMP = re.compile(r"\s+\S+\s.*?(\.?L\w+)$")
_PACKED = re.compile(  # registers that are wide, or instructions for several numbers; x86, then ARM
    r"\s+\S+\s.*%[yz]mm|\s+(v?\w+p[sd]|v?p\w+)\s.*%xmm|\s+\S+\s.*\bv\d+\.\d+[bhsd]\b"
)


class Instruction(NamedTuple):
    """An instruction, and the number of the line of the kernel's text that it is for, from 1 on, if
    that is known."""

    text: str
    line: int | None = None

    @property
    def is_packed(self) -> bool:
        return _PACKED.match(self.text) is not None


def inner_loops(lines: Sequence[str]) -> list[list[int]]:
    """Of each loop that has no other inside, where its instructions stand among the lines."""
    labels = {line.split(":")[0]: i for i, line in enumerate(lines) if re.match(r"\.?L\w+:", line)}
    jumps = [(labels.get(match[1], i + 1), i) for i, line in enumerate(lines)
             if (match := _JUMP.match(line))]  # fmt: skip
    loops = [(start, stop) for start, stop in jumps if start <= stop]
    return [
        [i for i in range(start + 1, stop + 1) if re.match(r"\s+[a-z]", lines[i])]
        for start, stop in loops
        if not any(start <= a and b <= stop and (a, b) != (start, stop) for a, b in loops)
    ]


def busiest_loop(assembly: str) -> list[Instruction]:
    """The inner loop with most instructions for several numbers at once; where none has any, the
    longest."""
    from minijax.compiler.native.debug_lines import lines_of_instructions

    lines, numbers = lines_of_instructions(assembly)
    loops = [[Instruction(lines[i], numbers[i]) for i in loop] for loop in inner_loops(lines)]
    return max(loops, key=lambda loop: (sum(x.is_packed for x in loop), len(loop)), default=[])


def vector_instructions(loop: Sequence[Instruction]) -> Counter:
    """How often each instruction for several numbers at once stands in a loop."""
    return Counter(x.text.split()[0] for x in loop if x.is_packed)


class CompiledKernel(NamedTuple):
    """Who compiled a kernel, the instructions of its busiest inner loop, and both in words."""

    door: str
    loop: list[Instruction]
    told: str


def instructions_of(source: Source) -> CompiledKernel:
    """What a kernel became. Its instructions are made anew, with their lines where our own
    translator makes them."""
    of_kernel = source.text, "kernel", source.signature, FLAGS
    door = compile_source(*of_kernel).door
    if door == "python":
        return CompiledKernel(door, [], assembly(*of_kernel, door).removeprefix("# "))
    if door == "direct":
        from minijax.compiler.native.machine_code import assembly_with_lines

        loop = busiest_loop(assembly_with_lines(*of_kernel))
    else:
        loop = busiest_loop(assembly(*of_kernel, door))
    return CompiledKernel(door, loop, f"Compiled by the door {door!r}. {in_words(loop)}")


def in_words(loop: Sequence[Instruction]) -> str:
    """How much of a loop works on several numbers at once.

    >>> in_words([Instruction("\tvmulps %ymm0, %ymm1, %ymm1"), Instruction("\tjne .LBB0_2")])
    'Of 2 instructions of its busiest loop, 1 works on several numbers at once.'
    """
    packed = vector_instructions(loop).total()
    if not packed:
        return "No inner loop has vector instructions."
    work = "1 works" if packed == 1 else f"{packed} work"
    return f"Of {len(loop)} instructions of its busiest loop, {work} on several numbers at once."
