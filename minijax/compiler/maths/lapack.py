"""Factors of matrices for compiled loops: those of LAPACK, in the library that NumPy itself calls.

They are Fortran's. A matrix lies column by column. Each argument is an address, that of a number or
a letter too, and behind them are the lengths of the letters. Where a routine isn't found, loops
with it run step by step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from minijax.compiler.kernels.elements import FLOATS
from minijax.compiler.maths.blas import known_function

# In NumPy's own packages; built with OpenBLAS's 64-bit names; with Apple's library. All take whole
# numbers of 64 bits.
NAMES = ("scipy_{}_64_", "{}_64_", "{}$NEWLAPACK$ILP64")
# How many arguments each routine has, and how many of these are letters.
ARGUMENTS = {
    "trsm": (11, 4), "potrf": (5, 1), "getrf": (6, 0), "geqrf": (8, 0), "geqp3": (9, 0),
    "orgqr": (9, 0), "syevd": (11, 2), "gesdd": (14, 1), "gttrf": (7, 0), "gttrs": (11, 1),
}  # fmt: skip


@cache
def routine(name: str, dtype: np.dtype) -> Callable | None:
    """A routine for float32 or float64, which returns nothing; None where it isn't found.

    Its name is the library's, by which machine code asks for it too (`machine_code.load`).
    """
    addresses, letters = ARGUMENTS[name]
    types = (ctypes.c_void_p,) * addresses + (ctypes.c_int64,) * letters
    return known_function(NAMES, ("s" if dtype == np.float32 else "d") + name, types)


# What kernels call them: potrf_f32 and potrf_f64.
globals().update({f"{name}_{suffix}": routine(name, dtype)
                  for name in ARGUMENTS for dtype, suffix in FLOATS.items()})  # fmt: skip
