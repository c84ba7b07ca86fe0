"""scan: a loop over the leading axis of arrays.

The step is one program, and each derivative of a scan is another scan, with a step derived from it.
Operands stand in the order constants, carries, xs; results in the order carries, ys.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.lowerings import register_lowering
from minijax.core.dtypes import storage_dtype
from minijax.core.extend import (
    Array, ClosedJaxpr, JaxprEqn, JaxprTypeError, NamedAxisEffect, Primitive, UndefinedPrimal,
    backward_pass, batch_jaxpr, choose, dce_closed_jaxpr, dce_rules, derived, eval_jaxpr,
    fancy_primitive_batchers, force_nonzero, has_effect, instantiate_zeros, is_nonzero,
    is_undefined_primal, jvp_jaxpr, linearize_jaxpr, matchaxis, primitive_jvps,
    primitive_linearizations, primitive_transposes, put_zeros, raw_value, running, trace_to_jaxpr,
    typematch, typeof, zeros,
)
from minijax.core.jitting import as_runtime_value
from minijax.core.programs import Flags, linear_and_known
from minijax.lax.control_flow.bodies import retyped, split3
from minijax.lax.control_flow.hoisting import hoist
from minijax.lax.control_flow.known_carries import dependent, split_known
from minijax.lax.control_flow.loop_texts import scan_lines, scan_overwrites
from minijax.lax.typechecks import FLAG, NATURAL, NUMBER_OF_OPERANDS, PROGRAM, def_typecheck

scan_p = Primitive("scan")
scan_p.multiple_results = True


@scan_p.def_effectful_abstract_eval
def _scan_abstract_eval(*avals, length, reverse, jaxpr, num_consts, num_carry, unroll):
    consts, carry, xs = split3(jaxpr.in_avals, num_consts, num_carry)
    taken = [*consts, *carry, *(stacked(length, aval) for aval in xs)]
    fits = len(avals) == len(taken) and all(map(typematch, avals, taken))
    carried = len(jaxpr.out_avals) >= num_carry and all(map(typematch, carry, jaxpr.out_avals))
    if not fits or not carried:
        raise JaxprTypeError(f"scan takes {taken}, and is given {list(avals)}.")
    return _out_avals(jaxpr, length, num_carry), jaxpr.effects


def_typecheck(
    scan_p, length=NATURAL, reverse=FLAG, jaxpr=PROGRAM, num_consts=NUMBER_OF_OPERANDS,
    num_carry=NUMBER_OF_OPERANDS, unroll=NATURAL,
)  # fmt: skip


def stacked(length: int, aval: Any) -> Any:
    return aval.spliced(0, 0, length)


def _out_avals(jaxpr: ClosedJaxpr, length: int, num_carry: int) -> list[Any]:
    ys = (stacked(length, aval) for aval in jaxpr.out_avals[num_carry:])
    return [*jaxpr.out_avals[:num_carry], *ys]


@scan_p.def_impl
def _scan_impl(*args, **params):
    asked = (way(**params) for way in faster_ways)
    return next(filter(None, asked), by_steps)(*args, **params)


faster_ways: list[Callable] = []  # each is asked for a function in place of by_steps, or None


def by_steps(*args, length, reverse, jaxpr, num_consts, num_carry, unroll):
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
    carry = map(retyped, carry, avals)
    return [*carry, *map(Array, stacks, avals[num_carry:])]


# A carry that one step marks, as having a tangent say, is marked from the start: marks are added
# until no step adds any.


def fixed_point(derive: Callable, marks: Sequence, num_consts: int, num_carry: int) -> tuple:
    """The final marks of all operands, and what `derive` returned for them.

    `derive` takes the marks of all operands, and those of the carries alone. The last item of what
    it returns has marks of the results, first those of the carries.
    """
    consts, carry, xs = split3(tuple(marks), num_consts, num_carry)
    while True:
        result = derive((*consts, *carry, *xs), carry)
        found = tuple(map(operator.or_, carry, result[-1][:num_carry]))
        if found == carry:
            return (*consts, *carry, *xs), result
        carry = found


def order_of(keys: Sequence[int]) -> tuple[int, ...]:
    """The positions, sorted by their keys; positions with equal keys keep their order."""
    return tuple(sorted(range(len(keys)), key=keys.__getitem__))


@derived
def reordered(closed: ClosedJaxpr, in_order: tuple, out_order: tuple | None = None) -> ClosedJaxpr:
    """The program with its operands, and with its results, in another order."""
    invars = [closed.invars[i] for i in in_order]
    outvars = closed.outvars if out_order is None else [closed.outvars[i] for i in out_order]
    return ClosedJaxpr(closed.jaxpr.replace(invars=invars, outvars=outvars), closed.consts)


# Forward: a step on primals and tangents. Operands are sorted by kind: constants are 0, carries 2
# and xs 4, and the kind of their tangents is one more. (Of results, carries are 0, ys 2.)


def _scan_jvp(primals, tangents, *, jaxpr, num_consts, num_carry, **how):
    num_out = len(jaxpr.out_avals)
    marks, (step, out_marks) = fixed_point(
        lambda marks, carry: jvp_jaxpr(jaxpr, marks, (*carry, *(False,) * (num_out - num_carry))),
        list(map(is_nonzero, tangents)), num_consts, num_carry,
    )  # fmt: skip
    kinds = [0] * num_consts + [2] * num_carry + [4] * (len(primals) - num_consts - num_carry)
    out_kinds = [0] * num_carry + [2] * (num_out - num_carry)
    order = order_of(kinds + [kind + 1 for kind in choose(kinds, marks)])
    out_order = order_of(out_kinds + [kind + 1 for kind in choose(out_kinds, out_marks)])
    operands = [*primals, *choose(force_nonzero(tangents, marks), marks)]
    out = scan_p.bind(
        *(operands[i] for i in order), jaxpr=reordered(step, order, out_order),
        num_consts=num_consts + sum(marks[:num_consts]),
        num_carry=num_carry + sum(out_marks[:num_carry]), **how,
    )  # fmt: skip
    out = [out[i] for i in order_of(out_order)]
    avals = _out_avals(jaxpr, how["length"], num_carry)
    return out[:num_out], put_zeros(out[num_out:], out_marks, avals)


primitive_jvps[scan_p] = _scan_jvp

# Batched: all examples take a step at once. They lie along axis 0 of a step's operands and results,
# and so along axis 1 of xs and ys, whose axis 0 is that of the steps.


def _scan_batcher(axis_data, vals, dims, *, jaxpr, num_consts, num_carry, **how):
    how |= {"num_consts": num_consts, "num_carry": num_carry}
    if all(d is None for d in dims) and NamedAxisEffect(axis_data.name) not in jaxpr.effects:
        return scan_p.bind(*vals, jaxpr=jaxpr, **how), [None] * len(jaxpr.out_avals)
    consts, carry, xs = split3(_along(0, dims), num_consts, num_carry)
    wanted, found = None, (*carry, *(None,) * (len(jaxpr.out_avals) - num_carry))
    while found != wanted:
        wanted = _along(0, found)
        carry = wanted[:num_carry]
        step, found = batch_jaxpr(jaxpr, axis_data, (*consts, *carry, *xs), wanted)
        found = tuple(found)
    operands = [
        x if dst is None else matchaxis(axis_data.size, src, dst, x)
        for x, src, dst in zip(vals, dims, (*consts, *carry, *_along(1, xs)), strict=True)
    ]
    return scan_p.bind(*operands, jaxpr=step, **how), (*carry, *_along(1, wanted[num_carry:]))


def _along(axis: int, dims: Sequence[int | None]) -> tuple[int | None, ...]:
    return tuple(None if d is None else axis for d in dims)


fancy_primitive_batchers[scan_p] = _scan_batcher

# Linearized: a forward scan now, a linear scan later, and residuals between them. Each residual is
# one value for all steps, or stacked: an xs, or a stack that the forward scan returns after its ys.


def _scan_linearize(nonzeros, *primals, jaxpr, num_consts, num_carry, **how):
    num_out = len(jaxpr.out_avals)
    keep = (False,) * (num_out - num_carry)
    marks, split = fixed_point(
        lambda marks, carry: linearize_jaxpr(jaxpr, marks, carry + keep),
        nonzeros, num_consts, num_carry,
    )  # fmt: skip

    def is_slice(kind: str, i: Any) -> bool:  # of an xs that nobody can change until it is needed
        return kind == "arg" and i >= num_consts + num_carry and type(primals[i]) is not np.ndarray

    made = tuple(x for x in split.sources if x[0] != "const" and not is_slice(*x))
    before, step, early, late = hoist(split.forward, num_consts, num_out, made)
    known = eval_jaxpr(before.jaxpr, before.consts, *primals[:num_consts])
    num_needed = len(known) - len(early)
    out = [] if not step.out_avals and not step.effects else scan_p.bind(
        *known[:num_needed], *primals[num_consts:], jaxpr=step, num_consts=num_needed,
        num_carry=num_carry, **how,
    )  # fmt: skip
    values = dict(zip((*early, *late), (*known[num_needed:], *out[num_out:]), strict=True))
    residuals = [
        x[1] if x[0] == "const" else primals[x[1]] if is_slice(*x) else values[x]
        for x in split.sources
    ]
    kinds = [0 if x[0] == "const" or x in early else 2 for x in split.sources]  # 2: each step's own
    order = order_of([*kinds, *(1,) * sum(marks)])
    consts = kinds.count(0) + sum(marks[:num_consts])
    carried = sum(marks[num_consts : num_consts + num_carry])

    def linearized(residuals, *tangents):
        operands = [*residuals, *choose(force_nonzero(tangents, marks), marks)]
        out_dot = scan_p.bind(
            *(operands[i] for i in order), jaxpr=reordered(split.linear, order),
            num_consts=consts, num_carry=carried, **how,
        )  # fmt: skip
        avals = _out_avals(jaxpr, how["length"], num_carry)
        return put_zeros(out_dot, split.out_nonzeros, avals)

    return out[:num_out], split.out_nonzeros, residuals, linearized


primitive_linearizations[scan_p] = _scan_linearize

# Transposed: the steps in reverse. The new carries are first, for each constant that the step is
# linear in, the sum of its cotangents so far, and then the cotangents of the old carries. The new
# xs are the cotangents of the ys, then the xs that are known.


def _scan_transpose(cts, *args, jaxpr, num_consts, num_carry, **how):
    linear, sizes = tuple(map(is_undefined_primal, args)), (num_consts, num_carry)
    marks, _ = fixed_point(lambda marks, _: (dependent(jaxpr, marks),), linear, *sizes)
    _, is_linear, is_xs = split3(marks, *sizes)
    if all(is_linear):
        return _transpose_linear(cts, args, linear, jaxpr, num_consts, num_carry, **how)
    forward, used, rest = split_known(jaxpr, is_linear, *sizes)
    num_known, num_linear = is_linear.count(False), is_linear.count(True)
    out = scan_p.bind(
        *choose(args, used), jaxpr=forward, num_consts=sum(used[:num_consts]), num_carry=num_known,
        **how,
    )  # fmt: skip
    has_ct = (*(True,) * num_consts, *is_linear, *(True,) * len(is_xs))
    found = iter(_scan_transpose(
        [*choose(cts[:num_carry], is_linear), *cts[num_carry:]], *choose(args, has_ct),
        *out[num_known:], jaxpr=rest, num_consts=num_consts, num_carry=num_linear, **how,
    ))  # fmt: skip
    return [next(found) if has else None for has in has_ct]


def _transpose_linear(cts, args, linear, jaxpr, num_consts, num_carry, reverse, **how):
    """Transposes a scan all of whose carries are linear. A carry that starts with a known value
    gets no cotangent."""
    consts, _, xs = split3(args, num_consts, num_carry)
    _, of_carry, _ = split3(linear, num_consts, num_carry)
    (kinds, known), (xs_kinds, known_xs) = linear_and_known(consts), linear_and_known(xs)
    of_consts, of_xs = ([kind is True for kind in of] for of in (kinds, xs_kinds))
    rows = zip(xs_kinds, split3(jaxpr.in_avals, num_consts, num_carry)[2], strict=True)
    of_rows = tuple(kind and (kind is True or _row_of(kind, row)) for kind, row in rows)
    sums = [zeros(x.aval.to_ct_aval()) for x in choose(consts, of_consts)]
    carried, ct_ys = [*sums, *map(instantiate_zeros, cts[:num_carry])], cts[num_carry:]
    nonzero_ys = tuple(map(is_nonzero, ct_ys))
    step = _transposed_step(jaxpr, kinds, tuple(map(typeof, carried)), nonzero_ys, of_rows)
    found = iter(scan_p.bind(
        *known, *carried, *choose(ct_ys, nonzero_ys), *known_xs, jaxpr=step,
        num_consts=len(known), num_carry=len(carried), reverse=not reverse, **how,
    ))  # fmt: skip
    cts_in = [next(found) if linear else None for linear in of_consts]
    cts_in += [ct if linear else None for linear, ct in zip(of_carry, found, strict=False)]
    return cts_in + [next(found) if linear else None for linear in of_xs]


def _row_of(kind: Any, row: Any) -> Any:
    """The type of a row of a reference that cotangents of xs are added to."""
    return row if row.mutable else kind.to(row)


@derived
def _transposed_step(
    closed: ClosedJaxpr, of_consts: tuple, carried: tuple, nonzero_ys: tuple, of_xs: tuple
) -> ClosedJaxpr:
    """The step of the transposed scan. A constant that the old step is linear in counts as a result
    of it too, whose cotangent is the sum so far; or its cotangents are added to a reference, whose
    type `of_consts` has, as `of_xs` has that of a row of one."""
    num_sums = sum(kind is True for kind in of_consts)
    num_carry, num_known = len(carried) - num_sums, len(of_consts) - num_sums
    kinds = (*of_consts, *(True,) * num_carry, *of_xs)
    linear = [kind is True for kind in kinds]
    sums = choose(closed.invars[: len(of_consts)], linear[: len(of_consts)])
    jaxpr = closed.jaxpr.replace(outvars=[*sums, *closed.outvars])

    def step(*args: Any) -> list[Any]:
        known, cts, xs = split3(args, num_known, len(carried))
        cts += tuple(put_zeros(xs, nonzero_ys, closed.out_avals[num_carry:]))
        values = iter((*known, *xs[sum(nonzero_ys) :]))
        avals = iter((*carried, *choose(closed.in_avals, linear)[len(carried) :]))
        primals = [
            UndefinedPrimal(next(avals)) if kind is True
            else UndefinedPrimal(aval, next(values)) if kind else next(values)
            for kind, aval in zip(kinds, closed.in_avals, strict=True)
        ]  # fmt: skip
        cts_in = backward_pass(jaxpr, closed.consts, primals, cts)
        return list(map(instantiate_zeros, choose(cts_in, linear)))

    inputs = [kind or aval for kind, aval in zip(kinds, closed.in_avals, strict=True)]
    known, _, known_xs = split3(choose(inputs, map(operator.not_, linear)), num_known, 0)
    ct_ys = [v.to_ct_aval() for v in choose(closed.out_avals[num_carry:], nonzero_ys)]
    in_avals = [*known, *carried, *ct_ys, *known_xs]
    return trace_to_jaxpr(step, in_avals, closed.jaxpr.debug_info)


primitive_transposes[scan_p] = _scan_transpose

# Pruned: a carry that a step needs is used by the step before it.


def _scan_dce(used_outputs: Sequence[bool], eqn: JaxprEqn) -> tuple[Flags, JaxprEqn | None]:
    num_consts, num_carry = eqn.params["num_consts"], eqn.params["num_carry"]
    num_xs = len(eqn.invars) - num_consts - num_carry

    def derive(used: Flags, carry: Flags) -> tuple:
        keep = (*(False,) * num_consts, *carry, *(False,) * num_xs)
        jaxpr, needed = dce_closed_jaxpr(eqn.params["jaxpr"], used, instantiate=keep)
        return jaxpr, needed, needed[num_consts:]

    used, (jaxpr, needed, carry) = fixed_point(derive, used_outputs, 0, num_carry)
    sizes = {"num_consts": sum(needed[:num_consts]), "num_carry": sum(carry[:num_carry])}
    new_eqn = eqn._replace(
        invars=choose(eqn.invars, needed), outvars=choose(eqn.outvars, used),
        params={**eqn.params, "jaxpr": jaxpr, **sizes}, effects=eqn.effects & jaxpr.effects,
    )  # fmt: skip
    return needed, new_eqn if new_eqn.outvars or has_effect(new_eqn) else None


dce_rules[scan_p] = _scan_dce

# Compiled: the loop is lines of a kernel; equations of its constants alone come before it.

register_lowering(
    scan_p, loop=scan_lines, overwrites=scan_overwrites, steps=(("jaxpr", "num_consts"),)
)
