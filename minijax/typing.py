"""Names for what functions take: `ArrayLike`, an array, a tracer or a number, and `DTypeLike`.

For annotations: neither promises that a function takes all of it.
"""

from typing import Any, Protocol

import numpy as np

from minijax.core.arrays import Array
from minijax.face.planned import missing_names, shown_names

__all__ = ["ArrayLike", "DTypeLike"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


class _HasDtype(Protocol):
    """Anything with a dtype, as jnp.float32."""

    @property
    def dtype(self, /) -> np.dtype: ...


ArrayLike = Array | np.ndarray | np.bool_ | np.number | bool | int | float | complex
DTypeLike = str | type[Any] | np.dtype | _HasDtype
