"""What a user calls lets out no frames of ours when it raises: `guard` sees to it.

A boundary costs a tenth of a microsecond a call, so our own calls of each other do without.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any

from minijax.core.errors import api_boundary

_BOUNDARY_CODE = api_boundary(len).__code__
_boundaries: dict[Callable, Callable] = {}  # by the function inside: two names have one


def guard(*owners: Any, but: Collection[str] = ()) -> None:
    """Puts an `api_boundary` round the public functions of modules and the methods of classes.

    Not round those of the names `but`. A function is replaced where it is defined, too, so that it
    can be pickled by its name. Those of our modules that have imported it before go on calling it
    without.
    """
    for owner in owners:
        for name, fun in list(vars(owner).items()):
            if not isinstance(fun, FunctionType) or fun.__code__ is _BOUNDARY_CODE:
                continue
            if hasattr(fun, "is_boundary"):  # the compiler's calls are boundaries themselves
                continue
            is_public = not name.startswith("_") or name.startswith("__")
            if is_public and name not in but:
                if fun not in _boundaries:
                    _boundaries[fun] = api_boundary(fun)
                home = sys.modules[fun.__module__]
                if getattr(home, fun.__name__, None) is fun:
                    setattr(home, fun.__name__, _boundaries[fun])
                setattr(owner, name, _boundaries[fun])

