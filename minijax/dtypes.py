"""Dtypes beyond NumPy's, and how dtypes meet."""

from minijax.core.arrays import TypePromotionError, canonicalize_dtype, result_type
from minijax.core.tracing import bfloat16, float0
