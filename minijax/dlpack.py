"""Arrays of other libraries that speak DLPack."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minijax.core.dtypes import bfloat16
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy import files

__all__ = ["from_dlpack", "is_supported_dtype"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


def from_dlpack(external_array: Any, device: Any = None, copy: bool | None = None) -> Any:
    """The array of another library as one of this; see `jnp.from_dlpack`.

    >>> from_dlpack(np.arange(2, dtype=np.int32))
    Array([0, 1], dtype=int32)
    """
    return files.from_dlpack(external_array, device=device, copy=copy)


def is_supported_dtype(dtype: Any) -> bool:
    """Whether arrays of a dtype can be given to other libraries so.

    >>> is_supported_dtype("float32")
    True
    """
    try:
        found = np.dtype(dtype)
    except TypeError as error:
        raise TypeError(
            f"dlpack.is_supported_dtype knows no dtype {shown(dtype)}. Give one as 'float32'."
        ) from error
    return found == bfloat16 or (found.kind in "biufc" and found.isbuiltin == 1)


guard(sys.modules[__name__])
