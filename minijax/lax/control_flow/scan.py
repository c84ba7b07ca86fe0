"""scan: a loop over the leading axis of arrays. One step is one program; each of its derivatives
is a step of another scan."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from minijax.core.arrays import Array, raw_value
from minijax.core.batching import fancy_primitive_batchers, matchaxis
from minijax.core.config import derived
from minijax.core.dtypes import storage_dtype
from minijax.core.errors import JaxprTypeError, typematch
from minijax.core.forward import instantiate_zeros, is_nonzero, primitive_jvps
from minijax.core.jitting import as_runtime_value, running
from minijax.core.linearization import force_nonzero, primitive_linearizations, put_zeros
from minijax.core.primitives import zeros
from minijax.core.programs import batch_jaxpr, choose, dce_closed_jaxpr, jvp_jaxpr, linearize_jaxpr
from minijax.core.reverse import (
    UndefinedPrimal,
    backward_pass,
    is_undefined_primal,
    primitive_transposes,
)
from minijax.core.staging import (
    ClosedJaxpr,
    JaxprEqn,
    Literal,
    dce_rules,
    eval_jaxpr,
    has_effect,
    trace_to_jaxpr,
)
from minijax.core.tracing import NamedAxisEffect, Primitive, typeof

# The primitive: its operands are constants, what is carried, and arrays to take slices of.

scan_p = Primitive("scan")
scan_p.multiple_results = True


def split3(values: Sequence, num_consts: int, num_carry: int) -> tuple:
    """Of operands: the constants, what is carried, and what slices are taken of."""
    start = num_consts + num_carry
    return values[:num_consts], values[num_consts:start], values[start:]


@scan_p.def_effectful_abstract_eval
def _scan_abstract_eval(*avals, length, reverse, jaxpr, num_consts, num_carry, unroll):
    consts, carry, xs = split3(jaxpr.in_avals, num_consts, num_carry)
    taken = [*consts, *carry, *(_stacked(length, aval) for aval in xs)]
    fits = len(avals) == len(taken) and all(map(typematch, avals, taken))
    if not fits or not all(map(typematch, carry, jaxpr.out_avals[:num_carry])):
        raise JaxprTypeError(f"scan of {jaxpr} takes {taken}, and is given {list(avals)}.")
    return _out_avals(jaxpr, length, num_carry), jaxpr.effects


def _stacked(length: int, aval: Any) -> Any:
    return aval.update(shape=(length, *aval.shape))


def _out_avals(jaxpr: ClosedJaxpr, length: int, num_carry: int) -> list[Any]:
    ys = (_stacked(length, aval) for aval in jaxpr.out_avals[num_carry:])
    return [*jaxpr.out_avals[:num_carry], *ys]


@scan_p.def_impl
def _scan_impl(*args, length, reverse, jaxpr, num_consts, num_carry, unroll):
    consts, carry, xs = split3(list(map(as_runtime_value, args)), num_consts, num_carry)
    x_avals = split3(jaxpr.in_avals, num_consts, num_carry)[2]
    slices = list(zip(map(raw_value, xs), x_avals, strict=True))
    avals = _out_avals(jaxpr, length, num_carry)
    stacks = [np.empty(aval.shape, storage_dtype(aval.dtype)) for aval in avals[num_carry:]]
    for i in reversed(range(length)) if reverse else range(length):
        x = [Array(values[i, ...], aval) for values, aval in slices]
        out = running.run(jaxpr, [*consts, *carry, *x], "scan")
        carry = out[:num_carry]
        for stack, y in zip(stacks, out[num_carry:], strict=True):
            stack[i] = raw_value(y)
    carry = map(_retyped, carry, avals)
    return [*carry, *map(Array, stacks, avals[num_carry:])]


def _retyped(x: Any, aval: Any) -> Any:
    """The same value; it may have become weak, or no longer be."""
    return x if typeof(x) is aval else Array(raw_value(x), aval)


# A carry that one step marks, as having a tangent or a batch axis, is so from the start: marks are
# added until no step adds any.


def _fixed_point(derive: Callable, marks: Sequence, num_consts: int, num_carry: int) -> tuple:
    """The marks of all operands, and derive(marks, marks of the carry), whose last item has those
    of the results."""
    consts, carry, xs = split3(tuple(marks), num_consts, num_carry)
    while True:
        result = derive((*consts, *carry, *xs), carry)
        found = tuple(map(operator.or_, carry, result[-1][:num_carry]))
        if found == carry:
            return (*consts, *carry, *xs), result
        carry = found


@derived
def _reordered(closed: ClosedJaxpr, in_order: tuple, out_order: tuple | None = None) -> ClosedJaxpr:
    """The program with its operands, and its results, in another order."""
    invars = [closed.invars[i] for i in in_order]
    outvars = closed.outvars if out_order is None else [closed.outvars[i] for i in out_order]
    return ClosedJaxpr(closed.jaxpr.replace(invars=invars, outvars=outvars), closed.consts)


# Forward: a step on primals and tangents.


def _scan_jvp(primals, tangents, *, length, reverse, jaxpr, num_consts, num_carry, unroll):
    num_ys = len(jaxpr.out_avals) - num_carry
    marks, (step, out_marks) = _fixed_point(
        lambda marks, carry: jvp_jaxpr(jaxpr, marks, (*carry, *(False,) * num_ys)),
        list(map(is_nonzero, tangents)), num_consts, num_carry,
    )  # fmt: skip
    parts = split3(primals, num_consts, num_carry)
    pairs = list(zip(force_nonzero(tangents, marks), marks, strict=True))
    dots = [[t for t, mark in part if mark] for part in split3(pairs, num_consts, num_carry)]
    sizes, dot_sizes = list(map(len, parts)), list(map(len, dots))
    ys_dots = sum(out_marks) - dot_sizes[1]
    step = _reordered(
        step, _in_pairs(sizes, dot_sizes), _in_pairs((num_carry, num_ys), (dot_sizes[1], ys_dots))
    )
    out = scan_p.bind(
        *chain(*chain(*zip(parts, dots, strict=True))), length=length, reverse=reverse, jaxpr=step,
        num_consts=sizes[0] + dot_sizes[0], num_carry=sizes[1] + dot_sizes[1], unroll=unroll,
    )  # fmt: skip
    carry, carry_dot, ys_and_dots = split3(out, num_carry, dot_sizes[1])
    avals = _out_avals(jaxpr, length, num_carry)
    dots_out = put_zeros([*carry_dot, *ys_and_dots[num_ys:]], out_marks, avals)
    return [*carry, *ys_and_dots[:num_ys]], dots_out


def _in_pairs(sizes: Sequence[int], dot_sizes: Sequence[int]) -> tuple[int, ...]:
    """Positions in (a, b, ..., a's tangents, b's tangents, ...), each part before its tangents."""
    order, start, dot_start = [], 0, sum(sizes)
    for size, dot_size in zip(sizes, dot_sizes, strict=True):
        order += [*range(start, start + size), *range(dot_start, dot_start + dot_size)]
        start, dot_start = start + size, dot_start + dot_size
    return tuple(order)


primitive_jvps[scan_p] = _scan_jvp

# Batched: all the examples take a step at once. They lie along axis 0 of whatever a step sees.


def _scan_batcher(axis_data, vals, dims, *, jaxpr, num_consts, num_carry, **params):
    names_axis = NamedAxisEffect(axis_data.name) in jaxpr.effects
    params |= {"num_consts": num_consts, "num_carry": num_carry}
    if not names_axis and all(d is None for d in dims):
        return scan_p.bind(*vals, jaxpr=jaxpr, **params), [None] * len(jaxpr.out_avals)
    fronts = tuple(None if d is None else 0 for d in dims)
    consts, carry, xs = split3(fronts, num_consts, num_carry)
    wanted, found = None, (*carry, *(None,) * (len(jaxpr.out_avals) - num_carry))
    while found != wanted:
        wanted = tuple(None if d is None else 0 for d in found)
        carry = wanted[:num_carry]
        step, found = batch_jaxpr(jaxpr, axis_data, (*consts, *carry, *xs), wanted)
        found = tuple(found)
    xs_dims = (None if d is None else 1 for d in xs)
    operands = [
        x if dst is None else matchaxis(axis_data.size, src, dst, x)
        for x, src, dst in zip(vals, dims, (*consts, *carry, *xs_dims), strict=True)
    ]
    dims_out = (*carry, *(None if d is None else 1 for d in wanted[num_carry:]))
    return scan_p.bind(*operands, jaxpr=step, **params), dims_out


fancy_primitive_batchers[scan_p] = _scan_batcher

# Linearized: a scan for the values now, a linear scan later. Between them pass residuals. Those of
# each step are stacked. What depends on the constants alone is computed once, before the loop.


def _scan_linearize(
    nonzeros, *primals, length, reverse, jaxpr, num_consts, num_carry, unroll
):  # fmt: skip
    num_out = len(jaxpr.out_avals)
    marks, split = _fixed_point(
        lambda marks, carry: linearize_jaxpr(
            jaxpr, marks, (*carry, *(False,) * (num_out - num_carry))
        ), nonzeros, num_consts, num_carry,
    )  # fmt: skip
    # A residual is a constant, an array that slices are taken of, or else a result of each step.
    places = [_place(source, primals, num_consts, num_carry) for source in split.sources]
    made = tuple(place for kind, place in places if kind == "made")
    before, step, is_early = _hoist(split.forward, num_consts, num_out, made)
    early = eval_jaxpr(before.jaxpr, before.consts, *primals[:num_consts])
    needed, early = early[: len(early) - sum(is_early)], early[len(early) - sum(is_early) :]
    how = {"length": length, "reverse": reverse, "unroll": unroll}
    out = scan_p.bind(
        *needed, *primals[num_consts:], jaxpr=step, num_consts=len(needed), num_carry=num_carry,
        **how,
    ) if step.out_avals or step.effects else []  # fmt: skip
    stacked, early, is_early = iter(out[num_out:]), iter(early), iter(is_early)
    residuals, same = [], []  # and whether one is the same for all steps
    for kind, value in places:
        same.append(next(is_early) if kind == "made" else kind == "same")
        residuals.append(next(early if same[-1] else stacked) if kind == "made" else value)
    linear = _reordered(split.linear, _around(same, sum(marks)))
    sizes = list(map(sum, split3(marks, num_consts, num_carry)))

    def linearized(residuals, *tangents):
        given = choose(force_nonzero(tangents, marks), marks)
        consts = choose(residuals, same)
        operands = [*consts, *given, *choose(residuals, map(operator.not_, same))]
        out_dot = scan_p.bind(
            *operands, jaxpr=linear, num_consts=len(consts) + sizes[0], num_carry=sizes[1], **how
        )
        return put_zeros(out_dot, split.out_nonzeros, _out_avals(jaxpr, length, num_carry))

    return out[:num_out], split.out_nonzeros, residuals, linearized


def _place(source: tuple, primals: Sequence, num_consts: int, num_carry: int) -> tuple[str, Any]:
    """Where a residual of a step is found: it is the same for all, sliced, or made by each."""
    kind, place = source
    if kind == "const":
        return "same", place
    if kind == "arg" and place < num_consts:
        return "same", primals[place]
    if kind == "arg" and place >= num_consts + num_carry and type(primals[place]) is not np.ndarray:
        return "sliced", primals[place]
    return "made", source


def _around(same: Sequence[bool], num_tangents: int) -> tuple[int, ...]:
    """The order of a linear step's operands: with the residuals of single steps at the end."""
    at = range(len(same))
    tangents = range(len(same), len(same) + num_tangents)
    return (*choose(at, same), *tangents, *choose(at, map(operator.not_, same)))


