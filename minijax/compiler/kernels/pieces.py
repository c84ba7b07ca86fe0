"""Pieces: what lies one after the other is read where it lies, and loops are cut where it ends.

A concatenation, or a padded array, need not be made: each of its elements is one of a piece. Which
piece, a kernel would have to ask at every turn. Instead its loops are cut into boxes, in each of
which every such array is one piece, read from another place on: a large box inside, and thin ones
along the edges. So a stencil passes over memory once, and `roll` copies nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise, product

from minijax.compiler.kernels.elements import START, Place, is_reduction, reads_only, view_places
from minijax.compiler.kernels.fuse import Kernel, Step, fuse, operand_axes, piece_rule, places_of
from minijax.compiler.lowerings import lowerings
from minijax.core.staging import Atom, Jaxpr, JaxprEqn, Var

Box = list[tuple[int, int]]  # for each axis of the loops, the first turn and the one after the last


# What is made of a program's steps in the end, outside of loops: the engine room's affair.
STEP_PASSES: list[Callable[[list[Step], Jaxpr], list[Step]]] = []


def steps_of(jaxpr: Jaxpr, in_loop: bool = False) -> list[Step]:
    """The steps that compute a jaxpr, in order; a kernel that reads pieces is one for each box."""
    steps = [part for step in fuse(jaxpr, in_loop) for part in boxes(step)]
    for run_pass in [] if in_loop else STEP_PASSES:
        steps = run_pass(steps, jaxpr)
    return steps


def boxes(step: Step) -> list[Step]:
    """The kernel on each box, all of which write to the same results."""
    if not isinstance(step, Kernel) or not step.is_cut:
        return [step]
    cuts = [{0, n} for n in step.space]
    for eqn in step.eqns:
        for x in eqn.invars:
            places = operand_places(step, eqn, x)
            find_cuts(step, x, places, [(0, n) for n in step.space], cuts)
    intervals = [pairwise(sorted(turns)) for turns in cuts]
    return [
        dataclasses.replace(step, space=tuple(stop - start for start, stop in box),
                            start=tuple(start for start, _ in box))
        for box in product(*intervals)
    ]  # fmt: skip


def operand_places(kernel: Kernel, eqn: JaxprEqn, x: Atom) -> list[Place]:
    """Where an equation of the kernel reads an operand, counted from the start of its box."""
    if is_reduction(eqn):
        axes = iter(range(len(kernel.space)))
        return [START if n == 1 else Place(next(axes)) for n in x.aval.shape]
    axes = kernel.axes[eqn.outvars[0]]
    if reads_only(eqn):
        return view_places(eqn, places_in_box(kernel, axes))
    return places_in_box(kernel, operand_axes(eqn, x, axes))


def places_in_box(kernel: Kernel, axes: Sequence[int | None]) -> list[Place]:
    if not kernel.start:
        return places_of(axes)
    return [START if axis is None else Place(axis, 1, kernel.start[axis]) for axis in axes]


# Through views and pieces.


def next_view(kernel: Kernel, x: Atom | JaxprEqn) -> JaxprEqn | None:
    """The equation through which the kernel reads a value: a piece may be one itself."""
    if isinstance(x, JaxprEqn):
        return x
    return kernel.views.get(x) if type(x) is Var else None


def turns_in(place: Place, start: int, stop: int, turns: tuple[int, int]) -> tuple[int, int]:
    """The turns whose place is one of start, ..., stop - 1: they follow each other."""
    first, last = turns
    if place.scale > 0:
        low, high = start - place.offset, stop - place.offset
        low, high = -(-low // place.scale), -(-high // place.scale)
    else:
        low = (place.offset - stop) // -place.scale + 1
        high = (place.offset - start) // -place.scale + 1
    return max(low, first), min(high, last)


def find_cuts(
    kernel: Kernel, x: Atom | JaxprEqn, places: list[Place], box: Box, cuts: list[set[int]]
) -> None:
    """Adds the turns at which what is read at these places, within a box, goes on elsewhere."""
    view = next_view(kernel, x)
    if view is None or lowerings[view.primitive].index:
        return
    pieces = piece_rule(view)
    if pieces is None:
        return find_cuts(kernel, view.invars[0], view_places(view, places), box, cuts)
    dimension, parts = pieces
    place, start = places[dimension], 0
    for part, size in parts:
        inside = list(box)
        if place.axis is not None:
            inside[place.axis] = turns_in(place, start, start + size, box[place.axis])
            low, high = inside[place.axis]
        else:
            low, high = (0, 1) if start <= place.offset < start + size else (0, 0)
        if low < high:
            if place.axis is not None:
                cuts[place.axis] |= {low, high}
            moved = list(places)
            moved[dimension] = place.moved(1, -start)
            find_cuts(kernel, part, moved, inside, cuts)
        start += size
    return None


def piece_at(view: JaxprEqn, places: list[Place]) -> tuple[list[Place], Atom | JaxprEqn]:
    """The one piece that a box reads, and where."""
    dimension, parts = piece_rule(view)
    place, ends = places[dimension], accumulate(size for _, size in parts)
    pieces = zip(parts, ends, strict=True)
    part, start = next((x, end - n) for (x, n), end in pieces if place.offset < end)
    moved = list(places)
    moved[dimension] = place.moved(1, -start)
    return moved, part
