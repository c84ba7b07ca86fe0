"""One kind of numbers made of another, as JAX's `dtypes` says it."""

from typing import Any

import numpy as np


def to_complex_dtype(dtype: Any) -> np.dtype:
    """The complex numbers that hold numbers of a dtype: complex128 for those of 64 bits' parts."""
    is_wide = np.dtype(dtype).name in ("int64", "uint64", "float64", "complex128")
    return np.dtype(np.complex128 if is_wide else np.complex64)
