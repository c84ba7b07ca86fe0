"""`jax.ref`: references, mutable arrays that programs read and write."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.references.operations import (
    addupdate,
    empty_ref,
    free_ref,
    freeze,
    get,
    new_ref,
    set,
    swap,
)
from minijax.lax.references.types import AbstractRef, Ref

__all__ = ["AbstractRef", "Ref", "addupdate", "empty_ref", "free_ref", "freeze", "get", "new_ref",
           "set", "swap"]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__])
