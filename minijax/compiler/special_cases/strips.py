"""Strips: kernels one after the other run through large arrays together, a few rows at a time.

A stencil of a stencil has arrays between its kernels that nobody else reads. Each kernel alone
would write all of one to memory, and the next read it from there. Instead, one kernel goes from
strip to strip of the results' rows. For each it calls the kernels in turn, for as many rows as the
next ones need, and what lies between them is a few rows in the processor's cache. Where a kernel
reads rows around its own, neighbouring strips compute some twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from minijax.compiler.generated_text import TextWriter, kernel_text
from minijax.compiler.kernels.elements import in_kernels
from minijax.compiler.kernels.fuse import Call, Kernel, Step
from minijax.compiler.kernels.layout import Access, Index, Layout
from minijax.compiler.kernels.loop_nests import Source, kernel_source
from minijax.compiler.kernels.whole_loops import part_text
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.core.staging import Jaxpr, JaxprEqn, Var
from minijax.core.tracing import Primitive, no_effects

LARGE = 1 << 20  # bytes between kernels, from which on it pays
SOME = 1 << 16  # of one of them: smaller ones are not looked at
NEAR, CACHED = 1 << 16, 1 << 19  # bytes of a strip between kernels: to aim at, and at most
ONCE = 3  # rows of a strip for each that is computed twice


class Reading(NamedTuple):
    """How a turn k of a stage reads an array: from row k + first on, up to row k + last; of rows of
    `step` numbers. `step` 0: the same numbers in each turn."""

    first: int
    last: int
    step: int


class Stage(NamedTuple):
    """A kernel whose outer loop makes row after row of each of its results."""

    source: Source
    reads: dict[Var, Reading]
    rows: int
    turns: int  # of a row


def row_size(v: Var, rows: int) -> int:
    return v.aval.size // rows


# Which steps are stages.


def num_bytes(v: Var) -> int:
    return v.aval.size * v.aval.dtype.itemsize


def stage_of(step: Step, needed: set[Any]) -> Stage | None:
    """The stage of a step, if it is one."""
    made = [step.eqn] if isinstance(step, Call) else step.eqns
    results = [v for eqn in made for v in eqn.outvars]
    if not all(map(in_kernels, results)) or max(map(num_bytes, results), default=0) < SOME:
        return None
    if isinstance(step, Call):
        return stage_of_call(step)
    if step.start or step.block_sums or not step.space or 0 in step.space:
        return None
    writes = [v for v in results if v in needed]
    layout, rows = Layout(step, writes), step.space[0]
    if not layout.is_split or any(place.strides[0] * rows != v.aval.size or place.offset
                                  for v, place in layout.stores.items()):  # fmt: skip
        return None
    accesses: dict[Var, set[Access]] = {v: set() for v in layout.reads}
    for x in chain.from_iterable(layout.operands.values()):
        if isinstance(x, Access):
            accesses[layout.reads[int(x.name[1:])]].add(x)
        elif isinstance(x, Index) and x.place.strides[0]:
            return None  # it counts its turns, and a strip's begin with 0
    reads = {v: reading(places) for v, places in accesses.items()}
    if None in reads.values():
        return None
    return Stage(source_once(step, writes), reads, rows, layout.sizes[0] // rows)


_written: WeakKeyDictionary[Step, dict] = WeakKeyDictionary()


def source_once(step: Kernel, writes: Sequence[Var]) -> Source:
    """The kernel's source, for whoever looks whether steps are better joined."""
    known = _written.setdefault(step, {})
    if tuple(writes) not in known:
        known[tuple(writes)] = kernel_source(step, writes)
    return known[tuple(writes)]


