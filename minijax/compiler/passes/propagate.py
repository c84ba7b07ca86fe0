"""The partitioner's first step: cuts are passed on through a program, until each value has one.

Forward and back: an equation passes what its operands and its results know of a letter to all that
have it. Where two differ, the larger array is right, and of two as large what they have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from minijax.compiler.passes.cuts import Cut, Cuts, Mesh, Names, agreed, joined, merged, spelled
from minijax.compiler.passes.factors import (
    Axes, Carried, Factors, Letter, carried, letters_of, on_devices, placed,
)
from minijax.compiler.passes.simplify import inline
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn


def propagate(closed: ClosedJaxpr, cuts: Cuts) -> None:
    """Passes cuts on until nothing is news. First along the equations that keep all letters: what a
    product makes may be wanted otherwise."""
    give_placed(closed, cuts)
    for eqns in ([eqn for eqn in closed.eqns if keeps_letters(eqn)], closed.eqns):
        while any([pass_through(eqn, cuts) for eqn in (*eqns, *reversed(eqns))]):
            pass


def give_placed(closed: ClosedJaxpr, cuts: Cuts) -> None:
    """How the program itself says that values are cut, in its types too."""
    for eqn in closed.eqns:
        for v in eqn.outvars:
            cuts.grow(v, getattr(v.aval, "cut", None) or cuts[v])
        if eqn.primitive in placed and (cut := placed[eqn.primitive](eqn)) is not None:
            take, v = cuts.grow if None in cut else cuts.give, eqn.outvars[0]
            take(v, cuts.fitted(v.aval.shape, tuple(names or () for names in cut)))
        if eqn.primitive in on_devices and (inside := on_devices[eqn.primitive](eqn, cuts.mesh)):
            for v, cut in zip(eqn.outvars, inside.results, strict=True):
                cuts.give(v, cut)
            for x, cut in zip(eqn.invars, inside.operands, strict=True):
                cuts.grow(x, merged(cuts[x], cut))


def keeps_letters(eqn: JaxprEqn) -> bool:
    """Whether all arrays with axes have the same letters."""
    found = None if eqn.primitive in carried else letters_of(eqn)
    if found is None:
        return False
    each = ({x for letters in axes for x in letters} for axes in (*found.operands, *found.results))
    return len({frozenset(letters) for letters in each if letters}) == 1


def pass_through(eqn: JaxprEqn, cuts: Cuts) -> bool:
    """Passes cuts through one equation; whether any variable's grew."""
    if eqn.primitive in carried:
        return pass_through_programs(eqn, cuts)
    found = letters_of(eqn)
    if found is None:
        return False
    arrays = [*zip(eqn.invars, found.operands, strict=True),
              *zip(eqn.outvars, found.results, strict=True)]  # fmt: skip
    claims = claimed(arrays, found, cuts)
    return any([cuts.grow(x, spread(x, axes, claims, found, cuts)) for x, axes in arrays])


Arrays = Sequence[tuple[Atom, Axes]]


def claimed(arrays: Arrays, found: Factors, cuts: Cuts) -> dict[Letter, Names]:
    """The names for each letter: those of the largest array that has some. Where arrays of one size
    differ, what they have in common, from the outermost on."""
    claims: dict[Letter, Names] = {}
    sizes: dict[Letter, int] = {}
    for x, axes in sorted(arrays, key=lambda array: -array[0].aval.size):
        for letter, names in spelled(axes, cuts[x], found, cuts):
            old = claims.setdefault(letter, names)
            both = agreed(old, names)
            if len(both) >= len(old) or sizes[letter] == x.aval.size:
                claims[letter] = both
            sizes.setdefault(letter, x.aval.size)
    return claims


def spread(
    x: Atom, axes: Axes, claims: Mapping[Letter, Names], found: Factors, cuts: Cuts
) -> Cut:  # fmt: skip
    """How an array is cut if its letters are. What was claimed first goes first, and no name goes
    to two axes."""
    cut, order = list(cuts[x]), list(claims)
    places = [d for d, letters in enumerate(axes) if letters and letters[0] in claims]
    for d in sorted(places, key=lambda d: order.index(axes[d][0])):
        elsewhere = {name for e, names in enumerate(cut) for name in names if e != d}
        names = until(joined(axes[d], claims, found, cuts), elsewhere)
        if len(names) > len(cut[d]) and names[: len(cut[d])] == cut[d]:
            cut[d] = names
    return tuple(cut)


def until(names: Names, used: set[str]) -> Names:
    """The names before the first that is used, or that stands there again."""
    stops = (i for i, name in enumerate(names) if name in {*used, *names[:i]})
    return names[: next(stops, len(names))]


# Of an equation that carries programs: what is in one slot is cut alike, inside and outside.


def outside_of(eqn: JaxprEqn, slots: Carried) -> list[tuple[Atom, int]]:
    """The operands and results, each with its slot."""
    return [*zip(eqn.invars, slots.operands, strict=True),
            *zip(eqn.outvars, slots.results, strict=True)]  # fmt: skip


def pass_through_programs(eqn: JaxprEqn, cuts: Cuts) -> bool:
    slots = carried[eqn.primitive](eqn)
    cut_of = cuts_of_slots(eqn, slots, cuts)
    return any([
        cuts.grow(x, merged(cuts[x], slots.outside(slot, cut_of[slot])))
        for x, slot in outside_of(eqn, slots)
    ])  # fmt: skip


def cuts_of_slots(eqn: JaxprEqn, slots: Carried, cuts: Cuts) -> dict[int, Cut]:
    """How the values in each slot are cut, as the programs see them: as those outside are, and
    further where the programs ask for it."""
    cut_of: dict[int, Cut] = {}
    for x, slot in outside_of(eqn, slots):
        inside = slots.inside(slot, cuts[x])
        cut_of[slot] = merged(cut_of.get(slot, inside), inside)
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
        pairs = [*zip(program.invars, takes, strict=True),
                 *zip(program.outvars, gives, strict=True)]  # fmt: skip
        places = [(v, slot) for v, slot in pairs if slot is not None]
        for v, slot in places:
            inside.grow(v, merged(inside[v], cut_of[slot]))
        propagate(program, inside)
        for v, slot in places:
            found.setdefault(slot, []).append(inside[v])
    return found


def joint(found: Sequence[Cut]) -> Cut:
    """The names on which all agree that have some."""
    each_axis = (list(filter(None, axis)) for axis in zip(*found, strict=True))
    return tuple(reduce(agreed, names) if names else () for names in each_axis)
