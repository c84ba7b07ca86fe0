"""What the Python array API standard asks a namespace about itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.config import config
from minijax.core.dtypes import canonicalize_dtype
from minijax.numpy.dtypes import _KINDS, issubdtype
from minijax.placement import devices


class ArrayNamespaceInfo:
    """What `jnp.__array_namespace_info__()` returns.

    >>> ArrayNamespaceInfo().default_dtypes()["integral"]
    dtype('int32')
    """

    def capabilities(self) -> dict[str, Any]:
        """What a program may count on: results whose shape depends on values are not among it."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": 64}

    def default_device(self) -> None:
        """None: arrays are where they are."""
        return None

    def devices(self) -> list[Any]:
        """The devices that arrays can be on; None stands for the default."""
        return [None, *devices()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The dtypes that arrays have where none is asked for, by kind."""
        of_kinds = {"real floating": float, "complex floating": complex, "integral": int}
        of_kinds["indexing"] = int
        return {kind: canonicalize_dtype(python) for kind, python in of_kinds.items()}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype]:
        """The dtypes of a kind, as `isdtype` has them, of several, or all, by name. KeyError for
        another kind."""
        names = "bool int8 int16 int32 uint8 uint16 uint32 float32 complex64".split()
        if config.jax_enable_x64:
            names += "int64 uint64 float64 complex128".split()
        kinds = [*_KINDS] if kind is None else [kind] if isinstance(kind, str) else kind
        families = [family for one in kinds for family in _KINDS[one]]
        return {
            name: np.dtype(name) for name in names
            if any(issubdtype(name, family) for family in families)
        }  # fmt: skip