def reading(places: set[Access]) -> Reading | None:
    """How rows are read at these places; None where not in step."""
    steps = {place.strides[0] for place in places}
    [step] = steps if len(steps) == 1 else [-1]
    if step < 0:
        return None
    rows = [place.offset // step for place in places] if step else [0]
    return Reading(min(rows), max(rows), step)


def stage_of_call(step: Call) -> Stage | None:
    """Of a part that takes a row of some operands in each turn, and makes one of its result."""
    eqn, rules = step.eqn, lowerings[step.eqn.primitive]
    steps = rules.rows(eqn) if rules.rows and not eqn.effects else None
    atoms = (*eqn.invars, *eqn.outvars)
    if steps is None or not all(type(x) is Var and in_kernels(x) for x in atoms):
        return None
    source = rules.source(eqn)
    if source is None or source.turns is None:
        return None
    reads = {x: Reading(0, 0, n) for x, n in zip(eqn.invars, steps, strict=True)}
    return Stage(source, reads, source.turns, 1)


# Which stages run through their arrays together.


@dataclasses.dataclass(eq=False)
class Strips(Call):
    """Several steps as one."""

    steps: Sequence[Step] = ()

    def __repr__(self) -> str:
        return f"{self.eqn.primitive}: " + "; ".join(map(repr, self.steps))


def of_several_steps(name: str) -> Primitive:
    """A primitive whose equations have the kernel of several steps."""
    primitive = Primitive(name)
    primitive.multiple_results = True
    register_lowering(primitive, source=lambda eqn: eqn.params["source"], alone=lambda eqn: True)
    return primitive


strips_p = of_several_steps("strips")


def in_strips(steps: list[Step], jaxpr: Jaxpr) -> list[Step]:
    """The steps of a program; neighbours that hand large arrays on are one."""
    needed = {x for step in steps for x in step.reads} | set(jaxpr.outvars)
    found: list[Step] = []
    for group in grouped(steps, needed):
        inner = [step for step, _ in group]
        outer = {x for step in steps if step not in inner for x in step.reads} | set(jaxpr.outvars)
        whole = joined([stage for _, stage in group], outer) if len(group) > 1 else None
        if whole is None:
            found += inner
            continue
        found.append(as_one(strips_p, whole, inner))
    return found


def as_one(primitive: Primitive, source: Source, steps: Sequence[Step]) -> Strips:
    """The steps that one kernel runs."""
    eqn = JaxprEqn(list(source.reads), list(source.writes), primitive, {"source": source},
                   no_effects, last_equation(steps).source_info)  # fmt: skip
    return Strips(eqn, {x for x in source.reads if type(x) is Var}, steps)


def last_equation(steps: Sequence[Step]) -> JaxprEqn:
    step = steps[-1]
    return step.eqn if isinstance(step, Call) else step.eqns[-1]


def grouped(steps: Sequence[Step], needed: set[Any]) -> Iterator[list[tuple[Step, Stage]]]:
    """Neighbours of which each reads rows that the ones before have made."""
    group: list[tuple[Step, Any]] = []
    for step in steps:
        stage = stage_of(step, needed)
        if group and (stage is None or not reads_rows(stage, [s for _, s in group])):
            yield group
            group = []
        group.append((step, stage))
        if stage is None:
            yield group
            group = []
    if group:
        yield group


def reads_rows(stage: Stage, before: Sequence[Stage]) -> bool:
    """Whether a stage reads something of these, and all of that row by row."""
    if None in before:
        return False
    made = {v: early.rows for early in before for v in early.source.writes}
    known = [(r.step, row_size(v, made[v])) for v, r in stage.reads.items() if v in made]
    return bool(known) and all(step == size for step, size in known)


def extents(stages: Sequence[Stage]) -> list[tuple[int, int]]:
    """For each stage, how many rows before a strip it begins, and how many behind it ends: a later
    stage's needs are known first."""
    found: list[tuple[int, int]] = []
    for k, stage in reversed(list(enumerate(stages))):
        first = last = 0
        for later, (begin, end) in zip(stages[k + 1 :], reversed(found), strict=True):
            for v in stage.source.writes:
                if v in later.reads:
                    reading = later.reads[v]
                    first, last = min(first, begin + reading.first), max(last, end + reading.last)
        found.append((first, last))
    return found[::-1]


def joined(stages: Sequence[Stage], outer: set[Any]) -> Source | None:
    """The kernel of all stages, if it is worth its while."""
    around = extents(stages)
    inner = [(v, stage, last - first) for stage, (first, last) in zip(stages, around, strict=True)
             for v in stage.source.writes if v not in outer]  # fmt: skip
    if sum(num_bytes(v) for v, *_ in inner) < LARGE:
        return None
    row_bytes = sum(num_bytes(v) // stage.rows for v, stage, _ in inner)
    height = max(NEAR // row_bytes, ONCE * max(twice for *_, twice in inner), 1)
    if height * row_bytes > CACHED:
        return None
    return Writer(stages, around, height, {v for v, *_ in inner}).whole()


# The text.


class Writer(TextWriter):
    """Writes the kernel that calls the stages for each strip of so many rows."""

    def __init__(
        self, stages: Sequence[Stage], around: Sequence[tuple[int, int]], height: int,
        inner: set[Var],
    ) -> None:  # fmt: skip
        super().__init__()
        self.stages, self.around, self.height, self.inner = stages, around, height, inner
        self.parts: dict[str, str] = {}  # text -> name
        self.kept: list[tuple[int, np.dtype]] = []
        self.places: dict[Var, str] = {}  # the array's name
        self.starts: dict[Var, str] = {}  # of an array between stages: the row that comes first
        made = [v for stage in stages for v in stage.source.writes]
        self.reads = list(dict.fromkeys(v for s in stages for v in s.source.reads if v not in made))
        self.writes = [v for v in made if v not in inner]
        for k, v in enumerate(self.reads):
            self.places[v] = f"x{k}"
        for k, v in enumerate(self.writes):
            self.places[v] = f"y{k}"
        for stage, (first, last) in zip(stages, around, strict=True):
            for v in stage.source.writes:
                if v in inner:
                    rows = min(height + last - first, stage.rows)
                    self.places[v] = self.scratch(rows * row_size(v, stage.rows), v.aval.dtype)

    def scratch(self, size: int, dtype: np.dtype) -> str:
        self.kept.append((size, dtype))
        return f"t{len(self.kept) - 1}"

    def rows(self) -> list[tuple[str, str]]:
        """The first row of each stage's, and the one behind its last; the last stage's stand first.

        A strip ends with its results. Of an earlier stage, all is computed that a later one reads.
        """
        found: list[tuple[str, str]] = []
        for k, stage in reversed(list(enumerate(self.stages))):
            first = [f"min(s * {self.height}, {stage.rows})"]
            last = [f"min((s + 1) * {self.height}, {stage.rows})"]
            needs = [(pair, later.reads[v])
                     for pair, later in zip(found[::-1], self.stages[k + 1 :], strict=True)
                     for v in stage.source.writes if v in later.reads]  # fmt: skip
            if needs and self.inner.issuperset(stage.source.writes):
                first, last = [], []
            # Not behind the later one's first row: what lies before an array can't be named.
            first += [f"{begin} + {min(reading.first, 0)}" for (begin, _), reading in needs]
            last += [f"{end} + {reading.last}" for (_, end), reading in needs]
            found.append((self.assign(nested("min", first), "a_"),
                          self.assign(nested("max", last), "b_")))  # fmt: skip
        return found[::-1]

    def call(self, stage: Stage, begin: str, end: str) -> None:
        """A stage's rows from `begin` on, as if they were the first."""
        source, arrays = stage.source, []
        for v in source.reads:
            arrays.append(self.from_row(v, begin, stage.reads[v].step))
        for v in source.writes:
            if v in self.inner:
                self.starts[v] = begin
            arrays.append(self.from_row(v, begin, row_size(v, stage.rows)))
        arrays += [self.scratch(size, dtype) for size, dtype in source.kept]
        name = self.parts.setdefault(source.text, f"part{len(self.parts)}")
        turns = f"({end} - {begin})" + (f" * {stage.turns}" if stage.turns > 1 else "")
        self.emit(f"{name}({', '.join(map(str, [*arrays, *source.sizes, 0, turns]))})")

    def from_row(self, v: Var, begin: str, step: int) -> str:
        """The array, from a row on; one between stages has only the rows of a strip."""
        start = self.starts.get(v)
        if not step or start == begin:
            return self.places[v]
        row = begin if start is None else f"({begin} - {start})"
        return f"{self.places[v]}[{row} * {step}:]"

    def whole(self) -> Source:
        rows = [stage.rows for stage in self.stages for v in stage.source.writes
                if v not in self.inner]  # fmt: skip
        count = -(-max(rows) // self.height)
        with self.block("for s in range(lo, hi):"):
            for stage, rows in zip(self.stages, self.rows(), strict=True):
                self.call(stage, *rows)
        names = [f"{letter}{k}" for letter, found in
                 (("x", self.reads), ("y", self.writes), ("t", self.kept))
                 for k in range(len(found))]  # fmt: skip
        parts = [part_text(text, name) for text, name in self.parts.items()]
        text = "\n\n".join([*parts, kernel_text(self, [*names, "lo", "hi"])])
        reads, writes, kept = map(tuple, (self.reads, self.writes, self.kept))
        cost = sum(stage.source.cost for stage in self.stages)
        return Source(text, reads, writes, kept, (), count, cost)


def nested(function: str, terms: Sequence[str]) -> str:
    """A function of two, of several terms.

    >>> nested("min", ["a", "b", "c"])
    'min(min(a, b), c)'
    """
    text, *others = dict.fromkeys(terms)
    for term in others:
        text = f"{function}({text}, {term})"
    return text
