"""Complex numbers: to kernels one is a pair of floats, its real and its imaginary part.

A program in which complex numbers are computed with becomes one of pairs, in its loops, branches
and carries too. Where an equation has no rule, its operands are put together before it. At the
program's border, parts are read from where complex numbers lie in memory, and written there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.kernels.elements import Place
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.passes.rewriting import Draft
from minijax.compiler.passes.simplify import inline, prune
from minijax.compiler.special_cases.key_words import counter_p
from minijax.compiler.special_cases.other_types import (
    finished, from_their_lines, occurs, occurs_inside, put, viewing, with_programs,
)
from minijax.core.arrays import Array, as_number, raw_value
from minijax.core.config import derived
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    broadcast_in_dim, broadcast_in_dim_p, cast, eq, integer_pow_p, mul_p, numpy_primitive, select,
)
from minijax.core.printing import jaxprs_in_params
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var
from minijax.core.tracing import Primitive, ShapedArray


class Pair(NamedTuple):
    """Both parts of complex numbers."""

    re: Any
    im: Any


# What fills in the rules is imported for the first program that has complex numbers.
rule_modules: list[Callable[[], Any]] = []


class PairRules(NamedTuple):
    """What becomes of a primitive's equations, or of what carries programs; all may be absent."""

    # A function of traced values, with a Pair for each complex operand and result; of several
    # results, a list.
    arithmetic: Callable | None = None
    # In loops alone: elsewhere NumPy's library does it, of whole numbers.
    only_in_loops: bool = False
    # NumPy takes longer for it, one alone, than the change takes.
    costly: bool = False
    # It does the same to both parts: the parameters that change, each with its new value or a
    # function of the old one and the part's number. Other operands are the same.
    each_part: dict[str, Any] | None = None
    # The parameters that count the operands of a carried program, in their order.
    operand_counts: tuple[str, ...] | None = None
    # Of |z|: the rule of |z|**2, of z and whether it is infinite where |z| is.
    size_squared: Callable | None = None
    # It squares its operand.
    squares: bool = False
    # Of x < y and the like: whether it asks if x is the smaller one.
    asks_less: bool | None = None


NO_RULES = PairRules()


def pair_rules(primitive: Primitive) -> PairRules:
    return lowerings[primitive].on_pairs or NO_RULES


def register_pairs(primitive: Primitive, **rules: Any) -> None:
    """Adds rules for complex numbers to a primitive's record, by the names of their fields."""
    register_lowering(primitive, on_pairs=pair_rules(primitive)._replace(**rules))


# The border: complex numbers in memory are pairs of floats, one behind the other.


def part_dtype(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"float{4 * dtype.itemsize}")


def _floats_rule(x: ShapedArray) -> ShapedArray:
    return ShapedArray((*x.shape, 2), part_dtype(x.dtype))


