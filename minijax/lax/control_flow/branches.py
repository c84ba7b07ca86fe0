"""Branches: functions that a user passes to a choice are traced, to programs with like types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minijax.core.arrays import ArrayImpl, to_numpy
from minijax.core.config import derived
from minijax.core.programs import Flags, choose
from minijax.core.pytrees import PyTreeDef, tree_unflatten
from minijax.core.staging import ClosedJaxpr, Var
from minijax.core.tracing import typeof
from minijax.lax.control_flow.bodies import (
    as_value,
    check_operands,
    check_same,
    flatten_operands,
    trace_body,
)  # fmt: skip
from minijax.lax.control_flow.conditionals import cond_p
from minijax.lax.control_flow.residual_slots import with_operands


def trace_branches(name: str, funs: dict[str, Callable], operands: tuple) -> tuple:
    """The programs of the functions, which must return the same types; their operands; and the tree
    of their results.

    The operands are the constants of all functions, each of them once, and then the leaves.
    """
    leaves, in_tree = flatten_operands(name, next(iter(funs.values())), operands)
    avals = list(map(typeof, leaves))
    bodies = {title: trace_body(name, fun, in_tree, avals) for title, fun in funs.items()}
    (first, body), *others = bodies.items()
    for title, other in others:
        check_same(
            f"{name} needs branches that return the same types", lambda: "the result",
            *((b.out_tree, b.jaxpr.out_avals) for b in (body, other)),
            (f"from {first}", f"from {title}"),
            "Return one structure, shapes and dtypes from all; x.astype(dtype) converts.",
        )  # fmt: skip
    consts: list[Any] = []
    places = [_places(b.consts, consts) for b in bodies.values()]
    check_operands(name, consts, leaves)
    types = tuple(map(typeof, consts))
    branches = [
        _with_constants(b.jaxpr, p, types) for b, p in zip(bodies.values(), places, strict=True)
    ]
    return branches, [*consts, *leaves], body.out_tree


@derived
def _with_constants(closed: ClosedJaxpr, places: tuple[int, ...], types: tuple) -> ClosedJaxpr:
    return with_operands(closed, places, list(map(Var, types)))


def _places(own: Sequence[Any], consts: list[Any]) -> tuple[int, ...]:
    """The places of a branch's constants among those of all branches. New constants are added."""
    places: list[int] = []
    for x in own:
        same = (i for i, other in enumerate(consts) if i not in places and _is_same(x, other))
        places.append(next(same, len(consts)))
        consts += [x] * (places[-1] == len(consts))
    return tuple(places)


def _is_same(x: Any, y: Any) -> bool:
    """Whether two constants are the same. Each program has its own copy of a NumPy array, so arrays
    are compared by their values."""
    return x is y or (
        type(x) is type(y) is ArrayImpl and x.aval == y.aval
        and (x._value is y._value or to_numpy(x).tobytes() == to_numpy(y).tobytes())
    )  # fmt: skip


def bind_branches(
    index: Any, branches: Sequence[ClosedJaxpr], operands: list[Any], out_tree: PyTreeDef,
    **platforms: Any,
) -> Any:  # fmt: skip
    """The results of the branch at the index. A result that is the same operand in all branches
    doesn't go through the choice."""
    found = zip(*map(forwarded, branches), strict=True)
    sources = [places[0] if len(set(places)) == 1 else None for places in found]
    kept = tuple(source is None for source in sources)
    out = iter(cond_p.bind(
        index, *operands, branches=tuple(with_results(b, kept) for b in branches), **platforms
    ))  # fmt: skip
    return tree_unflatten(out_tree, [
        next(out) if source is None else as_value(operands[source]) for source in sources
    ])  # fmt: skip


def forwarded(closed: ClosedJaxpr) -> list[int | None]:
    """For each result, the operand that it is, if it is one."""
    places = {v: i for i, v in enumerate(closed.invars)}
    return [places.get(v) for v in closed.outvars]


@derived
def with_results(closed: ClosedJaxpr, kept: Flags) -> ClosedJaxpr:
    return ClosedJaxpr(closed.jaxpr.replace(outvars=choose(closed.outvars, kept)), closed.consts)
