"""What JAX has and minijax has not yet: the error says so, and what does the job until then.

A misspelt name gets Python's own error.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dis import opmap
from importlib.util import find_spec
from typing import Any

from minijax.core.errors import api_boundary
from minijax.face.advice import user_instruction, user_syntax


def sentence(written: str, module: str, name: str) -> str:
    """That a name of a module is not here, as the user has written it, and what is instead."""
    from minijax.face.stand_ins import FOR_ACCELERATORS, STAND_INS  # late: imports are quick

    purpose = FOR_ACCELERATORS.get(module, {}).get(name)
    if purpose:
        return f"{written} {purpose}, and minijax's kernels run on processors. Leave it out."
    stand_in = STAND_INS.get(module, {}).get(name)
    advice = f"Until then, use {stand_in}." if stand_in else "dir() of the module lists what is."
    return f"{written} is not here yet. {advice}"


def is_planned(module: str, name: str) -> bool:
    """Whether JAX's module of this name has a name, or a module, that this package lacks so far."""
    from minijax.face.jax_names import JAX_MODULES, JAX_NAMES  # not before it is asked for

    if name in JAX_NAMES.get(module, "").split():
        return True
    inner = f"{module}.{name}"
    return inner.removeprefix("minijax.") in JAX_MODULES.split() and find_spec(inner) is None


def missing_names(module: str) -> Callable[[str], Any]:
    """A module's `__getattr__`, which Python asks for the names that the module does not have.

    It raises AttributeError, so `hasattr` is False of a name that is still to come; ImportError
    where the user imports the name, since of an AttributeError Python would not tell the message.
    """

    @api_boundary
    def __getattr__(name: str) -> Any:
        if not name.startswith("_") and is_planned(module, name):
            raise lacking(sentence(_as_written(module, name), module, name), module, name)
        raise AttributeError(
            f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module]
        )

    return __getattr__


def lacking(said: str, module: str, name: str) -> Exception:
    """The error that says so of a module's name: which class it has, the user's line tells."""
    if _is_imported():
        return ImportError(said, name=module)
    return AttributeError(said, name=name)  # without `obj`, Python suggests no other name


def _as_written(module: str, name: str) -> str:
    """How the user's line names it, where the line can be read."""
    for node, _ in user_syntax():
        match node:
            case ast.Attribute(attr=attribute) if attribute == name:
                return ast.unparse(node)
            case ast.ImportFrom(module=str(written)):
                return f"{written}.{name}"
    return f"{module}.{name}"


def _is_imported() -> bool:
    """Whether the user's line is an import of a name from a module."""
    frame, instruction = user_instruction()
    return frame is not None and frame.f_code.co_code[instruction] == opmap["IMPORT_FROM"]


def shown_names(module: str) -> Callable[[], list[str]]:
    """A module's `__dir__`, for `dir()` and Tab: what its `__all__` has, and not its helpers."""
    namespace = vars(sys.modules[module])
    return lambda: sorted({*namespace["__all__"], *(n for n in namespace if n.startswith("__"))})


class MissingMethod:
    """Stands in a class for a method that is still to come: to ask for it raises AttributeError."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, x: Any, cls: type) -> Any:
        raise AttributeError(
            f"x.{self.name} is not here yet. dir() of the array lists what is.", name=self.name
        )
