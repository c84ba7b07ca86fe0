"""Classes that JAX gives to Python's numbers and to NumPy's arrays in programs.

Programs here hold both as they are: what is of these classes, somebody else has made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax.core.extend import ShapedArray, pytype_aval_mappings


class _Typed:
    """A number of Python's that has a dtype. It is weak, as Python's are."""

    __slots__ = ()
    dtype: np.dtype

    def __new__(cls, value: Any, dtype: Any) -> Any:
        number = super().__new__(cls, value)
        number.dtype = np.dtype(dtype)
        return number

    @property
    def aval(self) -> ShapedArray:
        return ShapedArray((), self.dtype, weak_type=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()}, dtype={self.dtype})"


class TypedInt(_Typed, int):
    """An integer that has a dtype."""


class TypedFloat(_Typed, float):
    """A float that has a dtype."""


class TypedComplex(_Typed, complex):
    """A complex number that has a dtype."""


class TypedNdArray:
    """A NumPy array that is a constant of a program."""


pytype_aval_mappings |= dict.fromkeys([TypedInt, TypedFloat, TypedComplex], lambda x: x.aval)
