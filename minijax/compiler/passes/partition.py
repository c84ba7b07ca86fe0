"""The partitioner: a program, and how its arguments are cut, become the program of one device.

In three steps. `propagate` finds how each value is best cut: as the arguments are, passed on along
the letters of equations (`factors.py`). `split` says what one equation wants: in which parts it takes
its operands, and its parameters for these. `insert` writes equations down one after the other, and
before each the collectives that bring operands to the parts that it wants.

A mesh is here what it is to a device: names, and how many devices each counts. How an array is cut
is a tuple with the names for each axis, the outermost first, along which it is cut: with a mesh of
x=4 and y=2, of f32[8,6] cut (("x",), ("y",)) each device has f32[2,3].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import reduce
from typing import Any, NamedTuple

from minijax.compiler.lowerings import lowerings
from minijax.compiler.passes.factors import (
    Axes, Carried, Factors, Letter, carried, factors, letters_of,
)
from minijax.compiler.passes.simplify import inline, prune
from minijax.core.batching import AxisData, extend_axis_env
from minijax.core.errors import SourceInfo
from minijax.core.primitives import add, cast
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import (
    Atom, ClosedJaxpr, JaxprEqn, Literal, Var, enter_source, keep_source, trace_to_jaxpr,
)
from minijax.core.tracing import NamedAxisEffect, ShapedArray, trace_ctx, typeof

Mesh = Mapping[str, int]
Names = tuple[str, ...]
Cut = tuple[Names, ...]


def partition(
    closed: ClosedJaxpr, mesh: Mesh, in_cuts: Sequence[Cut | None],
    out_cuts: Sequence[Cut | None] | None = None,
) -> Partitioned:  # fmt: skip
    """The program of one device of the mesh, and how its arguments and results are cut.

    None in `in_cuts` is an argument that everybody has, and whose parts anybody may have; in
    `out_cuts`, a result that is cut as it comes.
    """
    closed = prune(inline(closed))
    cuts = Cuts(mesh)
    for v, cut in zip(closed.invars, in_cuts, strict=True):
        cuts.begin(v, cut)
    for v, cut in zip(closed.outvars, out_cuts or [None] * len(closed.outvars), strict=True):
        cuts.begin(v, cut)
    propagate(closed, cuts)
    cuts.fit()
    return insert(closed, cuts, out_cuts)


class Partitioned(NamedTuple):
    """A program of one device, how its arguments and results are cut, and what moves in it."""

    program: ClosedJaxpr
    in_cuts: list[Cut]
    out_cuts: list[Cut]
    moves: list[Move]


class Move(NamedTuple):
    """A collective: which, along which names, how many bytes each device gets by it; and for whom."""

    kind: str
    names: Names
    bytes: int
    eqn: JaxprEqn | None
    why: str


# What becomes of a program that can't be cut: everybody would do what is to be done once.


def refusal(closed: ClosedJaxpr) -> str | None:
    """Why a program isn't partitioned, but run with whole values; None where it can be."""
    for eqn in inline(closed).eqns:
        if any(not isinstance(effect, NamedAxisEffect) for effect in eqn.effects):
            return f"{eqn.primitive} has an effect, and every device would repeat it"
        if lowerings[eqn.primitive].opaque and eqn.primitive not in factors:
            return f"{eqn.primitive} is to run once, and every device would run it"
        if eqn.primitive in carried:
            for program in jaxprs_in_params(eqn.params):
                if (reason := refusal(program)) is not None:
                    return reason
    return None


# First step: how each value is cut.


