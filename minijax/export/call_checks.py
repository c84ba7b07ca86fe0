"""Whether a function can be exported, and whether a call fits what was exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minijax.core.arrays import is_array_like
from minijax.core.config import config
from minijax.core.jitting import jit
from minijax.core.printing import jaxprs_in_params
from minijax.core.pytrees import PyTreeDef, difference
from minijax.core.staging import Jaxpr
from minijax.core.tracing import ShapedArray
from minijax.export.dimensions import is_symbolic
from minijax.export.safety_checks import DisabledSafetyCheck
from minijax.lax.control_flow.switches import platform_index_p
from minijax.lax.elementwise.arithmetic import shown
from minijax.stages import Wrapped

VERSIONS = range(9, 11)  # of the convention by which an exported module is called


def check_export(fun_jit: Any, lowering_rules: Any) -> Wrapped:
    """The jitted function, as functions of jax.numpy are in JAX; ValueError where it is none."""
    if str(getattr(fun_jit, "__module__", "")).startswith("minijax.numpy.") and callable(fun_jit):
        fun_jit = jit(fun_jit)
    if not isinstance(fun_jit, Wrapped):
        raise ValueError(
            f"jax.export.export takes what jax.jit returns, and got {shown(fun_jit)}.\n"
            f"Give jax.jit(function)."
        )
    if lowering_rules:
        raise NotImplementedError(
            "jax.export.export takes no _override_lowering_rules: these are of MLIR's objects. "
            "Leave them out."
        )
    return fun_jit


def checked_platforms(platforms: Any) -> tuple[str, ...]:
    """The names as a tuple. TypeError where they are none; anybody may have a platform."""
    if isinstance(platforms, str) or not hasattr(platforms, "__iter__"):
        raise TypeError(
            f"jax.export.export takes names of platforms, and got {shown(platforms)}. Give a list, "
            f"as ['cpu', 'tpu']."
        )
    names = tuple(platforms)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"jax.export.export got {shown(name)} among the platforms. Give 'cpu', 'cuda', "
                f"'rocm' or 'tpu'."
            )
        if name == "gpu":
            raise RuntimeError(
                "jax.export.export got the platform 'gpu', which is not one. Give 'cuda' or 'rocm'."
            )
    return names


def checked_disabled(disabled_checks: Any) -> tuple:
    """The checks as a tuple; TypeError where they are none."""
    checks = tuple(disabled_checks) if hasattr(disabled_checks, "__iter__") else (disabled_checks,)
    if not all(isinstance(check, DisabledSafetyCheck) for check in checks):
        raise TypeError(
            f"jax.export.export got {shown(disabled_checks)} as disabled_checks. Give a list, as "
            f"[DisabledSafetyCheck.platform()]."
        )
    return checks


def convention() -> int:
    """The version of the calling convention that is asked for; ValueError for another."""
    version = config.jax_export_calling_convention_version
    if version not in VERSIONS:
        raise ValueError(
            f"jax.export.export knows the calling conventions of the versions {VERSIONS[0]} to "
            f"{VERSIONS[-1]}, and the option jax_export_calling_convention_version is {version}. "
            f"Give one of them."
        )
    return version


def check_one_text(exported: Any) -> None:
    """NotImplementedError where the platform decides what the program is, and isn't known yet."""
    if len(exported.platforms) > 1 and _asks_for_platform(exported.jaxpr.jaxpr):
        raise NotImplementedError(
            f"Exported.mlir_module: {exported.fun_name} has a branch for each of the platforms "
            f"{exported.platforms}, and a text is for one. Give export one of platforms=[...]."
        )


def _asks_for_platform(jaxpr: Jaxpr) -> bool:
    return any(
        eqn.primitive is platform_index_p
        or any(map(_asks_for_platform, jaxprs_in_params(eqn.params)))
        for eqn in jaxpr.eqns
    )


def check_vjp_order(vjp_order: Any) -> None:
    if not isinstance(vjp_order, int):
        raise TypeError(
            f"Exported.serialize takes as vjp_order how many derivatives to write, and got "
            f"{shown(vjp_order)}. Give an int."
        )


def check_arguments(exported: Any, leaves: Sequence[Any], in_tree: PyTreeDef) -> None:
    """ValueError, which says where, for arguments of another structure; TypeError for what is
    neither an array nor a number."""
    if in_tree == exported.in_tree:
        for i, x in enumerate(leaves):
            if not is_array_like(x):
                raise TypeError(
                    f"Exported.call: {exported.fun_name} got {shown(x)} as "
                    f"{argument_name(exported, i)}. Give an array or a number."
                )
        return
    found = next(_differences(exported.in_tree, in_tree), "they differ")
    raise ValueError(
        f"Exported.call: {exported.fun_name} was exported for (args, kwargs) of the structure "
        f"{exported.in_tree}, and got {in_tree}: {found}.\nGive arguments of that structure."
    )


def _differences(
    expected: PyTreeDef, given: PyTreeDef, place: str = "(args, kwargs)"
) -> Iterator[str]:
    """Sentences that say where two structures part."""
    if text := difference(expected, given._type, given._aux, len(given._children)):
        yield f"at {place}, {text}"
        return
    for i, pair in enumerate(zip(expected._children, given._children, strict=True)):
        yield from _differences(*pair, f"{place}[{i}]")


def check_types(exported: Any, in_avals: Sequence[Any]) -> None:
    """ValueError, which names the argument, for another shape or dtype. Of a shape with symbolic
    dimensions `refining` says whether another one fits."""
    for i, (expected, aval) in enumerate(zip(exported.in_avals, in_avals, strict=True)):
        fits = isinstance(aval, ShapedArray) and aval.dtype == expected.dtype
        if not fits or aval.shape != expected.shape and not is_symbolic(expected):
            raise ValueError(
                f"Exported.call: {exported.fun_name} was exported for {expected.str_short()} as "
                f"{argument_name(exported, i)}, and got {aval.str_short()}.\nGive that, or "
                f"export the function for this type too."
            )


def argument_name(exported: Any, i: int) -> str:
    """What the i-th leaf is called in messages."""
    return exported.arg_names[i] or f"argument {i}"
