"""A module of JAX's, run as one operation: a program that is what it is, on jaxlib."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.operation_rules import refused
from minijax.compiler.stablehlo.tensor_types import type_of
from minijax.core.staging import ClosedJaxpr, trace_to_jaxpr
from minijax.core.tracing import Primitive, typeof
from minijax.export.value_format import need


class JaxModule:
    """A module of JAX's, and how it is called."""

    def __init__(
        self, artifact: bytes, name: str, in_avals: tuple, out_avals: tuple, kept: tuple,
        platforms: tuple,
    ) -> None:  # fmt: skip
        from minijax.compiler.stablehlo.xla_programs import read_portable

        need(all(i < len(in_avals) for i in kept), "it has fewer arguments than it uses")
        self.name, self.platforms = name, platforms
        self.in_avals, self.out_avals, self.kept = in_avals, out_avals, kept
        # A module for several platforms takes the number of that in use first.
        here = np.int32(platforms.index("cpu") if "cpu" in platforms else 0)
        self.before = [here] if len(platforms) > 1 else []
        self.taken = [*map(typeof, self.before), *(in_avals[i] for i in kept)]
        self.text, inputs, results = read_portable(artifact)
        types = [[str(type_of(aval)) for aval in avals] for avals in (self.taken, out_avals)]
        need(
            types == [inputs, results], "the module has other types than its arguments and results"
        )

    @cached_property
    def program(self) -> Callable:
        """XLA's program, of all that `main` takes."""
        from minijax.compiler.stablehlo.xla_programs import XlaModule

        return XlaModule(self.text, self.taken, self.out_avals)

    def as_program(self) -> ClosedJaxpr:
        return trace_to_jaxpr(lambda *xs: jax_module_p.bind(*xs, module=self), self.in_avals)

    def __repr__(self) -> str:
        return f"JaxModule({self.name}, ...)"


def text_of_jax(closed: ClosedJaxpr) -> str | None:
    """The StableHLO of a program that is such a module, and None of another."""
    modules = [eqn.params["module"] for eqn in closed.eqns if eqn.primitive is jax_module_p]
    return modules[0].text if modules and len(closed.eqns) == 1 else None


jax_module_p = Primitive("jax_module")
jax_module_p.multiple_results = True


@jax_module_p.def_abstract_eval
def _jax_module_rule(*avals: Any, module: JaxModule) -> tuple:
    return module.out_avals


@jax_module_p.def_impl
def _jax_module_impl(*args: Any, module: JaxModule) -> list[Any]:
    return module.program(*module.before, *(args[i] for i in module.kept))


refused["jax_module"] = "it is a module that JAX has made"
