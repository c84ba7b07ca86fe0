"""Devices abreast: what all of them do, written as one program.

Devices that are made of one machine's processors gain nothing by threads of their own, which wait
for each other wherever they meet. So each equation of a device's program is written once for each
device, and in the place of a collective stands what becomes of their values: a sum is an addition,
a move is nothing at all. The compiler fuses that, and shares out what is large among processors.

Devices that have the same value have one variable, and what they compute of it alike is computed
once. A pattern says who has which: (0, 0, 1, 1) is of four devices, of which the first two have one
value and the others another.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.passes.factors import Carried, carried
from minijax.compiler.passes.simplify import inline
from minijax.core.config import derived
from minijax.core.printing import programs_in_params
from minijax.core.staging import (
    ClosedJaxpr,
    JaxprEqn,
    Literal,
    enter_source,
    keep_source,
    trace_to_jaxpr,
)
from minijax.core.tracing import NamedAxisEffect, Primitive, trace_ctx
from minijax.lax.collectives.meetings import between
from minijax.lax.collectives.reducing import as_names, axis_index_p
from minijax.lax.control_flow.scan import scan_p
from minijax.lax.control_flow.while_loop import while_p
from minijax.lax.sharding.cutting import places
from minijax.lax.sharding.device_threads import number_of
from minijax.lax.sharding.placed_types import manual

Pattern = tuple[int, ...]


def numbered(values: Iterable[Hashable]) -> Pattern:
    """The pattern of values of which some are equal.

    >>> numbered("aab")
    (0, 0, 1)
    """
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(x, len(numbers)) for x in values)


def pattern_of(values: Sequence[Any]) -> Pattern:
    """The pattern of values of which some are one and the same."""
    return numbered(map(id, values))


def distinct(values: Sequence[Any], pattern: Pattern) -> list[Any]:
    """One of each."""
    return [values[pattern.index(number)] for number in range(max(pattern) + 1)]


def spread(values: Iterable[Any], patterns: Iterable[Pattern]) -> list[list[Any]]:
    """For each pattern, its values, one for each device; `values` has all of them in a row."""
    given = iter(values)
    groups = ([next(given) for _ in range(max(pattern) + 1)] for pattern in patterns)
    return [[group[k] for k in p] for group, p in zip(groups, patterns, strict=True)]


# Between devices.


def between_devices(
    primitive: Primitive, values: Sequence[Any], params: dict, sizes: dict
) -> list[Any] | None:
    """What each device gets of an operation that asks who it is, or brings it together with others;
    None of any other operation. `values` has each device's operand."""
    grid = list(places(sizes))
    if primitive is axis_index_p:
        names = as_names(params["axis_name"])
        return [np.int32(number_of(place, names, sizes)) for place in grid]
    names = named_axes(params) if primitive in between else ()
    if not names:
        return None
    others = {
        name: value for name, value in params.items()
        if name not in ("axis_name", "axes", "axis_index_groups")
    }  # fmt: skip
    own = tuple(axis for axis in params.get("axes", ()) if isinstance(axis, int))
    others |= {"axes": own} if own else {}
    results: list[Any] = [None] * len(grid)
    for members in who_meet(grid, names, sizes, params.get("axis_index_groups")):
        outs = between[primitive]([values[i] for i in members], **others)
        for i, out in zip(members, outs, strict=True):
            results[i] = out
    return results


def named_axes(params: dict) -> tuple:
    axes = params["axes"] if "axes" in params else as_names(params["axis_name"])
    return tuple(axis for axis in axes if not isinstance(axis, int))


def who_meet(grid: Sequence[dict], names: tuple, sizes: dict, groups: Any) -> list[list[int]]:
    """The numbers of the devices that meet, group by group, each in the order of the axes."""
    found: dict[tuple, list[tuple[int, int]]] = {}
    for i, place in enumerate(grid):
        number = number_of(place, names, sizes)
        elsewhere: tuple = tuple(at for name, at in place.items() if name not in names)
        where, rank = None, number
        if groups is not None:
            where = next(k for k, group in enumerate(groups) if number in group)
            rank = groups[where].index(number)
        found.setdefault((elsewhere, where), []).append((rank, i))
    return [[i for _, i in sorted(members)] for members in found.values()]


# Programs.


class Abreast(NamedTuple):
    """A program of all devices. It takes the distinct values of each operand, one operand after the
    other, and gives those of results, which have these patterns."""

    program: ClosedJaxpr
    out_patterns: Sequence[Pattern]


class NotAbreast(Exception):
    """Each device has to go its own way."""


MOST = 2048  # equations of all devices: longer programs take long to compile


@derived
def abreast(closed: ClosedJaxpr, sizes: tuple, in_patterns: tuple) -> Abreast | None:
    """The program of all devices of a grid, whose axes `sizes` has in pairs; None where they may
    go different ways, or where it would be too long."""
    mesh = dict(sizes)
    try:
        if size_of(closed) * math.prod(mesh.values()) > MOST:
            return None
        with manual(None, {**trace_ctx.axis_sizes, **mesh}):
            return traced(closed, mesh, in_patterns)
    except NotAbreast:
        return None


