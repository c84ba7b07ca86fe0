"""A shard_map in a compiled program: the passes do not see its body.

There it is an operation like others, on_devices. Its body is a program for devices: it is compiled
for itself, with named axes of its own, when the devices run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.executable import PASSES
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.passes.rewriting import Draft, forward
from minijax.compiler.special_cases.other_types import with_programs
from minijax.compiler.special_cases.python_calls import why_python
from minijax.core.config import derived
from minijax.core.staging import ClosedJaxpr, JaxprEqn
from minijax.core.tracing import Primitive
from minijax.lax.sharding.device_programs import has_body
from minijax.lax.sharding.placed_types import without_vma
from minijax.lax.sharding.shard_map import shard_map_p

on_devices_p = Primitive("on_devices")
on_devices_p.multiple_results = True


class HiddenBody:
    """The parameters of a shard_map, its results' types and its effects."""

    def __init__(self, eqn: JaxprEqn) -> None:
        self.params, self.effects = eqn.params, eqn.effects
        self.out_avals = [without_vma(v.aval) for v in eqn.outvars]

    def __repr__(self) -> str:
        shown = ("mesh", "in_specs", "out_specs")
        return f"shard_map[{' '.join(f'{name}={self.params[name]}' for name in shown)}]"


@on_devices_p.def_effectful_abstract_eval
def _on_devices_rule(*avals: Any, call: HiddenBody) -> tuple[list, frozenset]:
    return call.out_avals, call.effects


on_devices_p.def_impl(lambda *args, call: shard_map_p.impl(*args, **call.params))
register_lowering(on_devices_p, opaque=True)
why_python[on_devices_p] = "the devices of a mesh run a program of their own"


@derived
def with_hidden_bodies(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program, and those that it carries, in which on_devices stands for shard_map."""

    def visit(draft: Draft, eqn: JaxprEqn) -> Sequence[Any]:
        if eqn.primitive is not shard_map_p:
            return draft.write(eqn._replace(params=with_programs(eqn.params, with_hidden_bodies)))
        return draft.write(eqn._replace(primitive=on_devices_p, params={"call": HiddenBody(eqn)}))

    return forward(closed, visit) if has_body(closed) else closed


PASSES.insert(0, with_hidden_bodies)