class Cuts:
    """How the variables of a program are cut. It grows: a variable with a cut that is given keeps
    it, any other may be cut further."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.of: dict[Atom, Cut] = {}
        self.given: set[Atom] = set()

    def __getitem__(self, x: Atom) -> Cut:
        return self.of.get(x) or whole(x)

    def begin(self, x: Atom, cut: Cut | None) -> None:
        if cut is not None and type(x) is Var and x not in self.given:
            self.of[x] = cut
            self.given.add(x)

    def grow(self, x: Atom, cut: Cut) -> bool:
        """Takes a cut for a variable that is free; whether that is news."""
        if type(x) is Literal or x in self.given or self[x] == cut:
            return False
        self.of[x] = cut
        return True

    def fit(self) -> None:
        """Leaves out the names that an axis can't be cut by. They were passed on all the same: what
        a slice is too short for may fit what is made of it."""
        for x, cut in self.of.items():
            if x not in self.given:
                self.of[x] = self.fitted(x.aval.shape, cut)

    def fitted(self, shape: Sequence[int], cut: Cut) -> Cut:
        if 0 in shape:
            return ((),) * len(shape)
        return tuple(fitting(names, n, self) for names, n in zip(cut, shape, strict=True))

    def parts(self, names: Sequence[str]) -> int:
        return math.prod(self.mesh[name] for name in names)


def whole(x: Atom) -> Cut:
    return ((),) * len(getattr(x.aval, "shape", ()))


def propagate(closed: ClosedJaxpr, cuts: Cuts) -> None:
    """Passes cuts on, from operands to results and back, until nothing is news. First along the
    equations that keep all letters: what a product makes may be wanted otherwise."""
    for eqns in ([eqn for eqn in closed.eqns if keeps_letters(eqn)], closed.eqns):
        while any([pass_through(eqn, cuts) for eqn in (*eqns, *reversed(eqns))]):
            pass


def keeps_letters(eqn: JaxprEqn) -> bool:
    found = None if eqn.primitive in carried else letters_of(eqn)
    if found is None:
        return False
    each = [{x for letters in axes for x in letters} for axes in (*found.operands, *found.results)]
    return len({frozenset(letters) for letters in each if letters}) == 1


def pass_through(eqn: JaxprEqn, cuts: Cuts) -> bool:
    if eqn.primitive in carried:
        return pass_through_programs(carried[eqn.primitive](eqn), eqn, cuts)
    found = letters_of(eqn)
    if found is None:
        return False
    arrays = [*zip(eqn.invars, found.operands, strict=True),
              *zip(eqn.outvars, found.results, strict=True)]  # fmt: skip
    claims = claimed(arrays, found, cuts)
    grown = [cuts.grow(x, spread(x, axes, claims, found, cuts)) for x, axes in arrays]
    return any(grown)


def claimed(arrays: Sequence, found: Factors, cuts: Cuts) -> dict[Letter, Names]:
    """The names for each letter: those of the largest array that has some. Where arrays of one size
    differ, what they have in common, from the outermost on."""
    claims: dict[Letter, Names] = {}
    sizes: dict[Letter, int] = {}
    for x, axes in sorted(arrays, key=lambda pair: -pair[0].aval.size):
        for letter, names in spelled(axes, cuts[x], found, cuts):
            old = claims.setdefault(letter, names)
            common = agreed(old, names)
            is_longer = len(common) >= len(old)
            if is_longer or sizes[letter] == x.aval.size:
                claims[letter] = common
            sizes.setdefault(letter, x.aval.size)
    return claims


def agreed(a: Names, b: Names) -> Names:
    """The longer of two, where one goes on as the other begins; else what they have in common."""
    pairs = enumerate(zip(a, b, strict=False))
    common = next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
    return max(a, b, key=len) if common == min(len(a), len(b)) else a[:common]


def spelled(
    axes: Axes, cut: Cut, found: Factors, cuts: Cuts
) -> Iterator[tuple[Letter, Names]]:
    """The names that belong to each letter of an array: several letters of one axis take them in
    turn, each as many as its length is made of."""
    for letters, names in zip(axes, cut, strict=True):
        for letter in letters:
            length = found.lengths.get(letter)
            taken = names if length is None else fitting(names, length, cuts)
            if taken:
                yield letter, taken
            names = names[len(taken) :]
            if length is not None and cuts.parts(taken) < length:
                break


def fitting(names: Names, size: int, cuts: Cuts) -> Names:
    """The first of the names, as many as an axis of this size can be cut by."""
    while names and size % cuts.parts(names):
        names = names[:-1]
    return names


def spread(
    x: Atom, axes: Axes, claims: Mapping[Letter, Names], found: Factors, cuts: Cuts
) -> Cut:
    """How an array is cut if its letters are; what was claimed first goes first, and no name goes
    to two axes, nor to one that it doesn't divide."""
    cut = list(cuts[x])
    order = {letter: place for place, letter in enumerate(claims)}
    places = [d for d, letters in enumerate(axes) if letters and letters[0] in order]
    for d in sorted(places, key=lambda d: order[axes[d][0]]):
        elsewhere = {name for e, names in enumerate(cut) for name in names if e != d}
        wanted = joined(axes[d], claims, found, cuts)
        free = next((i for i, name in enumerate(wanted) if name in elsewhere), len(wanted))
        names = wanted[:free]
        if len(names) > len(cut[d]) and names[: len(cut[d])] == cut[d]:
            cut[d] = names
    return tuple(cut)


