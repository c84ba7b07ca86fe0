"""What a user calls lets out no frames of ours when it raises: `guard` sees to it.

A boundary costs a tenth of a microsecond a call, so our own calls of each other do without.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any

from minijax.core.errors import api_boundary
from minijax.face.offers import takes_nodes, taking_nodes, taking_offers

_BOUNDARY_CODES = {api_boundary(len).__code__, taking_nodes(len).__code__}
_boundaries: dict[Callable, Callable] = {}  # by the function inside: two names have one


def guarded(x: Any) -> Any:
    """A function with an `api_boundary` round it; whatever else, and what has one, as it is. One
    that takes objects that offer an array does so from now on.

    A function is replaced where it is defined, too, so that it can be pickled by its name. Those of
    our modules that have imported it before go on calling it without.
    """
    unquote_annotations(x)
    if not isinstance(x, FunctionType) or x.__code__ in _BOUNDARY_CODES:
        return x
    if hasattr(x, "is_boundary"):  # the compiler's calls are boundaries themselves
        return taking_offers(x)
    if x not in _boundaries:
        boundary = taking_nodes if takes_nodes(x) else api_boundary
        _boundaries[x] = boundary(taking_offers(x))
    home = sys.modules[x.__module__]
    if getattr(home, x.__name__, None) is x:
        setattr(home, x.__name__, _boundaries[x])
    return _boundaries[x]


class Annotation(str):
    """A type's name in a signature: `help` and `inspect.signature` show it without quotes."""

    __repr__ = str.__str__


def unquote_annotations(fun: Any) -> None:
    """Lets the signature of a function, or of a class and its instances, show types' names bare."""
    if isinstance(fun, type):
        for method in (fun.__init__, fun.__new__, vars(fun).get("__call__")):
            unquote_annotations(method)
    while hasattr(fun, "__wrapped__"):
        fun = fun.__wrapped__
    if isinstance(fun, FunctionType):
        for name, annotation in fun.__annotations__.items():
            if type(annotation) is str:
                fun.__annotations__[name] = Annotation(annotation)


def guard(*owners: Any, but: Collection[str] = ()) -> None:
    """Puts a boundary round the functions that modules show and the public methods of classes.

    Not round those of the names `but`.
    """
    for owner in owners:
        shown = set(vars(owner).get("__all__", ()))
        for name, x in list(vars(owner).items()):
            is_public = not name.startswith("_") or name.startswith("__")
            if (name in shown if shown else is_public) and name not in but:
                if (fun := guarded(x)) is not x:
                    setattr(owner, name, fun)
