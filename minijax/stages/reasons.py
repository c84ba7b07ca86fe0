"""Reasons: why NumPy computes an equation and no kernel, and why one stays that looks idle."""

from __future__ import annotations

from typing import Any

from minijax.compiler.kernel_functions import unknown_functions
from minijax.compiler.kernels.elements import in_kernels, templates
from minijax.compiler.kernels.whole_loops import NotCompiled, written
from minijax.compiler.lowerings import lowerings
from minijax.compiler.special_cases.calling_loops import CallingLoop, programs_of, python_calls_in
from minijax.compiler.special_cases.python_calls import why_python
from minijax.core.primitives import add_any_p, add_p, convert_element_type_p, mul_p
from minijax.core.staging import Atom, JaxprEqn, Literal

# Of an equation that moves nothing, unless a kernel needs its numbers in a row.
VIEWED = "another way to read its operand, and here an array is asked for"


def why_numpy(eqn: JaxprEqn) -> str:
    """Why no kernel computes an equation."""
    lowering = lowerings[eqn.primitive]
    if eqn.primitive in why_python:
        return why_python[eqn.primitive]
    if eqn.effects and not lowering.steps:
        return "it has an effect, which is kept in its place"
    if lowering.loop:
        reason = why_step_by_step(eqn)
        return f"it is run step by step: {reason}" if isinstance(reason, NotCompiled) else ""
    atoms = [x for x in (*eqn.invars, *eqn.outvars) if not in_kernels(x)]
    others = {str(getattr(x.aval, "dtype", x.aval)) for x in atoms}
    if others:
        return f"kernels don't compute with {', '.join(sorted(others))}"
    if lowering.view:
        return VIEWED
    if lowering.index:
        return "numbers that are made where they are read, and here an array is asked for"
    if lowering.template:
        missing = " and no ".join(missing_functions(eqn))
        return (f"kernels have no {missing}, which its lowering calls" if missing
                else "its lowering has no form for these types or parameters")  # fmt: skip
    return "it has no lowering: a library routine does it"


def why_step_by_step(eqn: JaxprEqn) -> Any:
    """What kept a loop, or a choice, from being one kernel."""
    if not any(map(python_calls_in, programs_of(eqn))):
        return written(eqn)
    try:
        return CallingLoop(eqn)
    except NotCompiled as reason:
        return reason


def missing_functions(eqn: JaxprEqn) -> list[str]:
    """The functions that an equation's templates call, and that kernels don't have."""
    return unknown_functions(" ".join(templates(eqn)))


# What looks as if it could go, and must stay: floats have two zeros, and infinities.
_STAYS = {
    add_p: "it stays: -0.0 + 0.0 is 0.0, so it may change a sign",
    add_any_p: "it stays: -0.0 + 0.0 is 0.0, so it may change a sign",
    mul_p: "it stays: infinity times 0.0 is nan",
}


def why_it_stays(eqn: JaxprEqn) -> str:
    """Why a sum with 0.0, a product with it, or a conversion to the same dtype is still there; ""
    for other equations."""
    if is_retyping(eqn):
        return "it computes nothing: the result's type is weak, or no more"
    return _STAYS.get(eqn.primitive, "") if any(map(is_zero, eqn.invars)) else ""


def is_retyping(eqn: JaxprEqn) -> bool:
    """Whether all that an equation changes is that a type is weak."""
    is_conversion = eqn.primitive is convert_element_type_p
    return is_conversion and eqn.invars[0].aval.dtype == eqn.outvars[0].aval.dtype


def is_zero(x: Atom) -> bool:
    return type(x) is Literal and x.val.number == 0


