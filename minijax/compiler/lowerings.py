"""What the compiler knows of a primitive: a line in one of these tables, or nothing.

A primitive that stands in none of them is run by NumPy, between kernels: the right result, without
the speed. Families fill the tables in their own files; the core's own primitives are below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.core.primitives import (
    add_any_p, add_p, broadcast_in_dim_p, convert_element_type_p, cos_p, div_p, eq_p, exp_p, gt_p,
    log_p, max_p, mul_p, neg_p, reduce_sum_p, reshape_p, select_n_p, sin_p, sub_p, transpose_p,
)
from minijax.core.staging import Atom, JaxprEqn
from minijax.core.tracing import Primitive, ShapedArray

# What kernels compute with; of other dtypes, NumPy takes care.

FLOATS = {np.dtype("float32"): "f32", np.dtype("float64"): "f64"}
INTEGERS = {np.dtype(f"{kind}{size}") for kind in ("int", "uint") for size in (8, 16, 32, 64)}
KERNEL_DTYPES = {np.dtype("bool"), *INTEGERS, *FLOATS}


def in_kernels(x: Atom) -> bool:
    """Whether kernels can compute with it."""
    return isinstance(x.aval, ShapedArray) and x.aval.dtype in KERNEL_DTYPES


# One number: the text that computes it from the texts of the operands.
# A template, or a function (in_dtypes, out_dtype, **params) that gives one, or None: NumPy's.
# A number in a template has a dtype, as float32(1): a plain 1 would make the whole float64.
scalar_rules: dict[Primitive, str | Callable[..., str | None]] = {}
further_scalar_rules = dict[Primitive, Callable]()  # asked where that table has no template
# What a template must pass, or the equation is NumPy's: whether kernels have all that it calls.
template_checks: list[Callable[[str], bool]] = []


def scalar_template(eqn: JaxprEqn) -> str | None:
    """The template of an equation that works element by element, where a kernel can compute it.

    It holds {0}, {1}, ... for the operands; of a reduction, {0} for the total, {1} for a number.
    """
    fit = (text for text in templates(eqn) if all(is_fit(text) for is_fit in template_checks))
    return next(fit, None)


def templates(eqn: JaxprEqn) -> Iterator[str]:
    """What the tables have for an equation, in the order in which they are asked."""
    atoms = (*eqn.invars, *eqn.outvars)
    if not all(map(in_kernels, atoms)):
        return
    *in_dtypes, out_dtype = [x.aval.dtype for x in atoms]
    p, params = eqn.primitive, eqn.primitive.active(eqn.params)
    combine = getattr(reducers.get(p), "combine", None)
    for rule in (scalar_rules.get(p), further_scalar_rules.get(p), combine):
        text = typed_template(rule, in_dtypes, out_dtype, **params)
        if text is not None:
            yield text


def typed_template(
    rule: str | Callable | None, in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, **params: Any
) -> str | None:
    """What a rule gives for operands of these dtypes."""
    if rule is not None and not isinstance(rule, str):
        rule = rule(in_dtypes, out_dtype, **params)
    if rule is None or ("{t}" in rule and in_dtypes[0] not in FLOATS):
        return None
    rule = rule.replace("{t}", FLOATS.get(in_dtypes[0], ""))
    # Numba computes with 64 bits whatever the integers: what is kept are the lowest.
    return f"{out_dtype}({rule})" if out_dtype in INTEGERS and rule != "{0}" else rule


def literal_text(value: Any) -> str:
    """A number as a kernel writes it, in its dtype.

    >>> literal_text(np.float32(0.1)), literal_text(np.float64(-np.inf)), literal_text(np.bool_(1))
    ('float32(0.1)', 'float64(-np.inf)', 'True')
    """
    number = np.asarray(value)
    if number.dtype == np.bool_:
        return str(bool(number))
    text = str(number[()]).replace("inf", "np.inf").replace("nan", "np.nan")
    return f"{number.dtype}({text})"


# An index map: which element of its operand an element of the result is.


class Place(NamedTuple):
    """A position along one dimension: scale * i + offset, i counting along an axis of the loops.

    Without an axis: the offset.
    """

    axis: int | None
    scale: int = 1
    offset: int = 0

    def moved(self, scale: int, offset: int) -> Place:
        """scale * self + offset."""
        return Place(self.axis, scale * self.scale, scale * self.offset + offset)


START = Place(None, 0, 0)


def long_axes(shape: Sequence[int]) -> tuple[int, ...]:
    """The sizes that need a loop."""
    return tuple(n for n in shape if n != 1)


# (the result's places, the operand's shape, **params) -> the operand's places; None: NumPy's.
view_rules: dict[Primitive, Callable[..., list[Place] | None]] = {}


def _broadcast_places(
    places: Sequence[Place], in_shape: Sequence[int], shape: tuple, broadcast_dimensions: tuple
) -> list[Place]:
    return [
        places[d] if n == shape[d] else START
        for n, d in zip(in_shape, broadcast_dimensions, strict=True)
    ]


def _transpose_places(places: Sequence[Place], in_shape: Any, permutation: tuple) -> list[Place]:
    return [places[permutation.index(d)] for d in range(len(places))]


def _reshape_places(
    places: Sequence[Place], in_shape: Sequence[int], new_sizes: tuple
) -> list[Place] | None:
    """Where only axes of size 1 come or go."""
    if long_axes(in_shape) != long_axes(new_sizes):
        return None
    long = iter([place for place, n in zip(places, new_sizes, strict=True) if n != 1])
    return [START if n == 1 else next(long) for n in in_shape]


view_rules[broadcast_in_dim_p] = _broadcast_places
view_rules[transpose_p] = _transpose_places
view_rules[reshape_p] = _reshape_places

# Arrays whose elements follow from their indices alone: each is a position in an array of some
# shape, counted row by row. (the result's places, **params) -> the places there, and that shape.
index_rules: dict[Primitive, Callable[..., tuple[Sequence[Place], Sequence[int]]]] = {}

# Reductions: of one operand, along its `axes`, a parameter: a tuple of numbers from 0 on.


class Reducer(NamedTuple):
    """`start(dtype)` is the reduction of nothing; `combine` is a rule, as in `scalar_rules`."""

    start: Callable[[np.dtype], Any]
    combine: str | Callable[..., str | None]


reducers: dict[Primitive, Reducer] = {}


def is_reduction(eqn: JaxprEqn) -> bool:
    """Whether the equation takes several numbers together; along axes of size 1, it only reads."""
    if eqn.primitive not in reducers:
        return False
    return any(eqn.invars[0].aval.shape[d] != 1 for d in eqn.params["axes"])


def reads_only(eqn: JaxprEqn) -> bool:
    """Whether the equation is another way to read its operand."""
    return eqn.primitive in view_rules or (eqn.primitive in reducers and not is_reduction(eqn))


def view_places(eqn: JaxprEqn, places: Sequence[Place]) -> list[Place] | None:
    """Where such an equation reads its operand, for the result at these places."""
    shape, params = eqn.invars[0].aval.shape, eqn.primitive.active(eqn.params)
    if eqn.primitive in view_rules:
        return view_rules[eqn.primitive](places, shape, **params)
    kept = iter(places)
    return [START if d in params["axes"] else next(kept) for d in range(len(shape))]


# Equations that are no loop nest of single numbers, inside of loops that are compiled whole: what
# carries programs writes its lines with the kernel's writer, others give a kernel's source or None.
loop_rules: dict[Primitive, Callable[..., None]] = {}
part_rules: dict[Primitive, Callable[..., Any]] = {}
# Whether the part is a kernel outside of loops too: where NumPy takes longer.
alone: dict[Primitive, Callable[[JaxprEqn], bool]] = {}


def always(eqn: JaxprEqn) -> bool:
    return True


# The core's own primitives, element by element.


def for_kinds(floats: str | None, others: str | None, bools: str | None = None) -> Callable:
    """A rule whose template depends on what its first operand is."""

    def rule(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, **_: Any) -> str | None:
        if in_dtypes[0] in FLOATS:
            return floats
        return bools if in_dtypes[0] == np.bool_ else others

    return rule


def convert(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, **_: Any) -> str | None:
    """A float beyond an integer's range would be whatever the processor says: NumPy's."""
    if out_dtype == np.bool_:
        return "{0} != 0"
    is_risky = in_dtypes[0] in FLOATS and out_dtype in INTEGERS
    return None if is_risky else f"{out_dtype}({{0}})"


def _select(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype) -> str:
    """The first case below 1, the last from its number on."""
    if in_dtypes[0] == np.bool_:
        return "{2} if {0} else {1}" if len(in_dtypes) == 3 else "{1}"
    cases = "".join(f"{{{k}}} if {{0}} < {k} else " for k in range(1, len(in_dtypes) - 1))
    return f"{cases}{{{len(in_dtypes) - 1}}}"


reducers[reduce_sum_p] = Reducer(
    lambda dtype: 0, for_kinds("added_{t}({0}, {1})", "{0} + {1}")
)
scalar_rules |= {
    neg_p: "-{0}", sin_p: "sin_{t}({0})", cos_p: "cos_{t}({0})", exp_p: "exp_{t}({0})",
    log_p: "log_{t}({0})", add_p: "{0} + {1}", add_any_p: "{0} + {1}", sub_p: "{0} - {1}",
    mul_p: "{0} * {1}", div_p: for_kinds("{0} / {1}", None),
    max_p: for_kinds("maximum_{t}({0}, {1})", "max({0}, {1})", "{0} | {1}"),
    eq_p: "{0} == {1}", gt_p: "{0} > {1}", select_n_p: _select, convert_element_type_p: convert,
}  # fmt: skip