def joined(
    letters: Sequence[Letter], claims: Mapping[Letter, Names], found: Factors, cuts: Cuts
) -> Names:
    """The names of an axis of several letters: a letter can be cut if those outside of it are cut
    to pieces of one."""
    names: Names = ()
    for letter in letters:
        names += claims.get(letter, ())
        if cuts.parts(claims.get(letter, ())) < found.lengths.get(letter, math.inf):
            break
    return names


# Of an equation with programs: what is in one slot is cut alike, inside and outside.


def pass_through_programs(slots: Carried, eqn: JaxprEqn, cuts: Cuts) -> bool:
    outside = [*zip(eqn.invars, slots.operands, strict=True),
               *zip(eqn.outvars, slots.results, strict=True)]  # fmt: skip
    cut_of = cuts_of_slots(slots, outside, cuts)
    grown = []
    for x, slot in outside:
        inner = cut_of.get(slot)
        if inner is not None:
            steps = ((),) if slot in slots.stacked else ()
            grown.append(cuts.grow(x, merged(cuts[x], (*steps, *inner))))
    return any(grown)


def cuts_of_slots(slots: Carried, outside: Sequence[tuple[Atom, int]], cuts: Cuts) -> dict:
    """How the values in each slot are cut, as the programs see them: as those outside are, or as
    the programs cut them further."""
    cut_of: dict[int, Cut] = {}
    for x, slot in outside:
        inner = cuts[x][1:] if slot in slots.stacked else cuts[x]
        cut_of[slot] = merged(cut_of.get(slot, inner), inner)
    before = None
    while cut_of != before:
        before = dict(cut_of)
        for slot, found in cuts_inside(slots, before, cuts.mesh).items():
            cut_of[slot] = merged(before[slot], joint(found))
    return cut_of


def cuts_inside(slots: Carried, cut_of: dict[int, Cut], mesh: Mesh) -> dict[int, list[Cut]]:
    """For each slot how the programs cut what is in it, if they begin so."""
    found: dict[int, list[Cut]] = {}
    for called, takes, gives in slots.programs:
        program, inside = inline(called), Cuts(mesh)
        places = [*zip(program.invars, takes, strict=True),
                  *zip(program.outvars, gives, strict=True)]  # fmt: skip
        for v, slot in places:
            if slot is not None:
                inside.grow(v, merged(inside[v], cut_of[slot]))
        propagate(program, inside)
        for v, slot in places:
            if slot is not None:
                found.setdefault(slot, []).append(inside[v])
    return found


def merged(a: Cut, b: Cut) -> Cut:
    """a, with b's names where these go on from a's and are free."""
    out = list(a)
    for d, names in enumerate(b):
        used = {name for e, other in enumerate(out) for name in other if e != d}
        if names[: len(out[d])] == out[d] and used.isdisjoint(names):
            out[d] = names
    return tuple(out)


def joint(found: Sequence[Cut]) -> Cut:
    """The names on which all agree that have some."""
    return tuple(reduce(agreed, filter(None, axis), ()) if any(axis) else ()
                 for axis in zip(*found, strict=True))  # fmt: skip


