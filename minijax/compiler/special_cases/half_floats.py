"""Floats of 16 bits: to kernels such a number is one in float32, rounded.

A program that computes with bfloat16 or float16 becomes one of float32, in its loops, branches and
carries too: what an equation computes is rounded. Numbers are made of their bits where they come
into the program, and bits of numbers where they leave it. For an equation that no kernel computes,
its operands become halves again.

A primitive's record says what becomes of its results (`on_halves`): they are "rounded", are "exact"
already, or are operands "moved"; with None, NumPy gets the equation. Or it has a function,
(*numbers, dtype=that of the first operand, **params) -> the result, of float32 numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.lowerings import Lowering, lowerings, register_lowering
from minijax.compiler.passes.rewriting import Draft, changed, is_small, maker_of
from minijax.compiler.passes.simplify import inline, prune
from minijax.compiler.special_cases.other_types import (
    finished, from_their_lines, occurs, occurs_inside, put, viewing, with_programs,
)
from minijax.core.arrays import Array, raw_value
from minijax.core.config import derived
from minijax.core.dtypes import bfloat16
from minijax.core.primitives import max_p, neg_p, numpy_primitive, select_n_p
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var
from minijax.core.tracing import Primitive, ShapedArray

HALVES = {bfloat16, np.dtype(np.float16)}


def is_half(x: Any) -> bool:
    return isinstance(x.aval, ShapedArray) and x.aval.dtype in HALVES


# The border: bits are a view of the memory; kernels make numbers of them, and round.


def _bits_rule(x: ShapedArray) -> ShapedArray:
    return ShapedArray(x.shape, np.uint16)


def _numpy_bits(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(np.uint16).reshape(x.shape)


def _half_rule(bits: ShapedArray, *, dtype: np.dtype, weak_type: bool) -> ShapedArray:
    return ShapedArray(bits.shape, dtype, weak_type)


def _numpy_half(bits: np.ndarray, dtype: np.dtype, weak_type: bool) -> np.ndarray:
    return np.ascontiguousarray(bits).view(dtype).reshape(bits.shape)


bits_of_half_p = viewing("bits_of_half", _bits_rule, _numpy_bits)
half_of_bits_p = viewing("half_of_bits", _half_rule, _numpy_half)
from_bits_p = numpy_primitive(
    "from_bits", lambda bits, dtype: bits.update(dtype=np.dtype(np.float32)),
    lambda bits, dtype: bits.view(dtype).astype(np.float32),
)  # fmt: skip
to_bits_p = numpy_primitive(
    "to_bits", lambda x, dtype: _bits_rule(x), lambda x, dtype: x.astype(dtype).view(np.uint16)
)
rounded_p = numpy_primitive(
    "rounded", lambda x, dtype: x, lambda x, dtype: x.astype(dtype).astype(np.float32)
)
for _primitive, _function in {from_bits_p: "from", to_bits_p: "to", rounded_p: "as"}.items():
    register_lowering(
        _primitive, template=lambda *dtypes, dtype, name=_function: f"{name}_{dtype}({{0}})"
    )


def _twice(draft: Draft, eqn: JaxprEqn) -> Atom | None:
    """What was rounded, or made of its bits, need not be rounded again."""
    [x], dtype = eqn.invars, eqn.params["dtype"]
    makers = [maker_of(draft, x, p) for p in (rounded_p, from_bits_p)]
    return x if any(m and m.params["dtype"] == dtype for m in makers) else None


def _there_and_back(draft: Draft, eqn: JaxprEqn, way: Primitive) -> Atom | None:
    """The operand of the equation that went the other way, of the same dtype."""
    maker = maker_of(draft, eqn.invars[0], way)
    if maker is None:
        return None
    [x], [out] = maker.invars, eqn.outvars
    halves = {params["dtype"] for params in (maker.params, eqn.params) if "dtype" in params}
    return x if len(halves) == 1 and x.aval.dtype == out.aval.dtype else None


register_lowering(rounded_p, identity=_twice)
for _primitive, _other in [(bits_of_half_p, half_of_bits_p), (from_bits_p, to_bits_p)]:
    register_lowering(_primitive, identity=partial(_there_and_back, way=_other))
    register_lowering(_other, identity=partial(_there_and_back, way=_primitive))
for _primitive in [neg_p, max_p, select_n_p]:
    register_lowering(_primitive, on_halves="exact")


# From a program of halves to one of numbers.


def wide_aval(aval: Any) -> Any:
    return aval.update(dtype=np.dtype(np.float32))


def wide_var(x: Atom) -> Var:
    return Var(wide_aval(x.aval) if is_half(x) else x.aval)


def wide(x: Any) -> Any:
    dtype = x.aval.dtype
    return from_bits_p.bind(bits_of_half_p.bind(x), dtype=dtype)


def half(x: Any, *, aval: ShapedArray) -> Any:
    bits = to_bits_p.bind(x, dtype=aval.dtype)
    return half_of_bits_p.bind(bits, dtype=aval.dtype, weak_type=aval.weak_type)


def without_halves(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program with halves at its border, and for what has no kernel."""
    if not occurs(closed.jaxpr, is_half):
        return closed
    plain = prune(inline(closed))
    if not any(map(computes, plain.eqns)):
        return closed
    draft = Draft(ClosedJaxpr(Jaxpr([], [], [], []), []))
    for v in plain.invars:
        if is_half(v):
            [draft.stands_for[v]] = put(draft, lambda x: [wide(x)], v)
    outs = rewritten(draft, plain)
    return finished(plain.jaxpr, draft, [narrowed(draft, *pair) for pair in outs])


