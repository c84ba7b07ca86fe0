"""Derivatives by rules of the user's: `custom_jvp`, `custom_vjp`, `custom_gradient`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minijax.api import closure_convert
from minijax.core.calls import debug_info, flatten_fun
from minijax.core.linearization import Partial
from minijax.core.primitives import zeros
from minijax.core.pytrees import tree_flatten, tree_map, tree_unflatten
from minijax.core.staging import eval_jaxpr, trace_to_jaxpr
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.custom.derivatives import (
    custom_jvp,
    custom_jvp_call_p,
    custom_vjp,
    custom_vjp_call_p,
)
from minijax.lax.custom.linear_calls import linear_call
from minijax.lax.custom.rule_calls import (
    CustomVJPPrimal,
    Outcome,
    SymbolicZero,
    check_pair,
    function_name,
)

__all__ = [
    "CustomVJPPrimal",
    "SymbolicZero",
    "closure_convert",
    "custom_gradient",
    "custom_jvp",
    "custom_jvp_call_p",
    "custom_vjp",
    "custom_vjp_call_p",
    "custom_vjp_primal_tree_values",
    "linear_call",
    "zero_from_primal",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def custom_gradient(fun: Callable) -> Callable:
    """The function x -> y, of a `fun` that returns y and the function from y's cotangent to x's.

    The second function may use what `fun` has computed. It is given a cotangent like y, and
    returns one for the argument, or a tuple of them for several. It may not branch on values.

    >>> import minijax
    >>> square = custom_gradient(lambda x: (x * x, lambda ct: 100 * ct))
    >>> square(3.0), minijax.grad(square)(3.0)
    (9.0, Array(100., dtype=float32, weak_type=True))
    """

    def value_and_rule(*args: Any) -> tuple:
        return check_pair(fun(*args), fun, Outcome(function_name(fun)), "its backward function")

    @custom_vjp
    def wrapped_fun(*args: Any) -> Any:
        return value_and_rule(*args)[0]

    def fwd(*args: Any) -> tuple:
        out, rule = value_and_rule(*args)
        leaves, out_tree = tree_flatten(((out,), {}))
        flat_rule, in_tree = flatten_fun(rule, out_tree)
        info = debug_info("custom_gradient", rule, (out,), {})
        closed = trace_to_jaxpr(flat_rule, [typeof(x).to_tangent_aval() for x in leaves], info)

        def run(consts: list[Any], ct: Any) -> Any:
            cts_in = eval_jaxpr(closed.jaxpr, consts, *tree_flatten(ct)[0])
            return tree_unflatten(in_tree(), cts_in)

        return out, Partial(run, closed.consts)

    def bwd(run: Callable, ct: Any) -> Any:
        cts_in = run(ct)
        return cts_in if isinstance(cts_in, tuple | list) else (cts_in,)

    wrapped_fun.defvjp(fwd, bwd)
    return wrapped_fun


def custom_vjp_primal_tree_values(tree: Any) -> Any:
    """The values in a tree of CustomVJPPrimal, as a forward rule with symbolic_zeros gets it.

    Raises TypeError for another leaf.
    """

    def value(leaf: Any) -> Any:
        if type(leaf) is not CustomVJPPrimal:
            raise TypeError(
                f"custom_vjp_primal_tree_values takes leaves of CustomVJPPrimal, and got "
                f"{type(leaf).__name__}. Give it what a rule with symbolic_zeros=True gets."
            )
        return leaf.value

    return tree_map(value, tree)


def zero_from_primal(x: Any, symbolic_zeros: bool = False) -> Any:
    """The zero tangents of a tree's values: a SymbolicZero where that is asked for, else an array.

    >>> zero_from_primal({"a": 1.5})
    {'a': Array(0., dtype=float32, weak_type=True)}
    """

    def zero(x: Any) -> Any:
        aval = typeof(x).to_tangent_aval()
        return SymbolicZero(aval) if symbolic_zeros else zeros(aval)

    return tree_map(zero, x)


guard(sys.modules[__name__])