@derived
def _hoist(
    closed: ClosedJaxpr, num_consts: int, num_out: int, made: tuple
) -> tuple[ClosedJaxpr, ClosedJaxpr, tuple[bool, ...]]:
    """A step in two: what is computed before the loop, from the constants; and the rest, which
    takes the former's first results in their place. The residuals `made` are last in both; with
    them, which of them come early."""
    jaxpr = closed.jaxpr
    residuals = [getattr(jaxpr, f"{kind}vars".replace("arg", "in"))[i] for kind, i in made]
    known = [*jaxpr.constvars, *jaxpr.invars[:num_consts]]
    before, inside = [], []
    for eqn in jaxpr.eqns:
        ready = not has_effect(eqn) and all(type(x) is Literal or x in known for x in eqn.invars)
        (before if ready else inside).append(eqn)
        known += eqn.outvars if ready else []
    is_early = tuple(type(x) is Literal or x in known for x in residuals)
    late = choose(residuals, map(operator.not_, is_early))
    outvars = [*jaxpr.outvars[:num_out], *late]
    reads = dict.fromkeys([x for eqn in inside for x in eqn.invars] + outvars)
    needed = [x for x in reads if x in known]
    early = choose(residuals, is_early)
    first = jaxpr.replace(invars=jaxpr.invars[:num_consts], eqns=before, outvars=[*needed, *early])
    step = jaxpr.replace(
        constvars=[], invars=[*needed, *jaxpr.invars[num_consts:]], eqns=inside, outvars=outvars
    )
    return ClosedJaxpr(first, closed.consts), ClosedJaxpr(step, []), is_early


