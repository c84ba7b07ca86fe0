"""One element of a result: the text that computes it, and where it finds those of its operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.core.primitives import (
    add_any_p, add_p, broadcast_in_dim_p, convert_element_type_p, cos_p, div_p, eq_p, exp_p, gt_p,
    log_p, max_p, mul_p, neg_p, reduce_sum_p, reshape_p, select_n_p, sin_p, sub_p, transpose_p,
)
from minijax.core.staging import Atom, JaxprEqn
from minijax.core.tracing import ShapedArray

# What kernels compute with; of other dtypes, NumPy takes care.

FLOATS = {np.dtype("float32"): "f32", np.dtype("float64"): "f64"}
INTEGERS = {np.dtype(f"{kind}{size}") for kind in ("int", "uint") for size in (8, 16, 32, 64)}
KERNEL_DTYPES = {np.dtype("bool"), *INTEGERS, *FLOATS}


def in_kernels(x: Atom) -> bool:
    """Whether kernels can compute with it."""
    return isinstance(x.aval, ShapedArray) and x.aval.dtype in KERNEL_DTYPES


# A template holds {0}, {1}, ... for the operands, and {t} for "f32" or "f64", the first operand's.
# A number in it has a dtype, as float32(1): a plain 1 would make the whole float64.

# What a template must pass, or the equation is NumPy's: whether kernels have all that it calls.
template_checks: list[Callable[[str], bool]] = []


def scalar_template(eqn: JaxprEqn) -> str | None:
    """The template of an equation, where a kernel can compute it."""
    fit = (text for text in templates(eqn) if all(is_fit(text) for is_fit in template_checks))
    return next(fit, None)


def templates(eqn: JaxprEqn) -> Iterator[str]:
    """Those of an equation, in the order in which they are asked."""
    atoms = (*eqn.invars, *eqn.outvars)
    lowering, params = lowerings[eqn.primitive], eqn.primitive.active(eqn.params)
    if not all(map(in_kernels, atoms)) or (lowering.start and not is_reduction(eqn)):
        return
    *in_dtypes, out_dtype = [x.aval.dtype for x in atoms]
    out_dtype = None if lowering.finish else out_dtype  # a tuple has none
    for rule in (lowering.template, lowering.further_template):
        text = typed_template(rule, in_dtypes, out_dtype, **params)
        if text is not None:
            yield text


def typed_template(
    rule: str | Callable | None, in_dtypes: Sequence[np.dtype], out_dtype: Any, **params: Any
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


# Where an element is found.


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


register_lowering(broadcast_in_dim_p, view=_broadcast_places)
register_lowering(transpose_p, view=_transpose_places)
register_lowering(reshape_p, view=_reshape_places)


def is_reduction(eqn: JaxprEqn) -> bool:
    """Whether the equation takes several numbers together: not along axes of size 1."""
    if not lowerings[eqn.primitive].start:
        return False
    return any(eqn.invars[0].aval.shape[d] != 1 for d in eqn.params["axes"])


def reads_only(eqn: JaxprEqn) -> bool:
    """Whether the equation is another way to read its operand."""
    lowering = lowerings[eqn.primitive]
    return bool(lowering.view or lowering.monoid) and not is_reduction(eqn)


def view_places(eqn: JaxprEqn, places: Sequence[Place]) -> list[Place] | None:
    """Where such an equation reads its operand, for the result at these places."""
    view, shape = lowerings[eqn.primitive].view, eqn.invars[0].aval.shape
    params = eqn.primitive.active(eqn.params)
    if view:
        return view(places, shape, **params)
    kept = iter(places)
    return [START if d in params["axes"] else next(kept) for d in range(len(shape))]


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


for _primitive, _template in {
    neg_p: "-{0}", sin_p: "sin_{t}({0})", cos_p: "cos_{t}({0})", exp_p: "exp_{t}({0})",
    log_p: "log_{t}({0})", add_p: "{0} + {1}", add_any_p: "{0} + {1}", sub_p: "{0} - {1}",
    mul_p: "{0} * {1}", div_p: for_kinds("{0} / {1}", None),
    max_p: for_kinds("maximum_{t}({0}, {1})", "max({0}, {1})", "{0} | {1}"),
    eq_p: "{0} == {1}", gt_p: "{0} > {1}", select_n_p: _select, convert_element_type_p: convert,
    reduce_sum_p: for_kinds("added_{t}({0}, {1})", "{0} + {1}"),
}.items():  # fmt: skip
    register_lowering(_primitive, template=_template)
register_lowering(reduce_sum_p, start=lambda dtype: 0, monoid=True)
