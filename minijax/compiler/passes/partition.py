"""The partitioner: a program, and how its arguments are cut, become the program of one device.

In three steps. `propagate` finds how each value is best cut: as the arguments are, passed on along
the letters of equations (`factors.py`). `split` says what one equation wants: in which parts it
takes its operands, and its parameters for these. `insert` writes the equations down one after the
other, and before each the collectives that bring its operands to the parts that it wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from minijax.compiler.passes.cuts import Cut, Cuts, Mesh, Names, joined, local_aval, spelled, whole
from minijax.compiler.passes.factors import (
    Axes, Factors, Letter, carried, letters_of, on_devices, placed,
)
from minijax.compiler.passes.moves import Step, after_sums, between, reason
from minijax.compiler.passes.propagate import cuts_of_slots, outside_of, propagate, until
from minijax.compiler.passes.simplify import inline, prune
from minijax.core.batching import AxisData, extend_axis_env
from minijax.core.primitives import add, cast
from minijax.core.staging import (
    Atom, ClosedJaxpr, JaxprEqn, Literal, enter_source, keep_source, trace_to_jaxpr,
)
from minijax.core.tracing import trace_ctx, typeof


class Partitioned(NamedTuple):
    """The program of one device, how its arguments and results are cut, and what is moved in it."""

    program: ClosedJaxpr
    in_cuts: list[Cut]
    out_cuts: list[Cut]
    moves: list[Move]


class Move(NamedTuple):
    """A step, for which equation, and why; `loops` are the primitives around it."""

    step: Step
    eqn: JaxprEqn | None
    why: str
    loops: tuple[str, ...] = ()


def partition(
    closed: ClosedJaxpr, mesh: Mesh, in_cuts: Sequence[Cut | None],
    out_cuts: Sequence[Cut | None] | None = None,
) -> Partitioned:  # fmt: skip
    """The program of one device of the mesh.

    In `in_cuts`, None is an argument that every device has, of which each may take a part; in
    `out_cuts`, a result that may be cut as it comes.
    """
    closed, cuts = prune(inline(closed)), Cuts(mesh)
    out_cuts = out_cuts or [None] * len(closed.outvars)
    for x, cut in (*zip(closed.invars, in_cuts, strict=True),
                   *zip(closed.outvars, out_cuts, strict=True)):  # fmt: skip
        cuts.give(x, cut)
    propagate(closed, cuts)
    cuts.fit()
    return insert(closed, cuts, out_cuts)


# The second step: the parts that an equation works on.


class Split(NamedTuple):
    """How an equation wants its operands cut, and how its results are then: sums over the names of
    `sums`, if these are joined. `names` has those of each letter."""

    operands: list[Cut]
    results: list[Cut]
    sums: dict[str, Names]
    names: dict[Letter, Names]


def split(eqn: JaxprEqn, found: Factors | None, cuts: Cuts) -> Split:
    """Of the ways to give names to letters, one that moves the fewest bytes.

    Each way asks the arrays in another order, and the first that has names for a letter gives them.
    In the last way nobody is asked: all operands are gathered.
    """
    if found is None:
        return Split([*map(whole, eqn.invars)], [*map(whole, eqn.outvars)], {}, {})
    arrays = [*zip(eqn.outvars, found.results, strict=True),
              *zip(eqn.invars, found.operands, strict=True)]  # fmt: skip
    orders = [*([*arrays[i:], *arrays[:i]] for i in range(len(arrays))), []]
    ways = [split_by(names_given(order, found, cuts), found, cuts) for order in orders]
    return min(ways, key=lambda way: bytes_moved(way, eqn, cuts))


def names_given(
    arrays: Iterable[tuple[Atom, Axes]], found: Factors, cuts: Cuts
) -> dict[Letter, Names]:
    """Names for letters, from the arrays in turn; none for two letters."""
    names: dict[Letter, Names] = {}
    used: set[str] = set()
    for x, axes in arrays:
        for letter, wanted in spelled(axes, cuts[x], found, cuts):
            free = until(wanted, used)
            if letter not in names and letter not in found.whole and free:
                names[letter] = free
                used.update(free)
    for _, axes in arrays:
        for letters in axes:
            reached = joined(letters, names, found, cuts)
            for letter in letters:  # an inner one, if the outer ones are cut to pieces of 1
                if not set(names.get(letter, ())) <= set(reached):
                    del names[letter]
    return names


def split_by(names: dict[Letter, Names], found: Factors, cuts: Cuts) -> Split:
    def cut(axes: Axes) -> Cut:
        return tuple(joined(letters, names, found, cuts) for letters in axes)

    sums: dict[str, Names] = {}
    for letter, collective in found.sums.items():
        if letter in names:
            sums[collective] = sums.get(collective, ()) + names[letter]
    return Split([*map(cut, found.operands)], [*map(cut, found.results)], sums, names)


def bytes_moved(way: Split, eqn: JaxprEqn, cuts: Cuts) -> int:
    before = (between(x, cuts[x], cut, cuts)
              for x, cut in zip(eqn.invars, way.operands, strict=True))  # fmt: skip
    after = (after_sums(v, way.sums, cut, cuts[v], cuts)
             for v, cut in zip(eqn.outvars, way.results, strict=True))  # fmt: skip
    return sum(step.bytes for steps in (*before, *after) for step in steps)


def local_params(eqn: JaxprEqn, found: Factors | None, way: Split, cuts: Cuts) -> dict[str, Any]:
    """The equation's parameters for its parts: sizes in them are those of parts."""
    params = dict(eqn.params)
    if found is None:
        return params
    for name, axes in found.sizes.items():
        cut = tuple(joined(letters, way.names, found, cuts) for letters in axes)
        params[name] = cuts.local_shape(params[name], cut)
    return params


