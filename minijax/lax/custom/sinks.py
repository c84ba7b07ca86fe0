"""A sink: what goes into it counts as used, so that no program is made without it.

That is said to those who make programs of programs: to `dce_jaxpr`, and to derivatives. There is
nothing to be done, so when a program is compiled its sinks go, and so does what only they need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.executable import PASSES
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.special_cases.other_types import with_programs
from minijax.core.batching import primitive_batchers
from minijax.core.config import derived
from minijax.core.pytrees import tree_leaves
from minijax.core.reverse import deflinear
from minijax.core.staging import Atom, ClosedJaxpr, JaxprEqn
from minijax.core.tracing import Effect, Primitive, typeof


class NoDCEEffect(Effect):
    """An equation stays, though it has no results."""


no_dce_effect = NoDCEEffect()

dce_sink_p = Primitive("dce_sink")
dce_sink_p.multiple_results = True


@dce_sink_p.def_impl
def _dce_sink_impl(x: Any, *, prevent_mlir_dce: bool) -> list:
    typeof(x)  # raises a TypeError for what is no value
    return []


@dce_sink_p.def_effectful_abstract_eval
def _dce_sink_rule(x: Any, *, prevent_mlir_dce: bool) -> tuple[list, set]:
    return [], {no_dce_effect}


deflinear(dce_sink_p, lambda cts, **params: [])
# All examples of a value are used if their array is: the batching rule binds nothing.
primitive_batchers[dce_sink_p] = lambda args, dims, **params: ([], [])


@derived
def without_sinks(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, and those that it carries, without sinks."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Atom]:
        if eqn.primitive is dce_sink_p:
            return []
        params, effects = with_programs(eqn.params, without_sinks), eqn.effects - {no_dce_effect}
        return draft.write(eqn._replace(params=params, effects=effects))

    return forward(closed, visit) if no_dce_effect in closed.effects else closed


PASSES.insert(0, without_sinks)


def dce_sink(val: Any, *, prevent_mlir_dce: bool = False) -> None:
    """Marks the arrays of a pytree as used, so that what computes them stays in a program.

    TypeError for a leaf that is no array or number.

    >>> import minijax
    >>> minijax.make_jaxpr(lambda x: dce_sink(x * 2.0))(1.0)
    { lambda ; a:f32[]. let
        b:f32[] = mul a 2.0:f32[]
        dce_sink[prevent_mlir_dce=False] b
      in () }
    """
    for x in tree_leaves(val):
        dce_sink_p.bind(x, prevent_mlir_dce=prevent_mlir_dce)