# Second step: the parts that an equation works on.


class Split(NamedTuple):
    """How an equation wants its operands cut, and how its results are then; what joins these."""

    operands: list[Cut]
    results: list[Cut]
    sums: dict[str, Names]
    given: dict[Letter, Names]


def split(eqn: JaxprEqn, found: Factors | None, cuts: Cuts) -> Split:
    """Of the ways to give names to letters, that which moves the fewest bytes.

    Each way asks the arrays in another order, and the first that has a name for a letter gives it.
    """
    if found is None:
        return Split([*map(whole, eqn.invars)], [*map(whole, eqn.outvars)], {}, {})
    arrays = [*zip(eqn.outvars, found.results, strict=True),
              *zip(eqn.invars, found.operands, strict=True)]  # fmt: skip
    orders = [[*arrays[i:], *arrays[:i]] for i in range(len(arrays))]
    ways = [split_by(given_names(order, found, cuts), eqn, found, cuts) for order in (*orders, [])]
    return min(ways, key=lambda way: bytes_moved(way, eqn, cuts))


def given_names(arrays: Sequence, found: Factors, cuts: Cuts) -> dict[Letter, Names]:
    given: dict[Letter, Names] = {}
    used: set[str] = set()
    for x, axes in arrays:
        for letter, names in spelled(axes, cuts[x], found, cuts):
            free = next((i for i, name in enumerate(names) if name in used), len(names))
            if letter not in given and letter not in found.whole and free:
                given[letter] = names[:free]
                used.update(names[:free])
    for _, axes in arrays:  # a letter can be cut if those outside of it are in pieces of one
        for letters in axes:
            for i, letter in enumerate(letters[:-1]):
                if cuts.parts(given.get(letter, ())) < found.lengths[letter]:
                    for inner in letters[i + 1 :]:
                        given.pop(inner, None)
    return given


def split_by(given: dict[Letter, Names], eqn: JaxprEqn, found: Factors, cuts: Cuts) -> Split:
    def cut(axes: Axes) -> Cut:
        return tuple(joined(letters, given, found, cuts) for letters in axes)

    sums: dict[str, Names] = {}
    for letter, collective in found.sums.items():
        if letter in given:
            sums[collective] = sums.get(collective, ()) + given[letter]
    return Split([*map(cut, found.operands)], [*map(cut, found.results)], sums, given)


def bytes_moved(way: Split, eqn: JaxprEqn, cuts: Cuts) -> float:
    operands = zip(eqn.invars, map(cuts.__getitem__, eqn.invars), way.operands, strict=True)
    results = zip(eqn.outvars, way.results, map(cuts.__getitem__, eqn.outvars), strict=True)
    summed = (reduced_bytes(v, cut, names, cuts) for names in way.sums.values()
              for v, cut in zip(eqn.outvars, way.results, strict=True))  # fmt: skip
    return sum(summed) + sum(
        n for x, old, new in (*operands, *results) for *_, n in moves_between(x, old, new, cuts)
    )


def local_params(eqn: JaxprEqn, found: Factors | None, way: Split, cuts: Cuts) -> dict[str, Any]:
    """The equation's parameters for its parts: sizes in them are those of parts."""
    params = dict(eqn.params)
    for name, axes in found.sizes.items() if found else ():
        places = ((joined(letters, way.given, found, cuts) for letters in axes))
        params[name] = tuple(
            n // cuts.parts(names) for n, names in zip(params[name], places, strict=True)
        )
    return params


# From one cut to another.


