"""The smallest and the largest value of a dtype: where an extreme starts."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from minijax.core.dtypes import is_narrow, issubdtype


def dtype_bounds(dtype: np.dtype) -> tuple[Any, Any]:
    """The smallest and the largest value, infinities where there are such: what the extremes of no
    values are.

    >>> dtype_bounds(np.dtype("int8")), dtype_bounds(np.dtype("float32"))
    ((-128, 127), (-inf, inf))
    """
    if dtype == np.bool_:
        return False, True
    if issubdtype(dtype, np.integer):
        return int(ml_dtypes.iinfo(dtype).min), int(ml_dtypes.iinfo(dtype).max)
    if not is_narrow(dtype) or np.isinf(np.array(np.inf, dtype).astype(np.float32)):
        return -np.inf, np.inf
    return float(ml_dtypes.finfo(dtype).min), float(ml_dtypes.finfo(dtype).max)


def smallest(dtype: np.dtype) -> Any:
    return dtype_bounds(dtype)[0]


def largest(dtype: np.dtype) -> Any:
    return dtype_bounds(dtype)[1]
