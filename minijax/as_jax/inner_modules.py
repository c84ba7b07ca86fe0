"""Modules by JAX's inner names, made from the table when they are imported."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from minijax.as_jax.inner_names import INNER_NAMES
from minijax.as_jax.versions import JAX_VERSION, JAX_VERSION_INFO, find_distributions
from minijax.core.errors import api_boundary
from minijax.face.planned import lacking

__all__ = [
    "INNER_NAMES", "JAX_VERSION", "JAX_VERSION_INFO", "find_distributions", "make_module",
    "refusal",
]  # fmt: skip


@cache
def make_module(name: str) -> ModuleType:
    """The module, whose names are looked up when they are asked for; KeyError for an unknown one.

    What the table lacks raises AttributeError, as for any module.
    """
    home_of = dict(_homes(INNER_NAMES[name]))
    module = ModuleType(name, f"{name} of the real JAX, as far as libraries written for JAX ask.")
    module.__path__ = []  # a package: submodules are found by the table
    module.__all__ = sorted(home_of)

    @api_boundary
    def __getattr__(inner: str) -> Any:
        if inner in home_of:
            home, ours = home_of[inner]
            setattr(module, inner, getattr(import_module(home), ours))
            return getattr(module, inner)
        if f"{name}.{inner}" in INNER_NAMES:
            return import_module(f"{name}.{inner}")
        raise lacking(refusal(f"{name}.{inner}"), name, inner)

    module.__getattr__ = __getattr__
    return module


def _homes(names: dict[str, str]) -> Any:
    """The pairs of a name of JAX's, and (module, name) of what answers to it here."""
    for home, text in names.items():
        for word in text.split():
            theirs, _, ours = word.partition("=")
            yield theirs, (home, ours or theirs)


def refusal(name: str) -> str:
    """What is said of an inner name that nothing here answers to."""
    return f"{name} is inside of the real JAX, which is not here. Use JAX's public names."
