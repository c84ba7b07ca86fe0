"""What an exported function consists of: a program, and what a caller has to know of it.

The fields are JAX's, and `jaxpr` and `arg_names`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from minijax.compiler.stablehlo.modules import module_text
from minijax.core.errors import api_boundary
from minijax.core.pytrees import PyTreeDef
from minijax.core.staging import ClosedJaxpr
from minijax.export.call_checks import VERSIONS, check_one_text
from minijax.export.jax_modules import text_of_jax
from minijax.export.logical_devices import on_mesh
from minijax.export.safety_checks import DisabledSafetyCheck
from minijax.stages.texts import check_jaxlib, leaf_names

minimum_supported_calling_convention_version = VERSIONS[0]
maximum_supported_calling_convention_version = VERSIONS[-1]


@dataclasses.dataclass(frozen=True, eq=False)
class ExportedFields:
    """The data of an exported function, and its StableHLO.

    `jaxpr` is the program, a function of leaves. `in_tree` is the structure of (args, kwargs),
    `module_kept_var_idx` says which of the leaves are used. A program for several devices says how
    arguments and results lie on them (`in_shardings_jax`), where that is asked. `_get_vjp` makes
    the pullback, where there can be one.
    """

    fun_name: str
    in_tree: PyTreeDef
    in_avals: tuple
    out_tree: PyTreeDef
    out_avals: tuple
    platforms: tuple[str, ...]
    disabled_safety_checks: tuple[DisabledSafetyCheck, ...]
    module_kept_var_idx: tuple[int, ...]
    arg_names: tuple[str | None, ...]
    calling_convention_version: int
    jaxpr: ClosedJaxpr
    _get_vjp: Callable[[Any], Any] | None
    nr_devices: int = 1
    _in_named_shardings: tuple = ()
    _out_named_shardings: tuple = ()
    ordered_effects: tuple = ()
    unordered_effects: tuple = ()

    @property
    def uses_global_constants(self) -> bool:
        """Whether it is for several platforms, or its arguments' sizes are not all known."""
        sizes = [n for aval in self.in_avals for n in getattr(aval, "shape", ())]
        return len(self.platforms) > 1 or not all(isinstance(n, int) for n in sizes)

    in_shardings_hlo = property(lambda self: (None,) * len(self.in_avals))
    out_shardings_hlo = property(lambda self: (None,) * len(self.out_avals))

    def __repr__(self) -> str:
        return f"Exported(fun_name={self.fun_name}, ...)"

    @api_boundary
    def mlir_module(self, serialized: bool = True) -> Any:
        """The program as StableHLO: a text, or, unless `serialized`, an object of jaxlib's. It is
        that of whole values, also where they are cut over devices.

        NotImplementedError where a primitive has no text, or another one for each platform;
        ImportError where jaxlib is not there.
        """
        check_one_text(self)
        kept = [i in self.module_kept_var_idx for i in range(len(self.in_avals))]
        text = text_of_jax(self.jaxpr) or module_text(
            self.jaxpr, f"jit_{self.fun_name}", kept=kept, arg_names=self.arg_names,
            result_names=leaf_names("result", self.out_tree),
        )  # fmt: skip
        if serialized:
            return text
        check_jaxlib("A module as an object", "leave serialized out, for its text")
        from minijax.compiler.stablehlo.xla_programs import parsed

        return parsed(text)

    mlir_module_serialized = property(lambda self: self.mlir_module().encode())

    @api_boundary
    def in_shardings_jax(self, mesh: Any) -> tuple:
        """How each argument is to lie on the devices of a mesh: a sharding, or None, as it likes.

        ValueError for a mesh with other axes than the function was exported for.
        """
        places = self._in_named_shardings or self.in_shardings_hlo
        return on_mesh(places, mesh, "in_shardings_jax")

    @api_boundary
    def out_shardings_jax(self, mesh: Any) -> tuple:
        """How each result will lie on the devices of a mesh, likewise."""
        places = self._out_named_shardings or self.out_shardings_hlo
        return on_mesh(places, mesh, "out_shardings_jax")