@derived
def of_numbers(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same program, with numbers for the halves among its arguments, constants and results."""
    closed = prune(inline(closed))
    old, draft = closed.jaxpr, Draft(ClosedJaxpr(Jaxpr([], [], [], []), []))
    draft.stands_for |= {v: wide_var(v) for v in old.invars if is_half(v)}
    invars = [draft.stands_for.get(v, v) for v in old.invars]
    outs = [x for x, _ in rewritten(draft, closed)]
    return finished(old, draft, outs, invars)


def rewritten(draft: Draft, closed: ClosedJaxpr) -> list[tuple[Atom, Any]]:
    """Writes the program's equations, of numbers; its results, and the types that they had."""
    for v, x in zip(closed.constvars, closed.consts, strict=True):
        if is_half(v) and is_small(x):
            draft.stands_for[v] = draft.constant(number(x))
        elif is_half(v):
            [draft.stands_for[v]] = put(draft, lambda x: [wide(x)], draft.constant(x))
        else:
            draft.stands_for[v] = draft.constant(x)
    for eqn in from_their_lines(closed.eqns):
        results = write(draft, eqn, [value(draft, x) for x in eqn.invars])
        draft.stands_for.update(zip(eqn.outvars, results, strict=True))
    return [(value(draft, x), x.aval) for x in closed.outvars]


def number(x: Any) -> Array:
    return Array(np.asarray(raw_value(x), np.float32), wide_aval(x.aval))


def value(draft: Draft, x: Atom) -> Atom:
    if type(x) is Literal and is_half(x):
        return Literal(number(x.val))
    return draft.stands_for.get(x, x)


def has_halves(eqn: JaxprEqn) -> bool:
    return any(map(is_half, (*eqn.invars, *eqn.outvars)))


def is_move(lowering: Lowering) -> bool:
    is_read = lowering.view is not None or lowering.pieces is not None
    return is_read or lowering.on_halves == "moved"


def has_kernel(lowering: Lowering) -> bool:
    """Whether there may be one: then an equation of numbers is what one of halves is, rounded."""
    rules = (lowering.template, lowering.further_template, lowering.start, lowering.index,
             lowering.source)  # fmt: skip
    is_any = is_move(lowering) or any(rule is not None for rule in rules)
    return is_any and lowering.on_halves is not None


def computes(eqn: JaxprEqn) -> bool:
    """Whether the equation is one for which the program is worth rewriting."""
    lowering = lowerings[eqn.primitive]
    if lowering.loop is not None:
        return occurs_inside(eqn, is_half) and not eqn.effects
    return has_halves(eqn) and has_kernel(lowering) and not is_move(lowering)


def write(draft: Draft, eqn: JaxprEqn, operands: list[Atom]) -> Sequence[Atom]:
    """Writes one equation; its results. Its operands are numbers, where they were halves."""
    lowering = lowerings[eqn.primitive]
    if not has_halves(eqn) and not occurs_inside(eqn, is_half):
        return draft.write(eqn._replace(invars=operands))
    params = {
        name: np.dtype(np.float32) if isinstance(x, np.dtype) and x in HALVES else x
        for name, x in with_programs(eqn.params, of_numbers).items()
    }
    wide_eqn = eqn._replace(invars=operands, outvars=list(map(wide_var, eqn.outvars)),
                            params=params)  # fmt: skip
    is_left = eqn.effects or (lowering.loop and occurs_inside(wide_eqn, is_half))
    if is_left or not (lowering.loop or has_kernel(lowering)):
        return as_before(draft, eqn, operands)
    if callable(lowering.on_halves):
        how = {"dtype": eqn.invars[0].aval.dtype, **eqn.primitive.active(eqn.params)}
        return put(draft, lambda *xs: [lowering.on_halves(*xs, **how)], *operands)
    made = draft.write(wide_eqn)
    if lowering.loop or is_move(lowering) or lowering.on_halves == "exact":
        return made
    return [rounded(draft, eqn, *pair) for pair in zip(made, eqn.outvars, strict=True)]


def rounded(draft: Draft, eqn: JaxprEqn, x: Atom, old: Var) -> Atom:
    if not is_half(old):
        return x
    eqn = eqn._replace(outvars=[wide_var(old)])
    return draft.write(changed(eqn, rounded_p, x, dtype=old.aval.dtype))[0]


def narrowed(draft: Draft, x: Atom, aval: Any) -> Atom:
    """The value as the half that it was."""
    is_one = isinstance(aval, ShapedArray) and aval.dtype in HALVES
    return put(draft, lambda x: [half(x, aval=aval)], x)[0] if is_one else x


def as_before(draft: Draft, eqn: JaxprEqn, operands: Sequence[Atom]) -> Sequence[Atom]:
    """The equation of halves: NumPy does it."""
    pairs = zip(operands, eqn.invars, strict=True)
    made = draft.write(eqn._replace(invars=[narrowed(draft, x, old.aval) for x, old in pairs]))
    return [put(draft, lambda x: [wide(x)], v)[0] if is_half(v) else v for v in made]
