"""`jax.ref`: references, mutable arrays that programs read and write."""

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
