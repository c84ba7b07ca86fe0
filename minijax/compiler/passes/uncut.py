"""Which programs can't be cut for the devices of a mesh, and run once, with whole arrays."""

from __future__ import annotations

from minijax.compiler.lowerings import lowerings
from minijax.compiler.passes.cuts import Mesh
from minijax.compiler.passes.factors import carried, factors, on_devices, placed
from minijax.compiler.passes.simplify import inline
from minijax.core.printing import programs_in_params
from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.core.tracing import NamedAxisEffect


def refusal(closed: ClosedJaxpr, mesh: Mesh) -> str | None:
    """Why a program can't be cut, but is run once, with whole values; None where it can be."""
    for eqn in inline(closed).eqns:
        primitive, is_known = eqn.primitive, eqn.primitive in factors
        if any(not isinstance(effect, NamedAxisEffect) for effect in eqn.effects):
            return f"{primitive} has an effect, which every device would repeat"
        if primitive in on_devices:
            if on_devices[primitive](eqn, mesh) is None:
                return f"{primitive} is for other devices"
        elif lowerings[primitive].opaque and not is_known:
            return f"{primitive} is to run once, and every device would run it"
        names = {name for axis in _placed_names(eqn) for name in axis or ()}
        if not names <= mesh.keys():
            return f"{primitive} names axes of another mesh"
        if primitive in carried and _asks_rows(eqn):
            return f"{primitive} asks each row whether to go on"
        for program in programs_in_params(eqn.params) if primitive in carried else ():
            if (reason := refusal(program, mesh)) is not None:
                return reason
    return None


def _asks_rows(eqn: JaxprEqn) -> bool:
    """Whether a program gives an array that is no result, but says what is done: a batched
    while_loop's predicate, whose rows would have to be cut as the carry's are."""
    return any(
        slot is None and v.aval.shape
        for called, _, gives in carried[eqn.primitive](eqn).programs
        for v, slot in zip(called.outvars, gives, strict=True)
    )


def _placed_names(eqn: JaxprEqn) -> tuple:
    return (eqn.primitive in placed and placed[eqn.primitive](eqn)) or ()
