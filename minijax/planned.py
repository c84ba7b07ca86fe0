"""What JAX has and minijax has not yet: the error says so, where a misspelt name gets Python's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minijax.core.errors import api_boundary


def not_here(full_name: str, where: str, name: str) -> AttributeError:
    """The error for what is still to come. Without `obj`, Python looks for no similar name."""
    return AttributeError(
        f"{full_name} is not here yet. dir() of {where} lists what is.", name=name
    )


def missing_names(module: str) -> Callable[[str], Any]:
    """A module's `__getattr__`, which Python asks for the names that the module does not have.

    It always raises AttributeError, so `hasattr` is False of a name that is still to come.
    """

    @api_boundary
    def __getattr__(name: str) -> Any:
        if not name.startswith("_"):
            from minijax.jax_names import JAX_NAMES  # not before it is asked for: imports are quick

            if name in JAX_NAMES.get(module, "").split():
                raise not_here(f"{module}.{name}", "the module", name)
        raise AttributeError(
            f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module]
        )

    return __getattr__


def shown_names(module: str) -> Callable[[], list[str]]:
    """A module's `__dir__`, for `dir()` and Tab: what its `__all__` has, and not its helpers."""
    namespace = vars(sys.modules[module])
    return lambda: sorted({*namespace["__all__"], *(n for n in namespace if n.startswith("__"))})


class MissingMethod:
    """Stands in a class for a method that is still to come: to ask for it raises AttributeError."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, cls: type) -> Any:
        raise not_here(f"x.{self.name}", "the array", self.name)
