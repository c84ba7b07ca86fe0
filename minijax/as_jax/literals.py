"""Classes that JAX gives to Python's numbers and to NumPy's arrays in programs.

Programs here hold both as they are: no value is of these classes.
"""

import numpy as np


class TypedInt(int):
    """An integer that has a dtype."""

    dtype: np.dtype


class TypedFloat(float):
    """A float that has a dtype."""

    dtype: np.dtype


class TypedComplex(complex):
    """A complex number that has a dtype."""

    dtype: np.dtype


class TypedNdArray:
    """A NumPy array that is a constant of a program."""