# The third step: the program is written down.

# What moves is named here, and done by whoever has named axes: kind -> (x, names, *axes) -> x cut
# in another way. "start" -> (names, size): where a device's part of this size begins.
collectives: dict[str, Callable] = {}


def insert(closed: ClosedJaxpr, cuts: Cuts, out_cuts: Sequence[Cut | None]) -> Partitioned:
    """The program of one device: each equation with its parts, after what brings them there."""
    writer = Writer(cuts)
    in_cuts = [cuts[v] for v in closed.invars]
    wanted = [cut or cuts[x] for x, cut in zip(closed.outvars, out_cuts, strict=True)]
    in_avals = [local_aval(v.aval, cuts[v], cuts) for v in closed.invars]
    with ExitStack() as named:
        for name, size in cuts.mesh.items():
            named.enter_context(extend_axis_env(AxisData(name, size)))
        program = trace_to_jaxpr(
            lambda *args: write_program(writer, closed, args, wanted),
            in_avals, closed.jaxpr.debug_info,
        )  # fmt: skip
    return Partitioned(program, in_cuts, wanted, writer.moves)


class Writer:
    """The values that one device's program has so far, each in every way that it is cut."""

    def __init__(self, cuts: Cuts) -> None:
        self.cuts = cuts
        self.values: dict[tuple[Atom, Cut], Any] = {}
        self.moves: list[Move] = []
        self.eqn: JaxprEqn | None = None

    def read(self, x: Atom, cut: Cut, why: str) -> Any:
        """The value of an atom, cut so."""
        if type(x) is Literal:
            return x.val
        if (x, cut) not in self.values:
            have = self.cuts[x]
            steps = between(x, have, cut, self.cuts)
            self.values[x, cut] = self.moved(self.values[x, have], steps, why)
        return self.values[x, cut]

    def moved(self, value: Any, steps: Iterable[Step], why: str = "") -> Any:
        for step in steps:
            value = collectives[step.kind](value, step.names, *step.axes)
            if step.kind != "part":
                self.moves.append(Move(step, self.eqn, why))
        return value

    def keep(
        self, eqn: JaxprEqn, outs: Sequence[Any], have: Sequence[Cut], sums: dict[str, Names]
    ) -> None:
        """The results, cut as they are to be."""
        why = "each device has some of its terms" if sums else "its result is wanted so"
        for v, x, cut in zip(eqn.outvars, outs, have, strict=True):
            steps = after_sums(v, sums, cut, self.cuts[v], self.cuts)
            self.values[v, self.cuts[v]] = self.moved(x, steps, why)


