"""What a derivative keeps of the forward run, and the names that a policy goes by."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any

from minijax.core.calls import check_args, check_callable, debug_info
from minijax.core.errors import SourceInfo, place
from minijax.core.pytrees import tree_flatten, tree_leaves, tree_unflatten
from minijax.core.reverse import vjp
from minijax.core.staging import Jaxpr, JaxprEqn, Literal, make_jaxpr
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.custom.checkpoint import checkpoint
from minijax.lax.custom.checkpoint_policies import (
    Offloadable,
    Recompute,
    Saveable,
    checkpoint_name,
    checkpoint_policies,
)
from minijax.lax.elementwise.floats import reduce_precision_p

__all__ = [
    "Offloadable",
    "Recompute",
    "Saveable",
    "checkpoint_name",
    "checkpoint_policies",
    "print_saved_residuals",
    "saved_residuals",
]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

remat = checkpoint  # minijax.remat

def saved_residuals(f: Callable, *args: Any, **kwargs: Any) -> list[tuple[Any, str]]:
    """What `vjp` of `f` keeps at these arguments: pairs of a type and where the value comes from.

    Arguments come first, then results of operations in the order in which they are computed.
    """
    check_callable(f, "saved_residuals")
    leaves, in_tree = tree_flatten((args, kwargs))
    info = debug_info("saved_residuals", f, args, kwargs)
    check_args(leaves, info)

    def call(*leaves: Any) -> Any:
        args, kwargs = tree_unflatten(in_tree, leaves)
        return f(*args, **kwargs)

    def residuals(*leaves: Any) -> list[Any]:
        return tree_leaves(vjp(call, *leaves)[1])

    jaxpr = make_jaxpr(residuals)(*leaves).jaxpr
    names = [info.arg_name(i) for i in range(len(leaves))]
    return _describe(jaxpr, names)

def _describe(jaxpr: Jaxpr, arg_names: list[str | None]) -> list[tuple[Any, str]]:
    """The types of the jaxpr's results, and what each is in the function that was traced."""
    alike = {
        eqn.outvars[0]: eqn.invars[0] for eqn in jaxpr.eqns if eqn.primitive is reduce_precision_p
    }
    results = [x for x in jaxpr.outvars if isinstance(x, Literal)]
    kept = {alike.get(x, x) for x in jaxpr.outvars if not isinstance(x, Literal)}
    found = [(x, "from a literal") for x in results]
    found += [(v, "from a constant") for v in jaxpr.constvars]
    found += [
        (v, f"from the argument {name}") for v, name in zip(jaxpr.invars, arg_names, strict=True)
    ]
    found += [(v, _origin(eqn)) for eqn in jaxpr.eqns for v in eqn.outvars]
    return [(x.aval, origin) for x, origin in found if isinstance(x, Literal) or x in kept]

def _origin(eqn: JaxprEqn) -> str:
    match eqn.primitive.name:
        case "name":
            what = f"named {eqn.params['name']!r}"
        case "jit":
            what = f"output of jitted function {eqn.params['name']!r}"
        case name:
            what = f"output of {name}"
    return f"{what} from {_line(eqn.source_info)}"

def _line(source: SourceInfo) -> str:
    if source.code is None:
        return ""
    where = place(source.code, source.line)
    if (column := _column(source)) is not None:
        where = f"{where}:{column}"
    return f"{where} ({source.code.co_qualname})"

def _column(source: SourceInfo) -> int | None:
    """Where in its line the call begins that made an equation, where Python has kept it."""
    if source.code is None or source.instruction < 0:
        return None
    found = islice(source.code.co_positions(), source.instruction // 2, None)
    return next(found, (None, None, None, None))[2]

def print_saved_residuals(f: Callable, *args: Any, **kwargs: Any) -> None:
    """Prints what `vjp` of `f` keeps at these arguments, a line for each value.

    >>> print_saved_residuals(lambda x: x * x, 2.0)
    f32[] from the argument x
    """
    for aval, origin in saved_residuals(f, *args, **kwargs):
        print(aval.str_short(short_dtypes=True), origin)


guard(sys.modules[__name__])