primitive_linearizations[scan_p] = _scan_linearize

# Transposed: the steps in the other order. What is carried are the cotangents of what was carried,
# and before them, for each constant that the step is linear in, the sum of its cotangents so far.


def _scan_transpose(cts, *args, length, reverse, jaxpr, num_consts, num_carry, unroll):
    """All that is carried counts as linear: what is known of it are zeros, where it starts."""
    consts, carry, xs = split3(args, num_consts, num_carry)
    of_consts, _, of_xs = split3(tuple(map(is_undefined_primal, args)), num_consts, num_carry)
    known, known_xs = ([x for x in part if not is_undefined_primal(x)] for part in (consts, xs))
    sums = [zeros(x.aval) for x in consts if is_undefined_primal(x)]
    carried = [*sums, *map(instantiate_zeros, cts[:num_carry])]
    nonzero_ys = tuple(map(is_nonzero, cts[num_carry:]))
    step = _transposed_step(jaxpr, of_consts, tuple(map(typeof, carried)), nonzero_ys, of_xs)
    found = iter(scan_p.bind(
        *known, *carried, *filter(is_nonzero, cts[num_carry:]), *known_xs, length=length,
        reverse=not reverse, jaxpr=step, num_consts=len(known), num_carry=len(carried),
        unroll=unroll,
    ))  # fmt: skip
    cts_in = [next(found) if lin else None for lin in of_consts]
    cts_in += [ct if is_undefined_primal(x) else None for x, ct in zip(carry, found, strict=False)]
    return cts_in + [next(found) if lin else None for lin in of_xs]