def size_of(closed: ClosedJaxpr) -> int:
    """How many equations a program has, and those that it carries."""
    inside = (program for eqn in closed.eqns for program in programs_in_params(eqn.params))
    return len(closed.eqns) + sum(map(size_of, inside))


def traced(
    closed: ClosedJaxpr, sizes: dict, in_patterns: Sequence[Pattern],
    out_patterns: Sequence[Pattern] = (),
) -> Abreast:  # fmt: skip
    """The program, made by tracing what `results_of` does; with these patterns of its results,
    where they are given, or else the coarsest."""
    found = list(out_patterns)

    def fun(*values: Any) -> list[Any]:
        outs = results_of(closed, sizes, spread(values, in_patterns))
        found[:] = found or map(pattern_of, outs)
        return [x for values, pattern in zip(outs, found, strict=True)
                for x in distinct(values, pattern)]  # fmt: skip

    avals = [aval for aval, pattern in zip(closed.in_avals, in_patterns, strict=True)
             for _ in range(max(pattern) + 1)]  # fmt: skip
    program = trace_to_jaxpr(fun, avals, closed.jaxpr.debug_info)
    return Abreast(program, found)


def results_of(closed: ClosedJaxpr, sizes: dict, args: Sequence[list[Any]]) -> list[list[Any]]:
    """Each device's results of a program, of each device's arguments."""
    closed, count = inline(closed), len(list(places(sizes)))
    env = dict(zip(closed.invars, args, strict=True))
    env |= {v: [x] * count for v, x in zip(closed.constvars, closed.consts, strict=True)}

    def read(x: Any) -> list[Any]:
        return [x.val] * count if type(x) is Literal else env[x]

    outer = keep_source()
    try:
        for eqn in closed.eqns:
            enter_source(eqn, outer)
            outs = results_of_equation(eqn, sizes, list(map(read, eqn.invars)), count)
            env.update(zip(eqn.outvars, outs, strict=True))
    finally:
        trace_ctx.source, trace_ctx.name_stack = outer
    return list(map(read, closed.outvars))


def results_of_equation(
    eqn: JaxprEqn, sizes: dict, operands: list[list[Any]], count: int
) -> list[list[Any]]:
    primitive = eqn.primitive
    if any(not isinstance(effect, NamedAxisEffect) for effect in eqn.effects):
        raise NotAbreast
    found = between_devices(
        primitive, operands[0] if operands else [], primitive.active(eqn.params), sizes
    )
    if found is not None:
        return [found]
    if next(programs_in_params(eqn.params), None) is not None and eqn.effects:
        if primitive not in carried:
            raise NotAbreast
        return results_of_programs(eqn, sizes, operands)
    known: dict[tuple, Any] = {}
    each = list(zip(*operands, strict=True)) or [()] * count
    for given in each:
        if tuple(map(id, given)) not in known:
            out = primitive.bind(*given, **eqn.params)
            known[tuple(map(id, given))] = out if primitive.multiple_results else [out]
    outs = [known[tuple(map(id, given))] for given in each]
    return [list(values) for values in zip(*outs, strict=True)]


# An equation whose programs have collectives in them: its programs, too, become those of all
# devices. What is in one slot has one pattern, before a step and after it.

# Parameters that count operands, from the first on.
_COUNTS = {scan_p: ("num_consts", "num_carry"), while_p: ("cond_nconsts", "body_nconsts")}


def results_of_programs(
    eqn: JaxprEqn, sizes: dict, operands: list[list[Any]]
) -> list[list[Any]]:
    slots, together = carried[eqn.primitive](eqn), (0,) * len(operands[0])
    patterns = dict(zip(slots.operands, map(pattern_of, operands), strict=True))
    refine(patterns, slots, sizes, together)
    programs = []
    for program, takes, gives in slots.programs:
        outs = [together if slot is None else patterns[slot] for slot in gives]
        made = traced(program, sizes, [patterns[slot] for slot in takes], outs)
        programs.append(made.program)
    params, start = slots.with_programs(*programs), 0
    counts = [max(patterns[slot]) + 1 for slot in slots.operands]
    for name in _COUNTS.get(eqn.primitive, ()):
        end = start + eqn.params[name]
        params, start = {**params, name: sum(counts[start:end])}, end
    given = [x for slot, values in zip(slots.operands, operands, strict=True)
             for x in distinct(values, patterns[slot])]  # fmt: skip
    outs = eqn.primitive.bind(*given, **params)
    return spread(outs, [patterns[slot] for slot in slots.results])


def refine(patterns: dict[int, Pattern], slots: Carried, sizes: dict, together: Pattern) -> None:
    """Makes patterns finer until the programs keep them. NotAbreast where devices may choose
    differently: another branch, or another number of steps."""
    chosen = set(slots.operands).difference(*(takes for _, takes, _ in slots.programs))
    before = None
    while before != patterns:
        before = dict(patterns)
        for program, takes, gives in slots.programs:
            made = traced(program, sizes, [patterns[slot] for slot in takes])
            for slot, pattern in zip(gives, made.out_patterns, strict=True):
                if slot is None and pattern != together:
                    raise NotAbreast
                if slot is not None:
                    pairs = zip(patterns.get(slot, together), pattern, strict=True)
                    patterns[slot] = numbered(pairs)
    if any(patterns[slot] != together for slot in chosen):
        raise NotAbreast