def moves_between(x: Atom, old: Cut, new: Cut, cuts: Cuts) -> Iterator[tuple[str, str, tuple, int]]:
    """The collectives that bring x from one cut to another: (kind, name, axes, bytes).

    Parts are taken as soon as they can be, since less is moved then; a name that goes from one axis
    to another is an exchange; what is left is gathered.
    """
    cut, size = list(old), getattr(x.aval, "size", 0) * item_size(x.aval)

    def local() -> int:
        return size // cuts.parts([name for names in cut for name in names])

    def parts() -> Iterator[tuple]:
        for d, names in enumerate(new):
            while cut[d] != names and names[: len(cut[d])] == cut[d]:
                name = names[len(cut[d])]
                if any(name in others for others in cut):
                    break
                cut[d] += (name,)
                yield "part", name, (d,), 0

    yield from parts()
    for d, names in enumerate(new):
        for e in range(len(cut)) if names[: len(cut[d])] == cut[d] else ():
            more = names[len(cut[d]) :]
            if e != d and more and cut[e] and cut[e][-1] == more[0] and more[0] not in new[e]:
                moved, cut[e], cut[d] = local(), cut[e][:-1], (*cut[d], more[0])
                yield "exchange", more[0], (e, d), moved - moved // cuts.mesh[more[0]]
    for d, names in enumerate(new):
        while names[: len(cut[d])] != cut[d]:
            name, before = cut[d][-1], local()
            cut[d] = cut[d][:-1]
            yield "gather", name, (d,), before * (cuts.mesh[name] - 1)
    yield from parts()


def item_size(aval: Any) -> int:
    return getattr(getattr(aval, "dtype", None), "itemsize", 0)


def reduced_bytes(x: Atom, cut: Cut, names: Names, cuts: Cuts) -> int:
    """What a device gets while n of them add up, each its part of the sum, and share the parts."""
    local = x.aval.size * item_size(x.aval) // cuts.parts([name for axis in cut for name in axis])
    n = cuts.parts(names)
    return 2 * local * (n - 1) // n


# Third step: the program is written down. What moves is named here, and made by collectives that
# whoever has named axes puts in: kind -> a function of (x, name, *axes), or of (x, names).

collectives: dict[str, Callable] = {}


def insert(closed: ClosedJaxpr, cuts: Cuts, out_cuts: Sequence[Cut | None] | None) -> Partitioned:
    """The program of one device: each equation with its parts, after what brings them there."""
    writer = Writer(closed, cuts)
    in_avals = [local_aval(v.aval, cuts[v], cuts) for v in closed.invars]
    wanted = [cut or cuts[x] for x, cut in
              zip(closed.outvars, out_cuts or [None] * len(closed.outvars), strict=True)]  # fmt: skip
    with ExitStack() as names:
        for name, size in cuts.mesh.items():
            names.enter_context(extend_axis_env(AxisData(name, size)))
        program = trace_to_jaxpr(
            lambda *args: writer.run(args, wanted), in_avals, closed.jaxpr.debug_info
        )
    return Partitioned(program, [cuts[v] for v in closed.invars], wanted, writer.moves)


