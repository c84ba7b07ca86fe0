"""Dtypes beyond NumPy's, and how dtypes meet."""

from minijax.core import TypePromotionError, canonicalize_dtype, float0, result_type
from minijax.core.tracing import bfloat16

__all__ = ["TypePromotionError", "bfloat16", "canonicalize_dtype", "float0", "result_type"]
