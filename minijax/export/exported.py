"""export: a jitted function's program, made to be kept, sent elsewhere, and called there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from minijax.compiler.passes.simplify import prune
from minijax.core.errors import api_boundary
from minijax.core.jitting import jit
from minijax.core.pytrees import tree_flatten, tree_leaves, tree_unflatten
from minijax.core.staging import ClosedJaxpr, jaxpr_as_fun
from minijax.export.call_checks import (
    check_arguments, check_export, check_vjp_order, checked_disabled, checked_platforms, convention,
)
from minijax.export.calling import flat_call, pulled_back
from minijax.export.exported_fields import ExportedFields
from minijax.export.file_format import read_functions, written_functions
from minijax.export.logical_devices import Places, logical, of_pullback, places_of
from minijax.export.refining import check_solvable
from minijax.export.safety_checks import DisabledSafetyCheck
from minijax.export.self_contained import self_contained
from minijax.placement import default_backend
from minijax.stages import Lowered, Wrapped
from minijax.stages.texts import kept_arguments


def default_export_platform() -> str:
    """The platform for which a function is exported where none is asked for: "cpu"."""
    return default_backend()


# From a jitted function to what is exported.


@api_boundary
def export(
    fun_jit: Wrapped, *, platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[DisabledSafetyCheck] = (), _override_lowering_rules: Any = None,
) -> Callable[..., Exported]:  # fmt: skip
    """A function of `fun_jit`'s arguments, or of ShapeDtypeStructs, that returns its `Exported`.

    ValueError where `fun_jit` is not what `jit` returns; NotImplementedError, naming the primitive,
    where the function calls back into Python.

    >>> import minijax
    >>> doubled = export(jit(lambda x: 2 * x))(minijax.ShapeDtypeStruct((3,), "float32"))
    >>> doubled.in_avals, doubled.call(minijax.numpy.arange(3.0))
    ((ShapedArray(float32[3]),), Array([0., 2., 4.], dtype=float32))
    """
    fun_jit = check_export(fun_jit, _override_lowering_rules)
    names = checked_platforms([default_export_platform()] if platforms is None else platforms)
    checks = checked_disabled(disabled_checks)

    @api_boundary
    def do_export(*args: Any, **kwargs: Any) -> Exported:
        traced = fun_jit.trace(*args, **kwargs)
        places = places_of(fun_jit, traced, tree_leaves((args, kwargs)))
        return _exported(traced, places, names, checks)

    return do_export


def _exported(traced: Any, places: Places, platforms: tuple, checks: tuple) -> Exported:
    Lowered(traced)  # it refuses values of a trace around, which can't leave
    closed, kept = traced.jaxpr, kept_arguments(traced, traced.jaxpr)
    check_solvable(closed)
    placed, on_devices = logical(closed, places, kept)
    return Exported(
        fun_name=traced.fun_name, in_tree=traced.in_tree, in_avals=tuple(closed.in_avals),
        out_tree=traced.out_tree, out_avals=tuple(closed.out_avals), platforms=platforms,
        disabled_safety_checks=checks,
        module_kept_var_idx=tuple(i for i, is_kept in enumerate(kept) if is_kept),
        calling_convention_version=convention(),
        arg_names=tuple(map(closed.jaxpr.debug_info.arg_name, range(len(kept)))),
        jaxpr=self_contained(prune(placed), platforms, on_devices["nr_devices"]), **on_devices,
        _get_vjp=partial(_exported_vjp, closed),
    )  # fmt: skip


def _exported_vjp(closed: ClosedJaxpr, exported: Exported) -> Exported:
    """Its pullback: a function of the arguments, then of a cotangent for each result. It is made of
    the program as it was traced, which still has the rules for derivatives."""
    size = len(closed.in_avals)

    def fun_vjp_jax(*args_and_cts: Any) -> tuple:
        return pulled_back(jaxpr_as_fun(closed), args_and_cts[:size], args_and_cts[size:])

    of_cts = [aval.to_tangent_aval() for aval in closed.out_avals]
    traced = jit(fun_vjp_jax).trace(*closed.in_avals, *of_cts)
    places = of_pullback(exported, traced)
    return _exported(traced, places, exported.platforms, exported.disabled_safety_checks)


class Exported(ExportedFields):
    """A function's program for arguments of certain types, and all that it takes to call it."""

    def has_vjp(self) -> bool:
        """Whether it has a derivative: what was read from bytes has those that were written."""
        return self._get_vjp is not None

    @api_boundary
    def vjp(self) -> Exported:
        """The pullback, exported: a function of the arguments' leaves and then of a cotangent for
        each result, to the cotangents of the arguments. ValueError where it has none."""
        if self._get_vjp is None:
            raise ValueError(
                f"Exported.vjp: {self.fun_name} was read from bytes without a derivative of this "
                f"order, so grad stops here. Give serialize a larger vjp_order."
            )
        return self._pullback

    @api_boundary
    def serialize(self, vjp_order: int = 0) -> bytearray:
        """The function as bytes, with its first `vjp_order` derivatives, for `deserialize`.

        The format is described in minijax/export/file_format.py. ValueError where there are not so
        many derivatives, or for a class of containers that isn't registered.
        """
        check_vjp_order(vjp_order)
        functions = [self]
        for _ in range(vjp_order):
            functions.append(functions[-1].vjp())
        return written_functions(functions)

    @api_boundary
    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result: eagerly, or inside of a function that is traced.

        ValueError where the arguments have another structure, or another shape or dtype, than it
        was exported for. It is differentiable in reverse, as often as `vjp` gives a pullback.
        """
        leaves, in_tree = tree_flatten((args, kwargs))
        check_arguments(self, leaves, in_tree)
        return tree_unflatten(self.out_tree, self._flat_call(*leaves))

    _pullback = cached_property(lambda self: self._get_vjp(self))
    _flat_call = cached_property(flat_call)


@api_boundary
def deserialize(blob: bytes | bytearray) -> Exported:
    """The Exported that `serialize` made these bytes of. It is read and checked, not run: its
    program is well-typed, and made of primitives of this package alone. JAX's own bytes hold a
    module instead, which jaxlib reads and runs, trusting whoever wrote it; ImportError without.

    ValueError, which says what is wrong, for any other bytes.
    """
    found = None
    for fields in reversed(read_functions(blob)):  # each one's pullback stands behind it
        found = Exported(**fields, _get_vjp=found and (lambda _, pullback=found: pullback))
    return found