def local_aval(aval: Any, cut: Cut, cuts: Cuts) -> Any:
    """The type of a part."""
    if not isinstance(aval, ShapedArray):
        return aval
    return aval.update(
        shape=[n // cuts.parts(names) for n, names in zip(aval.shape, cut, strict=True)]
    )


class Writer:
    """Binds the equations of one device's program in turn, under whatever trace records them."""

    def __init__(self, closed: ClosedJaxpr, cuts: Cuts) -> None:
        self.closed, self.cuts = closed, cuts
        self.values: dict[tuple[Atom, Cut], Any] = {}  # a value, and each way it was cut to
        self.moves: list[Move] = []
        self.eqn: JaxprEqn | None = None

    def run(self, args: Sequence[Any], wanted: Sequence[Cut]) -> list[Any]:
        for v, x in zip(self.closed.invars, args, strict=True):
            self.values[v, self.cuts[v]] = x
        for v, x in zip(self.closed.constvars, self.closed.consts, strict=True):
            self.values[v, self.cuts[v]] = self.moved(v, x, whole(v), self.cuts[v], "constant")
        outer = keep_source()
        try:
            for eqn in self.closed.eqns:
                enter_source(eqn, outer)
                self.eqn = eqn
                self.write(eqn)
        finally:
            trace_ctx.source, trace_ctx.name_stack = outer
        self.eqn = None
        return [self.read(x, cut, "result") for x, cut in zip(self.closed.outvars, wanted)]

    def read(self, x: Atom, cut: Cut, why: str) -> Any:
        """The value of an atom, cut so."""
        if type(x) is Literal:
            return x.val
        if (x, cut) not in self.values:
            have = self.cuts[x]
            self.values[x, cut] = self.moved(x, self.values[x, have], have, cut, why)
        return self.values[x, cut]

    def moved(self, x: Atom, value: Any, old: Cut, new: Cut, why: str) -> Any:
        for kind, name, axes, count in moves_between(x, old, new, self.cuts):
            value = collectives[kind](value, name, *axes)
            if kind != "part":
                self.moves.append(Move(kind, (name,), count, self.eqn, why))
        return value

    def write(self, eqn: JaxprEqn) -> None:
        if eqn.primitive in carried:
            self.write_programs(eqn, carried[eqn.primitive](eqn))
            return
        found = letters_of(eqn)
        way = split(eqn, found, self.cuts)
        why = self.reason(eqn, found)
        operands = [self.read(x, cut, why) for x, cut in zip(eqn.invars, way.operands, strict=True)]
        params = local_params(eqn, found, way, self.cuts)
        out = eqn.primitive.bind(*operands, **params)
        outs = list(out) if eqn.primitive.multiple_results else [out]
        for collective, names in way.sums.items():
            for i, (v, cut) in enumerate(zip(eqn.outvars, way.results, strict=True)):
                outs[i] = collectives[collective](outs[i], names)
                count = reduced_bytes(v, cut, names, self.cuts)
                self.moves.append(Move(collective, names, count, eqn, "sum"))
        if found is not None and way.given.get(found.counts):
            outs[0] = add(outs[0], self.start(found.counts, way.given[found.counts], outs[0]))
        self.keep(eqn, outs, way.results)

    def reason(self, eqn: JaxprEqn, found: Factors | None) -> str:
        if found is None:
            return "unknown"
        return "whole axis" if found.whole else "other parts"

    def start(self, d: int, names: Names, x: Any) -> Any:
        """The number of the first place of this device's part along an axis."""
        return cast(collectives["start"](names, typeof(x).shape[d]), typeof(x).dtype)

    def keep(self, eqn: JaxprEqn, outs: Sequence[Any], have: Sequence[Cut]) -> None:
        """The results, cut as they are to be."""
        for v, x, cut in zip(eqn.outvars, outs, have, strict=True):
            self.values[v, self.cuts[v]] = self.moved(v, x, cut, self.cuts[v], "result")

    def write_programs(self, eqn: JaxprEqn, slots: Carried) -> None:
        """The programs are partitioned themselves, and what they exchange is cut as their slots."""
        outside = [*zip(eqn.invars, slots.operands, strict=True),
                   *zip(eqn.outvars, slots.results, strict=True)]  # fmt: skip
        cut_of = cuts_of_slots(slots, outside, self.cuts)
        for x, slot in outside:
            shape = x.aval.shape[slot in slots.stacked :]
            cut_of[slot] = self.cuts.fitted(shape, cut_of[slot])

        def cut_outside(x: Atom, slot: int) -> Cut:
            return (((), *cut_of[slot]) if slot in slots.stacked else cut_of[slot])

        programs = []
        for called, takes, gives in slots.programs:
            program = inline(called)
            out_cuts = [whole(v) if slot is None else cut_of[slot]
                        for v, slot in zip(program.outvars, gives, strict=True)]  # fmt: skip
            inside = partition(program, self.cuts.mesh, [cut_of[slot] for slot in takes], out_cuts)
            programs.append(inside.program)
            self.moves += inside.moves
        operands = [self.read(x, cut_outside(x, slot), "loop")
                    for x, slot in outside[: len(eqn.invars)]]  # fmt: skip
        outs = eqn.primitive.bind(*operands, **slots.with_programs(*programs))
        self.keep(eqn, outs, [cut_outside(*pair) for pair in outside[len(eqn.invars) :]])
