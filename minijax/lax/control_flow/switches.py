"""cond, switch and platform_dependent as a user calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minijax.core.arrays import Array, is_array_like
from minijax.core.config import config
from minijax.core.forward import constant
from minijax.core.primitives import cast
from minijax.core.tracing import Primitive, ShapedArray, Tracer, typeof
from minijax.lax.control_flow.bodies import check_functions
from minijax.lax.control_flow.branches import bind_branches, trace_branches
from minijax.lax.elementwise.arithmetic import ne, shown, wrapped_integer
from minijax.lax.elementwise.clamping import clamp

# The arguments are checked.


ABSENT = object()  # where no operand is given by name: None would be one


def one_operand(name: str, operands: tuple, operand: Any) -> tuple:
    """The operands, of which a single one may be given by name, as in old versions of JAX."""
    if operand is not ABSENT and operands:
        raise TypeError(
            f"{name} got {len(operands)} operands and operand={shown(operand)}. Give all of them "
            f"by position."
        )
    return operands if operand is ABSENT else (operand,)


def scalar_kind(x: Any) -> str:
    """The letter of NumPy for the dtype of one number; of anything else, none."""
    aval = typeof(x) if is_array_like(x) else None
    return getattr(aval.dtype, "kind", "") if aval is not None and not aval.shape else ""


def is_concrete(x: Any) -> bool:
    return not isinstance(x, Tracer) or x.to_concrete_value() is not None


# The choices.


def cond(
    pred: Any, true_fun: Callable, false_fun: Callable, *operands: Any, operand: Any = ABSENT
) -> Any:
    """`true_fun(*operands)` if `pred`, else `false_fun(*operands)`; both are traced, one is run.

    `pred` is one bool or number, the operands are pytrees of arrays, and the functions must return
    pytrees of one structure and types. TypeError where any of these is not so. Under vmap with a
    mapped `pred`, both functions run, and each example gets the results that it would have.

    >>> cond(True, lambda x: x + 1, lambda x: x - 1, 3.0)
    Array(4., dtype=float32, weak_type=True)
    """
    is_old = callable(false_fun) and not callable(true_fun) and len(operands) == 2
    if is_old and callable(operands[1]):  # cond(pred, x, f, y, g), as it was in former times
        (x, f), (y, g) = (true_fun, false_fun), operands
        return cond(pred, lambda x, _: f(x), lambda _, y: g(y), x, y)
    operands = one_operand("lax.cond", operands, operand)
    funs = {"true_fun": true_fun, "false_fun": false_fun}
    check_functions("lax.cond", funs)
    kind = scalar_kind(pred)
    if kind not in tuple("biuf"):
        raise TypeError(
            f"lax.cond takes one bool or number as its predicate, and got {shown(pred)}.\n"
            f"Use x.any() or x.all(), or jnp.where to choose element by element."
        )
    if kind != "b":
        pred = ne(pred, constant(pred, 0)) if isinstance(pred, Array) else bool(pred != 0)
    if config.jax_disable_jit and is_concrete(pred):
        return (true_fun if pred else false_fun)(*operands)
    (on_true, on_false), *rest = trace_branches("lax.cond", funs, operands)
    return bind_branches(cast(pred, np.dtype(np.int32)), (on_false, on_true), *rest)


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
    index = wrapped_integer(index, np.dtype(np.int32)) if type(index) is int else index
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
    4.0
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
