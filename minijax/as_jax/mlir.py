"""`jax.interpreters.mlir`: a primitive's lowering, where it is the program of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minijax.compiler import lowerings
from minijax.core.staging import ClosedJaxpr, JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import Primitive


class FunctionLowering:
    """A lowering that is written as a function over other operations."""

    def __init__(self, fun: Callable, multiple_results: bool) -> None:
        self.fun, self.multiple_results = fun, multiple_results

    def __call__(self, eqn: JaxprEqn) -> tuple[ClosedJaxpr, list[Any]]:
        """The equation's program, and its operands."""

        def results(*xs: Any) -> Any:
            out = self.fun(*xs, **eqn.params)
            return list(out) if self.multiple_results else [out]

        return trace_to_jaxpr(results, [x.aval for x in eqn.invars]), eqn.invars


def lower_fun(fun: Callable, multiple_results: bool = True) -> FunctionLowering:
    """The lowering of a primitive that does what `fun` does."""
    return FunctionLowering(fun, multiple_results)


def register_lowering(
    prim: Primitive, rule: Callable, platform: str | None = None, **unused: Any
) -> Callable:
    """Has compiled programs run the function of a `lower_fun` in the place of the primitive.

    Any other rule writes MLIR, which nothing here reads: compiled programs then call the
    primitive's implementation. So they do on a platform's rule, unless that is the CPU's.
    """
    if isinstance(rule, FunctionLowering) and platform in (None, "cpu"):
        lowerings.register_lowering(prim, call=rule)
    return rule