def write_program(
    writer: Writer, closed: ClosedJaxpr, args: Sequence[Any], wanted: Sequence[Cut]
) -> list[Any]:
    """Binds the equations in turn, under the trace that records them; the results, as wanted."""
    cuts, values = writer.cuts, writer.values
    values.update({(v, cuts[v]): x for v, x in zip(closed.invars, args, strict=True)})
    for v, x in zip(closed.constvars, closed.consts, strict=True):
        values[v, whole(v)] = x
        values[v, cuts[v]] = writer.moved(x, between(v, whole(v), cuts[v], cuts))
    outer = keep_source()
    try:
        for eqn in closed.eqns:
            enter_source(eqn, outer)
            writer.eqn = eqn
            write_eqn(writer, eqn)
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    writer.eqn = None
    pairs = zip(closed.outvars, wanted, strict=True)
    out = [writer.read(x, cut, "the result is to be cut so") for x, cut in pairs]
    values.clear()  # tracers don't outlive their trace
    return out


def write_eqn(writer: Writer, eqn: JaxprEqn) -> None:
    """Most equations are bound with their parts, and with parameters for these."""
    if eqn.primitive in on_devices:
        return write_inside(writer, eqn)
    if eqn.primitive in carried:
        return write_programs(writer, eqn)
    cuts, found = writer.cuts, letters_of(eqn)
    way, why = split(eqn, found, cuts), reason(eqn, found, cuts)
    operands = [writer.read(x, cut, why)
                for x, cut in zip(eqn.invars, way.operands, strict=True)]  # fmt: skip
    outs = operands
    if eqn.primitive not in placed:
        out = eqn.primitive.bind(*operands, **local_params(eqn, found, way, cuts))
        outs = list(out) if eqn.primitive.multiple_results else [out]
    if found is not None and way.names.get(found.counts):
        size = typeof(outs[0]).shape[found.counts]
        start = collectives["start"](way.names[found.counts], size)
        outs[0] = add(outs[0], cast(start, typeof(outs[0]).dtype))
    writer.keep(eqn, outs, way.results, way.sums)


def write_inside(writer: Writer, eqn: JaxprEqn) -> None:
    """What is a program of one device already is written out."""
    inside = on_devices[eqn.primitive](eqn, writer.cuts.mesh)
    assert inside is not None  # else it is refused
    operands = [writer.read(x, cut, "it takes them so")
                for x, cut in zip(eqn.invars, inside.operands, strict=True)]  # fmt: skip
    writer.keep(eqn, inside.program(*operands), inside.results, {})


def write_programs(writer: Writer, eqn: JaxprEqn) -> None:
    """The programs are partitioned themselves, and what is in a slot is cut alike in all."""
    cuts, slots = writer.cuts, carried[eqn.primitive](eqn)
    cut_of = cuts_of_slots(eqn, slots, cuts)
    outside = outside_of(eqn, slots)
    for x, slot in outside:
        shape = slots.inside(slot, x.aval.shape)
        cut_of[slot] = cuts.fitted(shape, cut_of[slot])
    programs = []
    for called, takes, gives in slots.programs:
        program = inline(called)
        out_cuts = [whole(v) if slot is None else cut_of[slot]
                    for v, slot in zip(program.outvars, gives, strict=True)]  # fmt: skip
        in_cuts = [cut_of[slot] for slot in takes]
        of_parts = partition(program, cuts.mesh, in_cuts, out_cuts)
        programs.append(of_parts.program)
        writer.moves += (move._replace(loops=(eqn.primitive.name, *move.loops))
                         for move in of_parts.moves)  # fmt: skip
    cuts_outside = [slots.outside(slot, cut_of[slot]) for _, slot in outside]
    operands = [writer.read(x, cut, "its programs take it so")
                for x, cut in zip(eqn.invars, cuts_outside, strict=False)]  # fmt: skip
    outs = eqn.primitive.bind(*operands, **slots.with_programs(*programs))
    writer.keep(eqn, outs, cuts_outside[len(eqn.invars) :], {})
