"""Modules that are imported when something of theirs is asked for first: minijax itself then is
imported quickly. A package shows names of theirs, a class has their functions as methods."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from minijax.core.errors import api_boundary
from minijax.face import offers
from minijax.face.boundaries import guarded
from minijax.face.planned import missing_names, shown_names


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package that shows what modules define.

    `homes` has the names, as one text, by the module that they are imported from. The package has
    those of modules that are imported already at once; their boundaries are `guard`'s business. It
    has those of another, with boundaries, as soon as it is asked for one. A module of its own that
    stands there without names is shown itself.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    places = [home.rpartition(".") for home in homes]
    modules = {name: f"{package}.{name}" for base, _, name in places if base == package}
    shown = [*home_of, *(name for name, home in modules.items() if not homes[home])]
    namespace, missing = vars(sys.modules[package]), missing_names(package)
    for name, home in home_of.items():
        loaded = vars(sys.modules[home]) if home in sys.modules else {}
        if name in loaded:
            namespace[name] = loaded[name]

    @api_boundary
    def __getattr__(name: str) -> Any:
        if name in home_of:
            home = import_module(home_of[name])
            for each in homes[home.__name__].split():
                namespace.setdefault(each, guarded(getattr(home, each)))  # another thread's stays
            return namespace[name]
        return import_module(modules[name]) if name in modules else missing(name)

    return __getattr__, shown_names(package), shown


class _LazyMethod:
    """Stands in a class for a method, until it is asked for."""

    def __init__(self, resolve: Callable[[], Any]) -> None:
        self.resolve = resolve

    @api_boundary
    def __get__(self, x: Any, cls: type) -> Any:
        return self.resolve().__get__(x, cls)


def put_lazily(cls: type, name: str, source: str, make: Callable[[Any], Any]) -> None:
    """Gives a class a method, or a property: what is made of a function, by its full name."""

    def resolve() -> Any:
        setattr(cls, name, make(_by_name(source)))
        return vars(cls)[name]

    setattr(cls, name, _LazyMethod(resolve))


def call_lazily(source: str) -> Callable:
    """A function that calls another, known by its full name."""
    return lambda *args, **kwargs: _by_name(source)(*args, **kwargs)


def _by_name(source: str) -> Any:
    module, _, name = source.rpartition(".")
    return getattr(import_module(module), name)


offers.asarray = call_lazily("minijax.numpy.creation.asarray")
