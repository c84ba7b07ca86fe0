"""A program without Python functions: what leaves the process is equations and numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minijax.compiler.lowerings import lowerings
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.passes.simplify import copy
from minijax.compiler.special_cases.other_types import with_programs
from minijax.compiler.stablehlo.operation_rules import OF_AXES, refused
from minijax.core.arrays import Array
from minijax.core.config import derived
from minijax.core.printing import programs_in_params
from minijax.core.pytrees import PyTreeDef
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn, Literal, has_effect
from minijax.core.tracing import NamedAxisEffect, Primitive
from minijax.export.dimension_expressions import dim_as_value_p
from minijax.lax.control_flow.switches import platform_index_p
from minijax.lax.custom.sinks import without_sinks

Platforms = tuple[str, ...]

# What takes the place of an equation, by its primitive: (equation, the platforms that the program
# is for, and how many devices) -> a program and its operands.
replacements: dict[Primitive, Callable[[JaxprEqn, Platforms, int], tuple]] = {}


WITH_REFERENCES = ("pallas_call",)  # primitives whose programs have references, which no file has


@derived
def self_contained(closed: ClosedJaxpr, platforms: Platforms, devices: int = 1) -> ClosedJaxpr:
    """The program, without what only this process has: a call with rules for its derivative, say,
    is replaced by the program that it calls.

    NotImplementedError, naming the primitive, where that can't be: for callbacks, for one.
    """

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.primitive is platform_index_p and len(platforms) == 1:
            return [_branch_of(platforms[0], eqn)]
        called = _called(eqn, platforms, devices)
        if called is not None:
            program, operands = called
            return copy(draft, self_contained(program, platforms, devices), operands)
        params = with_programs(
            eqn.params, lambda program: self_contained(program, platforms, devices)
        )
        if params == eqn.params:  # the same programs, for what is carried twice to stay one
            return draft.write(eqn)
        effects = frozenset().union(*(program.effects for program in programs_in_params(params)))
        ended = {NamedAxisEffect(name) for name in params.get("newly_manual_axes", ())}
        return draft.write(eqn._replace(params=params, effects=effects - ended))

    before = without_sinks(closed)
    after = forward(before, visit)
    return before if after.eqns == before.eqns else after


def _called(eqn: JaxprEqn, platforms: Platforms, devices: int) -> tuple | None:
    """What an equation calls, where that takes its place."""
    primitive = eqn.primitive
    if primitive in replacements:
        return replacements[primitive](eqn, platforms, devices)
    carries_programs = any(programs_in_params(eqn.params))
    if primitive.name in WITH_REFERENCES:
        return lowerings[primitive].call(eqn)
    why = refused.get(primitive.name)
    goes_along = why in (None, OF_AXES) or primitive is dim_as_value_p  # sizes become known
    does_more = has_effect(eqn) and not carries_programs
    if goes_along and not does_more and not any(map(_stays_here, eqn.params.values())):
        return None
    call = lowerings[primitive].call
    called = call(eqn) if call else None
    if called is None:
        why = why or "it does more than to compute its results"
        raise NotImplementedError(
            f"jax.export can't take along the primitive {primitive}: {why}.\nLeave it out of the "
            f"function, or call it outside of what is exported."
        )
    return called


def _stays_here(x: Any) -> bool:
    """Whether a parameter is something of this process: a function, or a structure of classes."""
    is_data = isinstance(x, type | np.generic | np.ndarray | Array)
    return isinstance(x, PyTreeDef) or (callable(x) and not is_data)


def _branch_of(platform: str, eqn: JaxprEqn) -> Atom:
    """The number of the branch of `lax.platform_dependent` for a platform, which is known now."""
    for i, names in enumerate(eqn.params["platforms"]):
        if names is None or platform in names:
            return Literal(np.int32(i))
    raise NotImplementedError(
        f"lax.platform_dependent is exported for the platform {platform!r}, and has branches for "
        f"{eqn.params['platforms']}.\nGive it {platform}=function or default=function."
    )