def _numpy_floats(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(part_dtype(x.dtype)).reshape(*x.shape, 2)


def _whole_rule(floats: ShapedArray, *, weak_type: bool) -> ShapedArray:
    dtype = np.dtype(f"complex{16 * floats.dtype.itemsize}")
    return ShapedArray(floats.shape[:-1], dtype, weak_type)


def _numpy_whole(floats: np.ndarray, weak_type: bool) -> np.ndarray:
    dtype = np.dtype(f"complex{16 * floats.dtype.itemsize}")
    return np.ascontiguousarray(floats).view(dtype).reshape(floats.shape[:-1])


def _part_rule(floats: ShapedArray, *, part: int) -> ShapedArray:
    return floats.update(shape=floats.shape[:-1])


floats_of_complex_p = viewing("floats_of_complex", _floats_rule, _numpy_floats)
complex_of_floats_p = viewing("complex_of_floats", _whole_rule, _numpy_whole)
complex_part_p = numpy_primitive("complex_part", _part_rule, lambda floats, part: floats[..., part])
register_lowering(
    complex_part_p, view=lambda places, shape, part: [*places, Place(None, 0, part)]
)


def _joined(re: Any, im: Any, weak_type: bool) -> Any:
    """Complex numbers of their parts."""
    shape = (*re.aval.shape, 2)
    axes = range(len(shape) - 1)
    is_im = broadcast_in_dim(eq(counter_p.bind(shape=(2,)), np.uint32(1)), shape, (len(axes),))
    parts = [cast(broadcast_in_dim(x, shape, axes), x.aval.dtype) for x in (im, re)]
    return complex_of_floats_p.bind(select(is_im, *parts), weak_type=weak_type)


# A complex value of the program that is rewritten, and where it is.


def is_complex(x: Any) -> bool:
    return isinstance(x.aval, ShapedArray) and issubdtype(x.aval.dtype, np.complexfloating)


class Value:
    """A complex value: as it was, as a pair, or both, once somebody has asked for it."""

    def __init__(self, aval: Any, whole: Atom | None = None, pair: Pair | None = None) -> None:
        self.aval, self.whole, self.pair = aval, whole, pair


def part_aval(aval: ShapedArray) -> ShapedArray:
    return aval.update(dtype=part_dtype(aval.dtype))


def _split(x: Any) -> list[Any]:
    floats = floats_of_complex_p.bind(x)
    return [complex_part_p.bind(floats, part=part) for part in (0, 1)]


def pair_of(draft: Draft, x: Value) -> Pair:
    if x.pair is None:
        known = x.whole.val if type(x.whole) is Literal else draft.consts.get(x.whole)
        if known is None:
            x.pair = Pair(*fitted(draft, put(draft, _split, x.whole), [part_aval(x.aval)] * 2))
        else:
            number = np.asarray(raw_value(known))
            aval, put_down = part_aval(x.aval), draft.constant if number.ndim else Literal
            parts = (Array(np.array(part), aval) for part in (number.real, number.imag))
            x.pair = Pair(*map(put_down, parts))
    return x.pair


def whole_of(draft: Draft, x: Any) -> Atom:
    if type(x) is not Value:
        return x
    if x.whole is None:
        join = partial(_joined, weak_type=x.aval.weak_type)
        [x.whole] = put(draft, lambda re, im: [join(re, im)], *x.pair)
    return x.whole


def fitted(draft: Draft, atoms: Sequence[Atom], avals: Sequence[Any]) -> list[Atom]:
    """The same values, weak or not as they are to be."""
    return [
        x if x.aval == aval
        else put(draft, lambda y: [cast(y, aval.dtype, aval.weak_type)], x)[0]  # noqa: B023
        for x, aval in zip(atoms, avals, strict=True)
    ]  # fmt: skip


def flat(draft: Draft, xs: Sequence[Any]) -> list[Atom]:
    """The values, with both parts of each complex one."""
    return [y for x in xs for y in (pair_of(draft, x) if type(x) is Value else [x])]


def packed(atoms: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """The values again, of their parts."""
    found = iter(atoms)
    return [Pair(next(found), next(found)) if is_complex(v) else next(found) for v in like]


def flat_avals(like: Sequence[Any]) -> list[Any]:
    return [aval for v in like for aval in ([part_aval(v.aval)] * 2 if is_complex(v) else [v.aval])]


def has_complex(jaxpr: Jaxpr) -> bool:
    return occurs(jaxpr, is_complex)


def carries_complex(eqn: JaxprEqn) -> bool:
    return occurs_inside(eqn, is_complex)


# The pass.


def without_complex(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program with complex numbers at its border, and for what has no rule."""
    if not has_complex(closed.jaxpr):
        return closed
    for load in rule_modules:
        load()
    plain = prune(inline(closed))
    if not is_worth_it(plain):
        return closed
    draft = Draft(ClosedJaxpr(Jaxpr([], [], [], []), []))
    draft.stands_for |= {v: Value(v.aval, v) for v in plain.invars if is_complex(v)}
    outs = rewritten(draft, plain, in_loop=False)
    return finished(plain.jaxpr, draft, [whole_of(draft, x) for x in outs])


def is_worth_it(closed: ClosedJaxpr) -> bool:
    """Whether a loop has complex numbers, or a costly function or two equations are arithmetic of
    them: one alone NumPy does as soon."""
    count = 0
    for eqn in closed.eqns:
        if carries_complex(eqn) and programs_of_pairs(eqn) is not None:
            return True
        if any(map(is_complex, (*eqn.invars, *eqn.outvars))):
            rules = pair_rules(eqn.primitive)
            count += 2 if rules.costly else has_arithmetic(rules, in_loop=False)
    return count > 1


def has_arithmetic(rules: PairRules, in_loop: bool) -> bool:
    return rules.arithmetic is not None and (in_loop or not rules.only_in_loops)


@derived
def of_pairs(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same program, with two floats for each complex argument and result."""
    closed = prune(inline(closed))
    old, draft = closed.jaxpr, Draft(ClosedJaxpr(Jaxpr([], [], [], []), []))
    invars: list[Var] = []
    for v in old.invars:
        group = [Var(part_aval(v.aval)) for _ in range(2)] if is_complex(v) else [v]
        if is_complex(v):
            draft.stands_for[v] = Value(v.aval, pair=Pair(*group))
        invars += group
    outs = flat(draft, rewritten(draft, closed, in_loop=True))
    return finished(old, draft, fitted(draft, outs, flat_avals(old.outvars)), invars)


def rewritten(draft: Draft, closed: ClosedJaxpr, in_loop: bool) -> list[Any]:
    """Writes the program's equations, of pairs where there are rules; its results."""
    for v, x in zip(closed.constvars, closed.consts, strict=True):
        new = draft.constant(x)
        draft.stands_for[v] = Value(v.aval, new) if is_complex(v) else new
    squares = dict(compared_sizes(closed.jaxpr))
    wanted = None if in_loop else wanted_in_parts(closed.jaxpr)
    for eqn in from_their_lines(closed.eqns):
        operands = [value(draft, x) for x in eqn.invars]
        results = write(draft, eqn, operands, squares, wanted)
        draft.stands_for.update(zip(eqn.outvars, results, strict=True))
    return [value(draft, x) for x in closed.outvars]


def value(draft: Draft, x: Atom) -> Any:
    if type(x) is Literal:
        return Value(x.aval, x) if is_complex(x) else x
    return draft.stands_for.get(x, x)


def wanted_in_parts(jaxpr: Jaxpr) -> set[Var]:
    """The values whose parts arithmetic reads, also by way of moves."""
    wanted: set[Any] = set()
    for eqn in reversed(jaxpr.eqns):
        rules = pair_rules(eqn.primitive)
        is_arithmetic = has_arithmetic(rules, in_loop=False)
        is_arithmetic |= carries_complex(eqn) and programs_of_pairs(eqn) is not None
        is_move = rules.each_part is not None
        if is_arithmetic or (is_move and not wanted.isdisjoint(eqn.outvars)):
            wanted.update(x for x in eqn.invars if type(x) is Var)
    return wanted


def write(
    draft: Draft, eqn: JaxprEqn, operands: Sequence[Any], squares: dict, wanted: set[Var] | None
) -> list[Any]:
    """Writes one equation; its results. `wanted` is None in loops, where all is in pairs."""
    rules, in_loop, outs = pair_rules(eqn.primitive), wanted is None, eqn.outvars
    if carries_complex(eqn) and rules.operand_counts is not None:
        return with_pairs_inside(draft, eqn, operands)
    if eqn.effects:
        return as_before(draft, eqn, operands)
    size = next((x for x in eqn.invars if type(x) is Var and x in squares), None)
    if outs and type(outs[0]) is Var and outs[0] in squares:
        rule = partial(rules.size_squared, is_exact=squares[outs[0]][1])
        return by_rule(draft, eqn, operands, rule)
    if size is not None:
        other = squares[size][0][outs[0]]
        if other is None:
            return [draft.stands_for[size]]
        operands = [x if y is size else other for x, y in
                    zip(operands, eqn.invars, strict=True)]  # fmt: skip
        return draft.write(eqn._replace(invars=operands))
    if not any(map(is_complex, (*eqn.invars, *outs))):
        return draft.write(eqn._replace(invars=list(operands)))
    is_pair = any(type(x) is Value and x.pair is not None for x in operands)
    if has_arithmetic(rules, in_loop):
        params = eqn.primitive.active(eqn.params)
        return by_rule(draft, eqn, operands, partial(rules.arithmetic, **params))
    if rules.each_part is not None and (in_loop or is_pair or not wanted.isdisjoint(outs)):
        return moved(draft, eqn, operands)
    return as_before(draft, eqn, operands)


def values(atoms: Sequence[Atom], like: Sequence[Var]) -> list[Any]:
    """The results of an equation, of their parts."""
    pairs = zip(packed(atoms, like), like, strict=True)
    return [Value(v.aval, pair=x) if type(x) is Pair else x for x, v in pairs]


def by_rule(draft: Draft, eqn: JaxprEqn, operands: Sequence[Any], rule: Callable) -> list[Any]:
    def fun(*parts: Any) -> list[Any]:
        out = rule(*packed(parts, eqn.invars))
        outs = out if type(out) is list else [out]
        return [part for x in outs for part in (x if type(x) is Pair else [x])]

    atoms = put(draft, fun, *flat(draft, operands))
    return values(fitted(draft, atoms, flat_avals(eqn.outvars)), eqn.outvars)


def moved(draft: Draft, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """The equation once for each part."""
    made = []
    for part in (0, 1):
        invars = [pair_of(draft, x)[part] if type(x) is Value else x for x in operands]
        outvars = [Var(part_aval(v.aval)) for v in eqn.outvars]
        params = eqn.params | {
            name: x(eqn.params[name], part) if callable(x) else x
            for name, x in pair_rules(eqn.primitive).each_part.items()
        }
        made.append(draft.write(eqn._replace(invars=invars, outvars=outvars, params=params)))
    return [Value(v.aval, pair=Pair(*x)) for v, *x in zip(eqn.outvars, *made, strict=True)]


def as_before(draft: Draft, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """The equation of complex numbers: NumPy does it."""
    made = draft.write(eqn._replace(invars=[whole_of(draft, x) for x in operands]))
    return [Value(v.aval, v) if is_complex(v) else v for v in made]


# Programs within.


def programs_of_pairs(eqn: JaxprEqn) -> dict[str, Any] | None:
    """The parameters with programs of pairs, or None where complex numbers are left in them."""
    if pair_rules(eqn.primitive).operand_counts is None or eqn.effects:
        return None
    params = with_programs(eqn.params, of_pairs)
    return None if any(map(has_complex, jaxprs_in_params(params))) else params


def with_pairs_inside(draft: Draft, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    params = programs_of_pairs(eqn)
    if params is None:
        return as_before(draft, eqn, operands)
    start = 0
    for name in pair_rules(eqn.primitive).operand_counts:
        stop = start + eqn.params[name]
        params[name] = len(flat_avals(eqn.invars[start:stop]))
        start = stop
    results = [Var(aval) for aval in flat_avals(eqn.outvars)]
    made = draft.write(
        eqn._replace(invars=flat(draft, operands), outvars=results, params=params)
    )
    return values(made, eqn.outvars)


# |z| < c is |z|**2 < c**2, where neither square leaves the range. Nor does |z|**2 take a root.


def compared_sizes(jaxpr: Jaxpr) -> Iterator[tuple[Var, tuple[dict, bool]]]:
    """The sizes of complex numbers that are compared with numbers or squared, and nothing else.

    With each, for the result of every use the square of the number, or None where it is the square
    of the size; and whether that is to be infinite where the size is, whatever the other part.
    """
    numbers: dict[Any, float] = {}
    uses: dict[Any, list[JaxprEqn]] = {}
    for eqn in jaxpr.eqns:
        if eqn.primitive is broadcast_in_dim_p and number(eqn.invars[0], numbers) is not None:
            numbers[eqn.outvars[0]] = number(eqn.invars[0], numbers)
        for x in dict.fromkeys(x for x in eqn.invars if type(x) is Var):
            uses.setdefault(x, []).append(eqn)
    for eqn in jaxpr.eqns:
        if not pair_rules(eqn.primitive).size_squared or not is_complex(eqn.invars[0]):
            continue
        [size] = eqn.outvars
        found = {use.outvars[0]: use for use in uses.get(size, ()) if use.outvars}
        fits = [is_square(use, size) or square_to_compare(use, size, numbers) is not None
                for use in uses.get(size, ())]  # fmt: skip
        if fits and all(fits) and size not in jaxpr.outvars:
            others = {v: square_to_compare(use, size, numbers) for v, use in found.items()}
            is_exact = [x is None or asks_less(found[v]) == (found[v].invars[1] is size)
                        for v, x in others.items()]  # fmt: skip
            yield size, (others, any(is_exact))


def asks_less(use: JaxprEqn) -> bool | None:
    return pair_rules(use.primitive).asks_less


def is_square(use: JaxprEqn, size: Var) -> bool:
    if use.primitive is mul_p:
        return use.invars[0] is use.invars[1]
    if use.primitive is integer_pow_p:
        return use.params["y"] == 2
    return pair_rules(use.primitive).squares


def number(x: Atom, numbers: dict[Any, float]) -> float | None:
    if type(x) is not Literal:
        return numbers.get(x)
    is_float = isinstance(x.aval, ShapedArray) and issubdtype(x.aval.dtype, np.floating)
    return as_number(x.val).number if is_float and not x.aval.shape else None


def square_to_compare(use: JaxprEqn, size: Var, numbers: dict[Any, float]) -> Literal | None:
    """The square of the number that a size is compared with."""
    if asks_less(use) is None or use.invars[0] is use.invars[1]:
        return None
    other = number(use.invars[use.invars[0] is size], numbers)
    info = np.finfo(size.aval.dtype)
    low, high = math.sqrt(info.tiny) / info.eps, math.sqrt(info.max) / 2
    if other is None or not low <= other <= high:
        return None
    return Literal(Array(np.array(float(other) ** 2, size.aval.dtype)))
