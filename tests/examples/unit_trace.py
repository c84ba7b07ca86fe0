"""A trace of one's own, outside the package: units that arrays carry through any transformation.

`with_units(f, *units)` is f on plain arrays that are taken to have these units, one unit for each
argument; it returns f's results and a list of their units. A unit is a dict from base units to
powers, such as {"m": 1, "s": -2}.
All that this needs of minijax is in `core/extend.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.core.extend import (
    ClosedJaxpr,
    Primitive,
    Trace,
    Tracer,
    api_boundary,
    debug_info,
    derived,
    flatten_fun,
    issubdtype,
    jaxpr_as_fun,
    new_trace,
    raw_value,
    register_exclusion,
    trace_ctx,
    trace_to_jaxpr,
    typeof,
    unzip2,
)
from minijax.tree_util import tree_flatten, tree_leaves, tree_unflatten

register_exclusion(__name__)  # equations and errors come from the lines that call this

Unit = tuple | None  # sorted pairs of a base unit and its power: hashable, for caches' keys
PLAIN: Unit = ()
ANY: Unit = None  # that of a zero which nobody gave a unit: it may be added to everything


class UnitError(TypeError):
    """Values whose units don't fit met in an operation."""


def unit_of(powers: dict) -> Unit:
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def power(unit: Unit, n: float) -> Unit:
    return ANY if unit is ANY else unit_of({base: n * p for base, p in unit})


def times(first: Unit, second: Unit) -> Unit:
    if first is ANY or second is ANY:
        return ANY
    powers = dict(first)
    for base, p in second:
        powers[base] = powers.get(base, 0) + p
    return unit_of(powers)


# The trace: unbox what is mine, let my parent compute, box the results.


class UnitTracer(Tracer):
    """A value and its unit."""

    __slots__ = ("val", "unit")

    def __init__(self, trace: Trace, val: Any, unit: Unit) -> None:
        super().__init__(trace)
        self.val, self.unit = val, unit

    @property
    def aval(self) -> Any:
        return typeof(self.val)

    def to_concrete_value(self) -> Any:
        return self.val.to_concrete_value() if isinstance(self.val, Tracer) else self.val


class UnitTrace(Trace):
    """Hands every operation on, and works out the units of what comes back."""

    def __init__(self, parent: Trace, info: Any = None) -> None:
        self.parent, self.debug_info = parent, info

    def unbox(self, x: Any) -> tuple[Any, Unit]:
        if isinstance(x, UnitTracer) and x._trace is self:
            return x.val, x.unit
        return x, ANY if is_zero(x) else PLAIN

    def box(self, val: Any, unit: Unit) -> Any:
        return val if unit == PLAIN else UnitTracer(self, val, unit)

    def lower(self, x: Any) -> Any:
        return self.unbox(x)[0]

    def process_primitive(self, primitive: Primitive, args: Sequence, params: dict) -> Any:
        vals, units = unzip2(map(self.unbox, args))
        out = primitive.bind(*vals, **params)
        unit = find_unit(primitive, units, primitive.active(params))
        if primitive.multiple_results:
            return list(map(self.box, out, unit or [PLAIN] * len(out)))
        return self.box(out, unit)


def is_zero(x: Any) -> bool:
    if isinstance(x, Tracer) or not issubdtype(typeof(x).dtype, np.number):
        return False
    return not np.any(raw_value(x))


# The rules: from the operands' units and the parameters to the result's unit (of a program, to
# those of its results).


def find_unit(primitive: Primitive, units: Sequence[Unit], params: dict) -> Any:
    if primitive.name in unit_rules:
        return unit_rules[primitive.name](*units, **params)
    if any(units):
        raise unit_error(f"{primitive} takes plain numbers, and was given", units)
    return PLAIN


def unit_error(problem: str, units: Sequence[Unit]) -> UnitError:
    return UnitError(f"{problem} {list(map(show, units))}.")


def show(unit: Unit) -> str:
    return "*".join(f"{base}**{p}" for base, p in unit) if unit else "a plain number"


def same(*units: Unit, **_: Any) -> Unit:
    known = dict.fromkeys(unit for unit in units if unit is not ANY)
    if len(known) > 1:
        raise unit_error("Values with different units meet:", list(known))
    return next(iter(known), ANY)


def plain_result(*units: Unit, **_: Any) -> Unit:
    same(*units)
    return PLAIN


unit_rules: dict[str, Callable] = {
    **dict.fromkeys(
        ["neg", "add", "sub", "add_any", "max", "min", "abs", "reduce_sum", "reduce_max",
         "broadcast_in_dim", "reshape", "transpose", "squeeze", "slice", "concatenate", "stack",
         "pad", "convert_element_type", "copy", "stop_gradient"], same),
    **dict.fromkeys(["eq", "ne", "gt", "lt", "ge", "le", "sign"], plain_result),
    **dict.fromkeys(["mul", "dot_general"], lambda x, y, **_: times(x, y)),
    "div": lambda x, y: times(x, power(y, -1)),
    "integer_pow": lambda x, *, y: power(x, y),
    "square": lambda x: power(x, 2),
    "sqrt": lambda x: power(x, 0.5),
    "select_n": lambda which, *cases: same(*cases),
    "jit": lambda *units, jaxpr, **_: units_of_program(jaxpr, units),
}  # fmt: skip


@derived
def units_of_program(closed: ClosedJaxpr, in_units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """The units of a program's results: it is traced once more, under a trace of units."""
    units_out: list[Unit] = []

    def run(*args: Any) -> list[Any]:
        vals_out, found = apply_units(jaxpr_as_fun(closed), args, in_units)
        units_out.extend(found)
        return vals_out

    trace_to_jaxpr(run, closed.in_avals, closed.jaxpr.debug_info)
    return tuple(units_out)


# What the user calls.


def apply_units(flat_fun: Callable, args: Sequence, units: Sequence, info: Any = None) -> tuple:
    """The results of a function of lists of leaves, and their units."""
    with new_trace(UnitTrace(trace_ctx.trace, info)) as trace:
        return unzip2(map(trace.unbox, flat_fun(*map(trace.box, args, units))))


def with_units(fun: Callable, *units: dict) -> Callable:
    """fun, its arguments in these units: returns its results, and a list of their units.

    A pytree's leaves have one unit.
    """

    @api_boundary
    def fun_with_units(*args: Any) -> tuple[Any, list[dict]]:
        leaves, in_tree = tree_flatten((args, {}))
        flat_fun, out_tree = flatten_fun(fun, in_tree)
        given = [unit_of(u) for arg, u in zip(args, units, strict=True) for _ in tree_leaves(arg)]
        info = debug_info("with_units", fun, args, {})
        out, out_units = apply_units(flat_fun, leaves, given, info)
        return tree_unflatten(out_tree(), out), [dict(unit or ()) for unit in out_units]

    return fun_with_units