@derived
def _transposed_step(
    closed: ClosedJaxpr, of_consts: tuple, carried: tuple, nonzero_ys: tuple, of_xs: tuple
) -> ClosedJaxpr:
    """The step backwards. A constant that it is linear in counts as one of its results too, whose
    cotangent is the sum so far."""
    num_sums, num_carry = sum(of_consts), len(carried) - sum(of_consts)
    linear = (*of_consts, *(True,) * num_carry, *of_xs)
    sums = choose(closed.invars, (*of_consts, *(False,) * (num_carry + len(of_xs))))
    jaxpr = closed.jaxpr.replace(outvars=[*sums, *closed.outvars])

    def step(*args: Any) -> list[Any]:
        known, cts, xs = split3(args, len(of_consts) - num_sums, len(carried))
        cts += tuple(put_zeros(xs, nonzero_ys, closed.out_avals[num_carry:]))
        values = iter((*known, *xs[sum(nonzero_ys) :]))
        avals = iter((*carried, *choose(closed.in_avals, linear)[len(carried) :]))
        primals = [UndefinedPrimal(next(avals)) if lin else next(values) for lin in linear]
        cts_in = backward_pass(jaxpr, closed.consts, primals, cts)
        return list(map(instantiate_zeros, choose(cts_in, linear)))

    known, _, known_xs = split3(
        choose(closed.in_avals, map(operator.not_, linear)), len(of_consts) - num_sums, 0
    )
    in_avals = [*known, *carried, *choose(closed.out_avals[num_carry:], nonzero_ys), *known_xs]
    return trace_to_jaxpr(step, in_avals, closed.jaxpr.debug_info)


primitive_transposes[scan_p] = _scan_transpose

# What a step needs of its carry is used by the step before.


def _scan_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple:
    num_consts, num_carry = eqn.params["num_consts"], eqn.params["num_carry"]
    used, needed = tuple(used_outputs), ()
    carry = None
    while carry != used[:num_carry]:
        carry = used[:num_carry]
        keep = (*(False,) * num_consts, *carry, *(False,) * len(eqn.invars))[: len(eqn.invars)]
        jaxpr, needed = dce_closed_jaxpr(eqn.params["jaxpr"], used, instantiate=keep)
        used = (*split3(needed, num_consts, num_carry)[1], *used[num_carry:])
    sizes = {"num_consts": sum(needed[:num_consts]), "num_carry": sum(carry)}
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, needed), outvars=choose(eqn.outvars, used),
        params={**eqn.params, "jaxpr": jaxpr, **sizes}, effects=jaxpr.effects,
    )  # fmt: skip
    return list(needed), new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[scan_p] = _scan_dce
