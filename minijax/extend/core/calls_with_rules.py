"""Calls of functions with a forward rule, as JAX's `bind` takes them: with functions of leaves.

`subfuns` are the function, and its rule: from primals and tangents to results and theirs, all of
them one after the other. JAX wraps both, and calls what it wrapped by `call_wrapped`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.tracing import Primitive, Trace, set_current_trace
from minijax.lax.custom.derivatives import PythonProgram, as_fun, custom_jvp_call_p

_BY_FUNCTIONS = {"call_jaxpr", "jvp_jaxpr_fun", "num_consts"}


def get_bind_params(primitive: Primitive, params: dict[str, Any]) -> dict[str, Any]:
    """An equation's parameters as the primitive's `bind` takes them: the same ones, but of a
    function with a forward rule both as functions, in `subfuns`."""
    if primitive is not custom_jvp_call_p:
        return params
    rest = {name: x for name, x in params.items() if name not in _BY_FUNCTIONS}
    return {**rest, "subfuns": subfuns_of(params)}


def subfuns_of(params: dict[str, Any]) -> tuple[Callable, Callable]:
    """The function and its rule."""
    program, rule = params["call_jaxpr"], params["jvp_jaxpr_fun"]

    def fun(*leaves: Any) -> Sequence[Any]:
        return as_fun(program)(*leaves)

    def jvp(*leaves: Any) -> list[Any]:
        half = len(leaves) // 2
        out, out_dot = rule(leaves[:half], leaves[half:])
        return [*out, *out_dot]

    for wrapped in (fun, jvp):
        wrapped.call_wrapped = wrapped  # type: ignore[attr-defined]
    return fun, jvp


def params_of(subfuns: tuple[Callable, Callable]) -> dict[str, Any]:
    """The parameters that stand for a function and its rule."""
    fun, jvp = subfuns

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        out = list(jvp(*primals, *tangents))
        return out[: len(out) // 2], out[len(out) // 2 :]

    program = PythonProgram(lambda *leaves: list(fun(*leaves)), None)
    return {"call_jaxpr": program, "jvp_jaxpr_fun": rule, "num_consts": 0}


def _bind(*args: Any, subfuns: Any = None, **params: Any) -> Any:
    found = {} if subfuns is None else params_of(subfuns)
    return Primitive.bind(custom_jvp_call_p, *args, **found, **params)


# Before this module is imported nobody has subfuns: `get_bind_params` makes them.
custom_jvp_call_p.bind = _bind  # type: ignore[method-assign]


def bind_with_trace(
    primitive: Primitive, trace: Trace, args: Sequence[Any], avals: Any, params: dict[str, Any]
) -> Any:
    """What a trace makes of a primitive. The types, which JAX knows already, are the values'."""
    with set_current_trace(trace):
        return primitive.bind(*args, **params)
