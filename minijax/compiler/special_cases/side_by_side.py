"""Neighbours that know nothing of each other are one kernel: the leaves of a tree, each updated.

To wake another thread takes as long as a kernel of some ten thousand numbers. So threads are woken
once for all of these, and a turn of the kernel's loop is one of them, whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import in_kernels
from minijax.compiler.kernels.fuse import Call, Step
from minijax.compiler.kernels.loop_nests import Source
from minijax.compiler.kernels.reuse import made_by, written_over
from minijax.compiler.kernels.whole_loops import part_text
from minijax.compiler.special_cases.strips import as_one, of_several_steps, source_once
from minijax.core.staging import Jaxpr, Var

side_by_side_p = of_several_steps("side_by_side")
SOME, ALL = 1 << 14, 1 << 19  # numbers to compute, of each of them and of all together
FEWEST, MOST = 8, 16  # so many, so that threads have as much to do; and a text for any number


def side_by_side(steps: list[Step], jaxpr: Jaxpr) -> list[Step]:
    """The steps of a program, where neighbours with the same text are one."""
    if len(steps) < FEWEST:
        return steps
    needed = {x for step in steps for x in step.reads} | set(jaxpr.outvars)
    found: list[Step] = []
    for group in groups(steps, needed):
        sources = [source for _, source in group]
        if len(group) < FEWEST or sum(source.cost for source in sources) < ALL:
            found += [step for step, _ in group]
        else:
            found.append(as_one(side_by_side_p, together(sources), [step for step, _ in group]))
    return found


def groups(steps: Sequence[Step], needed: set[Any]) -> Iterator[list[tuple[Step, Any]]]:
    """Neighbours of one text, of which none reads what another has made."""
    group: list[tuple[Step, Any]] = []
    made, known = set[Var](), set[Var]()  # by the group, and by the steps so far
    for step in steps:
        source = source_of(step, needed, known)
        text = group[0][1].text if group and group[0][1] else None
        if source is None or source.text != text or step.reads & made or len(group) == MOST:
            if group:
                yield group
            group, made = [], set()
        group.append((step, source))
        made |= made_by(step)
        known |= made_by(step)
    if group:
        yield group


def source_of(step: Step, needed: set[Any], known: set[Var]) -> Source | None:
    """The kernel of a step that may join others. One that is written over an operand may not: both
    would take memory at a time."""
    if isinstance(step, Call) or step.start or step.block_sums or 0 in step.space:
        return None
    results = [v for eqn in step.eqns for v in eqn.outvars]
    if not all(map(in_kernels, results)) or max(v.aval.size for v in results) < SOME // 16:
        return None
    source = source_once(step, [v for v in results if v in needed])
    is_like_others = source.turns is not None and not source.kept and source.cost >= SOME
    return source if is_like_others and not written_over(step, source) & known else None


def together(sources: Sequence[Source]) -> Source:
    """The kernel whose turn k is the k-th of these, with all of its own turns."""
    reads = list(dict.fromkeys(x for source in sources for x in source.reads))
    writes = [v for source in sources for v in source.writes]
    names = {x: f"x{k}" for k, x in enumerate(reads)} | {v: f"y{k}" for k, v in enumerate(writes)}
    lines = TextWriter()
    with lines.block("for s in range(lo, hi):"):
        for k, source in enumerate(sources):
            arrays = [names[x] for x in (*source.reads, *source.writes)]
            with lines.block(f"if s == {k}:"):
                given = map(str, [*arrays, *source.sizes, 0, source.turns])
                lines.emit(f"part0({', '.join(given)})")
    text = kernel_text(lines, [*names.values(), "lo", "hi"])
    return Source(
        f"{part_text(sources[0].text, 'part0')}\n\n{text}", tuple(reads), tuple(writes), (), (),
        len(sources), sum(source.cost for source in sources),
    )  # fmt: skip
