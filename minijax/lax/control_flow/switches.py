"""Choices among any number of branches, and among those for different platforms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minijax.core.config import config
from minijax.core.primitives import cast
from minijax.core.tracing import Primitive, ShapedArray
from minijax.lax.control_flow.conditionals import (
    ABSENT,
    bind_branches,
    check_functions,
    is_concrete,
    one_operand,
    scalar_kind,
    trace_branches,
)
from minijax.lax.elementwise import shown
from minijax.lax.limits import clamp


def switch(
    index: Any, branches: Iterable[Callable], *operands: Any, operand: Any = ABSENT
) -> Any:
    """`branches[index](*operands)`; all of them are traced, one is run.

    An index below 0 counts as 0, one that is too large as the last. It is one integer, the operands
    are pytrees of arrays, and the branches must return pytrees of one structure and types: else a
    TypeError. ValueError where there are no branches.

    >>> switch(1, [lambda x: x, lambda x: 2 * x, lambda x: x * x], 3.0)
    Array(6., dtype=float32, weak_type=True)
    """
    operands = one_operand("lax.switch", operands, operand)
    if not isinstance(branches, Iterable):
        raise TypeError(f"lax.switch takes a list of functions, and got {shown(branches)}. Give "
                        f"[f, g].")  # fmt: skip
    funs = {f"branches[{i}]": fun for i, fun in enumerate(branches)}
    check_functions("lax.switch", funs)
    if scalar_kind(index) not in ("i", "u"):
        raise TypeError(
            f"lax.switch takes one integer as its index, and got {shown(index)}.\n"
            f"Use lax.cond for a choice between two, or jax.vmap for many indices."
        )
    if not funs:
        raise ValueError("lax.switch got no branches. Give a list of at least one function.")
    functions = list(funs.values())
    if len(functions) == 1:
        return functions[0](*operands)
    index = clamp(np.int32(0), cast(index, np.dtype(np.int32)), np.int32(len(functions) - 1))
    if config.jax_disable_jit and is_concrete(index):
        return functions[int(index)](*operands)
    return bind_branches(index, *trace_branches("lax.switch", funs, operands))


# A choice that is made by where a program runs.

platform_index_p = Primitive("platform_index")


@platform_index_p.def_abstract_eval
def _platform_index_rule(*, platforms: tuple) -> ShapedArray:
    return ShapedArray((), np.int32)


@platform_index_p.def_impl
def _platform_index_impl(*, platforms: tuple) -> Any:
    for i, names in enumerate(platforms):
        if names is None or "cpu" in names:
            return cast(i, np.dtype(np.int32))
    raise NotImplementedError(
        f"lax.platform_dependent runs on the platform 'cpu', and has branches for {platforms}.\n"
        f"Give it cpu=function or default=function."
    )


def platform_dependent(
    *args: Any, default: Callable | None = None, **per_platform: Callable
) -> Any:
    """The branch for the platform on which the program runs, applied: here, always `cpu`.

    `per_platform` are functions by the names of platforms, `default` is for all others. They must
    return pytrees of one structure and types, TypeError otherwise; NotImplementedError where none
    is for this platform.

    >>> platform_dependent(3.0, cpu=lambda x: x + 1, default=lambda x: x - 1)
    Array(4., dtype=float32, weak_type=True)
    """
    funs = per_platform if default is None else {**per_platform, "default": default}
    check_functions("lax.platform_dependent", funs)
    if "gpu" in per_platform:
        raise ValueError("lax.platform_dependent knows no 'gpu'. Name it 'cuda' or 'rocm'.")
    names: dict[Callable, list[str]] = {}
    for name, fun in per_platform.items():
        names.setdefault(fun, []).append(name)
    branches = {", ".join(same): fun for fun, same in names.items()}
    platforms: tuple = tuple(map(tuple, names.values()))
    if default is not None:
        branches, platforms = {**branches, "default": default}, (*platforms, None)
    index = platform_index_p.bind(platforms=platforms)
    if is_concrete(index):
        return list(branches.values())[int(index)](*args)
    traced = trace_branches("lax.platform_dependent", branches, args)
    return bind_branches(index, *traced, branches_platforms=platforms)
